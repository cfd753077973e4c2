package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// coupledDescent is the step of W where a graph couples the samples: HALS then no
// longer minimizes over a column of W exactly, because every entry depends on its
// neighbours'. Since diag(Σⱼ|φᵢⱼ|) − Φ is diagonally dominant, hence positive
// semidefinite, the quadratic with that diagonal in place of Φ is an upper bound of the objective;
// its minimum,
//
//	wₖ ← max(1e-16, wₖ + (Xhₖ − W(HHᵀ)ₖ − λΦwₖ)/(‖hₖ‖² + λΣⱼ|φᵢⱼ|)),
//
// does not raise it. With a balanced term λ‖hₖ‖² replaces λ.
type coupledDescent struct {
	*graphTerm
	absolute []float64 // Σⱼ|φᵢⱼ|
	wt, num  []float64 // Wᵀ and the transpose of X·Hᵀ, r × n
	product  []float64 // Φwₖ
	t        []float64
	moved    []float64 // of each block of samples
}

// coupledSamples is the number of samples that a worker treats at a time.
const coupledSamples = 512

func newCoupledDescent(g *graphTerm) *coupledDescent {
	if g == nil {
		return nil
	}
	n, r := g.n, g.r
	u := &coupledDescent{graphTerm: g, absolute: make([]float64, n), wt: make([]float64, r*n), num: make([]float64, r*n),
		product: make([]float64, n), t: make([]float64, n), moved: make([]float64, (n+coupledSamples-1)/coupledSamples)}
	for i := range n {
		vals := g.phi.Dense
		if g.phi.Sparse != nil {
			_, vals = g.phi.Sparse.Row(i)
		} else {
			vals = vals[i*n : (i+1)*n]
		}
		for _, v := range vals {
			u.absolute[i] += math.Abs(v)
		}
	}
	return u
}

// step sweeps over the columns of W, at most this many times.
func (u *coupledDescent) step(ctx context.Context, most int) error {
	n, r := u.n, u.r
	err := blas.For(ctx, u.threads, n, u.block, func(worker, lo, hi int) {
		num := u.scratch[worker].num[:(hi-lo)*r]
		u.dataProducts(&u.scratch[worker], lo, hi, num)
		for i := lo; i < hi; i++ {
			for k := range r {
				u.num[k*n+i], u.wt[k*n+i] = num[(i-lo)*r+k], u.factorization.w[i*r+k]
			}
		}
	})
	if err != nil {
		return err
	}
	var first float64
	for sweep := range most {
		var moved float64
		for k := range r {
			d, err := u.column(ctx, k)
			if err != nil {
				return err
			}
			moved += d
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			break
		}
	}
	transpose(r, n, u.wt, u.factorization.w)
	return nil
}

// column steps one column of W and returns the square of how far it moved.
func (u *coupledDescent) column(ctx context.Context, k int) (float64, error) {
	n, r := u.n, u.r
	own, weight := u.wt[k*n:(k+1)*n], u.weight(k)
	if u.phi.Sparse != nil {
		u.phi.Sparse.MulVec(u.threads, own, u.product)
	} else {
		_ = blas.For(ctx, u.threads, n, graphRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u.product[i] = blas.Dot(u.phi.Dense[i*n:(i+1)*n], own)
			}
		})
	}
	err := blas.For(ctx, u.threads, n, coupledSamples, func(_, lo, hi int) {
		t := u.t[lo:hi]
		copy(t, u.num[k*n+lo:k*n+hi])
		u.kernels.Gemv(true, r, hi-lo, -1, u.wt[lo:], n, u.gramH[k*r:(k+1)*r], 1, t)
		var moved float64
		for i := lo; i < hi; i++ {
			old := own[i]
			now := max(denominator, old+(t[i-lo]-weight*u.product[i])/max(u.gramH[k*r+k]+weight*u.absolute[i], denominator))
			moved += (now - old) * (now - old)
			own[i] = now
		}
		u.moved[lo/coupledSamples] = moved
	})
	var moved float64
	for _, v := range u.moved {
		moved += v
	}
	return moved, err
}
