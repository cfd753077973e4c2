package sparse

import (
	"fmt"
	"math"
)

const (
	// refinements is the number of steps that the refinement of a solution takes at most.
	refinements = 10
	// refined is the backward error at which it stops, and accepted that up to which a solution is one.
	refined, accepted = 0x1p-47, 0x1p-44
	// outside is the share of a side that the solution of a singular system may leave.
	outside = 0x1p-20
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
// refined until its backward error ‖b − (A + shift·I)x‖∞ over ‖A + shift·I‖∞‖x‖∞ + ‖b‖∞ is at most 2⁻⁴⁷ or no longer halves;
// where rows had to be scaled, also the backward error of every row, over |A + shift·I||x| + |b|, which no scaling changes. The first is returned
// for the worst of them, measured in the scaled system. One above 2⁻⁴⁴ is a [BackwardError], with the best
// solution in x. An x of another length and an entry that is not finite are errors, which leave it as it was. O(entries of L · nrhs).
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
	f := c.factor()
	c.scaled(x, nrhs)
	r.sides = append(r.sides[:0], x...)
	r.residual, r.last = grown(r.residual, len(x)), grown(r.last, len(x))
	f.Solve(x, nrhs, &r.work)
	backward = c.backward(r, x, nrhs)
	left := max(backward, c.componentwise(r, x, nrhs))
	for range refinements {
		if left <= refined {
			break
		}
		copy(r.last, x)
		f.Solve(r.residual, nrhs, &r.work)
		for q, v := range r.residual {
			x[q] += v
		}
		again := c.backward(r, x, nrhs)
		all := max(again, c.componentwise(r, x, nrhs))
		if !(all < left) {
			copy(x, r.last)
			break
		}
		slow := all > left/2
		if backward, left = again, all; slow {
			break
		}
	}
	zeros := f.zeros()
	if zeros > 0 && backward <= accepted && !c.inRange(r, x, nrhs) {
		backward = 1
	}
	c.scaled(x, nrhs)
	if !(backward <= accepted) || !finite(x) {
		return backward, &BackwardError{Backward: backward, Zero: zeros}
	}
	return backward, nil
}

// inRange reports whether solutions leave little of their sides. Solutions of a singular matrix may do so by their length alone, where
// a zero pivot is rounding, and solve nothing.
func (c *LDLT) inRange(r *refining, x []float64, nrhs int) bool {
	c.backward(r, x, nrhs)
	for q := range nrhs {
		var left, side float64
		for at := q; at < len(x); at += nrhs {
			left, side = max(left, math.Abs(r.residual[at])), max(side, math.Abs(r.sides[at]))
		}
		if !(left <= outside*side) {
			return false
		}
	}
	return true
}

// BackwardError says that a solution does not solve its system to rounding. Find it in an error with errors.As.
type BackwardError struct {
	Backward float64 // infinite where the solution is not finite, 1 where the side is outside the range
	Zero     int     // zero pivots: the matrix is singular within rounding
	Inverse  bool    // entries of the inverse, which are not refined, instead of a solution
}

func (e *BackwardError) Error() string {
	if e.Zero > 0 {
		return fmt.Sprintf("sparse: LDLᵀ factorisation: there is no solution: the matrix is singular, with %d zero pivots, and the right-hand side is outside its range (backward error %.1e); give a shift other than an eigenvalue, or a right-hand side in the range", e.Zero, e.Backward)
	}
	if e.Inverse {
		return fmt.Sprintf("sparse: LDLᵀ factorisation: the entries of the inverse do not invert the matrix: the diagonal of the product differs from 1 by %.1e of its terms; scale the matrix, give another shift, or solve with columns of the identity, which is refined", e.Backward)
	}
	return fmt.Sprintf("sparse: LDLᵀ factorisation: the backward error of the solution is %.1e after refinement, not rounding: the matrix is nearly singular or its entries differ too much in size; scale it, or give another shift", e.Backward)
}

// zeros is the number of zero pivots.
func (f *Factor) zeros() int {
	count := 0
	for _, k := range f.pivots.kind {
		if k == zeroPivot {
			count++
		}
	}
	return count
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// SolveUnrefined replaces x by (A + shift·I)⁻¹x as [LDLT.Solve] does, but without refinement and its test of x. It is for many
// solutions, once one has shown that the factor is accurate enough. O(entries of L · nrhs).
func (c *LDLT) SolveUnrefined(x []float64, nrhs int) error {
	return c.unrefined(func(r *refining) {
		c.scaled(x, nrhs)
		c.factor().Solve(x, nrhs, &r.work)
		c.scaled(x, nrhs)
	})
}

// SolveEliminated is [LDLT.SolveUnrefined] for right-hand sides and solutions in the order of elimination
// ([LDLT.Permutation]). Four and eight sides are solved for in place. It panics where x is shorter than n · nrhs.
// O(entries of L · nrhs).
func (c *LDLT) SolveEliminated(x []float64, nrhs int) error {
	return c.unrefined(func(r *refining) {
		c.scaledEliminated(x, nrhs)
		c.factor().SolveEliminated(x, nrhs, &r.work)
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
// changed. That after [LDLT.UpdateValues] may be another one.
func (c *LDLT) Permutation() []int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.factor().symbolic.perm
}

func (c *LDLT) scaledEliminated(x []float64, nrhs int) {
	if c.numeric.scale == nil {
		return
	}
	for k, i := range c.factor().symbolic.perm {
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

// backward writes the residual of a solution of the scaled system and returns the largest backward error of a
// side. A value that is not finite counts as infinite.
func (c *LDLT) backward(r *refining, x []float64, nrhs int) float64 {
	c.given.MulBlock(c.threads, nrhs, x, r.residual)
	var worst float64
	for q := range nrhs {
		var left, solution, side float64
		for i, s := range c.scale {
			at := i*nrhs + q
			d := r.sides[at] - (r.residual[at] + twoSided(c.shift, s, s)*x[at])
			r.residual[at] = d
			left = max(left, math.Abs(d))
			solution, side = max(solution, math.Abs(x[at])), max(side, math.Abs(r.sides[at]))
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

// componentwise returns the largest ratio of the residual of a row to the sizes of what cancels in it (Oettli and Prager 1964), where
// rows had to be scaled; otherwise 0.
func (c *LDLT) componentwise(r *refining, x []float64, nrhs int) float64 {
	if c.numeric.scale == nil {
		return 0
	}
	var worst float64
	for i, s := range c.scale {
		cols, vals := c.given.Row(i)
		own := twoSided(c.shift, s, s)
		for q := range nrhs {
			left := math.Abs(r.residual[i*nrhs+q])
			if left == 0 {
				continue
			}
			sum := math.Abs(r.sides[i*nrhs+q]) + math.Abs(own*x[i*nrhs+q])
			for p, j := range cols {
				sum += math.Abs(vals[p] * x[int(j)*nrhs+q])
			}
			if worst = max(worst, left/sum); math.IsNaN(worst) {
				return math.Inf(1)
			}
		}
	}
	return worst
}
