package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// stackedDivergence is [divergence] with sparse data. The runs of a panel are of one rank,
// and their numbers of one component stand side by side: the products over the components,
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

// mostFactors is the largest x whose factors are multiplied: with q from 10⁻¹⁶ to 10¹⁶ and
// the product from 10⁻¹⁰⁰ to 10¹⁰⁰ all stays in the range.
const mostFactors = 8

func (l *logSum) add(x, q float64) {
	if x > mostFactors || x != math.Trunc(x) || !(q > 1e-16 && q <= mostFactors*1e16) {
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
