package projections

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

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

// maxSteps ends an iteration that rounding keeps from ending; it is never reached
// otherwise, as a handful of steps do.
const maxSteps = 200

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
	for t = g.lower(g.common(radius)); g.Steps < maxSteps; {
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
	for first, moving := true, true; moving && g.Steps < maxSteps; first = false {
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
	for range maxSteps {
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

// scanWidth is how many groups a worker scans together: their sums stay in the
// first-level cache while the rows stream by.
const scanWidth = 256

// measure finds the norms of the groups, and what scan finds for p = ∞.
func (g *Groups) measure(ctx context.Context, rows, groups int, a []float64) error {
	g.Steps++
	return blas.For(ctx, g.Threads, groups, scanWidth, func(_, lo, hi int) {
		top := g.top[lo:hi]
		clear(top)
		if g.Norm == Max {
			g.tangents(lo, hi, rows, groups, a, func(row, bound, sum, count []float64) {
				top, sum, count := top[:len(bound)], sum[:len(bound)], count[:len(bound)]
				for i, m := range bound {
					v := math.Abs(row[i])
					if v > top[i] {
						top[i] = v
					}
					if v > m {
						sum[i] += v
						count[i]++
					}
				}
			})
			return
		}
		for j := range rows {
			row := a[j*groups+lo : j*groups+hi]
			row = row[:len(top)]
			for i, v := range row {
				top[i] += v * v
			}
		}
		for i, v := range top {
			top[i] = math.Sqrt(v)
		}
	})
}

// scan finds the tangent of each fᵢ at its cap: fᵢ(m) ≥ sumᵢ − countᵢ·m. Where no entry
// is above the cap, the largest alone gives one.
func (g *Groups) scan(ctx context.Context, rows, groups int, a []float64) error {
	g.Steps++
	return blas.For(ctx, g.Threads, groups, scanWidth, func(_, lo, hi int) {
		g.tangents(lo, hi, rows, groups, a, func(row, bound, sum, count []float64) {
			sum, count = sum[:len(bound)], count[:len(bound)]
			for i, m := range bound {
				if v := math.Abs(row[i]); v > m {
					sum[i] += v
					count[i]++
				}
			}
		})
	})
}

// tangents adds up the rows of some groups by the given function.
func (g *Groups) tangents(lo, hi, rows, groups int, a []float64, add func(row, bound, sum, count []float64)) {
	bound, sum, count := g.bound[lo:hi], g.sum[lo:hi], g.count[lo:hi]
	clear(sum)
	clear(count)
	for j := range rows {
		row := a[j*groups+lo : j*groups+hi]
		add(row[:len(bound)], bound, sum, count)
	}
	g.complete(lo, hi)
}

// complete gives groups without an entry above their cap the tangent of the largest.
func (g *Groups) complete(lo, hi int) {
	for i := lo; i < hi; i++ {
		if g.count[i] == 0 {
			g.sum[i], g.count[i] = g.top[i], 1
		}
	}
}

// Sparse is a matrix of which the nonzero entries are known, in blocks.
type Sparse interface {
	Blocks() int
	// Block returns the groups and values of the entries of one block, in any order.
	Block(b int) (group []int32, value []float64)
}

// part is what some blocks add up to.
type part struct{ top, sum, count []float64 }

// partCount is the number of parts whose sums are added in order.
const partCount = 8

// ProjectSparse is [Groups.Project] of a sparse matrix. A step is a pass over its
// entries.
func (g *Groups) ProjectSparse(ctx context.Context, groups int, a Sparse, radius float64) (t float64, err error) {
	g.Steps = 0
	g.reserve(groups)
	if len(g.parts) == 0 || len(g.parts[0].top) != groups {
		g.parts = make([]part, partCount)
		for q := range g.parts {
			g.parts[q] = part{make([]float64, groups), make([]float64, groups), make([]float64, groups)}
		}
	}
	if err := g.gather(ctx, a, true); err != nil {
		return 0, err
	}
	return g.solve(radius, func() error { return g.gather(ctx, a, false) })
}

// gather is measure, or scan, by entries.
func (g *Groups) gather(ctx context.Context, a Sparse, norms bool) error {
	g.Steps++
	blocks := a.Blocks()
	size := max(1, (blocks+partCount-1)/partCount)
	err := blas.For(ctx, g.Threads, blocks, size, func(_, lo, hi int) {
		p := &g.parts[lo/size]
		if norms {
			clear(p.top)
		}
		clear(p.sum)
		clear(p.count)
		for b := lo; b < hi; b++ {
			index, value := a.Block(b)
			switch {
			case g.Norm == Euclidean:
				for q, i := range index {
					p.top[i] += value[q] * value[q]
				}
			case norms:
				for q, i := range index {
					v := math.Abs(value[q])
					if v > p.top[i] {
						p.top[i] = v
					}
					if v > g.bound[i] {
						p.sum[i] += v
						p.count[i]++
					}
				}
			default:
				for q, i := range index {
					if v := math.Abs(value[q]); v > g.bound[i] {
						p.sum[i] += v
						p.count[i]++
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	g.merge(g.parts[:(blocks+size-1)/size], norms)
	return nil
}

// merge adds the parts up.
func (g *Groups) merge(parts []part, norms bool) {
	clear(g.sum)
	clear(g.count)
	if norms {
		clear(g.top)
	}
	for _, p := range parts {
		for i := range g.sum {
			g.sum[i] += p.sum[i]
			g.count[i] += p.count[i]
		}
		if !norms {
			continue
		}
		for i, v := range p.top {
			if g.Norm == Euclidean {
				g.top[i] += v
			} else if v > g.top[i] {
				g.top[i] = v
			}
		}
	}
	if norms && g.Norm == Euclidean {
		for i, v := range g.top {
			g.top[i] = math.Sqrt(v)
		}
	}
	g.complete(0, len(g.sum))
}
