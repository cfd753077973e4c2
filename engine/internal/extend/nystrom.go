package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// nystromMap maps points by Nyström's formula for the normalised graph Laplacian
// (Bengio et al. 2004, Out-of-Sample Extensions, section 3.2). The coordinates y
// of Laplacian eigenmaps are eigenvectors of the random walk D⁻¹W for the
// eigenvalues 1 − μ; the same equation gives those of a new sample x from its
// weights to the training samples,
//
//	y(x) = 1/(1 − μ) · Σⱼ w(x, xⱼ) yⱼ / Σⱼ w(x, xⱼ).
//
// The weights are those of the fit (kernel and t) over the k nearest training
// samples. With a training sample's own row of W the formula returns its
// coordinates. But the neighbourhood of a new sample is one-sided, whatever graph the
// fit had, and a training sample that is mapped again is its own neighbour, so
// it lands near its original place but not exactly on it.
type nystromMap struct {
	*training
	kernel string
	t      float64
	values []float64 // μ
	norms  []float64 // of the samples, for the cosine

	density []float64 // of the samples, which divide their weights; nil: they do not
	factors []float64 // of the samples' rows, which multiply them; nil: they do not
}

// NystromMap maps by Nyström's formula.
type NystromMap struct {
	Training
	Values  []float64 // eigenvalues
	Weights string    // edge weights: binary, heat, heat_norm or cosine
	T       float64   // width of the heat kernel
}

// Kind returns "nystrom".
func (NystromMap) Kind() string { return "nystrom" }

// nearOne is the smallest distance of an eigenvalue from 1: 1/(1 − μ) amplifies the effects of
// rounding and of the one-sided neighbourhood on the weighted mean.
const nearOne = 1e-6

// Nystrom is the rule of graph Laplacians with these edges, by the k nearest samples.
func Nystrom(k int, edges patch.Edges) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		for j, mu := range s.Values {
			if math.Abs(1-mu) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.7g, is too near 1 (take fewer dimensions)", j+1, mu), nil
			}
		}
		return &Extension{Map: nystrom(f, s.Y, s.Values, k, edges)}, "", nil
	}
}

func nystrom(f Fit, y *mat.Dense, values []float64, k int, edges patch.Edges) NystromMap {
	m := NystromMap{Training: f.nearest(k).in(y), Values: slices.Clone(values), Weights: edges.Weights}
	if edges.Heat() {
		m.T = edges.Scale(f.Found.Graph)
	}
	return m
}

func (m NystromMap) prepare(r Resources) (*Mapping, error) {
	n, err := m.formula(r, m.Kind())
	if err != nil {
		return nil, err
	}
	return n.mapping(n.apply), nil
}

// formula prepares Nyström's formula for a map of the given kind.
func (m NystromMap) formula(r Resources, kind string) (*nystromMap, error) {
	t, err := m.search(r)
	if err != nil {
		return nil, err
	}
	n := &nystromMap{training: t, kernel: m.Weights, t: m.T, values: m.Values}
	for _, mu := range n.values {
		if math.Abs(1-mu) < nearOne {
			return nil, fmt.Errorf("model: an eigenvalue of a %s model is %g, too near 1", kind, mu)
		}
	}
	if n.kernel == "cosine" {
		n.norms = make([]float64, t.samples.N())
		for i := range n.norms {
			n.norms[i] = math.Sqrt(t.samples.Dot(i, i))
		}
	}
	return n, nil
}

func (n *nystromMap) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := n.index.Search(ctx, points, n.k)
	if err != nil {
		return err
	}
	var apart atomic.Int64 // first row without a weight
	apart.Store(math.MaxInt64)
	workers := make([][]float64, blas.Threads(n.Threads))
	_, dim := n.y.Dims()
	err = blas.For(ctx, n.Threads, points.N(), rowsOf(float64(n.k)*float64(dim+points.M())), func(worker, lo, hi int) {
		if workers[worker] == nil {
			workers[worker] = make([]float64, n.k)
		}
		w := workers[worker]
		for i := lo; i < hi; i++ {
			n.weights(points, i, g.Of(i), g.Distances(i), w)
			if n.density != nil {
				for a, j := range g.Of(i) {
					w[a] /= n.density[j]
				}
			}
			if !n.combine(g.Of(i), w, dst.RawRowView(i)) {
				for at := apart.Load(); int64(i) < at && !apart.CompareAndSwap(at, int64(i)); at = apart.Load() {
				}
			}
		}
	})
	if at := apart.Load(); err == nil && at < math.MaxInt64 {
		return &RowError{int(at), fmt.Sprintf("has no positive %s weight to any of its %d nearest training samples, so it has no place among them", n.kernel, n.k)}
	}
	return err
}

