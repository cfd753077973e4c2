package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Encoder finds coordinates under components C that stay, each sample as though it
// were the only one: from the start mean(d)/(r·mean(C)) of its own, and, under
// Correntropy, with its own σ² = θ·mean(e²) in every iteration. So the coordinates of
// a sample do not depend on those that come with it, and those of c·d are c times
// those of d. One of several samples encoded together by [Encode] starts from the
// mean of all, and ends at about the same place where the problem is convex.
//
// It may be used by any number of goroutines at a time.
type Encoder struct {
	shape   core // C, Cᵀ and CCᵀ of the factors
	options Options
	mean    float64   // of C
	sums    []float64 // of the rows of C
}

// NewEncoder prepares r × m components, which must be finite and ≥ 0 and not all zero.
// Of the options it looks at what [Encode] looks at; L21 is Frobenius, as a
// sample's weight cancels.
func NewEncoder(components []float64, m int, o Options) (*Encoder, error) {
	if m < 1 || len(components) < m || len(components)%m != 0 {
		return nil, fmt.Errorf("nmf: %d numbers are no components of %d columns", len(components), m)
	}
	o.Rank = len(components) / m
	o.Graph, o.Lambda, o.Init, o.Warm = Graph{}, 0, "", 0
	if o.Loss == L21 {
		o.Loss = Frobenius
	}
	o, err := o.filled(Data{Rows: o.Rank, Cols: m})
	if err != nil {
		return nil, err
	}
	if err := givenFactor("components", components, o.Rank, m); err != nil {
		return nil, err
	}
	c := core{m: m, r: o.Rank, kernels: o.Kernels, threads: o.Threads, c: components, columns: max(64, m/mostChunks),
		w: make([]float64, m*o.Rank), gramC: make([]float64, o.Rank*o.Rank)}
	c.componentsChanged()
	u := divergence{core: &c}
	u.sumComponents()
	var total float64
	for _, v := range u.sumsC {
		total += v
	}
	if !(total > 0) || total-total != 0 {
		return nil, fmt.Errorf("nmf: the components add up to %v; nothing can be encoded with them", total)
	}
	return &Encoder{shape: c, options: o, mean: total / float64(len(components)), sums: u.sumsC}, nil
}

// Encode returns the n × r coordinates of samples. Data that are negative or not
// finite are a [NegativeError]. An iteration takes 2nr² flops under the squared error,
// 4nmr under KL and 6nmr under Correntropy.
func (e *Encoder) Encode(ctx context.Context, d Data) ([]float64, error) {
	c := e.shape
	if d.Cols != c.m {
		return nil, fmt.Errorf("nmf: samples of %d columns where the components have %d", d.Cols, c.m)
	}
	if d.Sparse != nil && e.options.Loss == Correntropy {
		return nil, fmt.Errorf("nmf: loss %s weights every entry, which sparse data do not store; make the data dense", Correntropy)
	}
	var err error
	if c.figures, err = d.inspect(); err != nil {
		return nil, err
	}
	c.data, c.n = d, d.Rows
	c.layout(e.options.Loss == Correntropy)
	c.y, c.scratch = make([]float64, c.n*c.r), make([]scratch, blas.Threads(c.threads))
	return c.y, blas.For(ctx, c.threads, c.n, c.block, func(worker, lo, hi int) {
		s := &c.scratch[worker]
		if s.num == nil {
			*s = e.scratch(&c)
		}
		e.start(&c, lo, hi)
		switch {
		case e.options.Loss == KL:
			e.divergence(&c, s, lo, hi)
		case e.options.Loss == Correntropy:
			e.correntropy(&c, s, lo, hi)
		case e.options.Solver == HALS:
			e.leastSquares(&c, s, lo, hi)
		default:
			encoder{&c, e.options}.squaredRows(s, lo, hi)
		}
	})
}

func (e *Encoder) scratch(c *core) scratch {
	s := scratch{num: make([]float64, c.block*c.r), den: make([]float64, c.block*c.r)}
	if e.options.Loss == KL || e.options.Loss == Correntropy {
		s.model = make([]float64, c.block*c.m)
	}
	if e.options.Loss == Correntropy {
		s.products, s.weights = make([]float64, 2*c.block*c.r), make([]float64, c.block)
		s.tile, s.row = make([]float64, 2*c.block*c.m), make([]float64, c.m)
	}
	return s
}

// start fills rows of Y with mean(d)/(r·mean(C)).
func (e *Encoder) start(c *core, lo, hi int) {
	for i := lo; i < hi; i++ {
		var sum float64
		if c.data.Sparse != nil {
			_, vals := c.data.Sparse.Row(i)
			for _, v := range vals {
				sum += v
			}
		} else {
			for _, v := range c.rows(i, i+1) {
				sum += v
			}
		}
		start := sum / float64(c.m) / (float64(c.r) * e.mean)
		for k := range c.r {
			c.y[i*c.r+k] = start
		}
	}
}

func (e *Encoder) divergence(c *core, s *scratch, lo, hi int) {
	u := divergence{core: c, sumsC: e.sums}
	num := s.num[:(hi-lo)*c.r]
	for range e.options.Iterations {
		u.numerators(s, lo, hi, num)
		u.stepRows(lo, hi, num)
	}
}

// leastSquares descends by coordinates, sample by sample, until a sweep moves the
// sample by little.
func (e *Encoder) leastSquares(c *core, s *scratch, lo, hi int) {
	r := c.r
	num := s.num[:(hi-lo)*r]
	c.dataProducts(lo, hi, num)
	for i := lo; i < hi; i++ {
		y, d := c.y[i*r:(i+1)*r], num[(i-lo)*r:(i-lo+1)*r]
		var first float64
		for sweep := range e.options.Iterations {
			var moved float64
			for k, old := range y {
				g := c.gramC[k*r : (k+1)*r]
				now := max(denominator, old+(d[k]-blas.Dot(g, y))/max(g[k], denominator))
				moved += (now - old) * (now - old)
				y[k] = now
			}
			if sweep == 0 {
				first = moved
			}
			if moved <= encodeSettle*encodeSettle*first {
				break
			}
		}
	}
}

// correntropy weighs the entries anew in every iteration.
func (e *Encoder) correntropy(c *core, s *scratch, lo, hi int) {
	u, rule, m, rows := correntropy{core: c}, e.options.Sigma, float64(c.m), hi-lo
	num, den := s.num[:rows*c.r], s.den[:rows*c.r]
	for i := range rows {
		row := c.rows(lo+i, lo+i+1)
		s.weights[i] = max(rule.Floor*blas.Dot(row, row)/m, 1e-300)
	}
	for range e.options.Iterations {
		c.modelRows(lo, hi, s.model)
		for i := range rows {
			row, model := c.rows(lo+i, lo+i+1), s.model[i*c.m:(i+1)*c.m]
			sigma2 := rule.Fixed
			if sigma2 == 0 {
				sigma2 = max(rule.Theta*blas.SquaredDistance(row, model)/m, s.weights[i])
			}
			left, right := u.sides(s, i)
			blas.GaussWeights(min(0.5/sigma2, math.MaxFloat64), row, model, s.row, left, right)
		}
		c.weightedProducts(s, rows, c.w, num, den)
		blas.MultiplyRatios(c.y[lo*c.r:hi*c.r], denominator, vanished, num, den)
	}
}
