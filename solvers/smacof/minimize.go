package smacof

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Options configure [Minimize]. The zero value is metric scaling with at most 1000 iterations and a tolerance of 1e-6.
type Options struct {
	NonMetric  bool // the targets are a monotone function of the dissimilarities
	Ties       Ties // of non-metric scaling
	Iterations int  // the most Guttman transforms; 0: 1000
	// Tolerance is the relative decrease of the stress by a plain Guttman transform below which the iteration has converged;
	// nil: 1e-6. A decrease of 1e-12 of the squares of the targets is enough, too. With 0 it ends only where rounding ends the decrease.
	Tolerance *float64
	Plain     bool // no extrapolation: plain Guttman transforms only

	Kernels  *blas.Kernels // nil: blas.Select("")
	Threads  int           // 0: all cores; it changes no bit
	Progress func(iteration int, stress1 float64)
}

// Result is the result of [Minimize].
type Result struct {
	// Stress1 is the stress-1 of the start and after each iteration: √(σ/Σ w d̂²) of the configuration at its best scale, which is
	// Kruskal's stress-1 of the targets at their best scale. It never rises.
	Stress1    []float64
	Iterations int
	Converged  bool
	Curve      Curve // of non-metric scaling
}

// firstMomentum begins the sequence of Nesterov, t ← (1 + √(1 + 4t²))/2, after its 1.
const firstMomentum = 1.618033988749895

// exact is the stress-1 at which the distances agree with the targets.
const exact = 1e-8

// negligible is the share of the squares of the targets below which a decrease of the stress by a plain transform is of no use: towards
// an exact configuration in fewer columns the stress falls ever more slowly.
const negligible = 1e-12

// Bytes estimates the memory of [Minimize], without the pairs.
func (o Options) Bytes(p *Pairs, dim int) int64 {
	return o.BytesFor(int64(p.N), int64(len(p.Delta)), dim, p.Ptr == nil, p.Weight != nil)
}

// BytesFor is [Options.Bytes] for numbers of objects and pairs. Of pairs in lists the factor of the weights is not counted.
func (o Options) BytesFor(n, pairs int64, dim int, complete, weighted bool) int64 {
	bytes := 8 * n * int64(dim) * (passGroups + 6)
	if complete && weighted {
		bytes += factorBytes(n)
	}
	if !complete {
		bytes += 24 * pairs
	}
	if o.NonMetric {
		bytes += monotoneBytes(pairs, weighted)
	}
	return bytes
}

// Minimize lowers the stress of the rows of y, the start, and leaves the configuration there, centred and at its best scale.
//
// An iteration is a Guttman transform G(Y), which never raises the stress. It is applied to an extrapolation Y of the transforms before
// (Nesterov's momentum); where the stress of Y is higher than before, the plain transform takes its place. For non-metric scaling every
// evaluation finds the targets anew, so that the stress is that of the best monotone function. An iteration takes O(pairs · columns),
// and for weights in addition a solve with the factor of V.
func Minimize(ctx context.Context, p *Pairs, y *mat.Dense, o Options) (*Result, error) {
	n, dim := y.Dims()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if n != p.N {
		return nil, fmt.Errorf("smacof: %d rows of coordinates for %d objects; give one for each", n, p.N)
	}
	if groups := p.Groups(); len(groups) > 1 {
		return nil, fmt.Errorf("smacof: the known dissimilarities leave the objects in %d groups (the largest of %d), whose places relative to each other are not determined; give a dissimilarity between each two of them", len(groups), groups[0])
	}
	if o.NonMetric && len(p.Delta) > math.MaxUint32 {
		return nil, fmt.Errorf("smacof: non-metric scaling of %d pairs; give fewer than 2³²", len(p.Delta))
	}
	if o.Iterations == 0 {
		o.Iterations = 1000
	}
	if o.Tolerance == nil {
		o.Tolerance = new(1e-6)
	}
	if o.Progress == nil {
		o.Progress = func(int, float64) {}
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	x := make([]float64, 0, n*dim)
	for i := range n {
		for c, v := range y.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("smacof: row %d, column %d (counting from 0) of the start is %v; give finite coordinates", i, c, v)
			}
			x = append(x, v)
		}
	}
	m, err := newMinimization(ctx, p, dim, o)
	if err != nil {
		return nil, err
	}
	r, err := m.run(ctx, x)
	if err != nil {
		return nil, err
	}
	for i := range n {
		copy(y.RawRowView(i), m.best[i*dim:(i+1)*dim])
	}
	return r, nil
}

