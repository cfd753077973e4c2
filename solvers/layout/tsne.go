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
// Each iteration takes O(edges + n log n) by the tree of Barnes and Hut (van der Maaten 2014), or
// O(edges + n + m log m) by interpolation between the m nodes of a grid (Linderman et al. 2019). With
// Theta = 0, and for few vertices, it takes O(n²).
type TSNE struct {
	Iterations   int     // including the early exaggeration; 0: 750
	Early        *int    // iterations of the early exaggeration; nil: 250
	Exaggeration float64 // factor of p in these iterations; 0: 12
	Late         float64 // factor of p in the others; 0: 1
	// Rate is the length of a step for a gradient without its factor 4, as in openTSNE and FIt-SNE:
	// a fourth of it is scikit-learn's learning rate. 0: n over the exaggeration of the phase, at
	// least 200 (Belkina et al. 2019).
	Rate float64
	// Theta is the largest ratio of a cell's width to its distance at which the tree takes it as one
	// place; 0: all pairs. nil: 0.5, and in one or two columns interpolation where that is faster.
	Theta     *float64
	Reference *Reference // nil: none, and the mean of the map is 0
	Threads   int        // 0: all cores; it changes no bit
	Progress  func(done float64)
	// Objective gets the divergence of the map every 50 iterations and at the end, with the approximate
	// Z of the step. A reference does not count in it. nil: it is not computed.
	Objective func(iteration int, divergence float64)
}

const (
	earlyMomentum, lateMomentum = 0.5, 0.8
	minGain                     = 0.01
	minRate                     = 200
	layoutRows                  = 256 // vertices that a worker takes at a time
)

// Arrange moves the rows of y, the start, by the probabilities p, which are symmetric and sum to 1.
// Their diagonal does not count. y has one to three columns. When ctx is cancelled, y is left as it
// is then.
func (t TSNE) Arrange(ctx context.Context, p *sparse.CSR, y *mat.Dense) error {
	_, dim := y.Dims()
	if err := check(p, y); err != nil {
		return err
	}
	if dim > maxColumns {
		return fmt.Errorf("layout: t-SNE in %d columns; give one to three", dim)
	}
	d := newDescent(t.withDefaults(), p, y)
	var err error
	if d.held, err = holdAll[float64](t.Reference, y, d.order); err != nil {
		return err
	}
	err = d.run(ctx)
	d.store(y)
	return err
}

func (t TSNE) withDefaults() TSNE {
	if t.Iterations == 0 {
		t.Iterations = 750
	}
	if t.Early == nil {
		early := 250
		t.Early = &early
	}
	if t.Exaggeration == 0 {
		t.Exaggeration = 12
	}
	if t.Late == 0 {
		t.Late = 1
	}
	return t
}

// Divergence is the Kullback–Leibler divergence that [TSNE] lowers, with all pairs in Z. O(n²).
func Divergence(ctx context.Context, threads int, p *sparse.CSR, y *mat.Dense) (float64, error) {
	n, dim := y.Dims()
	if err := check(p, y); err != nil {
		return 0, err
	}
	if dim > maxColumns {
		return 0, fmt.Errorf("layout: t-SNE in %d columns; give one to three", dim)
	}
	d := newDescent(TSNE{Threads: threads}, p, y)
	z, err := d.repulsion.exact(ctx, d.at)
	var sum float64
	for i := range n {
		cols, vals := p.Row(i)
		for q, j := range cols {
			if v := vals[q]; v > 0 && int(j) != i {
				s := blas.SquaredDistance(d.at[i*d.axes:][:d.axes], d.at[int(j)*d.axes:][:d.axes])
				sum += float64(v * math.Log(v*z*(1+s)))
			}
		}
	}
	return sum, err
}
