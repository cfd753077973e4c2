package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// denseProblem is a problem over the features in place of the samples: find the
// directions V, m × d, of small (or, as the method says, large) tr(VᵀQV) under
// VᵀBV = I.
type denseProblem struct {
	order int
	q     []float64 // order × order, both triangles
	b     []float64 // the diagonal of B; nil: the identity
	axes  []float64 // order × m, orthonormal: the axes of q and b; nil: the features themselves
}

// rightHand says which B constrains a linear projection, VᵀBV = I, and with it
// what the problem is restricted to.
type rightHand int

const (
	allFeatures rightHand = iota // B = I, over all features, null directions of the data included
	unitVectors                  // B = I, in the range of the centred samples
	ofSamples                    // B = XᵀX, in its range
	ofDegrees                    // B = XᵀDX, in its range; D is the diagonal of Φ
)

// projectedSum is Q = XᵀΦX for the sum Φ of the patches: the alignment of
// embeddings that are linear, Y = XV. Φ stays sparse; where there are more columns
// than samples, no m × m matrix is formed unless b asks for all features.
//
// Φ sends constants to zero, so that Q is the same for centred samples, from which
// it is computed: a mean far from the origin then costs no digits.
func projectedSum(b rightHand) alignRule {
	return func(p *problem, rule patchRule) (*alignment, error) {
		if err := p.roomForProjection(b); err != nil {
			return nil, err
		}
		a, err := sumOfPatches(p, rule)
		if err != nil {
			return nil, err
		}
		defer p.clock.Phase("alignment")()
		n, m := p.x.N, p.x.M
		centred := centredRows(p.x, meanOf(p.x))
		d := &denseProblem{order: m}
		if b != allFeatures {
			if err := p.restrict(d, b, a, centred); err != nil {
				return nil, err
			}
		}
		z := centred
		lifted := d.axes != nil && n <= 2*m // cheaper than turning Q by the axes afterwards
		if lifted {
			z = make([]float64, n*d.order)
			p.kernels.GemmParallel(p.options.Threads, false, true, n, d.order, m, 1, centred, m, d.axes, m, 0, z, d.order)
		}
		width := m
		if lifted {
			width = d.order
		}
		if d.q, err = p.quadratic(a, z, width); err != nil {
			return nil, err
		}
		if d.axes != nil && !lifted {
			d.q = p.rotated(d.q, m, d.axes, d.order)
		}
		p.explain("alignment: a projection problem of order %d", d.order)
		a.dense = d
		return a, p.ctx.Err()
	}
}

// restrict finds the range of B, and B in it.
func (p *problem) restrict(d *denseProblem, b rightHand, a *alignment, centred []float64) error {
	n, m := p.x.N, p.x.M
	rows := centred
	if b != unitVectors {
		rows = p.x.Data[:n*m]
	}
	if b == ofDegrees {
		rows = append([]float64(nil), rows...)
		for i := range n {
			blas.Scale(math.Sqrt(max(a.phi.At(i, i), 0)), rows[i*m:i*m+m])
		}
	}
	s, err := p.rangeOf(rows, n, m)
	if err != nil {
		return err
	}
	p.details["rank"] = s.rank
	switch {
	case s.rank == 0 && b == ofDegrees && !isZero(p.x.Data[:n*m]):
		return fmt.Errorf("%s: all edges of the neighbour graph have weight 0; take a larger t, or other weights", p.name)
	case s.rank == 0:
		return fmt.Errorf("%s: all samples are equal; there is no direction to project them on", p.name)
	case s.rank < p.dim:
		return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", p.name, p.dim, s.rank, s.rank)
	}
	if s.rank < m {
		p.explain("alignment: restricted to the range of the data, rank %d of %d columns", s.rank, m)
	}
	if b != unitVectors {
		d.order, d.axes, d.b = s.rank, s.axes, s.values
	} else if s.rank < m {
		d.order, d.axes = s.rank, s.axes
	}
	return nil
}

// rotated is AQAᵀ for r rows A of length m.
func (p *problem) rotated(q []float64, m int, axes []float64, r int) []float64 {
	half, out := make([]float64, r*m), make([]float64, r*r)
	p.kernels.GemmParallel(p.options.Threads, false, false, r, m, m, 1, axes, m, q, m, 0, half, m)
	p.kernels.GemmParallel(p.options.Threads, false, true, r, r, m, 1, half, m, axes, m, 0, out, r)
	mirror(out, r)
	return out
}

