package eigen

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

const (
	// worthTrying is the number of operations of a factorisation from which conjugate
	// gradients are tried in its place.
	worthTrying = 5e10
	// slower is how many times the time of an operation of the factorisation, which is
	// arithmetic, one of conjugate gradients takes, which is memory, and solveSlower the
	// same for one of a solution with the factor.
	slower, solveSlower = 12, 6
	// conjugateTolerance bounds ‖b − Ax‖ over ‖b‖. The eigenpairs need less, but what is
	// missed here is no symmetric operator.
	conjugateTolerance = 1e-13
	// maxConjugate bounds the iterations of one solution, which never takes fewer than
	// fewestConjugate.
	maxConjugate, fewestConjugate = 400, 16
	// conjugateRows is the number of rows of a task and of a partial sum. It decides bits.
	conjugateRows = 4096
)

// conjugate is block Lanczos on (A − σI)⁻¹ by conjugate gradients that the diagonal
// preconditions, for matrices whose factor is far larger than they are, such as the
// Laplacians of social networks: these have no small separators, and just for that few small
// eigenvalues, so that few iterations do. A first block says how many; where a
// factorisation is cheaper all the same, or they do not converge, it declines.
func (p *problem) conjugate(ctx context.Context) (*Eigen, error) {
	// The trial itself takes no more than what would still be cheaper.
	worth := p.conjugateWorth()
	if worth < fewestConjugate {
		return nil, errDeclined
	}
	c, err := newConjugate(p)
	if err != nil {
		return nil, err
	}
	limit, _, most := p.basisRoom()
	if p.Memory <= 0 { // solutions are dear, and eigenvalues at the edge of a bulk close together
		limit = min(p.n-len(p.null), max(limit, 6*p.wanted))
	}
	keep := p.wanted + (limit-p.wanted)/3
	bytes := 8 * int64(p.n) * int64(limit+4*p.block()+5*c.lanes+1)
	iterations, err := c.trial(ctx, worth)
	if err != nil {
		return nil, err
	}
	p.plan.Reason = fmt.Sprintf("order %d, %d iterations a solution, where a factorisation takes %.2g flops", p.n, iterations, p.plan.Flops)
	p.plan.FactorEntries, p.plan.Flops, p.plan.Ordering, p.plan.Bytes = 0, 0, "", bytes
	if err := p.announce(); err != nil {
		return nil, err
	}
	p.inverted, p.shift = true, -p.sigma
	k := &krylov{
		problem: p, block: p.block(), limit: limit, keep: keep, most: most, tolerance: p.toleranceOr(ritzTolerance),
		random: blas.NewStream(p.Seed), start: p.start,
		apply: func(x []float64, width int) { c.solve(ctx, x, width) },
	}
	theta, vectors, converged, err := k.pairs(ctx, p.wanted, false)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.failed:
		return nil, errDeclined
	}
	e := &Eigen{Converged: converged, Solves: k.products, Products: c.products, Vectors: vectors}
	for _, t := range theta {
		e.Values = append(e.Values, 1/t-p.shift)
	}
	return e, nil
}

// conjugateWorth is the number of iterations of a solution up to which conjugate gradients
// are cheaper than the factorisation, or all that there are where its factor does not fit.
func (p *problem) conjugateWorth() int {
	if p.Memory > 0 && p.factorBytes() > p.Memory {
		return maxConjugate
	}
	solves := float64(3*p.wanted + 5*p.block())
	byFactor := p.plan.Flops + solveSlower*solves*4*float64(p.plan.FactorEntries)
	iteration := slower * solves * float64(2*p.a.NNZ()+12*p.n)
	return int(min(maxConjugate, byFactor/iteration))
}

// conjugateGradients solves (A − σI)x = b for blocks of right-hand sides orthogonal to the
// null vectors.
type conjugateGradients struct {
	*problem
	lanes    int
	inverse  []float64 // of the diagonal
	most     int       // iterations of a solution
	products int       // with a vector, so far
	failed   bool      // a solution missed its tolerance by far

	x, r, direction, product []float64   // n × lanes
	sums                     [][]float64 // partial sums of each task, by lane
}

func newConjugate(p *problem) (*conjugateGradients, error) {
	c := &conjugateGradients{problem: p, lanes: p.block(), most: maxConjugate, inverse: make([]float64, p.n)}
	for i := range p.n {
		d := p.a.At(i, i) - p.sigma
		if !(d > 0) {
			return nil, errDeclined
		}
		c.inverse[i] = 1 / d
	}
	size := p.n * c.lanes
	c.x, c.r, c.direction, c.product = make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	for range (p.n + conjugateRows - 1) / conjugateRows {
		c.sums = append(c.sums, make([]float64, 2*c.lanes))
	}
	return c, nil
}

// trial solves for a random block, and returns the iterations that it takes. It declines
// where they are more than worth.
func (c *conjugateGradients) trial(ctx context.Context, worth int) (iterations int, err error) {
	c.most = worth
	defer func() { c.most = maxConjugate }()
	b := make([]float64, c.n*c.lanes)
	blas.NewStream(c.Seed).Normals(b)
	c.deflate(b, c.lanes)
	iterations = c.solve(ctx, b, c.lanes)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if c.failed || iterations == worth && worth < maxConjugate {
		return 0, errDeclined
	}
	return iterations, nil
}

