package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// measure adds the loss of samples with their coordinates, and the squares of the residuals,
// which the model itself gives: they are exact however small they are. Of sparse data they
// come from Gram matrices. e is nil where all components are zero.
func (p *passes) measure(ctx context.Context, e *Encoder, d Data, w []float64, sum *Learned) error {
	totals, err := d.inspect()
	if err != nil {
		return err
	}
	sum.Rows += d.Rows
	sum.Data += totals.squares
	if e == nil {
		sum.Squares += totals.squares
		switch {
		case p.loss != KL:
			sum.Loss = sum.Squares
		case totals.sum > 0:
			sum.Loss = math.Inf(1)
		}
		return nil
	}
	f := e.fixed
	f.data, f.n, f.w = d, d.Rows, w
	losses, squares := make([]float64, d.Rows), make([]float64, d.Rows)
	rows := min(d.Rows, p.block)
	if p.models == nil {
		p.models = make([][]float64, p.workers)
	}
	err = blas.For(ctx, f.threads, d.Rows, rows, func(worker, lo, hi int) {
		if d.Sparse != nil {
			f.measureSparse(e.rowSums, lo, hi, losses, squares)
			return
		}
		if len(p.models[worker]) < rows*f.m {
			p.models[worker] = make([]float64, rows*f.m)
		}
		model := p.models[worker][:(hi-lo)*f.m]
		f.modelRows(lo, hi, model)
		for i := lo; i < hi; i++ {
			x, y := f.rows(nil, i, i+1), model[(i-lo)*f.m:(i-lo+1)*f.m]
			squares[i] = blas.SquaredDistance(x, y)
			if f.loss == KL {
				losses[i] = divergenceOf(x, y)
			}
		}
	})
	squared := total(squares)
	sum.Squares += squared
	if f.loss == KL {
		sum.Loss += total(losses)
	} else {
		sum.Loss += squared
	}
	return err
}

// divergenceOf is Σ x log(x/y) − x + y.
func divergenceOf(x, y []float64) float64 {
	var sum float64
	for j, v := range x {
		if sum += y[j] - v; v > 0 {
			sum += v * math.Log(v/max(y[j], denominator))
		}
	}
	return sum
}

// measureSparse is the loss and the squares of the residuals of some rows of sparse data.
func (f *factorization) measureSparse(rowSums []float64, lo, hi int, losses, squares []float64) {
	r := f.r
	for i := lo; i < hi; i++ {
		w := f.w[i*r : (i+1)*r]
		cols, vals := f.data.Sparse.Row(i)
		square, loss := 0.0, blas.Dot(w, rowSums)
		for p, j := range cols {
			x, model := vals[p], blas.Dot(w, f.ht[int(j)*r:int(j)*r+r])
			square += x * (x - 2*model)
			if loss -= x; x > 0 {
				loss += x * math.Log(x/max(model, denominator))
			}
		}
		for k, v := range w {
			square += v * blas.Dot(f.gramH[k*r:(k+1)*r], w)
		}
		losses[i], squares[i] = loss, max(0, square)
	}
}
