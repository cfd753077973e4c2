package eigen

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// nextTolerance bounds the residual of the pair behind the gap, relative to its
	// eigenvalue; it is only reported.
	nextTolerance = 1e-6
	// clusterTolerance: eigenvalues of the operator this close count as one.
	clusterTolerance = 1e-7
	// drownRatio: eigenvalues that far below the largest lose the digits that are
	// asked for to rounding in the projected matrix.
	drownRatio = 1e5
	// fewestBlocks is the number of blocks before which no search ends unless they span an invariant space: sums of random
	// vectors are eigenvectors at once where an eigenvalue has most of the space, whether it is wanted or not.
	fewestBlocks = 3
)

// operator applies a symmetric matrix in place to the n × width block x,
// row-major.
type operator func(x []float64, width int)

// krylov finds the largest eigenpairs of an operator by block Lanczos. The projected
// matrix T = QᵀMQ is kept whole, which makes restarting simple: the leading Ritz vectors
// become the basis, with T their eigenvalues, and the next block goes on from there (thick
// restart: Wu and Simon 2000).
//
// A new block is orthogonalised against the two blocks before it, to which alone the
// operator couples it, and then measured against the whole basis: what is lost of
// orthogonality, which grows as pairs converge (Paige 1976), is taken away where it shows
// (after Simon 1984, who estimates what is measured here). All vectors are stored as they
// are multiplied, in lanes.
type krylov struct {
	*problem
	apply     operator
	block     int                        // columns at a time
	limit     int                        // largest basis
	keep      int                        // Ritz vectors that survive a restart; 0: the basis never restarts
	products  int                        // of the operator with a vector, so far
	most      int                        // products allowed; 0: any number
	hopeless  func(theta []float64) bool // asked at every restart; nil: go on
	tolerance float64                    // of a wanted pair's residual, relative to its eigenvalue
	signed    bool                       // eigenvalues may be 0 or negative: tolerance is relative to the largest in size
	bySize    bool                       // pairs are sought, and ordered, by the size of their eigenvalues
	deflated  [][]float64                // orthonormal; the search is orthogonal to them
	random    *blas.Stream
	further   int         // Ritz vectors to return in addition to the wanted ones, as far as there are
	drawn     bool        // the first block is drawn, in next
	start     [][]float64 // span from which the first block is drawn; empty: the whole space

	q, apart    krylovBasis      // the basis, and the deflated vectors
	own         krylovBasis      // the next block as one
	next, spare []float64        // the block to be added, and storage for one
	due         func(lo, hi int) // updates of its rows that the next pass over them makes; nil: none
	room        int              // rows of t
	rest        []float64        // Gram matrix of the next block, where it is known
	measured    []float64        // storage for coefficients
	t           []float64        // room × room, lower triangle
	beyond      [][]float64      // the further Ritz vectors, which need not have converged
}

// largest finds the largest eigenpairs of the operator on the complement of the
// deflated vectors, descending, and whether they converged.
// It may return fewer than wanted: where the leading eigenvalues are so much
// larger than the rest that the rest would drown in their rounding, those alone
// are returned, for the caller to deflate before it asks again.
func (k *krylov) largest(ctx context.Context, wanted int) ([]float64, [][]float64, bool, error) {
	k.prepare()
	coupling, lengths := make([]float64, k.block*k.block), make([]float64, k.block)
	width := k.fresh(lengths, coupling)
	before := 0 // first vector of the blocks to which the operator couples the next one
	check := max(wanted+1, fewestBlocks*k.block)
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		first := k.q.size
		k.enter(width)
		// W = M·Q_last
		k.apply(k.next, k.block)
		k.products += width
		k.removeLocal(before, first, width, lengths)
		added := min(k.orthonormalize(width, lengths, coupling), k.room-k.q.size)
		added = min(k.settle(first, added, width, coupling), k.room-k.q.size)
		before = first
		if added == 0 || k.q.size >= min(check, k.limit) {
			theta, s, err := k.ritz()
			if err != nil {
				return nil, nil, false, err
			}
			if found := k.leading(theta, wanted); found > 0 && k.converged(theta, s, coupling, width, found) {
				return theta[:found], k.ritzVectors(s, found), true, nil
			}
			full := k.q.size >= min(k.limit, k.room)
			if full && k.hopeless != nil && k.q.size >= wanted && k.hopeless(theta) {
				return theta[:wanted], k.ritzVectors(s, wanted), false, nil
			}
			if full && k.keep == 0 || k.most > 0 && k.products >= k.most {
				found := min(wanted, k.q.size)
				return theta[:found], k.ritzVectors(s, found), false, nil
			}
			if full {
				k.restart(theta, s)
				before = 0
			}
			k.Progress(0.5 + 0.5*float64(k.q.size)/float64(k.q.size+2*wanted))
			// Small problems are looked at after every block, large ones less often, so
			// that the projected eigenproblems stay a small part of the work.
			check = k.q.size + max(1, k.q.size/8)
		}
		if width = added; width == 0 {
			if width, before = k.fresh(lengths, coupling), 0; width == 0 {
				return nil, nil, false, errVanished
			}
		}
	}
}