// weights writes the weights of a point to its neighbours, up to a common factor.
// Those of the heat kernel are relative to the nearest neighbour, to avoid 0/0 for a point far from
// all neighbours.
func (n *nystromMap) weights(x samples.Samples, i int, list []int32, distance, w []float64) {
	switch n.kernel {
	case "heat":
		for a, d := range distance {
			w[a] = math.Exp(-(d - distance[0]) * (d + distance[0]) / n.t)
		}
	case "heat_norm":
		for a, d := range distance {
			w[a] = math.Exp(-(d - distance[0]) / n.t)
		}
	case "cosine":
		norm := math.Sqrt(x.Dot(i, i))
		for a, j := range list {
			w[a] = 0
			if length := norm * n.norms[j]; length > 0 {
				w[a] = max(n.samples.DotOf(int(j), x, i)/length, 0)
			}
		}
	default:
		for a := range w {
			w[a] = 1
		}
	}
}

// combine writes the coordinates for given weights of training samples; false:
// the weights are all zero.
func (n *nystromMap) combine(list []int32, w, out []float64) bool {
	var degree float64
	clear(out)
	for a, j := range list {
		degree += w[a]
		share := w[a]
		if n.factors != nil {
			share *= n.factors[j]
		}
		blas.Axpy(share, n.y.RawRowView(int(j)), out)
	}
	if !(degree > 0) {
		return false
	}
	for c, mu := range n.values {
		out[c] /= degree * (1 - mu)
	}
	return true
}

// nystromCenters labels points by Nyström's formula: the eigenvectors of the random walk
// give a point its row, which is scaled to unit length as in spectral clustering (this also
// removes the root of its degree, by which the eigenvectors of D^−½WD^−½ differ), and
// the nearest centre gives the label. A point with a zero row, which is among training samples of
// components without a cluster of their own, gets the label of the nearest sample.
type nystromCenters struct {
	*nystromMap
	centers *nearestCenter
	label   []float64 // of the training samples
}

// NystromCenters is the rule of spectral clustering by the k nearest samples and these edges.
func NystromCenters(k int, edges patch.Edges) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		for j, mu := range s.Values {
			if math.Abs(1-mu) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.3g, is too near 0 (take fewer clusters)", j+1, 1-mu), nil
			}
		}
		return &Extension{Map: NystromCentersMap{Formula: nystrom(f, s.Rows, s.Values, k, edges), Lengths: overLargest(s.Lengths),
			Centers: inOrder(s.Centers, s.Order), SampleLabels: s.Labels}}, "", nil
	}
}

// NystromCentersMap gives a sample the label of the centre nearest to its row from Nyström's formula.
type NystromCentersMap struct {
	Formula      NystromMap
	Lengths      []float64 // of the rows of the training samples before scaling, relative to the largest
	Centers                // centres of rows of unit length
	SampleLabels []int64   // of the training samples
}

// Kind returns "nystrom-centers".
func (NystromCentersMap) Kind() string { return "nystrom-centers" }

func (m NystromCentersMap) prepare(r Resources) (*Mapping, error) {
	n, err := m.Formula.formula(r, m.Kind())
	if err != nil {
		return nil, err
	}
	n.factors = m.Lengths
	for i, v := range n.factors {
		if v < 0 {
			return nil, fmt.Errorf("model: the length of row %d of a %s model is %g, below 0", i+1, m.Kind(), v)
		}
	}
	c := &nystromCenters{nystromMap: n, centers: m.nearest(), label: floats(m.SampleLabels)}
	mapping := n.amongNearest(1, c.apply)
	mapping.RowBytes += 8 * int64(len(n.values))
	return mapping, nil
}

