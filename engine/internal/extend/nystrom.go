package extend

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
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
