package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// stackRule is how a solver of a loss works on panels.
type stackRule interface {
	// places lays out the places of a panel for runs of these ranks, of which the first is
	// among them: how many columns it has, at most so many where the first can do with them,
	// and who, by place, comes in.
	places(ranks []int, most int) (list []place, ld int, seated []int)
	// updates makes those of one run.
	updates(f *factorization, o Options) updates
	// begin makes a start ready for the updates.
	begin(m *member)
	// stepH updates H.
	stepH(m *member)
	// rows computes what the data give to rows of W.
	rows(s *stack, p *panel, lo, hi int, num []float64)
	// stepRows updates rows of W, from lo on, by it.
	stepRows(c *stackScratch, p *panel, lo, rows int, w, num []float64)
	// strips cuts the columns of a panel for the sums over the rows of the data.
	strips(p *panel) []strip
	// columns adds what a piece of the rows gives to columns lo to hi of the data, or with first
	// writes it.
	columns(x *blas.Entries, t strip, lo, hi int, w []float64, first bool)
	// sum sums what else the step of H needs, on so many threads.
	sum(s *stack, m *member, threads int)
	// point measures a run.
	point(ctx context.Context, s *stack, m *member) (Point, error)
}

// stackRules are those there are, by loss and solver.
var stackRules = map[*Loss]map[string]stackRule{
	Frobenius: {Multiplicative: stackedSquares{}, HALS: stackedDescent{}},
	KL:        {Multiplicative: stackedDivergence{}},
}

// sideBySide lays out runs whose columns stand next to each other: what both rules of the
// squared error have in common.
type sideBySide struct{}

// places takes as many runs as a strip holds, the first ones that fit.
func (sideBySide) places(ranks []int, most int) (list []place, ld int, seated []int) {
	width := max(min(blas.StackWidth, most), ranks[0])
	for i, r := range ranks {
		if ld+r > width {
			continue
		}
		list, seated = append(list, place{ld, 1, r}), append(seated, i)
		ld += r
	}
	return list, (ld + 7) / 8 * 8, seated
}

func (sideBySide) strips(p *panel) (list []strip) {
	for at := 0; at < p.ld; at += blas.StackWidth {
		list = append(list, strip{p, at, min(blas.StackWidth, p.ld-at)})
	}
	return list
}

func (b sideBySide) rows(s *stack, p *panel, lo, hi int, num []float64) {
	if s.data.Sparse == nil {
		m := s.data.Cols
		s.options.Kernels.Gemm(false, false, hi-lo, p.ld, m, 1, s.data.Dense[lo*m:hi*m], m, p.b, p.ld, 0, num, p.ld)
		return
	}
	for at := 0; at < p.ld; at += blas.StackWidth {
		s.wide.Products(lo, hi, min(blas.StackWidth, p.ld-at), p.b[at:], p.ld, num[at:], p.ld, false)
	}
}

func (sideBySide) columns(x *blas.Entries, t strip, lo, hi int, w []float64, first bool) {
	x.Products(lo, hi, t.columns, w[t.first:], t.ld, t.num[lo*t.ld+t.first:], t.ld, !first)
}

// sum is WᵀW.
func (sideBySide) sum(s *stack, m *member, threads int) {
	gram := m.sums.gram
	if s.data.Sparse == nil {
		clear(gram)
		for at := 0; at < len(m.grams); at += len(gram) {
			blas.Axpy(1, m.grams[at:at+len(gram)], gram)
		}
		return
	}
	m.kernels.SyrkParallel(threads, true, m.r, m.n, 1, m.panel.w[m.first:], m.panel.ld, 0, gram, m.r)
	mirror(m.r, gram)
}

func (sideBySide) point(_ context.Context, _ *stack, m *member) (Point, error) {
	squares := m.gramResidual()
	return Point{Objective: squares, Surrogate: squares, Residual: m.relative(squares)}, nil
}

// stackedSquares is [squaredError].
type stackedSquares struct{ sideBySide }

func (stackedSquares) updates(f *factorization, _ Options) updates {
	return &squaredError{factorization: f}
}

func (stackedSquares) begin(*member) {}

func (stackedSquares) stepH(m *member) {
	den := m.gramDenominators()
	m.penaltyH.addTo(den, m.h)
	m.stepH(m.sums.num, den, m.m)
}

func (stackedSquares) stepRows(c *stackScratch, p *panel, _, rows int, w, num []float64) {
	den := grown(&c.den, len(w))
	clear(den) // of columns that are nobody's
	var floor float64
	var paid penalty // the same of all runs
	for _, m := range p.members {
		if m != nil {
			m.kernels.Gemm(false, false, rows, m.r, m.r, 1, w[m.first:], p.ld, m.gramH, m.r, 0, den[m.first:], p.ld)
			floor, paid = m.floor, m.penaltyW
		}
	}
	paid.addTo(den, w)
	blas.MultiplyRatios(w, floor, vanished, num, den)
}

// stackedDescent is [coordinateDescent].
type stackedDescent struct{ sideBySide }

func (stackedDescent) updates(f *factorization, o Options) updates { return newHALS(f, nil, o) }

func (stackedDescent) begin(m *member) {
	if !m.wFirst {
		m.lift()
	}
	m.ridge()
}

// ridge is HHᵀ as the rows of W are swept by it.
func (m *member) ridge() {
	u := m.updates.(*coordinateDescent)
	m.rowGram = u.penaltyW.ridged(u.r, u.gramH, u.ridgedW)
}

func (stackedDescent) stepH(m *member) {
	u := m.updates.(*coordinateDescent)
	gram := u.penaltyH.ridged(u.r, u.sums.gram, u.ridgedH)
	for lo := 0; lo < u.m; lo += u.columns {
		hi := min(lo+u.columns, u.m)
		v := u.sweep(hi-lo, u.h[lo:], u.m, u.sums.num[lo:], u.m, gram, u.penaltyH.l1, u.sweepsH, u.panels[0].t)
		if u.violations != nil {
			u.violations.h[lo/u.columns] = v
		}
	}
	u.updateGram()
	m.ridge()
}

func (stackedDescent) stepRows(c *stackScratch, p *panel, lo, rows int, w, num []float64) {
	t := grown(&c.t, rows)
	for _, m := range p.members {
		if m == nil {
			continue
		}
		u := m.updates.(*coordinateDescent)
		wt, nt := grown(&c.wt, m.r*rows), grown(&c.den, m.r*rows)
		for i, at := 0, m.first; i < rows; i, at = i+1, at+p.ld {
			for k := range m.r {
				wt[k*rows+i], nt[k*rows+i] = w[at+k], num[at+k]
			}
		}
		v := u.sweep(rows, wt, rows, nt, rows, m.rowGram, u.penaltyW.l1, u.sweepsW, t)
		if u.violations != nil {
			u.violations.w[lo/u.block] = v
		}
		for i, at := 0, m.first; i < rows; i, at = i+1, at+p.ld {
			for k := range m.r {
				w[at+k] = wt[k*rows+i]
			}
		}
	}
}
