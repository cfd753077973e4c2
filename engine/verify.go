package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// VerifyOptions configure [Verify]. The options that made the embedding must be
// given again: a graph, affinities or distances, labels and weights.
type VerifyOptions struct {
	Options
	Eigenvalues []float64 // of the embedding, for comparison; nil: none
	Next        float64   // the following eigenvalue, for the gap; 0 or NaN: unknown
}

// Verification is the result of [Verify]. Numbers that do not apply are NaN.
type Verification struct {
	Passed  bool
	Verdict string // the problems found, with a remedy, in one sentence; empty: none

	Method   string
	Params   map[string]any
	Samples  int // samples with coordinates
	Features int
	Dim      int

	Values        []float64 // yᵀΦy/yᵀy of each column, with a recomputed alignment matrix, or for isomap with path lengths; nil: the method has none
	Residuals     []float64 // ‖Φy − λy‖ divided by ‖Φ‖∞‖y‖; for isomap divided by λ‖y‖, from 24 rows
	Orthogonality float64   // largest entry of YᵀY − I; for pca, mds and isomap the largest cosine between columns
	Balance       float64   // largest component of a unit column along the null vector
	Less          float64   // smallest energy of some simple functions of the data that are orthogonal to Y
	Quality       *Quality  // scores of the coordinates
	Trust         *Trust    // of a map in up to three coordinates, how far each row can be trusted; nil: not measured

	Certificate *sparse.Certificate // count of eigenvalues below a shift beyond those of the columns; nil: not requested

	Warnings []string
	Seconds  Seconds
}