// spreadWidth is the number of columns that a sparse product takes at a time: the
// widest that is fast, and few enough for the columns to stay in cache.
const spreadWidth = 16

// applied is Φz for n rows z of a given width.
func (p *problem) applied(a *alignment, z []float64, width int) ([]float64, error) {
	n, phi := p.x.N, a.phi
	t := make([]float64, n*width)
	if width <= spreadWidth {
		// One panel: its rows are shared out.
		w := 4
		for w < width {
			w *= 2
		}
		x, y := make([]float64, n*w), make([]float64, n*w)
		copyPanel(n, width, x, w, z, width)
		phi.MulBlock(p.options.Threads, w, x, y)
		copyPanel(n, width, t, width, y, w)
		return t, p.ctx.Err()
	}
	type scratch struct{ x, y []float64 }
	workers := make([]scratch, blas.Threads(p.options.Threads))
	err := blas.For(p.ctx, p.options.Threads, width, spreadWidth, func(w, lo, hi int) {
		s := &workers[w]
		if s.x == nil {
			s.x, s.y = make([]float64, n*spreadWidth), make([]float64, n*spreadWidth)
		}
		if hi-lo < spreadWidth {
			clear(s.x)
		}
		copyPanel(n, hi-lo, s.x, spreadWidth, z[lo:], width)
		blas.MulCSRBlock(spreadWidth, 0, n, phi.Ptr, phi.Col, phi.Val, s.x, s.y)
		copyPanel(n, hi-lo, t[lo:], width, s.y, spreadWidth)
	})
	return t, err
}

// copyPanel copies the leading columns of n rows from one stride to another.
func copyPanel(n, columns int, dst []float64, to int, src []float64, from int) {
	for i := range n {
		copy(dst[i*to:i*to+columns], src[i*from:i*from+columns])
	}
}

const (
	// upperPanel is the number of columns of a symmetric product computed at a time.
	upperPanel = 96
	// Up to slabColumns columns, more rows than slabRows are summed slab by slab.
	slabColumns, slabRows, slabRound = 256, 4096, 16
)

// quadratic is zᵀΦz, both triangles. The bits do not depend on threads: panels of
// columns are computed apart, and sums over slabs of rows are added in order.
func (p *problem) quadratic(a *alignment, z []float64, width int) ([]float64, error) {
	t, err := p.applied(a, z, width)
	if err != nil {
		return nil, err
	}
	n, q := p.x.N, make([]float64, width*width)
	panel := func(rows, first, lo, hi int, c []float64) {
		p.kernels.Gemm(true, false, hi, hi-lo, rows, 1, z[first*width:], width, t[first*width+lo:], width, 0, c[lo:], width)
	}
	if width > slabColumns || n <= slabRows {
		err = blas.For(p.ctx, p.options.Threads, width, upperPanel, func(_, lo, hi int) { panel(n, 0, lo, hi, q) })
		mirror(q, width)
		return q, err
	}
	partial := make([]float64, slabRound*width*width)
	for from := 0; from < n; from += slabRound * slabRows {
		count := min(slabRound, (n-from+slabRows-1)/slabRows)
		err := blas.For(p.ctx, p.options.Threads, count, 1, func(_, s, _ int) {
			first := from + s*slabRows
			for lo := 0; lo < width; lo += upperPanel {
				panel(min(slabRows, n-first), first, lo, min(lo+upperPanel, width), partial[s*width*width:(s+1)*width*width])
			}
		})
		if err != nil {
			return nil, err
		}
		for s := range count {
			blas.Axpy(1, partial[s*width*width:(s+1)*width*width], q)
		}
	}
	mirror(q, width)
	return q, nil
}

// roomForProjection refuses what the memory limit does not allow: the centred
// samples, Φ times them, and the matrices of the order of the problem.
func (p *problem) roomForProjection(b rightHand) error {
	n, m := int64(p.x.N), int64(p.x.M)
	order := min(n, m)
	if b == allFeatures {
		order = m
	}
	need := 8 * (3*n*m + 5*order*order)
	if p.options.Memory > 0 && need > p.options.Memory {
		return beyond("%s: %d × %d samples need about %s for the projection where the limit is %s; take fewer columns or landmarks, or raise the limit",
			p.name, n, m, solvers.FormatBytes(need), solvers.FormatBytes(p.options.Memory))
	}
	return nil
}
