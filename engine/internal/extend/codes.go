package extend

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// code represents a point by training samples. It is valid until the next one.
type code struct {
	list     []int32   // the nearest training samples
	selected []int     // places in the list of the samples with a weight
	weights  []float64 // their weights
}

// coder codes points by training samples and calls take with each code, from any worker.
type coder interface {
	code(ctx context.Context, points samples.Samples, take func(i int, c code)) error
}

// mean returns a function that writes the weighted means of the training samples' coordinates to dst.
func (t *training) mean(dst *mat.Dense) func(i int, c code) {
	return func(i int, c code) {
		out := dst.RawRowView(i)
		clear(out)
		for q, at := range c.selected {
			blas.Axpy(c.weights[q], t.y.RawRowView(int(c.list[at])), out)
		}
	}
}

// label returns the label with the largest sum of weights, the lower one on ties.
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

// labelled maps points to the labels of their codes, given the labels of the training samples.
func (l Labels) labelled(s *searched, c coder) *Mapping {
	of := l.floats()
	apply := func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return c.code(ctx, points, func(i int, c code) { dst.Set(i, 0, c.label(of)) })
	}
	return s.amongNearest(1, apply)
}

// Clustered is a spectral clustering of a similarity graph.
type Clustered struct {
	Labels   []int64 // of the training samples
	Clusters int

	// Rows are the rows of the leading eigenvectors of the random walk D⁻¹W, n × clusters,
	// scaled to unit length except zeros, as k-means clustered them. Lengths are the original lengths,
	// and Values are 1 minus the eigenvalues.
	Rows    *mat.Dense
	Lengths []float64
	Values  []float64
	Centers *mat.Dense // of these rows
	Order   []int      // labels of the centres in the order in which ties are broken
}

// ByCode is the rule of clusterings whose graph joins each sample to the samples that represent it:
// a new sample is represented in the same way, and gets the label with the largest
// sum of weights. rule is that of an embedding by the same graph.
func ByCode(rule Rule[*solve.Solution]) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		e, reason, err := rule(f, &solve.Solution{})
		if e == nil || err != nil {
			return nil, reason, err
		}
		labels := Labels{s.Labels, s.Clusters}
		switch m := e.Map.(type) {
		case PursuitMap:
			return &Extension{Map: PursuitLabels{m.Searched, m.Cap, labels}}, reason, nil
		case SparseAffineMap:
			return &Extension{Map: SparseAffineLabels{m.Searched, m.Lambda, m.Keep, labels}}, reason, nil
		}
		return nil, reason, nil
	}
}

func (m PursuitLabels) prepare(r Resources) (*Mapping, error) {
	s, err := m.search(r)
	if err != nil {
		return nil, err
	}
	c, err := s.pursued(m.Cap)
	if err != nil {
		return nil, err
	}
	return m.labelled(s, c), nil
}

func (m SparseAffineLabels) prepare(r Resources) (*Mapping, error) {
	s, err := m.search(r)
	if err != nil {
		return nil, err
	}
	c, err := s.sparselyCoded(m.Lambda, m.Keep)
	if err != nil {
		return nil, err
	}
	return m.labelled(s, c), nil
}

// pursued codes points by the convex weights that the pursuit gives to their k
// nearest training samples. A point at the place of a training sample has weight only on that
// sample.
type pursued struct {
	*searched
	cap int // 0: none
}

// Pursuit is the rule of methods that choose among k neighbours by pursuit, with the cap found
// by the fit.
func Pursuit(k int) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return &Extension{Map: PursuitMap{f.nearest(k).in(s.Y), f.Found.Cap}}, "", nil
	}
}

// PursuitMap maps to the weighted mean of the coordinates of training samples chosen by pursuit.
type PursuitMap struct {
	Training
	Cap int // largest number of chosen samples; 0: any
}

// Kind returns "pursuit".
func (PursuitMap) Kind() string { return "pursuit" }

// PursuitLabels maps to the label with the largest weight among the chosen samples.
type PursuitLabels struct {
	Searched
	Cap int
	Labels
}

// Kind returns "pursuit-labels".
func (PursuitLabels) Kind() string { return "pursuit-labels" }

// prepare returns the mapping to z = Σ wⱼ yⱼ.
func (m PursuitMap) prepare(r Resources) (*Mapping, error) {
	t, err := m.search(r)
	if err != nil {
		return nil, err
	}
	b, err := t.pursued(m.Cap)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// pursued reserves memory for the pursuit and returns its coder.
func (s *searched) pursued(most int) (*pursued, error) {
	k, m := float64(s.k), float64(s.samples.M())
	err := s.fit(s.workers() * (2*k*m + 3*min(k, m+2)*min(k, m+2)))
	return &pursued{s, most}, err
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

// sparselyCoded codes points by the weights of the sparse programme over their k nearest training
// samples, as in the fit, scaled to sum 1. A point at the place of a training sample
// has weight only on that sample.
type sparselyCoded struct {
	*searched
	rule neighborhood.SparseAffine
}

// SparseAffine is the rule of methods that choose neighbours by a sparse affine
// combination.
func SparseAffine(rule neighborhood.SparseAffine) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return &Extension{Map: SparseAffineMap{f.nearest(int(rule.Nearest)).in(s.Y), rule.Lambda, rule.Keep}}, "", nil
	}
}

// SparseAffineMap maps to the mean of the coordinates with the weights of a sparse affine combination.
type SparseAffineMap struct {
	Training
	Lambda, Keep float64 // see [neighborhood.SparseAffine]
}

// Kind returns "sparse-affine".
func (SparseAffineMap) Kind() string { return "sparse-affine" }

// SparseAffineLabels maps to the label with the largest weight in such a combination.
type SparseAffineLabels struct {
	Searched
	Lambda, Keep float64
	Labels
}

// Kind returns "sparse-affine-labels".
func (SparseAffineLabels) Kind() string { return "sparse-affine-labels" }

// prepare returns the mapping to the weighted mean of coordinates.
func (m SparseAffineMap) prepare(r Resources) (*Mapping, error) {
	t, err := m.search(r)
	if err != nil {
		return nil, err
	}
	b, err := t.sparselyCoded(m.Lambda, m.Keep)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// sparselyCoded reserves memory for the sparse programme and returns its coder.
func (s *searched) sparselyCoded(lambda, keep float64) (*sparselyCoded, error) {
	k := float64(s.k)
	err := s.fit(s.workers() * k * (3*k + 2*float64(s.samples.M())))
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
