package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// graphTerm is λ tr(WᵀΦW), and Φ = Φ⁺ − Φ⁻ parted by the sign of its entries.
//
// That term falls where W shrinks and H grows at the same WH, so that there is no
// minimiser. The balanced one, λ Σₖ‖hₖ‖²wₖᵀΦwₖ, does not see how a component shares its
// scale with its coordinates. For fixed W it is a ridge on every component, for fixed H
// the plain term with a weight for every column of W: the rules to minimise are the same as for
// the plain term.
type graphTerm struct {
	*factorization
	phi         Graph
	lambda      float64
	balanced    bool
	roughness   []float64   // wₖᵀΦwₖ of the present W
	plus, minus []float64   // Φ⁺W and Φ⁻W of the present W, n × r
	stacked     [][]float64 // of each worker: rows of Φ⁺ and Φ⁻ in turn
	products    [][]float64
}

const (
	graphRows    = 32   // of Φ at a time
	graphColumns = 1024 // of a dense Φ
	// symmetryTolerance is what rounding may make of φᵢⱼ − φⱼᵢ, relative to the largest
	// entry: a Φ made of products of matrices is symmetric to that only.
	symmetryTolerance = 1e-9
)

func newGraphTerm(f *factorization, o Options) (*graphTerm, error) {
	g := o.Graph
	if !g.present() || o.Lambda == 0 {
		return nil, nil
	}
	if err := g.check(f.n, f.seed); err != nil {
		return nil, err
	}
	t := &graphTerm{factorization: f, phi: g, lambda: o.Lambda, balanced: o.Balanced,
		roughness: make([]float64, f.r), plus: make([]float64, f.n*f.r), minus: make([]float64, f.n*f.r)}
	if g.Dense != nil {
		t.stacked, t.products = make([][]float64, f.workers), make([][]float64, f.workers)
		for i := range t.stacked {
			t.stacked[i] = make([]float64, 2*graphRows*min(graphColumns, f.n))
			t.products[i] = make([]float64, 2*graphRows*f.r)
		}
	}
	return t, nil
}

// apply computes Φ⁺W, Φ⁻W and wₖᵀΦwₖ for the current W.
func (t *graphTerm) apply(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.multiply(ctx); err != nil {
		return err
	}
	clear(t.roughness)
	for i := 0; i < len(t.w); i += t.r {
		for k, v := range t.w[i : i+t.r] {
			t.roughness[k] += v * (t.plus[i+k] - t.minus[i+k])
		}
	}
	return nil
}

func (t *graphTerm) multiply(ctx context.Context) error {
	r := t.r
	return blas.For(ctx, t.threads, t.n, graphRows, func(worker, lo, hi int) {
		if t.phi.Dense != nil {
			t.applyDense(worker, lo, hi)
			return
		}
		clear(t.plus[lo*r : hi*r])
		clear(t.minus[lo*r : hi*r])
		for i := lo; i < hi; i++ {
			cols, vals := t.phi.Sparse.Row(i)
			for p, j := range cols {
				to, v := t.plus, vals[p]
				if v < 0 {
					to, v = t.minus, -v
				}
				blas.Axpy(v, t.w[int(j)*r:int(j)*r+r], to[i*r:i*r+r])
			}
		}
	})
}

// applyDense parts a strip of Φ into its signs, piece by piece in the cache, and
// multiplies both parts in one product.
func (t *graphTerm) applyDense(worker, lo, hi int) {
	n, r := t.n, t.r
	for from := 0; from < n; from += graphColumns {
		width := min(graphColumns, n-from)
		part := t.stacked[worker][:2*(hi-lo)*width]
		for i := lo; i < hi; i++ {
			plus := part[2*(i-lo)*width:][:width]
			minus := part[(2*(i-lo)+1)*width:][:width]
			for q, v := range t.phi.Dense[i*n+from : i*n+from+width] {
				plus[q], minus[q] = max(v, 0), max(-v, 0)
			}
		}
		beta := 1.0
		if from == 0 {
			beta = 0
		}
		t.kernels.Gemm(false, false, 2*(hi-lo), r, width, 1, part, width, t.w[from*r:], r, beta, t.products[worker], r)
	}
	for i := lo; i < hi; i++ {
		copy(t.plus[i*r:(i+1)*r], t.products[worker][2*(i-lo)*r:])
		copy(t.minus[i*r:(i+1)*r], t.products[worker][(2*(i-lo)+1)*r:])
	}
}

// weight is λ, or with a balanced term λ‖hₖ‖², of column k of W.
func (t *graphTerm) weight(k int) float64 {
	if t.balanced {
		return t.lambda * t.gramH[k*t.r+k]
	}
	return t.lambda
}

