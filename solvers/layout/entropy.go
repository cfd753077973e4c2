package layout

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// CrossEntropy is the cross-entropy of UMAP's paper, over all pairs of the n rows of y:
//
//	Σ over pairs of −v·log(q) − (1 − v)·log(1 − q),   q = 1/(1 + A·d^(2B)),
//
// with 1 − q no less than 1e-4, so that coinciding places count finitely. O(n² · columns).
func (c Curve) CrossEntropy(ctx context.Context, threads int, w *sparse.CSR, y *mat.Dense) (float64, error) {
	n, _ := y.Dims()
	const rows = 64
	sums := make([]float64, (n+rows-1)/rows)
	err := blas.For(ctx, threads, n, rows, func(_, lo, hi int) {
		weights := make([]float64, n)
		var sum float64
		for i := lo; i < hi; i++ {
			cols, vals := w.Row(i)
			for q, j := range cols {
				weights[j] = vals[q]
			}
			for j := range i {
				d := blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j))
				sum += float64((1 - weights[j]) * c.repelled(d))
				if weights[j] > 0 {
					sum += float64(weights[j] * c.attracted(d))
				}
			}
			for _, j := range cols {
				weights[j] = 0
			}
		}
		sums[lo/rows] = sum
	})
	var total float64
	for _, s := range sums {
		total += s
	}
	return total, err
}

// attracted is −log(q) of two places at the squared distance s.
func (c Curve) attracted(s float64) float64 { return math.Log1p(float64(c.A * math.Pow(s, c.B))) }

// repelled is −log(1 − q), with 1 − q no less than 1e-4.
func (c Curve) repelled(s float64) float64 {
	p := float64(c.A * math.Pow(s, c.B))
	return -math.Log(max(p/(1+p), 1e-4))
}

// entropy estimates what the steps lower on average (Damrich and Hamprecht 2021): with the weights v as
// shares of the largest, and d_i the sum of those at vertex i,
//
//	Σ over edges of −v·log(q) − Negatives·Repulsion·Σ over pairs of (d_i + d_j)/2n·log(1 − q).
//
// In the cross-entropy of the paper pairs repel with 1 − v, which is far more. The sum takes the edges of all
// vertices, or of every stride-th, and a sample of the other pairs. Both stay the same. Logarithms are tabulated like forces,
// with errors below 1e-5.
type entropy struct {
	attracted, repelled force // −log(q) and −log(1 − q)
	w                   *sparse.CSR
	blocks              *blocks
	sample              []ends // places that no edge joins
	factor              float64
	stride              int
	degrees             []float64 // by place, times Negatives·Repulsion/2n
	most                float64   // weight
	workers             int
}

// Above these numbers, not all are taken.
const (
	entropySample   = 200000  // pairs
	entropyVertices = 1 << 16 // vertices with their edges
)

// logarithm is a force that does not end.
func logarithm(exact func(s float64) float64) force {
	f := newForce(exact)
	f.lines[forceLines-1] = f.lines[forceLines-2]
	return f
}

func newEntropy(u UMAP, w *sparse.CSR, b *blocks) *entropy {
	n := w.Rows
	e := &entropy{attracted: logarithm(u.Curve.attracted), repelled: newForce(u.Curve.repelled), w: w, blocks: b, workers: u.Threads, stride: 1 + (n-1)/entropyVertices, degrees: make([]float64, n), most: max(maxWeight(w), math.SmallestNonzeroFloat64)}
	for p, i := range b.order {
		cols, vals := w.Row(int(i))
		for q, v := range vals {
			if cols[q] != i {
				e.degrees[p] += v / e.most
			}
		}
		e.degrees[p] *= float64(u.Negatives) * u.Repulsion / float64(2*n)
	}
	put := func(i, j int) {
		cols, vals := w.Row(int(b.order[i]))
		if q, joined := slices.BinarySearch(cols, b.order[j]); !joined || vals[q] == 0 {
			e.sample = append(e.sample, ends{int32(i), int32(j)})
		}
	}
	if n*(n-1)/2 <= entropySample {
		for i := range n {
			for j := range i {
				put(i, j)
			}
		}
		e.factor = 1
		return e
	}
	var joined int
	for i := range n {
		cols, vals := w.Row(i)
		for q, j := range cols {
			if int(j) < i && vals[q] > 0 {
				joined++
			}
		}
	}
	draws := draws(u.Seed ^ 0x656E74726F7079)
	for range entropySample {
		var i, j int
		draws, i = draws.below(uint64(n))
		draws, j = draws.below(uint64(n))
		if i != j {
			put(i, j)
		}
	}
	e.factor = (float64(float64(n)*float64(n-1)/2) - float64(joined)) / max(float64(len(e.sample)), 1)
	return e
}

// value is the estimate at places of dim columns.
func (e *entropy) value(ctx context.Context, dim int, at []float32) (float64, error) {
	apart := func(i, j int) float32 { return squared(at[i*dim:(i+1)*dim], at[j*dim:(j+1)*dim]) }
	taken := 1 + (e.w.Rows-1)/e.stride
	joined, err := sumOf(ctx, e.workers, taken, func(k int) (sum float64) {
		p := k * e.stride
		cols, vals := e.w.Row(int(e.blocks.order[p]))
		for q, j := range cols {
			if other := int(e.blocks.place[j]); other < p && vals[q] > 0 {
				d := apart(p, other)
				sum += float64(vals[q]/e.most*float64(e.attracted.at(d))) + float64((e.degrees[p]+e.degrees[other])*float64(e.repelled.at(d)))
			}
		}
		return sum
	})
	if err != nil {
		return 0, err
	}
	others, err := sumOf(ctx, e.workers, len(e.sample), func(k int) float64 {
		i, j := int(e.sample[k].i), int(e.sample[k].j)
		return float64((e.degrees[i] + e.degrees[j]) * float64(e.repelled.at(apart(i, j))))
	})
	return float64(joined*(float64(e.w.Rows)/float64(taken))) + float64(e.factor*others), err
}
