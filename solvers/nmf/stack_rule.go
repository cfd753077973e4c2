package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// stackRule is how a solver of a loss works on panels.
type stackRule interface {
	// places lays out the places of a panel for runs of these ranks, of which the first is
	// among them: how many columns it has, at most this many where the first can do with them,
	// and who, by place, comes in.
	places(ranks []int, most int) (list []place, ld int, seated []int)
	// updates makes the updates of one run.
	updates(f *factorization, o Options) updates
	// begin makes a start ready for the updates.
	begin(m *member)
	// stepH updates H.
	stepH(m *member)
	// rows computes the contributions of the data to rows of W.
	rows(s *stack, p *panel, lo, hi int, num []float64)
	// stepRows updates rows of W, from lo on, by it.
	stepRows(c *stackScratch, p *panel, lo, rows int, w, num []float64)
	// strips cuts the columns of a panel for the sums over the rows of the data.
	strips(p *panel) []strip
	// columns adds the contributions of a piece of the rows to columns lo to hi of the data, or with
	// first writes them.
	columns(x *blas.Entries, t strip, lo, hi int, w []float64, first bool)
	// sum sums what else the step of H needs, on this many threads.
	sum(s *stack, m *member, threads int)
	// point measures a run.
	point(ctx context.Context, s *stack, m *member) (Point, error)
}

// stackRules are those there are, by loss and solver.
var stackRules = map[*Loss]map[string]stackRule{
	Frobenius: {Multiplicative: stackedSquares{}, HALS: stackedDescent{}},
	KL:        {Multiplicative: stackedDivergence{}},
}

// sideBySide lays out runs whose columns are next to each other: what both rules of the
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
	clear(den) // of free columns
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
		v := u.sweep(0, hi-lo, u.h[lo:], u.m, u.sums.num[lo:], u.m, gram, u.penaltyH.l1, u.sweepsH, u.panels[0].t)
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
		v := u.sweep(0, rows, wt, rows, nt, rows, m.rowGram, u.penaltyW.l1, u.sweepsW, t)
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

// stackedDivergence is [divergence] with sparse data. The runs of a panel are of one rank,
// and their numbers of one component are stored side by side: the products over the components,
// of which every entry has one for each run, need no sums across a register.
type stackedDivergence struct{}

func (stackedDivergence) places(ranks []int, _ int) (list []place, ld int, seated []int) {
	for i, r := range ranks {
		if r == ranks[0] && len(seated) < blas.StackLanes {
			seated = append(seated, i)
		}
	}
	for lane := range blas.StackLanes {
		list = append(list, place{lane, blas.StackLanes, ranks[0]})
	}
	return list, ranks[0] * blas.StackLanes, seated
}

func (stackedDivergence) updates(f *factorization, _ Options) updates {
	return &divergence{factorization: f}
}

func (stackedDivergence) begin(m *member) {
	u := m.updates.(*divergence)
	u.rowSumsH = u.rowSums()
}

func (stackedDivergence) stepH(m *member) { m.updates.(*divergence).stepComponents() }

func (stackedDivergence) rows(s *stack, p *panel, lo, hi int, num []float64) {
	clear(num)
	s.wide.AddQuotients(lo, hi, p.ld/blas.StackLanes, p.w[lo*p.ld:hi*p.ld], p.b, num)
}

func (d stackedDivergence) stepRows(c *stackScratch, p *panel, _, rows int, w, num []float64) {
	slopes := grown(&c.den, p.ld)
	clear(slopes)
	var l2 float64
	for _, m := range p.members {
		if m != nil {
			l2 = m.penaltyW.l2
			for k, v := range m.updates.(*divergence).rowSumsH {
				slopes[m.first+k*m.step] = v + m.penaltyW.l1
			}
		}
	}
	if l2 > 0 {
		for at := 0; at < len(w); at += p.ld {
			row, by := w[at:at+p.ld], num[at:at+p.ld]
			for k, v := range row {
				if v != 0 {
					row[k] = divergenceStep(slopes[k], v*by[k], l2)
				}
			}
		}
		return
	}
	inverse := slopes
	for k, v := range slopes {
		inverse[k] = 1 / max(v, denominator)
	}
	for at := 0; at < len(w); at += p.ld {
		row, by := w[at:at+p.ld], num[at:at+p.ld]
		for k, v := range row {
			row[k] = flushTiny(v * by[k] * inverse[k])
		}
	}
}

