package eigen

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// basisStrip is the number of rows that products with the basis treat at a time: the
// block stays in the cache while the basis passes by. Sums are taken strip by strip,
// whatever the number of threads.
const basisStrip = 1024

// krylovBasis holds orthonormal vectors of length n in pieces of this many each: entry i of
// vector j is pieces[j/each][i·each + j%each]. There are as many as blocks have lanes, fewer
// only where vectors are added one by one. Places without a vector are zero.
// A basis that outgrows its pieces is never copied.
type krylovBasis struct {
	n, lanes, threads int
	each              int
	size              int
	pieces            [][]float64
	partial           []float64 // sums of the strips
}

// clear empties the basis and keeps its storage.
func (q *krylovBasis) clear() { q.size = 0 }

// used is the number of pieces that hold vectors.
func (q *krylovBasis) used() int { return (q.size + q.each - 1) / q.each }

// add appends the leading width vectors of a block of lanes, after updates of its rows that are due; nil: none are.
func (q *krylovBasis) add(block []float64, width int, due func(lo, hi int)) {
	if due == nil {
		due = func(int, int) {}
	}
	if q.size%q.lanes == 0 {
		piece := q.piece()
		if width < q.lanes {
			clear(piece) // of what an earlier search left
		}
		q.strips(func(lo, hi int) { // the memory may be new
			due(lo, hi)
			copyLanes(piece[lo*q.lanes:hi*q.lanes], block[lo*q.lanes:], 0, 0, width, q.lanes)
		})
		q.size += width
		return
	}
	q.strips(due)
	for j := range width {
		if q.size%q.lanes == 0 {
			clear(q.piece())
		}
		copyLanes(q.piece(), block, q.size%q.lanes, j, 1, q.lanes)
		q.size++
	}
}

// addVector appends a vector.
func (q *krylovBasis) addVector(v []float64) {
	if q.size%q.each == 0 {
		clear(q.piece())
	}
	piece, at := q.piece(), q.size%q.each
	for i, e := range v {
		piece[i*q.each+at] = e
	}
	q.size++
}

// piecesMade is the number of pieces that are allocated together, so that most of them lies in huge pages. The system provides
// the memory of a piece when it is used.
const piecesMade = 4

// piece is the piece that the next vector goes to.
func (q *krylovBasis) piece() []float64 {
	at := q.size / q.each
	if at == len(q.pieces) {
		size := q.n * q.each
		made := pages.Make[float64](piecesMade * size)
		for lo := 0; lo < len(made); lo += size {
			q.pieces = append(q.pieces, made[lo:lo+size:lo+size])
		}
	}
	return q.pieces[at]
}

// copyLanes copies count lanes of every row, from lane j of a block to lane at of another.
func copyLanes(to, from []float64, at, j, count, lanes int) {
	if count == lanes {
		copy(to, from)
		return
	}
	for i := 0; i < len(to); i += lanes {
		copy(to[i+at:i+at+count], from[i+j:])
	}
}

// strips calls do for every strip of rows.
func (q *krylovBasis) strips(do func(lo, hi int)) {
	_ = blas.For(context.Background(), q.threads, q.n, basisStrip, func(_, lo, hi int) { do(lo, hi) })
}

// along are the coefficients QᵀW of a block along the vectors of the pieces of a basis from one on: one row of lanes for
// each vector of the basis. The rows of the pieces before are zero.
type along struct {
	q    *krylovBasis
	from int
	c    []float64 // storage, until there are coefficients
}

// measure finds the coefficients of W in one pass over its rows, after updates of these that are due; nil: none are.
func (a *along) measure(w []float64, due func(lo, hi int)) {
	q := a.q
	tile, count := q.each*q.lanes, q.used()
	strips := (q.n + basisStrip - 1) / basisStrip
	q.partial = grown(q.partial, strips*count*tile)
	q.strips(func(lo, hi int) {
		if due != nil {
			due(lo, hi)
		}
		sum := q.partial[lo/basisStrip*count*tile:][:count*tile]
		clear(sum)
		for p := a.from; p < count; p++ {
			blas.SpreadRows(q.lanes, q.each, hi-lo, q.pieces[p][lo*q.each:], q.each, sum[p*tile:], w[lo*q.lanes:], nil)
		}
	})
	a.c = grown(a.c, count*tile)
	clear(a.c)
	for s := range strips {
		blas.Axpy(-1, q.partial[(s*count+a.from)*tile:(s+1)*count*tile], a.c[a.from*tile:])
	}
}

