package selective

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
	"github.com/orthant-go/orthant/sparse"
)

// mask is what is kept of Z: Ẑ has the entries of the chosen rows for their
// neighbours, and S = (Ẑ + Ẑᵀ)/2. It keeps its storage from pass to pass.
type mask struct {
	exemplars []int // ascending
	kept      sparse.CSR
	affinity  sparse.CSR

	norms   []float64
	order   []int
	chosen  []bool
	next    []int
	counts  []int
	turned  sparse.CSR
	workers []maskWorker
}

type maskWorker struct {
	values []float64
	mark   []bool
}

// maskRows is how many rows a worker thins out at a time.
const maskRows = 64

// learn chooses the exemplars and their neighbours by Z.
func (g *Graph) learn(ctx context.Context) error {
	m := &g.mask
	if m.chosen == nil {
		m.norms, m.chosen, m.next, m.counts = make([]float64, g.n), make([]bool, g.n), make([]int, g.n), make([]int, g.n)
		m.workers = make([]maskWorker, len(g.workers))
	}
	g.rank()
	g.gather()
	if err := g.thin(ctx); err != nil {
		return err
	}
	m.symmetrize(g.n)
	return nil
}

// rank chooses the τ rows of Z of largest norm, ties by the lower index.
func (g *Graph) rank() {
	m := &g.mask
	if g.o.All {
		if m.exemplars == nil {
			for i := range g.n {
				m.exemplars, m.chosen[i] = append(m.exemplars, i), true
			}
		}
		return
	}
	clear(m.norms)
	for j := range g.n {
		rows, values := g.z.Column(j)
		for q, i := range rows {
			if int(i) != j || g.o.Diagonal != Rank {
				m.norms[i] += values[q] * values[q]
			}
		}
	}
	m.order = m.order[:0]
	for i := range g.n {
		m.order = append(m.order, i)
	}
	slices.SortFunc(m.order, func(a, b int) int { return cmp.Or(cmp.Compare(m.norms[b], m.norms[a]), cmp.Compare(a, b)) })
	m.exemplars = append(m.exemplars[:0], m.order[:g.o.Exemplars]...)
	slices.Sort(m.exemplars)
	clear(m.chosen)
	for _, i := range m.exemplars {
		m.chosen[i] = true
	}
}

// gather lists the entries of the chosen rows, without the diagonal, in kept.
func (g *Graph) gather() {
	m, n := &g.mask, g.n
	clear(m.counts)
	for j := range n {
		rows, _ := g.z.Column(j)
		for _, i := range rows {
			if m.chosen[i] && int(i) != j {
				m.counts[i]++
			}
		}
	}
	k := &m.kept
	shape(k, n, m.counts)
	copy(m.next, k.Ptr[:n])
	for j := range n {
		rows, values := g.z.Column(j)
		for q, i := range rows {
			if m.chosen[i] && int(i) != j {
				k.Col[m.next[i]], k.Val[m.next[i]] = int32(j), values[q]
				m.next[i]++
			}
		}
	}
}

// thin leaves the entries of each row's neighbours: its k largest, ties by the lower
// index, or the entries of the k nearest samples.
func (g *Graph) thin(ctx context.Context) error {
	m, k := &g.mask, &g.mask.kept
	err := blas.For(ctx, g.o.Threads, len(m.exemplars), maskRows, func(id, lo, hi int) {
		w := &m.workers[id]
		for _, i := range m.exemplars[lo:hi] {
			cols, values := k.Row(i)
			if g.o.Input {
				m.counts[i] = w.among(g.nearest[i*g.o.Neighbors:(i+1)*g.o.Neighbors], g.n, cols, values)
			} else {
				m.counts[i] = w.largest(g.o.Neighbors, cols, values)
			}
		}
	})
	if err != nil {
		return err
	}
	// The rows close up, in place: none moves behind where it was.
	end := 0
	for i := range g.n {
		from, count := k.Ptr[i], m.counts[i]
		copy(k.Col[end:], k.Col[from:from+count])
		copy(k.Val[end:], k.Val[from:from+count])
		k.Ptr[i] = end
		end += count
	}
	k.Ptr[g.n], k.Col, k.Val = end, k.Col[:end], k.Val[:end]
	return nil
}

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

// shape makes a an n × n matrix with this many entries in each row, whose places are
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
