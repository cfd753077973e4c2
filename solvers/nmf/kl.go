package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// divergence is the multiplicative rule for the Kullback–Leibler loss, with or
// without a graph (Lee and Seung 2001; Guan et al. 2011).
type divergence struct {
	*core
	graph  *graphTerm
	sumsC  []float64 // row sums of C
	traced bool
}

func (u *divergence) prepare(ctx context.Context) error {
	if err := u.graph.apply(ctx); err != nil {
		return err
	}
	u.traced = true
	u.sumComponents()
	return u.sumCoordinates(ctx)
}

// sumCoordinates computes what the step of C needs.
func (u *divergence) sumCoordinates(ctx context.Context) error {
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *divergence) step(ctx context.Context, _ int, traced bool) error {
	u.traced = traced
	_ = blas.For(ctx, u.threads, u.r, 1, func(worker, k, _ int) {
		f := 1 / max(u.share.sums[k], denominator)
		row := u.c[k*u.m : (k+1)*u.m]
		for j, v := range u.share.num[k*u.m : (k+1)*u.m] {
			row[j] = flushed(row[j] * v * f)
		}
	})
	u.componentsChanged()
	u.sumComponents()
	rows := func(s *scratch, lo, hi int) {
		num := s.num[:(hi-lo)*u.r]
		u.numerators(s, lo, hi, num)
		u.stepRows(lo, hi, num)
	}
	var err error
	if u.data.Sparse != nil {
		err = blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) { rows(&u.scratch[worker], lo, hi) })
		if err == nil {
			err = u.sumSparse(ctx)
		}
	} else {
		err = u.pass(ctx, func(s *scratch, lo, hi int, sum *shares) {
			rows(s, lo, hi)
			u.accumulate(s, lo, hi, sum)
		})
	}
	if err != nil {
		return err
	}
	return u.graph.apply(ctx)
}

func (u *divergence) sumComponents() {
	if u.sumsC == nil {
		u.sumsC = make([]float64, u.r)
	}
	for k := range u.sumsC {
		var s float64
		for _, v := range u.c[k*u.m : (k+1)*u.m] {
			s += v
		}
		u.sumsC[k] = s
	}
}

func flushed(v float64) float64 {
	if !(v >= vanished) {
		return 0
	}
	return v
}

// numerators computes rows of (D/(YC))·Cᵀ. Of sparse data, ŷ is needed only where
// d is not zero.
func (u *divergence) numerators(s *scratch, lo, hi int, num []float64) {
	m, r := u.m, u.r
	if u.data.Sparse != nil {
		clear(num)
		for i := lo; i < hi; i++ {
			u.addQuotients(u.data.Sparse, i, u.y, u.w, num[(i-lo)*r:(i-lo+1)*r])
		}
		return
	}
	model := s.model[:(hi-lo)*m]
	u.modelRows(lo, hi, model)
	blas.Quotients(model, denominator, u.rows(lo, hi), model)
	u.kernels.Gemm(false, false, hi-lo, r, m, 1, model, m, u.w, r, 0, num, r)
}

// stepRows updates a block of rows of Y; num are those of (D/(YC))·Cᵀ. With a
// graph it is the minimiser of the majoriser (spec section 3.3).
func (u *divergence) stepRows(lo, hi int, num []float64) {
	r := u.r
	for i := lo; i < hi; i++ {
		row := u.y[i*r : (i+1)*r]
		for k, f := range num[(i-lo)*r : (i-lo+1)*r] {
			h := row[k]
			if u.graph == nil {
				row[k] = flushed(h * f / max(u.sumsC[k], denominator))
				continue
			}
			if h == 0 {
				continue
			}
			a, at := u.sumsC[k], i*r+k
			b := h*f + 2*u.graph.lambda*u.graph.minus[at]*h
			q := 2 * u.graph.lambda * u.graph.plus[at] / h
			row[k] = flushed(2 * b / max(a+math.Sqrt(a*a+4*q*b), denominator))
		}
	}
}

// accumulate adds a block's share of Yᵀ(D/(YC)), of the column sums of Y and,
// where it is asked for, of Σ d log(d/ŷ).
func (u *divergence) accumulate(s *scratch, lo, hi int, sum *shares) {
	m, r := u.m, u.r
	u.modelRows(lo, hi, s.model)
	model := s.model[:(hi-lo)*m]
	data := u.rows(lo, hi)
	if u.traced {
		*sum.squares += blas.SquaredDistance(data, model)
	}
	blas.Quotients(model, denominator, data, model)
	y := u.y[lo*r : hi*r]
	u.kernels.Gemm(true, false, r, m, hi-lo, 1, y, r, s.model, m, sum.beta, sum.num, m)
	for i := 0; i < len(y); i += r {
		for k, v := range y[i : i+r] {
			sum.sums[k] += v
		}
	}
	if u.traced {
		var loss float64
		for at, d := range data {
			if d > 0 {
				loss += d * math.Log(model[at])
			}
		}
		*sum.loss += loss
	}
}

// addQuotients adds Σⱼ (dᵢⱼ/aᵢ·bⱼ)·bⱼ, over the entries of row i, to a row.
func (u *divergence) addQuotients(d *sparse.CSR, i int, a, b, to []float64) {
	r := u.r
	cols, vals := d.Row(i)
	for p, j := range cols {
		other := b[int(j)*r : int(j)*r+r]
		blas.Axpy(vals[p]/max(blas.Dot(a[i*r:(i+1)*r], other), denominator), other, to)
	}
}

// sumSparse computes Yᵀ(D/(YC)) by the rows of Dᵀ, and the column sums of Y.
func (u *divergence) sumSparse(ctx context.Context) error {
	err := u.byColumns(ctx, func(j int, to []float64) {
		clear(to)
		u.addQuotients(u.data.transpose, j, u.w, u.y, to)
	})
	if err != nil {
		return err
	}
	clear(u.share.sums)
	for i := 0; i < len(u.y); i += u.r {
		blas.Axpy(1, u.y[i:i+u.r], u.share.sums)
	}
	if !u.traced {
		return nil
	}
	var loss, inner float64
	for i := range u.n {
		cols, vals := u.data.Sparse.Row(i)
		for p, j := range cols {
			if d := vals[p]; d > 0 {
				model := blas.Dot(u.y[i*u.r:(i+1)*u.r], u.w[int(j)*u.r:int(j)*u.r+u.r])
				loss += d * math.Log(d/max(model, denominator))
				inner += d * model
			}
		}
	}
	*u.share.loss = loss
	u.crossGram(u.n, u.y, u.y, u.share.gram)
	*u.share.squares = max(0, u.figures.squares-2*inner+blas.Dot(u.share.gram, u.gramC))
	return nil
}

func (u *divergence) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced: sum once more, with logarithms
		u.traced = true
		if err := u.sumCoordinates(ctx); err != nil {
			return Point{}, err
		}
	}
	loss := *u.share.loss - u.figures.sum + blas.Dot(u.share.sums, u.sumsC)
	reg := u.graph.value()
	return Point{Objective: loss + reg, Surrogate: loss + reg, Residual: u.relative(*u.share.squares), Regulariser: reg}, nil
}

func (u *divergence) plan() string {
	return "D/(YC) tile by tile, twice, in one pass over the data an iteration"
}

func (u *divergence) normalised() {
	u.normalise(u.graph)
	u.sumComponents()
}
