package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// rule is how one loss and solver step.
type rule interface {
	// prepare computes what the first step needs.
	prepare(ctx context.Context) error
	// step updates C, then Y. traced announces that point
	// will be asked next; it may be without.
	step(ctx context.Context, iteration int, traced bool) error
	// point measures the present factors.
	point(ctx context.Context) (Point, error)
	// normalised scales the components to unit length.
	normalised()
	// finish leaves the result in the factors.
	finish()
	plan() string
}

// Factorize looks for the factors of d. See [Options]. It refuses data that are
// negative or not finite (a [NegativeError] says where), ranks below 1, options
// that do not go together, and graphs that are not positive semidefinite. With
// λ > 0 the objective has no minimiser, because C can grow while Y shrinks: the
// number of iterations is then part of the method. An iteration takes 4nmr flops
// under the squared error, 6nmr under L2,1, 8nmr under KL, 12nmr (14nmr with
// Refresh) under Correntropy; sparse data count their entries for nm. Memory
// besides the data and the factors: at most 16 times C, some tiles, and n × m
// numbers for Correntropy with the schedule Paper.
func Factorize(ctx context.Context, d Data, o Options) (*Result, error) {
	f, err := d.inspect()
	if err != nil {
		return nil, err
	}
	if o, err = o.filled(d); err != nil {
		return nil, err
	}
	if d.Sparse != nil {
		d.transpose = transposed(d.Sparse)
	}
	c, u, err := assemble(d, o, f)
	if err != nil {
		return nil, err
	}
	res := &Result{Plan: u.plan()}
	if err := c.start(ctx, o, res); err != nil {
		return nil, err
	}
	c.componentsChanged()
	if err := u.prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.iterate(ctx, u, o, res); err != nil {
		return nil, err
	}
	u.finish()
	if o.Normalise != Never {
		u.normalised()
	}
	res.Coordinates, res.Components = c.y, c.c
	return res, nil
}

// assemble chooses the rule.
func assemble(d Data, o Options, f figures) (*core, rule, error) {
	tiles := 0
	switch {
	case o.Loss == L21, o.Loss == KL:
		tiles = 1
	case o.Loss == Correntropy:
		tiles = 3
	}
	if d.Sparse != nil {
		tiles = 0
	}
	c := newCore(d, o, f, o.Loss == Correntropy, tiles)
	g, err := newGraphTerm(c, o.Graph, o.Lambda)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case o.Solver == HALS:
		return c, newHALS(c, g, o), nil
	case o.Loss == KL:
		return c, &divergence{core: c, graph: g}, nil
	case o.Loss == Correntropy:
		return c, newCorrentropy(c, g, o), nil
	}
	return c, &squaredError{core: c, graph: g, weighted: o.Loss == L21}, nil
}

// iterate steps until the limit, the tolerance or the watcher ends it.
func (c *core) iterate(ctx context.Context, u rule, o Options, res *Result) error {
	measure := func(iteration int) (Point, error) {
		p, err := u.point(ctx)
		if err == nil && p.Objective-p.Objective != 0 {
			err = fmt.Errorf("nmf: the objective is no longer finite after %d iterations; scale the data to moderate size, or lower λ", iteration)
		}
		p.Iteration = iteration
		return p, err
	}
	record := func(p Point) bool {
		res.Trace = append(res.Trace, p)
		res.Sigma2 = p.Sigma2
		return o.Watch(p)
	}
	p, err := measure(0)
	if err != nil || record(p) {
		return err
	}
	var last *snapshot
	for t := 1; t <= o.Iterations; t++ {
		if o.Tolerance > 0 {
			last = c.remember(last)
		}
		traced := t%o.TraceEvery == 0 || t == o.Iterations
		if err := u.step(ctx, t, traced || o.Settle > 0); err != nil {
			return err
		}
		if o.Normalise == EachIteration {
			u.normalised()
		}
		res.Iterations = t
		o.Progress(float64(t) / float64(o.Iterations))
		res.Converged = o.Tolerance > 0 && c.moved(last) < o.Tolerance
		if traced || res.Converged || o.Settle > 0 {
			before := p.Objective
			if p, err = measure(t); err != nil {
				return err
			}
			res.Converged = res.Converged || o.Settle > 0 && math.Abs(before-p.Objective) <= o.Settle*math.Abs(before)
			if (traced || res.Converged) && record(p) {
				return nil
			}
		}
		if res.Converged {
			break
		}
	}
	o.Progress(1)
	return nil
}

// snapshot is a pair of factors.
type snapshot struct{ y, w []float64 }

func (c *core) remember(s *snapshot) *snapshot {
	if s == nil {
		return &snapshot{slices.Clone(c.y), slices.Clone(c.w)}
	}
	copy(s.y, c.y)
	copy(s.w, c.w)
	return s
}

// moved is ‖YC − Y′C′‖_F/‖YC‖_F since the snapshot, from Gram matrices.
func (c *core) moved(s *snapshot) float64 {
	r := c.r
	inner := func(y1, w1, y2, w2 []float64) float64 {
		a, b := make([]float64, r*r), make([]float64, r*r)
		c.crossGram(c.n, y1, y2, a)
		c.crossGram(c.m, w1, w2, b)
		return blas.Dot(a, b)
	}
	now := inner(c.y, c.w, c.y, c.w)
	if now == 0 {
		return 0
	}
	return math.Sqrt(max(0, now-2*inner(c.y, c.w, s.y, s.w)+inner(s.y, s.w, s.y, s.w)) / now)
}

// crossGram is AᵀB for panels of so many rows, summed over pieces in order.
func (c *core) crossGram(rows int, a, b, to []float64) {
	clear(to)
	for lo := 0; lo < rows; lo += 1024 {
		c.kernels.Gemm(true, false, c.r, c.r, min(1024, rows-lo), 1, a[lo*c.r:], c.r, b[lo*c.r:], c.r, 1, to, c.r)
	}
}