// errVanished ends a search whose numbers are not finite, or whose vectors vanish.
var errVanished = errors.New("solvers: the search met numbers that are not finite; correct the operator's products, or scale the matrix to sizes near 1")

// prepare empties the basis and lays out the blocks.
func (k *krylov) prepare() {
	n := k.n
	// Beyond the limit there is room for the block that passed it and for the next.
	k.room = min(k.limit+2*k.block, n-len(k.deflated))
	if each := max(1, min(k.block, len(k.deflated))); each != k.apart.each {
		k.apart = krylovBasis{each: each}
	}
	k.q.each, k.own.each = k.block, k.block
	for _, q := range []*krylovBasis{&k.q, &k.apart, &k.own} {
		q.n, q.lanes, q.threads = n, k.block, k.Threads
		q.clear()
	}
	for _, v := range k.deflated {
		k.apart.addVector(v)
	}
	k.t = make([]float64, k.room*k.room)
	k.next, k.spare = grown(k.next, n*k.block), grown(k.spare, n*k.block)
}

// enter appends the leading columns of the next block to the basis.
func (k *krylov) enter(width int) {
	k.q.add(k.next, width, k.due)
	k.due = nil
}

// restart makes the leading Ritz vectors the basis. What the operator adds to
// them lies in the next block, as before.
func (k *krylov) restart(theta, s []float64) {
	if k.due != nil { // it refers to the basis as it was
		k.own.strips(k.due)
		k.due = nil
	}
	keep := min(k.keep, k.q.size)
	k.q.rotate(s, keep)
	clear(k.t)
	for j := range keep {
		k.t[j*k.room+j] = theta[j]
	}
}

// fresh makes the next block of random columns orthonormal to all that is there, and returns how many there are: none only
// if there is no room, or numbers are not finite.
func (k *krylov) fresh(lengths, coupling []float64) int {
	for range redraws {
		if width := k.draw(lengths, coupling); width > 0 {
			return width
		}
	}
	return 0
}

func (k *krylov) draw(lengths, coupling []float64) int {
	k.due = nil
	width := min(k.block, k.room-k.q.size)
	if !k.drawn {
		normals(k.random, k.next, k.block, width)
	}
	k.drawn = false
	k.startFrom(width)
	k.removeLocal(0, -1, width, lengths)
	width = k.orthonormalize(width, lengths, coupling)
	return k.settle(-1, width, width, coupling)
}

// normals fills the leading columns of a block with random numbers, and the others with zeros.
func normals(random *blas.Stream, x []float64, block, width int) {
	for lo := 0; lo < len(x); lo += block {
		random.Normals(x[lo : lo+width])
		clear(x[lo+width : lo+block])
	}
}

// ritz solves the projected problem: values descending, vectors in rows.
func (k *krylov) ritz() ([]float64, []float64, error) {
	m := k.q.size
	s, w := make([]float64, m*m), make([]float64, m)
	for i := range m {
		for j := range i + 1 {
			s[i*m+j], s[j*m+i] = k.t[i*k.room+j], k.t[i*k.room+j]
		}
	}
	if m == 0 || !finite(s) {
		return nil, nil, errVanished
	}
	if err := k.Kernels.SymEig(m, s, m, w, new(blas.Work)); err != nil {
		return nil, nil, err
	}
	theta, rows := make([]float64, m), make([]float64, m*m)
	low, high := 0, m-1
	for j := range m {
		at := high
		if k.bySize && -w[low] > w[high] {
			at, low = low, low+1
		} else {
			high--
		}
		theta[j] = w[at]
		copy(rows[j*m:j*m+m], s[at*m:(at+1)*m])
	}
	return theta, rows, nil
}

// sizeOf is what eigenvalues of the operator are ordered by.
func (k *krylov) sizeOf(theta float64) float64 {
	if k.bySize {
		return math.Abs(theta)
	}
	return theta
}

// leading returns how many pairs to wait for: those wanted, or the first few
// where a gap of more than drownRatio follows them; 0 while there are too few.
func (k *krylov) leading(theta []float64, wanted int) int {
	for j := 1; j < min(wanted, len(theta)) && !k.signed; j++ {
		if k.sizeOf(theta[j-1]) > drownRatio*k.sizeOf(theta[j]) {
			return j
		}
	}
	if len(theta) < wanted {
		return 0
	}
	return wanted
}

