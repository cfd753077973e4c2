package projections

import "context"

// Norm is the norm of the groups.
type Norm int

const (
	Max       Norm = iota // p = ∞
	Euclidean             // p = 2
)

// Groups projects and shrinks matrices whose columns are groups: a has rows rows,
// row-major, and row j holds entry j of every group. What is found is one number a
// group, its cap or its factor, which [Groups.Apply] applies to a row: the result need
// not be stored. A Groups keeps these numbers, as the start of the next call. The
// zero value is ready; it belongs to one caller at a time.
type Groups struct {
	Norm    Norm
	Threads int // 0: all cores

	// Steps is the number of passes over the matrix that the last call took.
	Steps int

	bound []float64 // cap or factor of each group
	top   []float64 // ‖aᵢ‖_∞, or ‖aᵢ‖₂
	sum   []float64 // of the entries above the cap
	count []float64 // of these
	parts []part    // of a sparse matrix
}

// mostSteps ends an iteration that rounding keeps from ending; it is never reached
// otherwise, as a handful of steps do.
const mostSteps = 200

// Bounds returns the cap (p = ∞) or factor (p = 2) of each group.
func (g *Groups) Bounds() []float64 { return g.bound }

// At returns what becomes of an entry v of one group.
func (g *Groups) At(group int32, v float64) float64 {
	m := g.bound[group]
	if g.Norm == Euclidean {
		return v * m
	}
	return max(-m, min(v, m))
}

// Apply writes the projection, or what is left of it after shrinking, of one row to
// dst, which may be row.
func (g *Groups) Apply(dst, row []float64) {
	bound := g.bound[:len(row)]
	dst = dst[:len(row)]
	if g.Norm == Euclidean {
		for i, v := range row {
			dst[i] = v * bound[i]
		}
		return
	}
	for i, v := range row {
		m := bound[i]
		if v > m {
			v = m
		} else if v < -m {
			v = -m
		}
		dst[i] = v
	}
}

// Project finds the nearest point of the ball Σᵢ ‖aᵢ‖_p ≤ radius, radius ≥ 0, and
// returns the multiplier t of that condition, 0 where a is inside.
//
// For p = ∞, bᵢⱼ = sign(aᵢⱼ) min(|aᵢⱼ|, mᵢ), where each group with mᵢ > 0 gives off the
// same amount, fᵢ(mᵢ) = Σⱼ max(|aᵢⱼ| − mᵢ, 0) = t. Newton's method on all of these and
// Σᵢ mᵢ = radius at a time: the tangents of the convex fᵢ at the last caps lie below them, so the
// t that solves the linear equations is never above the right one, and rises until it
// is there. A step is one pass over a. For p = 2, the group norms are projected on the
// simplex, in one pass.
func (g *Groups) Project(ctx context.Context, rows, groups int, a []float64, radius float64) (t float64, err error) {
	g.Steps = 0
	g.reserve(groups)
	if err := g.measure(ctx, rows, groups, a); err != nil {
		return 0, err
	}
	return g.solve(radius, func() error { return g.scan(ctx, rows, groups, a) })
}

// solve finds the bounds once the norms, and for p = ∞ the first tangents, are known.
// scan finds the tangents at other caps.
func (g *Groups) solve(radius float64, scan func() error) (t float64, err error) {
	var total float64
	for _, v := range g.top {
		total += v
	}
	switch {
	case total <= radius:
		g.loosen()
		return 0, nil
	case g.Norm == Euclidean:
		t = Simplex(g.bound, g.top, radius)
		for i, v := range g.top {
			if v > 0 {
				g.bound[i] /= v
			}
		}
		return t, nil
	case !(radius > 0):
		clear(g.bound)
		return total, nil
	}
	for t = g.lower(g.common(radius)); g.Steps < mostSteps; {
		if err := scan(); err != nil {
			return 0, err
		}
		next := g.common(radius)
		if next <= t {
			break
		}
		t = g.lower(next)
	}
	return t, nil
}

// lower sets the caps at which the tangents are at t.
func (g *Groups) lower(t float64) float64 {
	for i, sum := range g.sum {
		g.bound[i] = max(0, (sum-t)/g.count[i])
	}
	return t
}

// Shrink finds the minimiser of ½‖b − a‖² + t Σᵢ ‖bᵢ‖_p, t ≥ 0: caps mᵢ with
// Σⱼ max(|aᵢⱼ| − mᵢ, 0) = t, or 0 where ‖aᵢ‖₁ ≤ t, for p = ∞, and factors max(0, 1 − t/‖aᵢ‖)
// for p = 2. A few passes over a for p = ∞, one for p = 2.
func (g *Groups) Shrink(ctx context.Context, rows, groups int, a []float64, t float64) error {
	g.Steps = 0
	g.reserve(groups)
	if err := g.measure(ctx, rows, groups, a); err != nil {
		return err
	}
	if !(t > 0) {
		g.loosen()
		return nil
	}
	if g.Norm == Euclidean {
		for i, v := range g.top {
			g.bound[i] = 0
			if v > t {
				g.bound[i] = 1 - t/v
			}
		}
		return nil
	}
	for first, moving := true, true; moving && g.Steps < mostSteps; first = false {
		if !first { // the first tangents come with the norms
			if err := g.scan(ctx, rows, groups, a); err != nil {
				return err
			}
		}
		moving = first
		for i, sum := range g.sum {
			// From its second step on a cap can only rise; less is rounding.
			m := max(0, (sum-t)/g.count[i])
			if first || m > g.bound[i]*(1+1e-15) {
				moving = true
				g.bound[i] = m
			}
		}
	}
	return nil
}

// loosen sets the bounds that change nothing.
func (g *Groups) loosen() {
	for i, v := range g.top {
		if g.Norm == Max {
			g.bound[i] = v
		} else {
			g.bound[i] = 1
		}
	}
}

func (g *Groups) reserve(groups int) {
	if len(g.bound) != groups {
		g.bound, g.top = make([]float64, groups), make([]float64, groups)
		g.sum, g.count = make([]float64, groups), make([]float64, groups)
	}
}

// common solves Σᵢ max(0, (sumᵢ − t)/countᵢ) = radius, by Newton steps from 0. At caps
// far above the right ones the solution is negative: the sum is then linear in t. (It
// must not be cut off at 0, where it would look like the end.)
func (g *Groups) common(radius float64) float64 {
	t := 0.0
	for range mostSteps {
		excess, slope := -radius, 0.0
		for i, sum := range g.sum {
			if sum > t {
				excess += (sum - t) / g.count[i]
				slope += 1 / g.count[i]
			}
		}
		if t == 0 && excess < 0 {
			for i, sum := range g.sum {
				if sum == 0 {
					slope += 1 / g.count[i]
				}
			}
			return excess / slope
		}
		if slope == 0 {
			return t
		}
		next := t + excess/slope
		if !(next > t) {
			return t
		}
		t = next
	}
	return t
}