func (stackedDivergence) strips(p *panel) []strip { return []strip{{p, 0, p.ld}} }

func (stackedDivergence) columns(x *blas.Entries, t strip, lo, hi int, w []float64, first bool) {
	num := t.num[lo*t.ld : hi*t.ld]
	if first {
		clear(num)
	}
	x.AddQuotients(lo, hi, t.ld/blas.StackLanes, t.b[lo*t.ld:hi*t.ld], w, num)
}

// sum are the sums of the columns of W, and with a tolerance WᵀW.
func (stackedDivergence) sum(s *stack, m *member, _ int) {
	r, ld := m.r, m.panel.ld
	clear(m.sums.columnSums)
	for at := m.first; at < len(m.panel.w); at += ld {
		for k := range r {
			m.sums.columnSums[k] += m.panel.w[at+k*m.step]
		}
	}
	if s.compares() {
		m.inner(m.panel, m.n, m.panel.w, m.panel.w, true, m.sums.gram)
	}
}

// point computes the divergence over the entries, and the squared error by Gram matrices.
func (stackedDivergence) point(ctx context.Context, s *stack, m *member) (Point, error) {
	x, r, ld := s.data.Sparse, m.r, m.panel.ld
	pieces := s.pieces()
	sums := make([]float64, 2*pieces)
	err := blas.For(ctx, s.options.Threads, m.n, s.piece, func(worker, lo, hi int) {
		w := grown(&s.scratch[worker].wt, r)
		var inner float64
		logs := logSum{product: 1}
		for i := lo; i < hi; i++ {
			for k := range r {
				w[k] = m.panel.w[i*ld+m.first+k*m.step]
			}
			cols, vals := x.Row(i)
			for p, j := range cols {
				if v := vals[p]; v > 0 {
					model := blas.Dot(w, m.ht[int(j)*r:int(j)*r+r])
					logs.add(v, v/max(model, denominator))
					inner += v * model
				}
			}
		}
		sums[lo/s.piece], sums[pieces+lo/s.piece] = logs.value(), inner
	})
	if err != nil {
		return Point{}, err
	}
	m.inner(m.panel, m.n, m.panel.w, m.panel.w, true, m.sums.gram)
	u := m.updates.(*divergence)
	squares := max(0, m.totals.squares-2*total(sums[pieces:])+blas.Dot(m.sums.gram, m.gramH))
	loss := total(sums[:pieces]) - m.totals.sum + blas.Dot(m.sums.columnSums, u.rowSumsH)
	return Point{Objective: loss, Surrogate: loss, Residual: m.relative(squares)}, nil
}

// logSum is Σ x·log(q). Of whole numbers x that are small, as most counts are, it multiplies
// q into a product, of which one logarithm is taken where it nears the end of the range.
type logSum struct {
	sum     float64
	product float64 // 1 at first
}

// maxFactors is the largest x whose factors are multiplied: with q from 10⁻¹⁶ to 10¹⁶ and
// the product from 10⁻¹⁰⁰ to 10¹⁰⁰ all stays in the range.
const maxFactors = 8

func (l *logSum) add(x, q float64) {
	if x > maxFactors || x != math.Trunc(x) || !(q > 1e-16 && q <= maxFactors*1e16) {
		l.sum += x * math.Log(q)
		return
	}
	for ; x > 0; x-- {
		l.product *= q
	}
	if !(l.product > 1e-100 && l.product < 1e100) {
		l.sum += math.Log(l.product)
		l.product = 1
	}
}

func (l *logSum) value() float64 { return l.sum + math.Log(l.product) }