// value is the graph term of the factors, for which Φ was applied.
func (t *graphTerm) value() float64 {
	if t == nil {
		return 0
	}
	var sum float64
	for k, q := range t.roughness {
		sum += t.weight(k) * q
	}
	return sum
}

// add adds the graph's part, times a factor, to the numerators and denominators of the
// rows of W from lo on.
func (t *graphTerm) add(factor float64, lo int, num, den []float64) {
	if t == nil {
		return
	}
	minus, plus := t.minus[lo*t.r:], t.plus[lo*t.r:]
	for i := 0; i < len(num); i += t.r {
		for k := range t.r {
			weight := factor * t.weight(k)
			num[i+k] += weight * minus[i+k]
			den[i+k] += weight * plus[i+k]
		}
	}
}

// ridge is the coefficient of a balanced term for the squares of component k: λ wₖᵀΦwₖ, which is
// below zero only where Φ is not positive semidefinite, and then left out.
func (t *graphTerm) ridge(k int) float64 {
	if t == nil || !t.balanced {
		return 0
	}
	return t.lambda * max(t.roughness[k], 0)
}

// addRidge adds the ridges' part, times a factor, to the denominators of H, of which a
// row has ld numbers.
func (t *graphTerm) addRidge(factor float64, den []float64, ld int) {
	if t == nil || !t.balanced {
		return
	}
	for k := range t.r {
		blas.Axpy(factor*t.ridge(k), t.h[k*t.m:(k+1)*t.m], den[k*ld:k*ld+t.m])
	}
}

// check refuses a matrix that is not symmetric and finite, and, unless allowed, one that is not
// positive semidefinite.
func (g Graph) check(n int, seed uint64) error {
	var largest float64
	vals := g.Dense
	if g.Sparse != nil {
		vals = g.Sparse.Val
	}
	for _, v := range vals {
		largest = max(largest, math.Abs(v))
	}
	norm, dominant := 0.0, true
	look := func(i int, each func(func(j int, v float64))) error {
		var sum, diagonal float64
		var err error
		each(func(j int, v float64) {
			switch {
			case v-v != 0:
				err = fmt.Errorf("nmf: Φ holds %v in row %d, column %d (counting from 1)", v, i+1, j+1)
			case math.Abs(g.at(n, j, i)-v) > symmetryTolerance*largest:
				err = fmt.Errorf("nmf: Φ is not symmetric in row %d, column %d (counting from 1): %v and %v", i+1, j+1, v, g.at(n, j, i))
			case j == i:
				diagonal = v
			}
			sum += math.Abs(v)
		})
		norm = max(norm, sum)
		dominant = dominant && diagonal >= (sum-math.Abs(diagonal))*(1-1e-10)
		return err
	}
	if g.Sparse != nil && (g.Sparse.Rows != n || g.Sparse.Cols != n) || g.Sparse == nil && len(g.Dense) != n*n {
		return fmt.Errorf("nmf: Φ is not of order %d, the number of samples", n)
	}
	for i := range n {
		err := look(i, func(visit func(int, float64)) {
			if g.Sparse == nil {
				for j, v := range g.Dense[i*n : (i+1)*n] {
					visit(j, v)
				}
				return
			}
			cols, vals := g.Sparse.Row(i)
			for p, j := range cols {
				visit(int(j), vals[p])
			}
		})
		if err != nil {
			return err
		}
	}
	if g.AllowIndefinite || dominant {
		return nil
	}
	if low := g.lowest(n, norm, seed); low < -1e-6*norm {
		return fmt.Errorf("nmf: Φ is not positive semidefinite (xᵀΦx = %.3g for a unit x, |Φ| = %.3g), so that the updates need not lower the objective; correct Φ or allow it (AllowIndefinite)", low, norm)
	}
	return nil
}

func (g Graph) at(n, i, j int) float64 {
	if g.Sparse != nil {
		return g.Sparse.At(i, j)
	}
	return g.Dense[i*n+j]
}

// lowest estimates the least eigenvalue from above, by power steps with |Φ|I − Φ:
// a negative value proves that Φ is not semidefinite.
func (g Graph) lowest(n int, norm float64, seed uint64) float64 {
	x, y := make([]float64, n), make([]float64, n)
	blas.NewStream(seed).Normals(x)
	low := math.Inf(1)
	for range 60 {
		length := math.Sqrt(blas.Dot(x, x))
		if length == 0 {
			break
		}
		blas.Scale(1/length, x)
		if g.Sparse != nil {
			g.Sparse.MulVec(1, x, y)
		} else {
			for i := range y {
				y[i] = blas.Dot(g.Dense[i*n:(i+1)*n], x)
			}
		}
		low = min(low, blas.Dot(x, y))
		for i := range x {
			x[i] = norm*x[i] - y[i]
		}
	}
	return low
}
