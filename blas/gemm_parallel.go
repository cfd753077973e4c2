package blas

import (
	"context"
	"math"
)

const (
	// leastCols is the number of columns of C from which a thread does well with columns of its own: it packs
	// all of A, which takes as long as about thirteen columns.
	leastCols = 128
	// leastRows is the number of rows of C that a thread takes at a time where it packs B.
	leastRows = 168
)

// runParallel is [product.run] on several threads, each of which computes parts of C. No thread waits for another
// or reads what another has packed: a line of the cache that another core has written arrives later than
// the thread could have packed it. The parts change no bit.
func (p *product[T]) runParallel(threads int) {
	if threads == 1 {
		p.run()
		return
	}
	rows, cols := []int{0, p.m}, p.shares(threads)
	if across := max(1, p.n/leastCols); across < threads {
		down := max((threads+across-1)/across, min(16*threads/across, p.m/leastRows))
		rows, cols = pieces(p.m, down, p.family.rows[p.base]), pieces(p.n, across, p.base*p.lanes)
	}
	last := len(cols) - 2
	// The context is never cancelled, so neither is the loop.
	_ = For(context.Background(), threads, (len(rows)-1)*(last+1), 1, func(_, at, _ int) {
		i, j := at/(last+1), last-at%(last+1)
		x := *p
		x.m, x.a, x.c = rows[i+1]-rows[i], p.a.from(rows[i], 0), p.c[rows[i]*p.ldc:]
		x.columns(cols[j], cols[j+1])
	})
}

// pieces cuts n into count pieces of equal size, a multiple of step.
func pieces(n, count, step int) (ends []int) {
	size := ((n+count-1)/count + step - 1) / step * step
	for at := 0; at < n; at += size {
		ends = append(ends, at)
	}
	return append(ends, n)
}

// shares cuts the columns into two shares for each thread: small ones at first, then large ones of three times their
// work. The large ones are handed out first, so that the small ones make up for a thread that begins late.
func (p *product[T]) shares(threads int) []int {
	step, ends := p.base*p.lanes, []int{0}
	for share := 1; share < 2*threads; share++ {
		work := float64(share+2*max(0, share-threads)) / float64(4*threads)
		if p.part == upperPart {
			work = math.Sqrt(work) // the area of the triangle before a column
		}
		end := int(math.Round(work*float64(p.n)/float64(step))) * step
		if end > ends[len(ends)-1] && end < p.n {
			ends = append(ends, end)
		}
	}
	return append(ends, p.n)
}
