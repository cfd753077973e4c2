package selective

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/exemplars"
	"github.com/orthant-go/orthant/solvers/projections"
	"github.com/orthant-go/orthant/sparse"
)

// Graph is the learned graph: an [alm.Graph].
type Graph struct {
	o       Options
	n       int
	ratio   float64 // λ/β
	delta   float64
	d       *exemplars.Packed
	nearest []int32 // of Options.Input
	factors *exemplars.FactorDissimilarities
	z       *exemplars.Encoding
	mask    mask

	// Of the form with the bound: with A = Z + L/μ for the multipliers L before a pass,
	// both C, the projection of A on the ball, and the new multipliers μ(A − C) are functions
	// of A and of one number a row. A is sparse, as Z is and A − C, which vanishes inside
	// the bounds.
	a    *exemplars.Encoding
	ball *projections.Groups
	mu   float64 // of the pass before

	sums    []float64 // of blocks of columns
	workers []worker
}

type worker struct {
	z, a    exemplars.Writer
	d, v    []float64
	carried []float64 // L/μ of a column
}

var _ alm.Graph = (*Graph)(nil)

// New prepares the graph of the samples x, n × m, row after row and finite: their
// dissimilarities, and the encoding by these alone, by A2DM2 where the norms of the
// rows are bounded. O(n²m), O(n²) a step of A2DM2; see [Bytes] for the memory.
func New(ctx context.Context, n, m int, x []float64, o Options) (*Graph, error) {
	o, err := o.filled(n, m, len(x))
	if err != nil {
		return nil, err
	}
	g := &Graph{o: o, n: n, ratio: o.Lambda / o.Beta, z: exemplars.NewEncoding(n),
		sums: make([]float64, (n+exemplars.Width-1)/exemplars.Width), workers: make([]worker, blas.Threads(o.Threads))}
	dissimilarities := exemplars.Kernel
	if o.Distances {
		dissimilarities = exemplars.Distances
	}
	mapped, err := dissimilarities(ctx, n, m, x, exemplars.KernelOptions{Neighbors: o.Neighbors, Lists: o.Input, Threads: o.Threads, Kernels: o.Kernels})
	if err != nil {
		return nil, err
	}
	g.d, g.nearest = mapped.D, mapped.Nearest
	if o.Diagonal == Drop {
		for i := range n {
			g.d.Row(i)[0] += 10 + 10*g.ratio
		}
	}
	g.factors = &exemplars.FactorDissimilarities{Squared: o.Distances, Neighbors: o.Neighbors, Threads: o.Threads, Kernels: o.Kernels}
	if o.Fast {
		err = g.startFast(ctx)
	} else {
		err = g.startBounded(ctx)
	}
	if err != nil {
		return nil, err
	}
	return g, g.learn(ctx)
}

// startFast finds δ and the encoding by the samples' dissimilarities.
func (g *Graph) startFast(ctx context.Context) error {
	var err error
	if g.delta = g.o.Delta; g.delta == 0 {
		if g.delta, err = exemplars.AutoDelta(ctx, g.d, g.o.Neighbors, g.o.Threads); err != nil {
			return err
		}
	}
	return g.encodeFast(ctx, 0)
}

// startBounded runs A2DM2, and takes both Z and C from it.
func (g *Graph) startBounded(ctx context.Context) error {
	r, err := exemplars.Split(ctx, g.d, exemplars.SplitOptions{Norm: g.o.Norm, Radius: float64(g.o.Exemplars), Delta: 1e-3,
		Accelerated: true, Iterations: g.o.Start, Threads: g.o.Threads, Progress: g.o.Progress})
	if err != nil {
		return err
	}
	// A = C, on which the ball's projection does nothing: the multipliers are zero.
	g.z, g.a, g.ball = r.Z, r.C, &projections.Groups{Norm: g.o.Norm, Threads: g.o.Threads}
	_, err = g.ball.ProjectSparse(ctx, g.n, g.a, math.Inf(1))
	return err
}

// Affinity implements [alm.Graph].
func (g *Graph) Affinity() *sparse.CSR { return &g.mask.affinity }

// Update implements [alm.Graph]. O(n²r), and O(n²) for each of the few steps of the
// projection on the ball.
func (g *Graph) Update(ctx context.Context, w, wPlus []float64, step alm.Step) (residual float64, err error) {
	if g.ratio > 0 {
		if err := g.factors.Fit(ctx, g.n, step.Rank, w, wPlus); err != nil {
			return 0, err
		}
	}
	if g.o.Fast {
		err = g.encodeFast(ctx, g.ratio)
	} else {
		residual, err = g.encodeBounded(ctx, step.Mu)
	}
	if err != nil {
		return 0, err
	}
	return residual, g.learn(ctx)
}

// columns calls do for each block of columns, with D and weight times the factors'
// dissimilarities in w.d.
func (g *Graph) columns(ctx context.Context, weight float64, do func(w *worker, lo, hi int)) error {
	return blas.For(ctx, g.o.Threads, g.n, exemplars.Width, func(id, lo, hi int) {
		w := &g.workers[id]
		w.reserve(g.n)
		g.d.Columns(lo, hi, w.d)
		if weight > 0 {
			g.factors.Add(id, lo, hi, weight, w.d)
		}
		w.z.Begin()
		do(w, lo, hi)
		w.z.Store(g.z, lo)
	})
}

