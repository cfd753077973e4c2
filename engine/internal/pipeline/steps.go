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

// Steps are the choices that make an embedding: who is local, what is kept of it, and,
// as one, how the patches add up and what is solved.
type Steps struct {
	Neighbors neighborhood.Rule // nil: every sample is local to every other
	Patch     patch.Rule        // zero where the alignment needs none
	Joint     Joint

	// InPlace: the samples are not copied into an order in which neighbours are near each other in memory.
	// After the search the steps read none of them, or single ones.
	InPlace bool

	Gamma         float64 // of the barycentric weights of new samples; 0: auto
	NeedConnected bool    // nothing is defined across components: components=joint is refused
	Orthogonal    bool    // the coordinates are orthogonal, and centred
	Aim           quality.Aim
}

// Joint is an alignment, the solve that takes what it makes, and the rule for new samples
// that takes what that finds. It is made by [Join] and [JoinExtended], where a rule that
// does not go with another does not compile.
type Joint struct {
	take    func(in align.Input, found neighborhood.Found, start *mat.Dense) (*Solved, error)
	Extends bool // it has a rule for new samples
	// Matrix is the alignment alone, where it makes a sparse matrix; else nil.
	Matrix func(in align.Input) (*sparse.CSR, error)
	// Sum is the alignment alone, where it is a sum of patches; else nil.
	Sum func(in align.Input) (*align.Sum, error)
}

// Solved is a solution with what it leaves for new samples.
type Solved struct {
	*solve.Solution
	Extension *extend.Extension // nil: there is no rule
	Reason    string            // why, to be read after "there is no rule for new samples"
}

// Join joins an alignment and a solve. New samples get barycentric weights where there are
// neighbourhoods.
func Join[A align.Aligned, S solve.Found](a align.Rule[A], s solve.Rule[A, S]) Joint {
	return JoinExtended(a, s, nil)
}

// JoinExtended joins an alignment, a solve and a rule for new samples.
func JoinExtended[A align.Aligned, S solve.Found](a align.Rule[A], s solve.Rule[A, S], e extend.Rule[S]) Joint {
	return Joint{Extends: e != nil, Matrix: asMatrix(a), Sum: asSum(a), take: func(in align.Input, found neighborhood.Found, start *mat.Dense) (*Solved, error) {
		made, err := a(in)
		if err != nil {
			return nil, err
		}
		end := in.Phase("solve")
		job := in.Holding(made.Bytes())
		job.Settle(made.Bytes()) // a solve takes about as much again
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

// asMatrix is an alignment that makes a sparse matrix as that matrix; nil: it makes another.
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

// asSum is an alignment that is a sum of patches; nil: it is another.
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
	Found     neighborhood.Found // Graph is nil where the method has no neighbourhoods
	Landmarks []int              // those that the alignment looks at, ascending; nil: all
}

// Run takes the steps after the neighbourhoods are known, and judges the coordinates. trials say
// how remedies are tried; an embedding that is itself a trial has no rule for new samples.
func (s Steps) Run(job *run.Run, at Locality, start *mat.Dense, trials diagnosis.Trials) (*Solved, *diagnosis.Findings, error) {
	job = job.Holding(at.Found.Bytes())
	ordered, order := at.inOrder(!s.Patch.NoDistances, !s.InPlace)
	if order != nil {
		job = job.Holding(ordered.X.OwnBytes() + ordered.Found.Bytes())
		if start != nil {
			start = RowsInOrder(start, order)
		}
	}
	in := align.Input{Local: patch.Local{Run: job, X: ordered.X, Graph: ordered.Found.Graph, Distances: ordered.Found.Distances}, Patch: s.Patch, Landmarks: ordered.Landmarks}
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

// finite refuses coordinates that are no numbers. What is given is checked before the steps,
// so that only numbers which leave their range on the way, or samples that are changed
// meanwhile, lead here.
func finite(job *run.Run, y *mat.Dense) error {
	rows, _ := y.Dims()
	for i := range rows {
		for _, v := range y.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("%s: a coordinate of sample %d (counting from 1) is %v: numbers left their range on the way; bring the parameters nearer to their defaults, and leave the samples as they are during the run", job.Method(), i+1, v)
			}
		}
	}
	return nil
}

// notFinite words a decomposition's refusal of NaN for the method. Samples are checked before,
// so that parameters have brought it about; other errors stay as they are.
func notFinite(job *run.Run, err error) error {
	if !strings.HasSuffix(err.Error(), "holds NaN or infinities") {
		return err
	}
	return fmt.Errorf("%s: %w; a parameter brings numbers out of their range, take values nearer to the defaults", job.Method(), err)
}

// Subset is some of the samples, or all, on their own, in the given order.
func (at Locality) Subset(members []int) Locality {
	return at.part(at.X.Subset(members), members)
}

// part is what is known of some of the samples, x, or of all in another order.
func (at Locality) part(x samples.Samples, members []int) Locality {
	part := Locality{X: x, Found: at.Found.Restrict(members)}
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
