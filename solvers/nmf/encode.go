package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Encode finds the n × r coordinates Y ≥ 0 of samples d under given components C
// (r × m): the step of Y alone, from the constant start mean(D)/(r·mean(C)) (You et
// al. 2015, section IV). Of the options it looks at Loss (the weights of L2,1
// cancel), Solver (HALS solves the nonnegative least squares, many sweeps at one
// product), Iterations, Sigma, Threads and Kernels. σ² of Correntropy is computed
// anew from all samples given in each iteration, unless Sigma.Fixed sets it. Where
// samples must not depend on each other take an [Encoder]. Under the squared error
// the data are read once.
func Encode(ctx context.Context, d Data, components []float64, o Options) ([]float64, error) {
	f, err := d.inspect()
	if err != nil {
		return nil, err
	}
	if o.Rank == 0 && d.Cols > 0 {
		o.Rank = len(components) / d.Cols
	}
	o.Graph, o.Lambda, o.Init, o.Warm = Graph{}, 0, "", 0
	if o.Loss == L21 {
		o.Loss = Frobenius
	}
	if o, err = o.filled(d); err != nil {
		return nil, err
	}
	if err := givenFactor("components", components, o.Rank, d.Cols); err != nil {
		return nil, err
	}
	var total float64
	for _, v := range components {
		total += v
	}
	if total == 0 {
		return nil, fmt.Errorf("nmf: the given components are zero throughout; nothing can be encoded with them")
	}
	tiles := 1
	if o.Loss == Correntropy {
		tiles = 3
	}
	c := newCore(d, o, f, o.Loss == Correntropy, tiles)
	copy(c.c, components)
	c.componentsChanged()
	start := f.mean(d) / (float64(c.r) * (total / float64(len(components))))
	for i := range c.y {
		c.y[i] = start
	}
	e := encoder{c, o}
	switch {
	case o.Loss == KL:
		err = e.divergence(ctx)
	case o.Loss == Correntropy:
		err = e.correntropy(ctx)
	case o.Solver == HALS:
		err = e.leastSquares(ctx)
	default:
		err = e.squaredError(ctx)
	}
	if err != nil {
		return nil, err
	}
	o.Progress(1)
	return c.y, nil
}

type encoder struct {
	*core
	Options
}

// squaredError iterates block by block: the rows of Y are independent.
func (e encoder) squaredError(ctx context.Context) error {
	return blas.For(ctx, e.threads, e.n, e.block, func(worker, lo, hi int) {
		e.squaredRows(&e.scratch[worker], lo, hi)
	})
}

func (e encoder) squaredRows(s *scratch, lo, hi int) {
	r, rows := e.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	e.dataProducts(lo, hi, num)
	y := e.y[lo*r : hi*r]
	for range e.Iterations {
		e.kernels.Gemm(false, false, rows, r, r, 1, y, r, e.gramC, r, 0, den, r)
		blas.MultiplyRatios(y, denominator, vanished, num, den)
	}
}

// leastSquares sweeps until a sweep no longer moves a block, or the limit.
func (e encoder) leastSquares(ctx context.Context) error {
	u := newHALS(e.core, nil, e.Options)
	u.sweepsY, u.settle = e.Iterations, encodeSettle
	return blas.For(ctx, e.threads, e.n, e.block, func(worker, lo, hi int) {
		u.sweepRows(worker, lo, hi)
	})
}

// divergence iterates block by block.
func (e encoder) divergence(ctx context.Context) error {
	u := &divergence{core: e.core}
	u.sumComponents()
	return blas.For(ctx, e.threads, e.n, e.block, func(worker, lo, hi int) {
		s := &e.scratch[worker]
		num := s.num[:(hi-lo)*e.r]
		for range e.Iterations {
			u.numerators(s, lo, hi, num)
			u.stepRows(lo, hi, num)
		}
	})
}

// correntropy measures σ² over all samples between the steps.
func (e encoder) correntropy(ctx context.Context) error {
	e.Options.Schedule = Refresh
	u := newCorrentropy(e.core, nil, e.Options)
	if err := u.prepare(ctx); err != nil {
		return err
	}
	for t := 1; t <= e.Iterations; t++ {
		u.scale(t)
		if err := u.measurePass(ctx, u.weighRows); err != nil {
			return err
		}
		u.squares = *u.share.squares
		e.Progress(float64(t) / float64(e.Iterations))
	}
	if math.IsNaN(u.squares) {
		return fmt.Errorf("nmf: encoding diverged; scale the data to moderate size")
	}
	return nil
}