// minimization is [Minimize] under way.
type minimization struct {
	Options
	*passes
	solve    *guttman
	monotone *monotone // nil: metric
	square   float64   // Σ w d̂²
	best     []float64 // the configuration of the least stress so far
	scale    float64   // the best scale of it
}

func newMinimization(ctx context.Context, p *Pairs, dim int, o Options) (*minimization, error) {
	m := &minimization{Options: o, passes: newPasses(p, dim, o.Threads), best: make([]float64, p.N*dim)}
	var err error
	if m.solve, err = newGuttman(ctx, p, o); err != nil {
		return nil, err
	}
	if o.NonMetric {
		m.monotone = newMonotone(p, o.Ties)
		m.square = m.monotone.square
		return m, ctx.Err()
	}
	p.each(func(_, _, at int) {
		d := p.Delta[at]
		m.square += float64(float64(p.weight(at)*d) * d)
	})
	return m, ctx.Err()
}

// evaluate writes the Guttman transform of x and returns its sums.
func (m *minimization) evaluate(ctx context.Context, x, g []float64) (sums, error) {
	target := func(lo, hi int, _ []float64) []float64 { return m.pairs.Delta[lo:hi] }
	if t := m.monotone; t != nil {
		err := m.distances(ctx, x, func(lo int, d []float64) {
			for k, place := range t.rank[lo : lo+len(d)] {
				t.value[place] = d[k]
			}
		})
		if err != nil {
			return sums{}, err
		}
		if err := t.fit(ctx, m.passes.threads); err != nil {
			return sums{}, err
		}
		target = func(lo, hi int, into []float64) []float64 {
			into = into[:hi-lo]
			for k, place := range t.rank[lo:hi] {
				into[k] = t.value[place]
			}
			return into
		}
	}
	s, err := m.transform(ctx, x, target, g)
	if err != nil {
		return s, err
	}
	return s, m.solve.apply(m.dim, g)
}

// run iterates from x.
func (m *minimization) run(ctx context.Context, x []float64) (*Result, error) {
	center(m.dim, x)
	g, before := make([]float64, len(x)), make([]float64, len(x))
	s, err := m.evaluate(ctx, x, g)
	if err != nil {
		return nil, err
	}
	least := s.stress()
	m.keep(x, s)
	r := &Result{Stress1: []float64{m.stress1(least)}}
	momentum, extrapolated := firstMomentum, false
	for r.Iterations < m.Iterations && !r.Converged {
		if m.stress1(least) <= exact {
			r.Converged = true
			break
		}
		// x is extrapolated along the last two transforms, of which before is the one from the configuration before.
		copy(x, g)
		if extrapolated {
			next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
			beta := (momentum - 1) / next
			momentum = next
			for k, v := range g {
				x[k] += float64(beta * (v - before[k]))
			}
		}
		before, g = g, before
		if s, err = m.evaluate(ctx, x, g); err != nil {
			return nil, err
		}
		r.Iterations++
		stress := s.stress()
		decrease, enough := least-stress, *m.Tolerance*least
		if enough > 0 {
			enough = max(enough, negligible*m.square)
		}
		switch {
		case extrapolated && !(decrease >= 0): // the plain transform of the last configuration comes instead
			momentum, extrapolated = firstMomentum, false
			g, before = before, g
		case !extrapolated && !(decrease > enough):
			if r.Converged = true; decrease > 0 {
				least = stress
				m.keep(x, s)
			}
		default:
			if extrapolated = !m.Plain && (!extrapolated || decrease > enough); !extrapolated {
				momentum = firstMomentum
			}
			least = stress
			m.keep(x, s)
		}
		r.Stress1 = append(r.Stress1, m.stress1(least))
		m.Progress(r.Iterations, m.stress1(least))
	}
	if m.monotone != nil { // the targets of the configuration that is kept
		if _, err := m.evaluate(ctx, m.best, g); err != nil {
			return nil, err
		}
		r.Curve = m.monotone.curve(m.pairs)
	}
	blas.Scale(m.scale, m.best)
	center(m.dim, m.best)
	return r, nil
}

// keep keeps a configuration as the best so far.
func (m *minimization) keep(x []float64, s sums) {
	copy(m.best, x)
	m.scale = s.scale()
}

func (m *minimization) stress1(stress float64) float64 {
	if m.square == 0 {
		return 0
	}
	return math.Sqrt(stress / m.square)
}