// converged applies the residual bound ‖R·s_last‖, where R couples the last
// block to the next one.
func (k *krylov) converged(theta, s, coupling []float64, width, wanted int) bool {
	for j := range wanted {
		last := s[(j+1)*k.q.size-width : (j+1)*k.q.size]
		var sum float64
		for i := range k.block {
			var c float64
			for q, v := range last {
				c += coupling[i*k.block+q] * v
			}
			sum += c * c
		}
		tolerance := k.tolerance
		if len(k.deflated)-len(k.null)+j >= k.count {
			tolerance = max(tolerance, nextTolerance)
		}
		scale := k.sizeOf(theta[j])
		if k.signed {
			scale = max(theta[0], -theta[len(theta)-1])
		}
		if math.Sqrt(sum) > tolerance*scale {
			return false
		}
	}
	return true
}

// ritzVectors returns the leading Ritz vectors Q·s, and keeps the further ones.
func (k *krylov) ritzVectors(s []float64, wanted int) [][]float64 {
	k.q.rotate(s, min(wanted+k.further, k.q.size))
	vectors := k.q.vectors()
	k.beyond = vectors[wanted:]
	return vectors[:wanted:wanted]
}

func toColumns(rows []float64, width, n int, columns []float64) {
	for j := range width {
		for i, v := range rows[j*n : j*n+n] {
			columns[i*width+j] = v
		}
	}
}

func toRows(columns []float64, width, n int, rows []float64) {
	for j := range width {
		row := rows[j*n : j*n+n]
		for i := range row {
			row[i] = columns[i*width+j]
		}
	}
}

// pairs finds the wanted largest eigenpairs, descending, of the operator on the
// complement of the null vectors: run after run of [krylov.largest], each
// orthogonal to what the ones before it have found. counted says that the caller knows how many there are, and asks again
// where one was missed.
func (k *krylov) pairs(ctx context.Context, wanted int, counted bool) (theta []float64, vectors [][]float64, converged bool, err error) {
	converged = true
	search := func(more int) (largest float64, err error) {
		k.deflated = append(append([][]float64{}, k.null...), vectors...)
		t, x, ok, err := k.largest(ctx, more)
		if err != nil {
			return 0, err
		}
		converged = converged && ok
		for j := range t {
			theta, vectors = insertPair(theta, vectors, t[j], x[j], k.sizeOf)
		}
		return t[0], nil
	}
	for len(theta) < wanted && converged {
		if _, err := search(wanted - len(theta)); err != nil {
			return nil, nil, false, err
		}
	}
	// A Krylov space from b vectors holds at most b copies of an eigenvalue. Where
	// this many equal ones were found, look for more until one falls behind the last.
	for !counted && converged && clustered(theta[:wanted], k.block, k.sizeOf) && len(k.null)+len(theta) < k.n {
		last := k.sizeOf(theta[wanted-1])
		if k.signed && last <= clusterTolerance*theta[0] {
			break // the tolerance does not separate these
		}
		found, err := search(1)
		if err != nil {
			return nil, nil, false, err
		}
		if k.sizeOf(found) <= last*(1+clusterTolerance) {
			break
		}
	}
	wanted = min(wanted, len(theta))
	return theta[:wanted], vectors[:wanted], converged, nil
}

// clustered reports whether b neighbouring values agree to clusterTolerance.
func clustered(theta []float64, b int, sizeOf func(float64) float64) bool {
	for j := b - 1; j < len(theta); j++ {
		first, last := sizeOf(theta[j-b+1]), sizeOf(theta[j])
		if first-last <= clusterTolerance*last {
			return true
		}
	}
	return false
}

// insertPair puts a pair into its place in a descending list.
func insertPair(theta []float64, x [][]float64, t float64, v []float64, sizeOf func(float64) float64) ([]float64, [][]float64) {
	at := len(theta)
	for at > 0 && sizeOf(theta[at-1]) < sizeOf(t) {
		at--
	}
	return slices.Insert(theta, at, t), slices.Insert(x, at, v)
}

// startFrom replaces the random columns of the very first block by combinations of the
// start vectors: those themselves where there are no more than columns, and otherwise random
// sums, whose Krylov space contains all of them where they span an invariant one.
func (k *krylov) startFrom(width int) {
	if len(k.start) == 0 || k.products > 0 {
		return
	}
	unit := make([][]float64, 0, len(k.start))
	for _, v := range k.start {
		if blas.Dot(v, v) > 0 {
			unit = append(unit, v)
		}
	}
	if len(unit) <= width {
		for j, v := range unit {
			for i, t := range v {
				k.next[i*k.block+j] = t
			}
		}
		return
	}
	weights := make([]float64, len(unit)*width)
	k.random.Normals(weights)
	for i := range k.n {
		row := k.next[i*k.block:][:width]
		clear(row)
		for q, v := range unit {
			blas.Axpy(v[i], weights[q*width:][:width], row)
		}
	}
}