// solve replaces the rows of b, of which width columns count, by the solution orthogonal
// to the null vectors, and returns the iterations of the slowest column.
func (c *conjugateGradients) solve(ctx context.Context, b []float64, width int) (iterations int) {
	copy(c.r, b[:c.n*c.lanes])
	clear(c.x)
	// z = D⁻¹r is nowhere kept: the first direction is it.
	size, slope := c.precondition()
	aim := make([]float64, c.lanes)
	for l := range aim {
		aim[l] = conjugateTolerance * conjugateTolerance * size[l]
	}
	alpha, beta := make([]float64, c.lanes), make([]float64, c.lanes)
	for iterations = 0; ; iterations++ {
		going := 0
		for l := range size {
			if !(size[l] <= aim[l]) { // no solution is one that is not finite
				going++
			}
		}
		if going == 0 || ctx.Err() != nil {
			break
		}
		if iterations == c.most {
			// What rounding leaves of the last digits does no harm.
			for l := range size {
				c.failed = c.failed || !(size[l] <= 1e6*aim[l])
			}
			break
		}
		c.a.MulBlock(c.Threads, c.lanes, c.direction, c.product)
		c.products += width
		curvature := c.curvature()
		for l := range alpha {
			alpha[l] = 0
			if !(size[l] <= aim[l]) {
				if !(curvature[l] > 0) {
					c.failed = true
					return iterations
				}
				alpha[l] = slope[l] / curvature[l]
			}
		}
		before := slope
		size, slope = c.advance(alpha)
		for l := range beta {
			if beta[l] = 0; before[l] > 0 {
				beta[l] = slope[l] / before[l]
			}
		}
		c.turn(beta)
	}
	c.deflate(c.x, c.lanes)
	copy(b[:c.n*c.lanes], c.x)
	return iterations
}

// each runs over blocks of rows and adds up the two sums of each lane in their order.
func (c *conjugateGradients) each(do func(lo, hi int, sums []float64)) (first, second []float64) {
	// The context is not asked: a cancelled search is thrown away by the caller.
	_ = blas.For(context.Background(), c.Threads, c.n, conjugateRows, func(_, lo, hi int) {
		sums := c.sums[lo/conjugateRows]
		clear(sums)
		do(lo, hi, sums)
	})
	total := make([]float64, 2*c.lanes)
	for _, s := range c.sums {
		blas.Axpy(1, s, total)
	}
	return total[:c.lanes], total[c.lanes:]
}

// precondition makes D⁻¹r the direction and returns ‖r‖² and rᵀD⁻¹r of each lane.
func (c *conjugateGradients) precondition() (size, slope []float64) {
	lanes := c.lanes
	return c.each(func(lo, hi int, sums []float64) {
		for i := lo; i < hi; i++ {
			d, r, p := c.inverse[i], c.r[i*lanes:(i+1)*lanes], c.direction[i*lanes:(i+1)*lanes]
			for l, v := range r {
				p[l] = d * v
				sums[l] += v * v
				sums[lanes+l] += d * v * v
			}
		}
	})
}

// curvature is pᵀAp of each lane; the product holds Ap, from which σp is taken first.
func (c *conjugateGradients) curvature() []float64 {
	lanes := c.lanes
	sums, _ := c.each(func(lo, hi int, sums []float64) {
		for i := lo; i < hi; i++ {
			p, y := c.direction[i*lanes:(i+1)*lanes], c.product[i*lanes:(i+1)*lanes]
			for l, v := range p {
				if c.sigma != 0 {
					y[l] -= c.sigma * v
				}
				sums[l] += v * y[l]
			}
		}
	})
	return sums
}

// advance steps along the directions and returns ‖r‖² and rᵀD⁻¹r of each lane.
func (c *conjugateGradients) advance(alpha []float64) (size, slope []float64) {
	lanes := c.lanes
	return c.each(func(lo, hi int, sums []float64) {
		for i := lo; i < hi; i++ {
			at := i * lanes
			x, r, p, y := c.x[at:at+lanes], c.r[at:at+lanes], c.direction[at:at+lanes], c.product[at:at+lanes]
			d := c.inverse[i]
			for l, a := range alpha {
				x[l] += a * p[l]
				v := r[l] - a*y[l]
				r[l] = v
				sums[l] += v * v
				sums[lanes+l] += d * v * v
			}
		}
	})
}

// turn makes D⁻¹r + βp the direction.
func (c *conjugateGradients) turn(beta []float64) {
	lanes := c.lanes
	c.each(func(lo, hi int, _ []float64) {
		for i := lo; i < hi; i++ {
			d, r, p := c.inverse[i], c.r[i*lanes:(i+1)*lanes], c.direction[i*lanes:(i+1)*lanes]
			for l, b := range beta {
				p[l] = d*r[l] + b*p[l]
			}
		}
	})
}

// deflate takes the components along the null vectors away from columns.
func (c *conjugateGradients) deflate(x []float64, lanes int) {
	sums := make([]float64, lanes)
	for _, null := range c.null {
		clear(sums)
		for i, v := range null {
			blas.Axpy(v, x[i*lanes:(i+1)*lanes], sums)
		}
		for i, v := range null {
			blas.Axpy(-v, sums, x[i*lanes:(i+1)*lanes])
		}
	}
}
