package sddm

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// conjugateRows is the number of rows of a task and of a partial sum. It decides bits.
const conjugateRows = 4096

// conjugate is the method of conjugate gradients for a block of right-hand sides, in the order of its preconditioner.
type conjugate struct {
	a       *sparse.CSR
	factor  *factor   // nil: the diagonal preconditions
	inverse []float64 // of the diagonal; 0 for a row of zeros
	threads int
	lanes   int

	x, r, direction, product, z []float64 // n × lanes
	partial                     []float64 // of each task: two sums of each lane
}

func newConjugate(a *sparse.CSR, f *factor, inverse []float64, threads, lanes int) *conjugate {
	size := a.Rows * lanes
	return &conjugate{
		a: a, factor: f, inverse: inverse, threads: threads, lanes: lanes,
		x: make([]float64, size), r: make([]float64, size), direction: make([]float64, size), product: make([]float64, size), z: make([]float64, size),
		partial: make([]float64, (a.Rows+conjugateRows-1)/conjugateRows*lanes),
	}
}

// conjugateBytes is the memory of a block.
func conjugateBytes(n, lanes int) int64 { return 48 * int64(n) * int64(lanes) }

// run improves x until ‖r‖² ≤ aim in every lane, where r = b − Ax at the beginning, at most this many iterations.
func (c *conjugate) run(ctx context.Context, aim []float64, most int) (iterations int, size []float64, err error) {
	size = c.squares()
	slope := make([]float64, c.lanes)
	alpha, beta := make([]float64, c.lanes), make([]float64, c.lanes)
	for ; ; iterations++ {
		going := 0
		for l, s := range size {
			if s > aim[l] {
				going++
			}
		}
		if going == 0 || iterations == most {
			return iterations, size, nil
		}
		if err := ctx.Err(); err != nil {
			return iterations, size, err
		}
		c.precondition()
		next := c.sum(c.r, c.z)
		for l := range beta {
			if beta[l] = 0; iterations > 0 && slope[l] > 0 {
				beta[l] = next[l] / slope[l]
			}
		}
		slope = next
		c.turn(beta)
		multiply(c.a, c.threads, c.lanes, c.direction, c.product)
		for l, curvature := range c.sum(c.direction, c.product) {
			alpha[l] = 0
			if size[l] > aim[l] && curvature > 0 {
				alpha[l] = slope[l] / curvature
			} else if size[l] > aim[l] {
				size[l] = 0 // rounding has used up the direction: the lane has ended
				aim[l] = 0
			}
		}
		moved := c.advance(alpha)
		for l, a := range alpha {
			if a != 0 {
				size[l] = moved[l]
			}
		}
	}
}

// multiply computes Y = A·X.
func multiply(a *sparse.CSR, threads, width int, x, y []float64) {
	if width == 1 {
		a.MulVec(threads, x, y)
		return
	}
	a.MulBlock(threads, width, x, y)
}

// precondition makes z the preconditioned residual.
func (c *conjugate) precondition() {
	lanes := c.lanes
	if c.factor != nil {
		c.each(func(_, lo, hi int) { copy(c.z[lo*lanes:hi*lanes], c.r[lo*lanes:hi*lanes]) })
		c.factor.apply(c.threads, lanes, c.z, c.product)
		return
	}
	c.each(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			inverse := c.inverse[i]
			for at := i * lanes; at < (i+1)*lanes; at++ {
				c.z[at] = inverse * c.r[at]
			}
		}
	})
}

func (c *conjugate) each(do func(task, lo, hi int)) {
	_ = blas.For(context.Background(), c.threads, c.a.Rows, conjugateRows, func(_, lo, hi int) { do(lo/conjugateRows, lo, hi) })
}

// reduce runs over blocks of rows and adds up a sum for each lane in the order of the blocks.
func (c *conjugate) reduce(do func(lo, hi int, sums []float64)) []float64 {
	c.each(func(task, lo, hi int) {
		sums := c.partial[task*c.lanes : (task+1)*c.lanes]
		clear(sums)
		do(lo, hi, sums)
	})
	total := make([]float64, c.lanes)
	for at, v := range c.partial {
		total[at%c.lanes] += v
	}
	return total
}

func (c *conjugate) squares() []float64 { return c.sum(c.r, c.r) }

// sum are the inner products of the lanes of two blocks.
func (c *conjugate) sum(x, y []float64) []float64 {
	lanes := c.lanes
	return c.reduce(func(lo, hi int, sums []float64) {
		if lanes == 1 {
			sums[0] = blas.Dot(x[lo:hi], y[lo:hi])
			return
		}
		for at := lo * lanes; at < hi*lanes; at += lanes {
			u, v := x[at:at+len(sums)], y[at:at+len(sums)]
			for l, t := range u {
				sums[l] += t * v[l]
			}
		}
	})
}

// turn makes z + βp the direction p.
func (c *conjugate) turn(beta []float64) {
	lanes := c.lanes
	c.each(func(_, lo, hi int) {
		for at := lo * lanes; at < hi*lanes; at += lanes {
			p, z := c.direction[at:at+len(beta)], c.z[at:at+len(beta)]
			for l, b := range beta {
				p[l] = z[l] + float64(b*p[l])
			}
		}
	})
}

// advance steps along the directions and returns ‖r‖² of each lane.
func (c *conjugate) advance(alpha []float64) []float64 {
	lanes := c.lanes
	return c.reduce(func(lo, hi int, sums []float64) {
		for at := lo * lanes; at < hi*lanes; at += lanes {
			x, r, p, y := c.x[at:at+len(alpha)], c.r[at:at+len(alpha)], c.direction[at:at+len(alpha)], c.product[at:at+len(alpha)]
			for l, a := range alpha {
				x[l] += float64(a * p[l])
				v := r[l] - float64(a*y[l])
				r[l] = v
				sums[l] += v * v
			}
		}
	})
}