func (w *worker) reserve(n int) {
	if w.v == nil {
		w.d, w.v = make([]float64, exemplars.Width*n), make([]float64, n)
	}
}

// encodeFast is min ⟨D, Z⟩ + δ/2 ‖Z‖² for Z ≥ 0, 1ᵀZ = 1ᵀ: every column is the projection
// of −d/δ.
func (g *Graph) encodeFast(ctx context.Context, weight float64) error {
	return g.columns(ctx, weight, func(w *worker, lo, hi int) {
		for j := lo; j < hi; j++ {
			for i, d := range w.d[(j-lo)*g.n : (j-lo+1)*g.n] {
				w.v[i] = -d
			}
			_, values := w.z.Simplex(g.z, j, w.v, g.delta)
			for q := range values {
				values[q] /= g.delta
			}
		}
	})
}

// encodeBounded is one pass of Z, C and the multipliers.
func (g *Graph) encodeBounded(ctx context.Context, mu float64) (residual float64, err error) {
	n := g.n
	carry, beta := g.mu/mu, g.o.Beta/mu // L/μ is A − C times what μ has grown by since
	g.mu = mu
	err = g.columns(ctx, g.ratio, func(w *worker, lo, hi int) {
		w.a.Begin()
		for j := lo; j < hi; j++ {
			v := w.v[:n]
			for i, d := range w.d[(j-lo)*n : (j-lo+1)*n] {
				v[i] = -beta * d
			}
			w.carried = w.carried[:0]
			rows, values := g.a.Column(j)
			for q, i := range rows {
				c := g.ball.At(i, values[q])
				l := (values[q] - c) * carry
				w.carried = append(w.carried, l)
				v[i] += c - l
			}
			w.sum(j, rows, w.carried, g)
		}
		w.a.Store(g.a, lo)
	})
	if err != nil {
		return 0, err
	}
	if _, err := g.ball.ProjectSparse(ctx, n, g.a, float64(g.o.Exemplars)); err != nil {
		return 0, err
	}
	err = blas.For(ctx, g.o.Threads, n, exemplars.Width, func(_, lo, hi int) {
		g.sums[lo/exemplars.Width] = g.apart(lo, hi)
	})
	var sum float64
	for _, v := range g.sums {
		sum += v
	}
	return math.Sqrt(sum / float64(n)), err
}

// sum projects w.v, column j of Z, and adds it to the carried entries: column j of A.
func (w *worker) sum(j int, rows []int32, carried []float64, g *Graph) {
	more, values := w.z.Simplex(g.z, j, w.v, 1)
	for q, at := 0, 0; q < len(rows) || at < len(more); {
		switch {
		case at == len(more) || q < len(rows) && rows[q] < more[at]:
			w.a.Add(rows[q], carried[q])
			q++
		case q == len(rows) || more[at] < rows[q]:
			w.a.Add(more[at], values[at])
			at++
		default:
			w.a.Add(more[at], carried[q]+values[at])
			q++
			at++
		}
	}
	w.a.End(j)
}

// apart returns ‖Z − C‖² of some columns.
func (g *Graph) apart(lo, hi int) float64 {
	var sum float64
	for j := lo; j < hi; j++ {
		rows, values := g.z.Column(j)
		at, av := g.a.Column(j)
		for q, p := 0, 0; q < len(rows) || p < len(at); {
			var d float64
			if p == len(at) || q < len(rows) && rows[q] < at[p] {
				d = values[q]
				q++
			} else {
				d = -g.ball.At(at[p], av[p])
				if q < len(rows) && rows[q] == at[p] {
					d += values[q]
					q++
				}
				p++
			}
			sum += d * d
		}
	}
	return sum
}

// Exemplars returns the chosen samples, ascending: all where none are chosen.
func (g *Graph) Exemplars() []int { return slices.Clone(g.mask.exemplars) }

// Learned returns Ẑ: row i has what exemplar i means to its neighbours; the rows of
// other samples are empty.
func (g *Graph) Learned() *sparse.CSR { return copied(&g.mask.kept) }

// Encoding returns Z, which changes with the next Update.
func (g *Graph) Encoding() *exemplars.Encoding { return g.z }

// Delta returns δ of the fast form, 0 of the other.
func (g *Graph) Delta() float64 { return g.delta }

// Dissimilarities returns D of the samples: kernel-mapped, or distances over the largest
// (with a raised diagonal where samples do not represent themselves).
func (g *Graph) Dissimilarities() *exemplars.Packed { return g.d }

// Norms returns the Euclidean norms of the rows of Z.
func (g *Graph) Norms() []float64 {
	norms := make([]float64, g.n)
	for j := range g.n {
		rows, values := g.z.Column(j)
		for q, i := range rows {
			norms[i] += values[q] * values[q]
		}
	}
	for i, v := range norms {
		norms[i] = math.Sqrt(v)
	}
	return norms
}
