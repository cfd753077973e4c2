package exemplars

import "math"

// encode computes columns of the new Z and B.
func (s *splitting) encode(w *splitWorker, lo, hi int) {
	n := s.n
	s.d.Columns(lo, hi, w.d)
	w.z.Begin()
	w.b.Begin()
	for j := lo; j < hi; j++ {
		d := w.d[(j-lo)*n : (j-lo+1)*n]
		for i, v := range d {
			w.v[i] = -v * s.inverse
		}
		s.point(&w.from, j)
		p := &w.from
		for q, i := range p.rows {
			w.v[i] = (s.Mu*p.c[q] - p.l[q] - d[i]) * s.inverse
		}
		rows, values := w.z.Simplex(s.z, j, w.v, 1)
		for q, at := 0, 0; q < len(p.rows) || at < len(rows); {
			switch {
			case at == len(rows) || q < len(p.rows) && p.rows[q] < rows[at]:
				w.b.Add(p.rows[q], p.l[q])
				q++
			case q == len(p.rows) || rows[at] < p.rows[q]:
				w.b.Add(rows[at], s.Mu*values[at])
				at++
			default:
				w.b.Add(rows[at], p.l[q]+s.Mu*values[at])
				q++
				at++
			}
		}
		w.b.End(j)
	}
	w.z.Store(s.z, lo)
	w.b.Store(s.new.b, lo)
}

// point is a column of what a step begins at: C and the multipliers, ahead of the last
// ones where the steps are accelerated, and C itself.
type point struct {
	rows        []int32
	c, l, plain []float64
}

func (p *point) add(row int32, c, l, plain float64) {
	p.rows = append(p.rows, row)
	p.c, p.l, p.plain = append(p.c, c), append(p.l, l), append(p.plain, plain)
}

// point finds column j of it.
func (s *splitting) point(p *point, j int) {
	p.rows, p.c, p.l, p.plain = p.rows[:0], p.c[:0], p.l[:0], p.plain[:0]
	if s.first >= 0 {
		p.add(int32(s.first), 1, 0, 1)
		return
	}
	rows, values := s.now.b.Column(j)
	if s.ahead == 0 {
		for q, i := range rows {
			c, l := s.split(&s.now, i, values[q])
			p.add(i, c, l, c)
		}
		return
	}
	old, oldValues := s.before.b.Column(j)
	for q, at := 0, 0; q < len(rows) || at < len(old); {
		var i int32
		var c, l, cp, lp float64
		takeOld := q == len(rows) || at < len(old) && old[at] <= rows[q]
		takeNew := at == len(old) || q < len(rows) && rows[q] <= old[at]
		if takeOld {
			i = old[at]
			cp, lp = s.split(&s.before, i, oldValues[at])
			at++
		}
		if takeNew {
			i = rows[q]
			c, l = s.split(&s.now, i, values[q])
			q++
		}
		p.add(i, c+s.ahead*(c-cp), l+s.ahead*(l-lp), c)
	}
}

// split returns C and the multiplier of an entry of B.
func (s *splitting) split(of *iterate, i int32, b float64) (c, l float64) {
	inside := of.ball.At(i, b)
	c = inside * s.inverse
	return c, b - inside + s.Delta*c // B − μC, exactly 0 where it is
}

// measure adds up |Z − C⁺|, |C⁺ − C| and μ‖Z − C⁺‖² + μ‖C⁺ − Ĉ‖² of some columns, where
// the first square is that of the multipliers' step, and Ĉ is what was stepped from.
func (s *splitting) measure(w *splitWorker, lo, hi int) (sums [3]float64) {
	z, next, from, plain := w.dense[0], w.dense[1], w.dense[2], w.dense[3]
	for j := lo; j < hi; j++ {
		var apart, moved, square float64
		// An entry counts when it is first met, and is zero from then on.
		take := func(rows []int32) {
			for _, i := range rows {
				c := next[i]
				u, v := z[i]-c, c-from[i]
				apart += math.Abs(u)
				moved += math.Abs(c - plain[i])
				square += u*u + v*v
				z[i], next[i], from[i], plain[i] = 0, 0, 0, 0
			}
		}
		zr, zv := s.z.Column(j)
		for q, i := range zr {
			z[i] = zv[q]
		}
		br, bv := s.new.b.Column(j)
		for q, i := range br {
			next[i] = s.new.ball.At(i, bv[q]) * s.inverse
		}
		s.point(&w.from, j)
		for q, i := range w.from.rows {
			from[i], plain[i] = w.from.c[q], w.from.plain[q]
		}
		take(zr)
		take(br)
		take(w.from.rows)
		sums[0], sums[1], sums[2] = sums[0]+apart, sums[1]+moved, sums[2]+s.Mu*square
	}
	return sums
}
