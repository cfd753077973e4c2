package extend

import (
	"context"
	"maps"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// code is how a point is written by training samples. It is valid until the next one.
type code struct {
	list     []int32   // the nearest training samples
	selected []int     // places in the list of those with a weight
	weights  []float64 // of these
}

// coder codes points by training samples and hands each code over, from any worker.
type coder interface {
	code(ctx context.Context, points samples.Samples, take func(i int, c code)) error
}

// mean takes codes into dst as the means of the training samples' coordinates.
func (t *training) mean(dst *mat.Dense) func(i int, c code) {
	return func(i int, c code) {
		out := dst.RawRowView(i)
		clear(out)
		for q, at := range c.selected {
			blas.Axpy(c.weights[q], t.y.RawRowView(int(c.list[at])), out)
		}
	}
}

// label is the label with the largest sum of weights, the lower one on ties.
func (c code) label(of []float64) float64 {
	best, label := -1.0, 0.0
	for _, at := range c.selected {
		own, sum := of[c.list[at]], 0.0
		for q, other := range c.selected {
			if of[c.list[other]] == own {
				sum += c.weights[q]
			}
		}
		if sum > best || sum == best && own < label {
			best, label = sum, own
		}
	}
	return label
}

// labelled maps points to the labels that their codes tell: those of the training samples
// are the array "labels" (n × 1).
func (e *Extension) labelled(s *searched, c coder) (*Mapping, error) {
	of, err := e.labels("labels", s.samples.N())
	if err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return c.code(ctx, points, func(i int, c code) { dst.Set(i, 0, c.label(of)) })
	}
	return s.amongNearest(1, apply), nil
}

// Clustered is what a clustering by the spectrum of a similarity graph found.
type Clustered struct {
	Labels   []int64 // of the training samples
	Clusters int

	// Rows are those of the leading eigenvectors of the random walk D⁻¹W, n × clusters,
	// scaled to unit length but for zeros, as k-means saw them; Lengths what they were scaled
	// by, and Values 1 less the eigenvalues.
	Rows    *mat.Dense
	Lengths []float64
	Values  []float64
	Centers *mat.Dense // of these rows
	Order   []int      // the labels of the centres in the order in which ties are broken
}

// ByCode is the rule of clusterings whose graph joins each sample to the ones that it is
// written by: a new sample is written in the same way, and gets the label with the largest
// sum of weights. The rule is that of an embedding by the same graph.
func ByCode(rule Rule[*solve.Solution]) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		e, reason, err := rule(f, &solve.Solution{})
		if e == nil || err != nil {
			return nil, reason, err
		}
		of := &Extension{Kind: e.Kind + "-labels", Arrays: maps.Clone(e.Arrays), Numbers: maps.Clone(e.Numbers), Compressed: e.Compressed}
		delete(of.Arrays, "embedding")
		of.Arrays["labels"], of.Numbers[clustersNumber] = column(s.Labels), float64(s.Clusters)
		return of, reason, err
	}
}

func newPursuitLabels(e *Extension, r Resources) (*Mapping, error) {
	s, err := newSearched(e, r)
	if err != nil {
		return nil, err
	}
	c, err := e.pursued(s)
	if err != nil {
		return nil, err
	}
	return e.labelled(s, c)
}

func newSparseAffineLabels(e *Extension, r Resources) (*Mapping, error) {
	s, err := newSearched(e, r)
	if err != nil {
		return nil, err
	}
	c, err := e.sparselyCoded(s)
	if err != nil {
		return nil, err
	}
	return e.labelled(s, c)
}

// pursued codes points by the weights that the pursuit gives them among their k
// nearest training samples, those of a convex combination. A point at the place of a
// training sample has weight for that alone.
type pursued struct {
	*searched
	cap int // 0: none
}

// Pursuit is the rule of methods that choose among k neighbours by pursuit; the cap is
// the one that the fit has found.
func Pursuit(k int) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return extensionOf("pursuit", f.X, map[string]*mat.Dense{"embedding": s.Y},
			map[string]float64{"neighbors": float64(min(k, f.X.N())), "cap": float64(f.Found.Cap)}), "", nil
	}
}

