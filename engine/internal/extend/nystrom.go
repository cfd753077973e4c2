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
// of Laplacian eigenmaps are eigenvectors of the random walk D⁻¹W to the
// eigenvalues 1 − μ; the same equation gives those of a new sample x from its
// weights to the training samples,
//
//	y(x) = 1/(1 − μ) · Σⱼ w(x, xⱼ) yⱼ / Σⱼ w(x, xⱼ).
//
// The weights are those of the fit (kernel and t) over the k nearest training
// samples. With a training sample's own row of W the formula returns its
// coordinates; but a new sample's neighbourhood is one-sided, whatever graph the
// fit had, and a training sample that comes again is its own neighbour, so that
// it lands near its old place and not on it.
type nystromMap struct {
	*training
	kernel string
	t      float64
	values []float64 // μ
	norms  []float64 // of the samples, for the cosine

	density []float64 // of the samples, by which their weights are divided; nil: they are not
	factors []float64 // of the samples' rows, by which these are multiplied; nil: they are not
}

// kernelNames are the weights of edges; a model holds the place in this list.
var kernelNames = []string{"binary", "heat", "heat_norm", "cosine"}

// nearOne is how near to 1 an eigenvalue may be: 1/(1 − μ) multiplies what
// rounding and the one-sided neighbourhood do to the weighted mean.
const nearOne = 1e-6

// Nystrom is the rule of graph Laplacians of these edges, by the k nearest samples.
func Nystrom(k int, edges patch.Edges) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		for j, mu := range s.Values {
			if math.Abs(1-mu) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.7g, is too near 1 (take fewer dimensions)", j+1, mu), nil
			}
		}
		return nystrom("nystrom", f, s.Y, s.Values, k, edges), "", nil
	}
}

func nystrom(kind string, f Fit, y *mat.Dense, values []float64, k int, edges patch.Edges) *Extension {
	e := extensionOf(kind, f.X, map[string]*mat.Dense{"embedding": y, "values": mat.NewDense(1, len(values), slices.Clone(values))},
		map[string]float64{"neighbors": float64(min(k, f.X.N())), "weights": float64(slices.Index(kernelNames, edges.Weights))})
	if edges.Heat() {
		e.Numbers["t"] = edges.Scale(f.Found.Graph)
	}
	return e
}

func newNystrom(e *Extension, r Resources) (*Mapping, error) {
	n, err := e.nystromMap(r)
	if err != nil {
		return nil, err
	}
	return n.mapping(n.apply), nil
}

// nystromMap reads the arrays and numbers of a nystrom model.
func (e *Extension) nystromMap(r Resources) (*nystromMap, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	_, dim := t.y.Dims()
	values, err := e.array("values", 1, dim)
	if err != nil {
		return nil, err
	}
	weights, err := e.number("weights", 0, float64(len(kernelNames)-1))
	if err != nil {
		return nil, err
	}
	n := &nystromMap{training: t, kernel: kernelNames[int(weights)], values: values.RawRowView(0)}
	for _, mu := range n.values {
		if math.Abs(1-mu) < nearOne {
			return nil, fmt.Errorf("model: an eigenvalue of a %s model is %g, too near 1", e.Kind, mu)
		}
	}
	switch n.kernel {
	case "heat", "heat_norm":
		n.t, err = e.number("t", math.SmallestNonzeroFloat64, math.MaxFloat64)
	case "cosine":
		n.norms = make([]float64, t.samples.N())
		for i := range n.norms {
			n.norms[i] = math.Sqrt(t.samples.Dot(i, i))
		}
	}
	return n, err
}

func (n *nystromMap) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := n.index.Search(ctx, points, n.k)
	if err != nil {
		return err
	}
	var apart atomic.Int64 // the first row without a weight
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

// weights writes the weights of a point to its neighbours, up to a common factor:
// those of the heat kernel are relative to the nearest, so that a point far from
// all of them does not end at 0/0.
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

// combine writes the coordinates that weights to training samples make; false
// where the weights are all zero.
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
// give a point its row, which is scaled to unit length as in spectral clustering (the
// root of its degree, by which the eigenvectors of D^−½WD^−½ differ, is gone with it), and
// the nearest centre its label. A point whose row is zero, among training samples of
// components without a cluster of their own, gets the label of the nearest sample.
type nystromCenters struct {
	*nystromMap
	centers *nearestCenter
	label   []float64 // of the training samples
}

