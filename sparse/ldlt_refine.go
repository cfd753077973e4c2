package sparse

import "math"

const (
	// refinements is the number of steps that the refinement of a solution takes at most.
	refinements = 10
	// refined is the backward error at which it stops, and refinedMoved that where pivots were moved.
	refined, refinedMoved = 0x1p-47, 0x1p-51
)

// refining is the scratch space of one solution.
type refining struct {
	work           SolveWork
	sides          []float64 // b
	residual, last []float64
}

// room takes scratch space of an earlier solution, or makes one.
func (c *LDLT) room() *refining {
	select {
	case r := <-c.rooms:
		return r
	default:
		return &refining{work: SolveWork{Threads: c.threads}}
	}
}

// give keeps scratch space for the next solution.
func (c *LDLT) give(r *refining) {
	select {
	case c.rooms <- r:
	default:
	}
}

// Solve replaces x by (A + shift·I)⁻¹x for nrhs right-hand sides, n × nrhs row-major. Every solution is
// refined until its backward error ‖b − (A + shift·I)x‖∞ over ‖A + shift·I‖∞‖x‖∞ + ‖b‖∞ is at most 2⁻⁴⁷, or 2⁻⁵¹ where
// pivots were moved, or no longer halves; it is returned for the worst of them. Both sides are measured in the scaled system. An x of another
// length and an entry that is not finite are errors, which leave it as it was. O(entries of L · nrhs).
func (c *LDLT) Solve(x []float64, nrhs int) (backward float64, err error) {
	if err := c.checkSides(x, nrhs); err != nil {
		return math.NaN(), err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return math.NaN(), err
	}
	r := c.room()
	defer c.give(r)
	f, scale, enough := c.numeric.factor, c.scale, refined
	if c.numeric.moved() {
		enough = refinedMoved
	}
	r.sides = append(r.sides[:0], x...)
	r.residual, r.last = grown(r.residual, len(x)), grown(r.last, len(x))
	c.scaled(x, nrhs)
	f.Solve(x, nrhs, &r.work)
	c.scaled(x, nrhs)
	backward = c.backward(r, x, nrhs)
	for range refinements {
		if backward <= enough {
			break
		}
		copy(r.last, x)
		c.scaled(r.residual, nrhs)
		f.Solve(r.residual, nrhs, &r.work)
		for i, s := range scale {
			for q := i * nrhs; q < (i+1)*nrhs; q++ {
				x[q] += s * r.residual[q]
			}
		}
		again := c.backward(r, x, nrhs)
		if !(again < backward) {
			copy(x, r.last)
			break
		}
		slow := again > backward/2
		if backward = again; slow {
			break
		}
	}
	return backward, nil
}

// SolveUnrefined replaces x by (A + shift·I)⁻¹x as [LDLT.Solve] does, but without refinement and its test of x. It is for many
// solutions, once one has shown that the factor is accurate enough. O(entries of L · nrhs).
func (c *LDLT) SolveUnrefined(x []float64, nrhs int) error {
	return c.unrefined(func(r *refining) {
		c.scaled(x, nrhs)
		c.numeric.factor.Solve(x, nrhs, &r.work)
		c.scaled(x, nrhs)
	})
}

// SolveEliminated is [LDLT.SolveUnrefined] for right-hand sides and solutions in the order of elimination
// ([LDLT.Permutation]). Four and eight sides are solved for in place. It panics where x is shorter than n · nrhs.
// O(entries of L · nrhs).
func (c *LDLT) SolveEliminated(x []float64, nrhs int) error {
	return c.unrefined(func(r *refining) {
		c.scaledEliminated(x, nrhs)
		c.numeric.factor.SolveEliminated(x, nrhs, &r.work)
		c.scaledEliminated(x, nrhs)
	})
}

// unrefined solves with room of its own, where there is a factor.
func (c *LDLT) unrefined(solve func(r *refining)) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return err
	}
	r := c.room()
	defer c.give(r)
	solve(r)
	return nil
}

// Permutation returns the order of elimination: row k of the factor is row Permutation()[k] of the matrix. It must not be
// changed.
func (c *LDLT) Permutation() []int32 { return c.symbolic.perm }

func (c *LDLT) scaledEliminated(x []float64, nrhs int) {
	if c.numeric.scale == nil {
		return
	}
	for k, i := range c.symbolic.perm {
		s := c.scale[i]
		for q := k * nrhs; q < (k+1)*nrhs; q++ {
			x[q] *= s
		}
	}
}

// scaled multiplies rows by their scales.
func (c *LDLT) scaled(x []float64, nrhs int) {
	for i, s := range c.numeric.scale {
		for q := i * nrhs; q < (i+1)*nrhs; q++ {
			x[q] *= s
		}
	}
}

// backward writes b − (A + shift·I)x to the residual and returns the largest backward error of a
// side. What is not finite counts as infinite.
func (c *LDLT) backward(r *refining, x []float64, nrhs int) float64 {
	c.given.MulBlock(c.threads, nrhs, x, r.residual)
	scale := c.scale
	var worst float64
	for q := range nrhs {
		var left, solution, side float64
		for i, s := range scale {
			at := i*nrhs + q
			d := r.sides[at] - (r.residual[at] + c.shift*x[at])
			r.residual[at] = d
			left = max(left, math.Abs(d)*s)
			solution, side = max(solution, math.Abs(x[at])/s), max(side, math.Abs(r.sides[at])*s)
		}
		if left == 0 {
			continue
		}
		e := left / (c.numeric.rowSum*solution + side)
		if !(e <= worst) {
			if worst = e; math.IsNaN(e) {
				return math.Inf(1)
			}
		}
	}
	return worst
}