// newPursuit maps to z = Σ wⱼ yⱼ.
func newPursuit(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	b, err := e.pursued(t.searched)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// pursued reads the number "cap".
func (e *Extension) pursued(s *searched) (*pursued, error) {
	most, err := e.number("cap", 0, math.MaxInt32)
	if err == nil {
		k, m := float64(s.k), float64(s.samples.M())
		err = s.fit(s.workers() * (2*k*m + 3*min(k, m+2)*min(k, m+2)))
	}
	return &pursued{s, int(most)}, err
}

func (b *pursued) code(ctx context.Context, points samples.Samples, take func(i int, c code)) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	most := b.cap
	if most == 0 {
		most = math.MaxInt
	}
	k, m := float64(b.k), float64(b.samples.M())
	return blas.For(ctx, b.Threads, points.N(), rowsOf(k*min(k, m+1)*(k+m)), func(_, lo, hi int) {
		w := neighborhood.NewPursuer(b.Kernels).Until(endOf(ctx))
		var c neighborhood.Candidates
		for i := lo; i < hi; i++ {
			c.Take(b.samples, points, i, g.Of(i), g.Distances(i), 0)
			selected, weights := w.Select(c.Differences, c.Squares, c.Width, most)
			take(i, code{g.Of(i), selected, weights})
		}
	})
}

// sparselyCoded codes points by the weights that the sparse programme gives them
// among their k nearest training samples, as the samples themselves were given
// theirs, scaled to sum 1. A point at the place of a training sample has weight for that
// alone.
type sparselyCoded struct {
	*searched
	rule neighborhood.SparseAffine
}

// SparseAffine is the rule of methods that choose among neighbours by a sparse affine
// combination.
func SparseAffine(rule neighborhood.SparseAffine) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return extensionOf("sparse-affine", f.X, map[string]*mat.Dense{"embedding": s.Y},
			map[string]float64{"neighbors": float64(min(int(rule.Nearest), f.X.N())), "lambda": rule.Lambda, "keep": rule.Keep}), "", nil
	}
}

// newSparseAffine maps to the mean of coordinates under the weights.
func newSparseAffine(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	b, err := e.sparselyCoded(t.searched)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// sparselyCoded reads the numbers "lambda" and "keep".
func (e *Extension) sparselyCoded(s *searched) (*sparselyCoded, error) {
	lambda, err := e.number("lambda", math.SmallestNonzeroFloat64, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	keep, err := e.number("keep", math.SmallestNonzeroFloat64, 1)
	if err == nil {
		k := float64(s.k)
		err = s.fit(s.workers() * k * (3*k + 2*float64(s.samples.M())))
	}
	return &sparselyCoded{s, neighborhood.SparseAffine{Nearest: neighborhood.Nearest(s.k), Lambda: lambda, Keep: keep}}, err
}

func (b *sparselyCoded) code(ctx context.Context, points samples.Samples, take func(i int, c code)) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	least := neighborhood.Coincidence(b.samples)
	k := float64(b.k)
	return blas.For(ctx, b.Threads, points.N(), rowsOf(k*k*(k+float64(b.samples.M()))), func(_, lo, hi int) {
		w := neighborhood.NewSparseCoder(b.Kernels, b.rule).Until(endOf(ctx))
		var c neighborhood.Candidates
		var weights []float64
		for i := lo; i < hi; i++ {
			list := g.Of(i)
			if c.Take(b.samples, points, i, list, g.Distances(i), least) > 0 {
				take(i, code{list, []int{0}, []float64{1}})
				continue
			}
			w.Solve(&c)
			kept := w.Kept()
			weights = weights[:0]
			var total float64
			for _, at := range kept {
				total += w.Weights[at]
				weights = append(weights, w.Weights[at])
			}
			blas.Scale(1/total, weights)
			take(i, code{list, kept, weights})
		}
	})
}
