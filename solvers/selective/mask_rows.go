package selective

import (
	"slices"

	"github.com/orthant-go/orthant/solvers/exemplars"
	"github.com/orthant-go/orthant/sparse"
)

// largest moves the k largest values, ties by the lower index, to the front with their
// columns, still ascending, and returns how many there are.
func (w *maskWorker) largest(k int, cols []int32, values []float64) int {
	if len(values) <= k {
		return len(values)
	}
	w.values = append(w.values[:0], values...)
	limit := exemplars.Largest(w.values, k)
	ties := k
	for _, v := range values {
		if v > limit {
			ties--
		}
	}
	count := 0
	for q, v := range values {
		if v < limit || v == limit && ties == 0 {
			continue
		}
		if v == limit {
			ties--
		}
		cols[count], values[count] = cols[q], v
		count++
	}
	return count
}

// among moves the entries of the listed columns to the front.
func (w *maskWorker) among(list []int32, n int, cols []int32, values []float64) int {
	if w.mark == nil {
		w.mark = make([]bool, n)
	}
	for _, j := range list {
		w.mark[j] = true
	}
	count := 0
	for q, j := range cols {
		if w.mark[j] {
			cols[count], values[count] = j, values[q]
			count++
		}
	}
	for _, j := range list {
		w.mark[j] = false
	}
	return count
}

// symmetrise builds S = (Ẑ + Ẑᵀ)/2.
func (m *mask) symmetrize(n int) {
	k, t := &m.kept, &m.turned
	clear(m.counts)
	for _, j := range k.Col {
		m.counts[j]++
	}
	shape(t, n, m.counts)
	copy(m.next, t.Ptr[:n])
	for i := range n {
		cols, values := k.Row(i)
		for q, j := range cols {
			t.Col[m.next[j]], t.Val[m.next[j]] = int32(i), values[q]
			m.next[j]++
		}
	}
	s := &m.affinity
	s.Rows, s.Cols, s.Ptr, s.Col, s.Val = n, n, append(s.Ptr[:0], 0), s.Col[:0], s.Val[:0]
	for i := range n {
		a, av := k.Row(i)
		b, bv := t.Row(i)
		for len(a) > 0 || len(b) > 0 {
			switch {
			case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
				s.Col, s.Val, a, av = append(s.Col, a[0]), append(s.Val, av[0]/2), a[1:], av[1:]
			case len(a) == 0 || b[0] < a[0]:
				s.Col, s.Val, b, bv = append(s.Col, b[0]), append(s.Val, bv[0]/2), b[1:], bv[1:]
			default:
				s.Col, s.Val = append(s.Col, a[0]), append(s.Val, (av[0]+bv[0])/2)
				a, av, b, bv = a[1:], av[1:], b[1:], bv[1:]
			}
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
}

// shape makes a an n × n matrix with so many entries in each row, whose places are
// still to be filled, in the storage that it has.
func shape(a *sparse.CSR, n int, counts []int) {
	a.Rows, a.Cols = n, n
	a.Ptr = append(a.Ptr[:0], 0)
	end := 0
	for _, c := range counts {
		end += c
		a.Ptr = append(a.Ptr, end)
	}
	a.Col, a.Val = slices.Grow(a.Col[:0], end)[:end], slices.Grow(a.Val[:0], end)[:end]
}

// copied is a matrix of its own.
func copied(a *sparse.CSR) *sparse.CSR {
	return &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
}