// subtract takes QC from the rows lo to hi of W.
func (a *along) subtract(w []float64, lo, hi int) {
	q := a.q
	tile := q.each * q.lanes
	for p := a.from; p < q.used(); p++ {
		blas.SubtractRows(q.lanes, q.each, hi-lo, q.pieces[p][lo*q.each:], q.each, a.c[p*tile:], w[lo*q.lanes:], nil)
	}
}

// rotate makes QSᵀ the basis, for the count × size matrix S. Each strip of rows is turned
// in its place.
func (q *krylovBasis) rotate(s []float64, count int) {
	tile, pieces := q.lanes*q.lanes, q.used()
	groups := (count + q.lanes - 1) / q.lanes
	minus := make([]float64, groups*pieces*tile) // −Sᵀ in tiles
	for j := range count {
		for i, v := range s[j*q.size : (j+1)*q.size] {
			minus[(j/q.lanes*pieces+i/q.lanes)*tile+i%q.lanes*q.lanes+j%q.lanes] = -v
		}
	}
	const part = basisStrip / 8 // the pieces of this many rows stay in the cache
	turned := make([][]float64, blas.Threads(q.threads))
	_ = blas.For(context.Background(), q.threads, q.n, part, func(worker, lo, hi int) {
		size := (hi - lo) * q.lanes
		to := grown(turned[worker], groups*size)
		turned[worker] = to
		clear(to)
		for g := range groups {
			for p := range pieces {
				blas.SubtractRows(q.lanes, q.lanes, hi-lo, q.pieces[p][lo*q.lanes:], q.lanes, minus[(g*pieces+p)*tile:], to[g*size:], nil)
			}
		}
		for g := range groups {
			copy(q.pieces[g][lo*q.lanes:hi*q.lanes], to[g*size:])
		}
	})
	q.size = count
}

// truncate leaves the leading vectors.
func (q *krylovBasis) truncate(size int) {
	for at := size; at%q.lanes != 0; at++ {
		piece := q.pieces[at/q.lanes]
		for i := at % q.lanes; i < len(piece); i += q.lanes {
			piece[i] = 0
		}
	}
	q.size = size
}

// copyTo copies width vectors, from one on, to the leading columns of a block.
func (q *krylovBasis) copyTo(block []float64, from, width int) {
	for j := range width {
		copyLanes(block, q.pieces[(from+j)/q.lanes], j, (from+j)%q.lanes, 1, q.lanes)
	}
}

// set makes vectors the basis.
func (q *krylovBasis) set(x [][]float64) {
	q.clear()
	for lo := 0; lo < len(x); lo += q.lanes {
		piece, some := q.piece(), x[lo:min(lo+q.lanes, len(x))]
		if len(some) < q.lanes {
			clear(piece)
		}
		q.strips(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := piece[i*q.lanes:]
				for j, v := range some {
					row[j] = v[i]
				}
			}
		})
		q.size += len(some)
	}
}

// copyVectors copies the basis to vectors.
func (q *krylovBasis) copyVectors(x [][]float64) {
	q.strips(func(first, end int) {
		for lo := 0; lo < len(x); lo += q.lanes {
			piece, some := q.pieces[lo/q.lanes], x[lo:min(lo+q.lanes, len(x))]
			for i := first; i < end; i++ {
				row := piece[i*q.lanes:]
				for j, v := range some {
					v[i] = row[j]
				}
			}
		}
	})
}

// vectors returns the basis as vectors, in the storage of the pieces behind it as far as that
// goes, and lets go of those.
func (q *krylovBasis) vectors() [][]float64 {
	spare := q.pieces[q.used():]
	x := make([][]float64, q.size)
	for j := range x {
		if p := j / q.lanes; p < len(spare) {
			x[j] = spare[p][j%q.lanes*q.n:][:q.n:q.n]
		} else {
			x[j] = pages.Make[float64](q.n)
		}
	}
	q.copyVectors(x)
	clear(spare)
	q.pieces = q.pieces[:q.used()]
	return x
}

// grown returns a slice of length n with unspecified content, x where it fits.
func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return pages.Make[float64](n)
	}
	return x[:n]
}
