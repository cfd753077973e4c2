package nonnegative

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/eigen"
)

const (
	roundSteps  = 200   // power iterations at most
	roundChange = 1e-12 // of a unit column, below which it has settled
)

// Rounded is an exactly feasible U: at most one entry of each row is not zero.
type Rounded struct {
	U      []float64 // n × p, orthonormal columns but for empty ones, which are zero
	Label  []int32   // the column of each row's entry
	Empty  []int     // columns without rows
	Values []float64 // uᵀCu of each column
	Trace  float64   // tr(UᵀMU) for C = ±M + σI
}

// Round makes a nonnegative n × p matrix exactly feasible for [Maximize]: each row
// keeps its largest entry, the lowest column on ties, and each column is then
// improved on its rows S by u ← max(0, (C_SS + hI)u), normalised, with h the least
// shift that makes C_SS positive semidefinite. At most 200 passes over C besides
// those for h.
func Round(ctx context.Context, c Signed, p int, u []float64, threads int, seed uint64) (*Rounded, error) {
	n := c.Order()
	r := &Rounded{U: make([]float64, n*p), Label: make([]int32, n)}
	x := make([]float64, n) // the entry of each row
	size := make([]int, p)
	for i := range n {
		best := 0
		for q, v := range u[i*p : i*p+p] {
			if v > u[i*p+best] {
				best = q
			}
		}
		r.Label[i], x[i] = int32(best), u[i*p+best]
		size[best]++
	}
	for q, s := range size {
		if s == 0 {
			r.Empty = append(r.Empty, q)
		}
	}
	g := newGrouped(c, p, r.Label, threads)
	defer g.team.close()
	low, _, err := eigen.BlockEnds(ctx, r.Label, p, seed, g.multiply)
	if err != nil {
		return nil, err
	}
	shift := make([]float64, p)
	for q, least := range low {
		shift[q] = max(0, -least)
	}
	if err := g.power(ctx, shift, x); err != nil {
		return nil, err
	}
	y := make([]float64, n)
	g.multiply(x, y)
	r.Values = make([]float64, p)
	var norm, trace float64
	for i, q := range r.Label {
		r.U[i*p+int(q)] = x[i]
		norm += x[i] * x[i]
		r.Values[q] += x[i] * y[i]
	}
	for _, v := range r.Values {
		trace += v
	}
	r.Trace = ownTrace(c, trace, norm)
	return r, nil
}

// grouped multiplies with the diagonal blocks C_SS of disjoint sets of rows, all
// of them in one pass over C: the vector of each set is a column of a panel.
type grouped struct {
	c                    Signed
	n, w                 int
	label                []int32
	panel, plus, minus   []float64
	team                 *pool
	blocks               int
	norms, changes, unit []float64
}

func newGrouped(c Signed, p int, label []int32, threads int) *grouped {
	n, w := c.Order(), c.width(p)
	g := &grouped{c: c, n: n, w: w, label: label, panel: make([]float64, n*w), plus: make([]float64, n*w),
		norms: make([]float64, p), changes: make([]float64, p), unit: make([]float64, p)}
	if !c.oneSided() {
		g.minus = make([]float64, n*w)
	}
	g.blocks = (n + c.block() - 1) / c.block()
	g.team = newPool(blas.Threads(threads), g.blocks)
	return g
}

func (g *grouped) multiply(x, y []float64) {
	for i, q := range g.label {
		g.panel[i*g.w+int(q)] = x[i]
	}
	g.c.begin(g.w, g.team.size(), g.panel)
	size := g.c.block()
	g.team.run(g.blocks, func(worker, b int) {
		lo, hi := b*size, min((b+1)*size, g.n)
		g.c.rows(worker, lo, hi, g.panel, g.plus, g.minus)
		for i := lo; i < hi; i++ {
			at := i*g.w + int(g.label[i])
			y[i] = g.plus[at]
			if g.minus != nil {
				y[i] -= g.minus[at]
			}
		}
	})
}

// power runs the power iteration on all sets until each has settled.
func (g *grouped) power(ctx context.Context, shift, x []float64) error {
	settled := make([]bool, len(shift))
	g.normalize(x, x, settled)
	next := make([]float64, g.n)
	for range roundSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.multiply(x, next)
		for i, q := range g.label {
			next[i] = max(0, next[i]+shift[q]*x[i])
		}
		g.normalize(next, x, settled)
		clear(g.changes)
		for i, q := range g.label {
			d := next[i] - x[i]
			g.changes[q] += d * d
		}
		copy(x, next)
		left := false
		for q, c := range g.changes {
			settled[q] = settled[q] || math.Sqrt(c) < roundChange
			left = left || !settled[q]
		}
		if !left {
			break
		}
	}
	return nil
}

// normalize scales the vector of every set to unit length. One that has vanished,
// or that had settled before, stays as it was.
func (g *grouped) normalize(next, before []float64, settled []bool) {
	clear(g.norms)
	for i, q := range g.label {
		g.norms[q] += next[i] * next[i]
	}
	for q, v := range g.norms {
		g.unit[q] = 1 / math.Sqrt(v)
	}
	for i, q := range g.label {
		if settled[q] || !(g.norms[q] > 0) {
			next[i] = before[i]
		} else {
			next[i] *= g.unit[q]
		}
	}
}