// NystromCenters is the rule of spectral clustering among the k nearest, by these edges.
func NystromCenters(k int, edges patch.Edges) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		for j, mu := range s.Values {
			if math.Abs(1-mu) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.3g, is too near 0 (take fewer clusters)", j+1, 1-mu), nil
			}
		}
		e := nystrom("nystrom-centers", f, s.Rows, s.Values, k, edges)
		e.Arrays["lengths"] = mat.NewDense(len(s.Lengths), 1, overLargest(s.Lengths))
		e.withCenters(s.Centers, s.Order)
		e.Arrays["sample_labels"] = column(s.Labels)
		return e, "", nil
	}
}

func newNystromCenters(e *Extension, r Resources) (*Mapping, error) {
	n, err := e.nystromMap(r)
	if err != nil {
		return nil, err
	}
	c := &nystromCenters{nystromMap: n}
	lengths, err := e.array("lengths", n.samples.N(), 1)
	if err != nil {
		return nil, err
	}
	n.factors = mat.Col(nil, 0, lengths)
	for i, v := range n.factors {
		if v < 0 {
			return nil, fmt.Errorf("model: the length of row %d of a %s model is %g, below 0", i+1, e.Kind, v)
		}
	}
	if c.centers, err = e.nearestCenter(len(n.values)); err != nil {
		return nil, err
	}
	if c.label, err = e.labels("sample_labels", n.samples.N()); err != nil {
		return nil, err
	}
	m := n.amongNearest(1, c.apply)
	m.RowBytes += 8 * int64(len(n.values))
	return m, nil
}

// overLargest is a list over its largest number.
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

// throughRows maps points to rows of this many columns, a block at a time, and hands each
// block over with the place of its first point.
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

// Diffusion is the rule of diffusion maps: Nyström's formula for the random walk that
// leads from the new sample x to its nearest training samples (Coifman and Lafon 2006,
// section 3),
//
//	y(x) = 1/λ · Σⱼ w(x, xⱼ) yⱼ / Σⱼ w(x, xⱼ),   w(x, xⱼ) = k(x, xⱼ)/qⱼ^α;
//
// the density at x itself cancels. A training sample has k neighbours and itself, and so
// a new one has k + 1: where the fit joined all samples, training samples that come again
// get their own coordinates.
func Diffusion(k int, edges patch.Edges) Rule[*solve.Diffused] {
	return func(f Fit, s *solve.Diffused) (*Extension, string, error) {
		for j, lambda := range s.Values {
			if math.Abs(lambda) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.7g, is too near 0 (take fewer dimensions)", j+1, lambda), nil
			}
		}
		return extensionOf("diffusion", f.X, map[string]*mat.Dense{"embedding": s.Y,
			"values": mat.NewDense(1, len(s.Values), slices.Clone(s.Values)), "density": mat.NewDense(f.X.N(), 1, s.Density)},
			map[string]float64{"neighbors": float64(min(k+1, f.X.N())), "epsilon": edges.Scale(f.Found.Graph)}), "", nil
	}
}

func newDiffusion(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	_, dim := t.y.Dims()
	values, err := e.array("values", 1, dim)
	if err != nil {
		return nil, err
	}
	density, err := e.array("density", t.samples.N(), 1)
	if err != nil {
		return nil, err
	}
	n := &nystromMap{training: t, kernel: "heat", density: mat.Col(nil, 0, density)}
	for _, lambda := range values.RawRowView(0) {
		if math.Abs(lambda) < nearOne {
			return nil, fmt.Errorf("model: an eigenvalue of a %s model is %g, too near 0", e.Kind, lambda)
		}
		n.values = append(n.values, 1-lambda)
	}
	for i, q := range n.density {
		if !(q > 0) {
			return nil, fmt.Errorf("model: the density of sample %d of a %s model is %g, not above 0", i+1, e.Kind, q)
		}
	}
	n.t, err = e.number("epsilon", math.SmallestNonzeroFloat64, math.MaxFloat64)
	return t.mapping(n.apply), err
}
