package layout

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// TSNE is the layout of t-SNE (van der Maaten and Hinton 2008): the similarities of pairs in the map,
//
//	q_ij = k_ij/Z,   k_ij = 1/(1 + ‖y_i − y_j‖²),   Z = Σ k_ij over i ≠ j,
//
// come near the probabilities p_ij of a graph, by steps with momentum and gains down the gradient of
// the Kullback–Leibler divergence Σ p log(p/q),
//
//	4 Σ_j (p_ij − q_ij) k_ij (y_i − y_j).
//
// Each iteration takes O(edges + n log n) by the tree of Barnes and Hut (van der Maaten 2014), with
// Theta = 0 and for few vertices O(n²).
type TSNE struct {
	Iterations   int     // with those of the early exaggeration; 0: 750
	Early        int     // iterations of the early exaggeration; 0: 250
	Exaggeration float64 // factor of p in these iterations; 0: 12
	Late         float64 // factor of p in the others; 0: 1
	// Rate is the length of a step for a gradient without its factor 4, as in openTSNE and FIt-SNE:
	// a fourth of it is scikit-learn's learning rate. 0: n over the exaggeration of the phase, at
	// least 200 (Belkina et al. 2019).
	Rate     float64
	Theta    *float64 // largest ratio of a cell's width to its distance at which it counts as one place; nil: 0.5
	Threads  int      // 0: all cores; it changes no bit
	Progress func(done float64)
}

const (
	earlyMomentum, lateMomentum = 0.5, 0.8
	leastGain                   = 0.01
	leastRate                   = 200
	layoutRows                  = 256 // vertices that a worker takes at a time
)

// Arrange moves the rows of y, the start, by the probabilities p, which are symmetric and sum to 1.
// Their diagonal does not count. y has one to three columns. When ctx is cancelled, y is left as it
// is then.
func (t TSNE) Arrange(ctx context.Context, p *sparse.CSR, y *mat.Dense) error {
	n, dim := y.Dims()
	if err := check(p, y); err != nil {
		return err
	}
	if dim > mostColumns {
		return fmt.Errorf("layout: t-SNE in %d columns; give one to three", dim)
	}
	t = t.withDefaults()
	f := newRepulsion(n, *t.Theta, t.Threads)
	places, update := placesOf(y), make([]place, n)
	gains, gradient := make([]place, n), make([]place, n)
	for i := range gains {
		gains[i] = place{1, 1, 1}
	}
	var err error
	for at := range t.Iterations {
		factor, momentum := t.Late, lateMomentum
		if at < t.Early {
			factor, momentum = t.Exaggeration, earlyMomentum
		}
		rate := t.Rate
		if rate == 0 {
			rate = max(float64(n)/factor, leastRate)
		}
		if err = f.gradient(ctx, p, factor, places, gradient); err != nil {
			break
		}
		err = blas.For(ctx, t.Threads, n, layoutRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				for k := range dim {
					g := gradient[i][k] / 4
					if (g > 0) == (update[i][k] > 0) {
						gains[i][k] = max(gains[i][k]*0.8, leastGain)
					} else {
						gains[i][k] += 0.2
					}
					update[i][k] = float64(momentum*update[i][k]) - float64(rate*gains[i][k]*g)
					places[i][k] += update[i][k]
				}
			}
		})
		if err != nil {
			break
		}
		centre(places)
		if t.Progress != nil {
			t.Progress(float64(at+1) / float64(t.Iterations))
		}
	}
	for i := range places {
		copy(y.RawRowView(i), places[i][:dim])
	}
	return err
}

func (t TSNE) withDefaults() TSNE {
	if t.Iterations == 0 {
		t.Iterations = 750
	}
	if t.Early == 0 {
		t.Early = min(250, t.Iterations)
	}
	if t.Exaggeration == 0 {
		t.Exaggeration = 12
	}
	if t.Late == 0 {
		t.Late = 1
	}
	if t.Theta == nil {
		half := 0.5
		t.Theta = &half
	}
	return t
}

// centre moves all places so that their mean is 0.
func centre(places []place) {
	var sum place
	for _, p := range places {
		sum.add(1, p)
	}
	for i := range places {
		places[i].add(-1/float64(len(places)), sum)
	}
}

// repulsion sums Σ_j k_ij² (y_i − y_j) and Σ_j k_ij for every vertex.
type repulsion struct {
	theta   float64
	threads int
	push    []place
	parts   []float64 // of Z, by blocks of rows
	tree    tree
}

// exactUpTo is the number of vertices up to which the sums over all are as fast as the tree.
const exactUpTo = 400

func newRepulsion(n int, theta float64, threads int) *repulsion {
	if n <= exactUpTo {
		theta = 0
	}
	return &repulsion{theta: theta, threads: threads, push: make([]place, n), parts: make([]float64, (n+layoutRows-1)/layoutRows)}
}

// gradient fills dst with the gradient of the divergence for probabilities factor·p.
func (f *repulsion) gradient(ctx context.Context, p *sparse.CSR, factor float64, places, dst []place) error {
	z, err := f.sum(ctx, places)
	if err != nil {
		return err
	}
	return blas.For(ctx, f.threads, len(places), layoutRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var pull place
			cols, vals := p.Row(i)
			for q, j := range cols {
				d := places[i].minus(places[j])
				pull.add(vals[q]/(1+d.squared()), d)
			}
			var g place
			g.add(4*factor, pull)
			g.add(-4/z, f.push[i])
			dst[i] = g
		}
	})
}

// sum fills push, and returns Z.
func (f *repulsion) sum(ctx context.Context, places []place) (float64, error) {
	var err error
	if f.theta == 0 {
		err = blas.For(ctx, f.threads, len(places), layoutRows, func(_, lo, hi int) {
			var z float64
			for i := lo; i < hi; i++ {
				f.push[i] = place{}
				for j := range places {
					if j != i {
						d := places[i].minus(places[j])
						k := 1 / (1 + d.squared())
						f.push[i].add(k*k, d)
						z += k
					}
				}
			}
			f.parts[lo/layoutRows] = z
		})
	} else {
		f.tree.build(places)
		err = blas.For(ctx, f.threads, len(places), layoutRows, func(_, lo, hi int) {
			var z float64
			for at := lo; at < hi; at++ {
				push, k := f.tree.walk(at, f.theta)
				f.push[f.tree.order[at]] = push
				z += k
			}
			f.parts[lo/layoutRows] = z
		})
	}
	var z float64
	for _, part := range f.parts {
		z += part
	}
	return max(z, math.SmallestNonzeroFloat64), err
}

// Divergence is the Kullback–Leibler divergence that [TSNE] lowers, with all pairs in Z. O(n²).
func Divergence(ctx context.Context, threads int, p *sparse.CSR, y *mat.Dense) (float64, error) {
	n, dim := y.Dims()
	if err := check(p, y); err != nil {
		return 0, err
	}
	if dim > mostColumns {
		return 0, fmt.Errorf("layout: t-SNE in %d columns; give one to three", dim)
	}
	places := placesOf(y)
	f := &repulsion{threads: threads, push: make([]place, n), parts: make([]float64, (n+layoutRows-1)/layoutRows)}
	z, err := f.sum(ctx, places)
	var sum float64
	for i := range n {
		cols, vals := p.Row(i)
		for q, j := range cols {
			if v := vals[q]; v > 0 && int(j) != i {
				k := 1 / (1 + places[i].minus(places[j]).squared())
				sum += float64(v * math.Log(v*z/k))
			}
		}
	}
	return sum, err
}
