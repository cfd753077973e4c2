package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/sparse"
)

// Steps are the choices that make an embedding: the neighbours of a sample, the patch of each
// neighbourhood, and, together, the alignment and the solve.
type Steps struct {
	Neighbors neighborhood.Rule // nil: every sample is local to every other
	Patch     patch.Rule        // zero if the alignment needs none
	Joint     Joint

	// InPlace: the samples are not copied into an order in which neighbours are near each other in memory,
	// because the steps after the search read only single samples, or none.
	InPlace bool
	// Whole: the steps after the search pass over the graph as a whole. Affinities then stay as they are given, without a copy in such an order.
	Whole bool

	Gamma         float64   // of the barycentric weights of new samples; 0: auto
	NeedConnected bool      // the method is undefined across components: components=joint is refused
	Orthogonal    bool      // the coordinates are orthogonal, and centred
	Weights       []float64 // of all samples, with which they are; nil: 1 each
	Aim           quality.Aim
}

// Joint is an alignment with a solve for its result and a rule for new samples for the result of that.
// [Join] and [JoinExtended] make it; rules that do not fit together do not compile.
type Joint struct {
	take    func(in align.Input, found neighborhood.Found, start *mat.Dense) (*Solved, error)
	Extends bool // it has a rule for new samples
	Sketch  bool // it approximates eigenpairs of Matrix by products, which has no certificate
	// Matrix is the alignment alone if it makes a sparse matrix; otherwise nil.
	Matrix func(in align.Input) (*sparse.CSR, error)
	// Sum is the alignment alone if it is a sum of patches; otherwise nil.
	Sum func(in align.Input) (*align.Sum, error)
}

// Solved is a solution with its rule for new samples.
type Solved struct {
	*solve.Solution
	Extension *extend.Extension // nil: there is no rule
	Reason    string            // why there is none, to follow "there is no rule for new samples"
}

// Join joins an alignment and a solve. New samples get barycentric weights if there are
// neighbourhoods.
func Join[A align.Aligned, S solve.Found](a align.Rule[A], s solve.Rule[A, S]) Joint {
	return JoinExtended(a, s, nil)
}

// JoinExtended joins an alignment, a solve and a rule for new samples.
func JoinExtended[A align.Aligned, S solve.Found](a align.Rule[A], s solve.Rule[A, S], e extend.Rule[S]) Joint {
	return Joint{Extends: e != nil, Matrix: asMatrix(a), Sum: asSum(a), take: func(in align.Input, found neighborhood.Found, start *mat.Dense) (*Solved, error) {
		in.Solved = true
		made, err := a(in)
		if err != nil {
			return nil, err
		}
		end := in.Phase("solve")
		job := in.Holding(made.Bytes())
		job.CollectGarbage(made.Bytes()) // a solve takes about as much again
		solution, err := s(solve.Input{Run: job, X: in.X, Start: start}, made)
		end()
		if err != nil {
			return nil, notFinite(in.Run, err)
		}
		o := &Solved{Solution: solution.Solved()}
		if e != nil && in.X.Absent() {
			o.Reason = extend.WithoutSamples
		} else if e != nil && found.Affine {
			o.Reason = extend.OfAffinities
		} else if e != nil {
			o.Extension, o.Reason, err = e(extend.Fit{Run: in.Run, X: in.X, Found: found}, solution)
		}
		return o, err
	}}
}

// Sketched returns the joint that solves for the same by a sketch; its matrix and its sum remain those of j.
func (j Joint) Sketched(by Joint) Joint {
	by.Matrix, by.Sum, by.Sketch = j.Matrix, j.Sum, true
	return by
}

// asMatrix returns the alignment as a function that returns its sparse matrix; nil: it makes no sparse matrix.
func asMatrix[A align.Aligned](a align.Rule[A]) func(in align.Input) (*sparse.CSR, error) {
	type sum interface{ Matrix() *sparse.CSR }
	var none A
	if _, is := any(none).(sum); !is {
		return nil
	}
	return func(in align.Input) (*sparse.CSR, error) {
		made, err := a(in)
		if err != nil {
			return nil, err
		}
		return any(made).(sum).Matrix(), nil
	}
}