// Verify checks coordinates of the samples, computed by [Embed] or by another program. It
// recomputes the neighbourhoods and the alignment matrix, and checks the residuals, the orthogonality and
// the constraint by direct products, without a solver. It also computes the scores of [Quality]. Rows
// that are NaN are samples without coordinates (components=largest).
//
// Errors are those of [Embed] about the input, coordinates whose shape does not match the samples
// and the method, infinite coordinates, and options with which coordinates are not the solution of
// one problem (landmarks, duplicates=merge, components=each or bridge). The cost is that of
// Embed without its solve. Options.Certified adds one factorisation, whose inertia counts the
// eigenvalues below those of the columns; the embedding fails if the count differs.
func Verify(ctx context.Context, x, y mat.Matrix, m Method, o VerifyOptions) (*Verification, error) {
	f, s, err := begin(ctx, "embed", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	if err := asOneProblem(s.Method(), f.options); err != nil {
		return nil, err
	}
	if s, _, err = through(s, f.toNeighbors(densify{remedy: fewerEntries})...); err != nil {
		return nil, err
	}
	coordinates, points, kept, err := placedSamples(s, y)
	if err != nil {
		return nil, err
	}
	s.x = points
	row := method.RowOf(s.method)
	v := &Verification{Method: s.method.Name(), Params: Values(s.method), Samples: points.N(), Features: points.M(), Dim: row.Dim,
		Orthogonality: math.NaN(), Balance: math.NaN(), Less: math.NaN()}
	if _, dim := coordinates.Dims(); dim != row.Dim {
		return nil, wording.Errorf("%s: the embedding has %d columns and ‹dim› is %d; give the one that it was made with", s.Method(), dim, row.Dim)
	}
	if err := f.verify(s, coordinates, o, v); err != nil {
		return nil, err
	}
	if n, _ := y.Dims(); n > len(kept) {
		v.Trust.among(kept, n)
	}
	v.Warnings = s.Warnings()
	v.Seconds, _ = f.clock.Seconds()
	return v, nil
}

// asOneProblem returns an error for options with which the coordinates are not the solution of one problem
// of all rows.
func asOneProblem(method string, o Options) error {
	switch {
	case landmarksOf(o).asked():
		return severalProblems(method, fmt.Sprintf("‹landmarks=%d›", o.Landmarks))
	case o.Duplicates == "merge":
		return severalProblems(method, "‹duplicates=merge›")
	case o.Components == "each" || o.Components == "bridge":
		return severalProblems(method, "‹components="+o.Components+"›")
	}
	return nil
}

// severalProblems returns the error about coordinates that are not the solution of one problem.
func severalProblems(method, setting string) error {
	return wording.Errorf("%s: an embedding with %s is not one problem of all samples; verify one without", method, setting)
}

// placedSamples returns a copy of the coordinates, the samples that have some, and their rows.
func placedSamples(s state, y mat.Matrix) (*mat.Dense, samples.Samples, []int, error) {
	x := s.x
	n, dim := y.Dims()
	if n != x.N() {
		return nil, x, nil, fmt.Errorf("%s: %d rows of coordinates for %d samples; give those of the same samples, in their order", s.Method(), n, x.N())
	}
	var kept []int
	for i := range n {
		absent := 0
		for j := range dim {
			if v := y.At(i, j); math.IsInf(v, 0) {
				return nil, x, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the embedding is %v; give finite coordinates", s.Method(), i+1, j+1, v)
			} else if math.IsNaN(v) {
				absent++
			}
		}
		switch absent {
		case 0:
			kept = append(kept, i)
		case dim:
		default:
			return nil, x, nil, fmt.Errorf("%s: row %d (counting from 1) of the embedding is NaN in part; give all of its coordinates, or none", s.Method(), i+1)
		}
	}
	if len(kept) <= dim {
		return nil, x, nil, fmt.Errorf("%s: %d of %d samples have coordinates; give at least %d", s.Method(), len(kept), n, dim+1)
	}
	own := mat.DenseCopyOf(y)
	if len(kept) == n {
		return own, x, kept, nil
	}
	return pipeline.RowsInOrder(own, kept), x.Subset(kept), kept, nil
}

// verify fills in the measurements.
func (f fit) verify(s state, y *mat.Dense, o VerifyOptions, v *Verification) error {
	p := embedding{state: s}.choose(method.RowOf(s.method).Embed())
	if err := s.checkMemory(p.steps.Patch, f.options.Landmarks); err != nil {
		return err
	}
	at, err := p.neighborhoods()
	if err != nil {
		return err
	}
	if at.Found.Graph != nil {
		if _, sizes := at.Found.Graph.Components(); len(sizes) > 1 && f.options.Components == "auto" && !method.RowOf(s.method).Layout {
			return severalProblems(s.Method(), "‹components=auto›, of a graph with "+fmt.Sprint(len(sizes))+" components,")
		}
	}
	in := p.input(at)
	solution := &solve.Solution{Y: y, Next: o.Next, Converged: true}
	if solution.Next == 0 {
		solution.Next = math.NaN()
	}
	var doubts []string
	smallest := method.SolvesForSmallest(s.method, p.steps)
	if o.Certified && !smallest {
		return notCertifiable(s.Method())
	}
	if smallest {
		sum, err := p.steps.Joint.Sum(in)
		if err != nil {
			return err
		}
		r := quality.RecheckSum(in.Local, sum, y)
		v.Values, v.Residuals, v.Orthogonality, v.Balance, v.Less = r.Values, r.Residuals, r.Orthogonality, r.Balance, r.Less
		solution.Values, solution.Spectrum = r.Values, &solve.Spectrum{}
		doubts = r.Doubts(y, o.Eigenvalues)
		if o.Certified {
			text, err := s.count(sum, r, solution.Next, v)
			if err != nil {
				return err
			}
			doubts = append(doubts, text...)
		}
	} else if p.steps.Orthogonal {
		v.Orthogonality = quality.Oblique(y, s.x.OfWhole(p.steps.Weights))
		doubts = quality.DoubtsAboutObliqueness(y, v.Orthogonality)
		if p.steps.Neighbors != nil && !s.x.Absent() && !s.given.Present() && s.euclidean() {
			v.Values, v.Residuals = quality.RecheckLengths(in.Local, y)
			if text := quality.DoubtsAboutLengths(y, v.Values, v.Residuals); text != "" {
				doubts = append(doubts, text)
			}
		}
	}
	found, err := diagnosis.Judge(in.Local, in.Patch, solution, p.steps.Aim, s.untried("verify embeds nothing"))
	if err != nil {
		return err
	}
	v.Quality, v.Trust = qualityOf(found, solution), trustIn(found.Map)
	if v.Quality.Verdict == Doubtful {
		doubts = append(doubts, v.Quality.Sentence)
	}
	v.Verdict = strings.Join(doubts, "; ")
	v.Passed = v.Verdict == ""
	return s.Err()
}

// count computes the certificate of the given columns with the recomputed alignment matrix, and returns
// the doubts that follow from it.
func (s state) count(a *align.Sum, r *quality.Recheck, next float64, v *Verification) (doubts []string, err error) {
	defer s.Phase("count")()
	full, err := a.Phi.Symmetric()
	if err != nil {
		return nil, err
	}
	claim := sparse.Claim{A: full, Values: slices.Sorted(slices.Values(r.Values)), Null: 1, Next: next, Residual: slices.Max(r.Residuals) * r.Norm}
	c, err := claim.Certify(s.Context(), sparse.CholeskyOptions{Kernels: s.Kernels(), Threads: s.Threads(), Memory: s.Remaining()})
	if err != nil {
		if need, is := errors.AsType[*sparse.MemoryError](err); is {
			return nil, s.Refuse("%s", need)
		}
		return nil, err
	}
	v.Certificate = c
	switch {
	case c.Below > c.Known:
		return []string{fmt.Sprintf("the columns are not of the smallest eigenvalues: %s", c)}, nil
	case c.Below < c.Known:
		return []string{fmt.Sprintf("fewer eigenvalues are that small than the columns say: %s", c)}, nil
	case c.Pairs < len(r.Values) && !math.IsNaN(next):
		s.Warn("the count is of %d of the %d columns: the following eigenvalues are closer together than the rounding error", c.Pairs, len(r.Values))
	case c.Pairs < len(r.Values):
		s.Warn("the count is of %d of the %d columns; give the next eigenvalue, which the report of the run has (‹next›), for all", c.Pairs, len(r.Values))
	}
	return nil, nil
}