// overLargest divides a list by its largest number.
func overLargest(list []float64) []float64 {
	shares := slices.Clone(list)
	if largest := slices.Max(list); largest > 0 {
		for i := range shares {
			shares[i] /= largest
		}
	}
	return shares
}

func (c *nystromCenters) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	return throughRows(ctx, points, len(c.values), c.nystromMap.apply, func(part samples.Samples, rows *mat.Dense, first int) error {
		var apart []int
		for i := range part.N() {
			row := rows.RawRowView(i)
			if !(blas.Dot(row, row) > 0) {
				apart = append(apart, i)
				continue
			}
			vector.Normalize(row)
			dst.Set(first+i, 0, c.centers.of(row))
		}
		for _, i := range apart {
			near, err := c.index.Search(ctx, part.Range(i, i+1), 1)
			if err != nil {
				return err
			}
			dst.Set(first+i, 0, c.label[near.Of(0)[0]])
		}
		return nil
	})
}

// throughRows maps points to rows with the given number of columns, a block at a time, and calls take
// with each block and the index of its first point.
func throughRows(ctx context.Context, points samples.Samples, cols int, apply func(context.Context, samples.Samples, *mat.Dense) error,
	take func(part samples.Samples, rows *mat.Dense, first int) error) error {
	const block = 4096
	rows := mat.NewDense(max(1, min(points.N(), block)), cols, nil)
	for first := 0; first < points.N(); first += block {
		part := points.Range(first, min(first+block, points.N()))
		if err := apply(ctx, part, rows); err != nil {
			if at, is := errors.AsType[*RowError](err); is {
				return &RowError{first + at.Row, at.What}
			}
			return err
		}
		if err := take(part, rows, first); err != nil {
			return err
		}
	}
	return nil
}

// Diffusion is the rule of diffusion maps: Nyström's formula for the random walk
// from the new sample x to its nearest training samples (Coifman and Lafon 2006,
// section 3),
//
//	y(x) = 1/λ · Σⱼ w(x, xⱼ) yⱼ / Σⱼ w(x, xⱼ),   w(x, xⱼ) = k(x, xⱼ)/qⱼ^α;
//
// the density at x itself cancels. A training sample has k neighbours and itself, so
// a new one has k + 1. If the fit joined all samples, training samples that are mapped again
// get their own coordinates.
func Diffusion(k int, edges patch.Edges) Rule[*solve.Diffused] {
	return func(f Fit, s *solve.Diffused) (*Extension, string, error) {
		for j, lambda := range s.Values {
			if math.Abs(lambda) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.7g, is too near 0 (take fewer dimensions)", j+1, lambda), nil
			}
		}
		return &Extension{Map: DiffusionMap{Training: f.nearest(k + 1).in(s.Y), Values: slices.Clone(s.Values),
			Density: s.Density, Epsilon: edges.Scale(f.Found.Graph)}}, "", nil
	}
}

// DiffusionMap maps by Nyström's formula for a random walk.
type DiffusionMap struct {
	Training
	Values  []float64
	Density []float64 // of the training samples
	Epsilon float64   // width of the kernel
}

// Kind returns "diffusion".
func (DiffusionMap) Kind() string { return "diffusion" }

func (m DiffusionMap) prepare(r Resources) (*Mapping, error) {
	t, err := m.search(r)
	if err != nil {
		return nil, err
	}
	n := &nystromMap{training: t, kernel: "heat", t: m.Epsilon, density: m.Density}
	for _, lambda := range m.Values {
		if math.Abs(lambda) < nearOne {
			return nil, fmt.Errorf("model: an eigenvalue of a %s model is %g, too near 0", m.Kind(), lambda)
		}
		n.values = append(n.values, 1-lambda)
	}
	for i, q := range n.density {
		if !(q > 0) {
			return nil, fmt.Errorf("model: the density of sample %d of a %s model is %g, not above 0", i+1, m.Kind(), q)
		}
	}
	return t.mapping(n.apply), nil
}