// asSum returns the alignment as a function that returns its sum of patches; nil: it is not such a sum.
func asSum[A align.Aligned](a align.Rule[A]) func(in align.Input) (*align.Sum, error) {
	var none A
	if _, is := any(none).(*align.Sum); !is {
		return nil
	}
	return func(in align.Input) (*align.Sum, error) {
		made, err := a(in)
		if err != nil {
			return nil, err
		}
		sum := any(made).(*align.Sum)
		sum.Storage = nil // no factor follows
		return sum, nil
	}
}

// Locality is the samples with their neighbourhoods.
type Locality struct {
	X         samples.Samples
	Found     neighborhood.Found // Graph is nil if the method has no neighbourhoods
	Landmarks []int              // the samples that the alignment uses, ascending; nil: all
}

// Run takes the steps after the neighbourhoods are known, and assesses the coordinates. trials describes
// how remedies are tried. An embedding that is itself a trial has no rule for new samples.
func (s Steps) Run(job *run.Run, at Locality, start *mat.Dense, trials diagnosis.Trials) (*Solved, *diagnosis.Findings, error) {
	job = job.Holding(at.Found.Bytes())
	ordered, order := at, []int(nil)
	if !s.Whole || !s.Patch.Whole {
		ordered, order = at.inOrder(job.Threads(), !s.Patch.NoDistances, !s.InPlace)
	}
	if order != nil {
		job = job.Holding(ordered.X.OwnBytes() + ordered.Found.Bytes())
		if start != nil {
			start = RowsInOrder(start, order)
		}
	}
	in := align.Input{Local: patch.Local{Run: job, X: ordered.X, Graph: ordered.Found.Graph}, Patch: s.Patch, Diagonal: ordered.Found.Diagonal, Landmarks: ordered.Landmarks}
	o, err := s.Joint.take(in, ordered.Found, start)
	if err != nil {
		return nil, nil, err
	}
	if err := finite(job, o.Y); err != nil {
		return nil, nil, err
	}
	findings, err := diagnosis.Judge(in.Local, in.Patch, o.Solution, s.Aim, trials)
	if err != nil || trials.Bare {
		return o, findings, err
	}
	if order != nil {
		o.Y = rowsRestored(o.Y, order)
	}
	switch {
	case s.Joint.Extends || ordered.Found.Graph == nil:
	case at.X.Absent():
		o.Reason = extend.WithoutSamples
	default:
		o.Extension, o.Reason, err = extend.Barycentric(s.Gamma)(extend.Fit{Run: job, X: at.X, Found: ordered.Found}, o.Solution)
	}
	return o, findings, err
}

// finite refuses coordinates that are not finite. Input is checked before the steps, so the cause is
// an overflow in a step, or samples that were changed during the run.
func finite(job *run.Run, y *mat.Dense) error {
	rows, _ := y.Dims()
	for i := range rows {
		for _, v := range y.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("%s: a coordinate of sample %d (counting from 1) is %v: numbers overflowed; use parameters nearer to their defaults, and do not change the samples during the run", job.Method(), i+1, v)
			}
		}
	}
	return nil
}

// notFinite words a decomposition's refusal of NaN for the method. Samples are checked before, so
// the parameters are the cause. Other errors are returned unchanged.
func notFinite(job *run.Run, err error) error {
	if !strings.HasSuffix(err.Error(), "holds NaN or infinities") {
		return err
	}
	return fmt.Errorf("%s: %w. A parameter makes numbers overflow. Use values nearer to the defaults", job.Method(), err)
}

// Subset returns the given samples, in the given order, as a problem of their own.
func (at Locality) Subset(members []int) Locality {
	return at.part(1, at.X.Subset(members), members)
}

// part restricts the locality to members, whose samples are x.
func (at Locality) part(threads int, x samples.Samples, members []int) Locality {
	part := Locality{X: x, Found: at.Found.Restrict(threads, members)}
	if at.Landmarks != nil {
		part.Landmarks = []int{}
		for to, i := range members {
			if _, found := slices.BinarySearch(at.Landmarks, i); found {
				part.Landmarks = append(part.Landmarks, to)
			}
		}
	}
	return part
}
