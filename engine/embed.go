package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// Embed maps the rows of x to rows of Result.Y by the given method. x may be any
// gonum matrix; a *mat.Dense is used in place and left as it was, and a sparse matrix
// ([sparse.Of] says what is one) stays sparse in the methods whose [Entry] says so; the others
// make it dense. It is nil where Options has a graph, affinities or distances that are enough.
//
// Input that cannot be embedded is an error that says why and what would help:
// entries that are not finite, or of a size of which no number holds the results,
// parameters out of their range or too large for the data, and, with components=error, a neighbour graph in several
// components (see Options.Components). When ctx is cancelled Embed stops soon and returns the
// context's error.
func Embed(ctx context.Context, x mat.Matrix, m Method, o Options) (*Result, error) {
	b, x, m, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	points, err := b.data(x, rowOf(m).sparse, fewerEntries)
	if err != nil {
		return nil, err
	}
	r := &Result{Samples: points.N(), Features: points.M(), Sparse: points.Compressed() != nil, Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	s, err := b.embed(points, m, r)
	if err != nil {
		return nil, err
	}
	r.Y, r.Values, r.Residuals, r.Next, r.Converged = s.Y, s.Values, s.Residuals, s.Next, s.Converged
	r.Plan, r.Solves, r.Products, r.Angle = s.Plan, s.Solves, s.Products, s.Angle
	r.Objective, r.Orthogonality, r.Iterations = s.Objective, s.Orthogonality, s.Iterations
	if r.KKT = math.NaN(); len(s.Objective) > 0 {
		r.KKT = s.KKT
	}
	r.Quality, r.extension, r.noExtension = s.quality, s.extension, s.reason
	r.Warnings, r.Details, r.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, nil
}

// embed checks the input, resolves the parameters, and runs the method with the
// policies for duplicates, landmarks and components around it.
func (b begun) embed(x samples.Samples, m Method, r *Result) (*outcome, error) {
	if x.N() < 2 || x.M() < 1 && !b.placeless() {
		return nil, fmt.Errorf("%s: %d × %d data cannot be embedded; give at least 2 samples and 1 column", b.Method(), x.N(), x.M())
	}
	given := x
	x, scaled, err := b.ordinary(given)
	if err != nil {
		return nil, err
	}
	if x, err = b.labeled(x, rowOf(m).labels); err != nil {
		return nil, err
	}
	copies := given.Copies()
	r.Duplicates = copies.Count
	if x, err = b.merged(x, copies); err != nil {
		return nil, err
	}
	if m, err = b.dimensioned(x, m); err != nil {
		return nil, err
	}
	x, smoother, err := b.smoothed(x, m, scaled)
	if err != nil {
		return nil, err
	}
	chosen, err := b.landmarks(x, rowOf(m), copies)
	if err != nil {
		return nil, err
	}
	at := locality{x: x, landmarks: chosen}
	var rest *others
	if chosen != nil && !rowOf(m).ownLandmarks {
		rest = &others{all: x, landmarks: chosen}
		at = locality{x: x.Subset(chosen)}
	}
	if m, err = b.sized(at.x, m, scaled); err != nil {
		return nil, err
	}
	if m, err = b.takeParameters(at.x, m, r); err != nil {
		return nil, err
	}
	if m, err = scaled.of(m); err != nil {
		return nil, err
	}
	method := rowOf(m)
	if err := b.oneUnit("embed", method, given, scaled); err != nil {
		return nil, err
	}
	if err := scaled.check(method.unitsOf()); err != nil {
		return nil, err
	}
	choice := method.embed()
	choice.neighbors, choice.patch = b.lists(choice.neighbors), b.edges(choice.patch)
	if method.ofDistances != nil && b.distances.N() > 0 {
		choice = steps{joint: method.ofDistances(b.distances)}
	}
	choice.again = b.again(m, scaled)
	if b.options.Certified && !solvesForSmallest(m, choice) {
		return nil, b.notCertifiable()
	}
	if err := b.checkChoice(at, method, choice); err != nil {
		return nil, err
	}
	s, err := b.byComponents(at, m, choice, r)
	if err != nil {
		return nil, err
	}
	if s.quality != nil {
		if s.quality.Instability, err = b.unstable(at, choice, s, r.Components); err != nil {
			return nil, err
		}
	}
	if rest != nil {
		if s.Y, err = rest.extend(b.Run, s, *method.neighbors, choice.gamma); err != nil {
			return nil, err
		}
	}
	if b.options.Duplicates == "merge" && copies.Count > 0 {
		s.Y = copies.Restore(s.Y)
	}
	if smoother != nil && s.extension != nil {
		s.extension.Smooth(smoother.Parts())
	}
	b.standardExtension(s.extension)
	r.Standard = b.standardization()
	return s, b.outcome(scaled, s, method.unitsOf())
}

// takeParameters fills in what depends on the data, checks the parameters against
// them, and records all in the result. It returns the method with its parameters.
func (b begun) takeParameters(x samples.Samples, m Method, r *Result) (Method, error) {
	m, err := resolved(m, x.N(), b.Warn)
	if err != nil {
		return nil, err
	}
	r.Method, r.Params = m.Name(), Values(m)
	b.common(r.Params, func(string) bool { return true })
	method := rowOf(m)
	if method.dim >= x.N() {
		return nil, fmt.Errorf("%s: dim %d asked of %d samples; give at most %d", b.Method(), method.dim, x.N(), x.N()-1)
	}
	r.Dim = method.dim
	if method.check != nil {
		return m, method.check(x.N(), x.M())
	}
	return m, nil
}

// checkChoice refuses options that do not go with the method's steps, and what
// would not fit into memory.
func (b begun) checkChoice(at locality, method row, choice steps) error {
	if choice.needConnected && b.options.Components == "joint" {
		return wording.Errorf("%s: ‹components=joint› does not apply: no path leads from one component to another; choose ‹components=auto›", b.Method())
	}
	if err := b.checkMemory(at, method, choice.patch); err != nil {
		return err
	}
	if b.options.Model && choice.neighbors == nil && !choice.joint.extends {
		return fmt.Errorf("%s: there is no rule for new samples; leave the model out, and embed them together with the others", b.Method())
	}
	return nil
}
