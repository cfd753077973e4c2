package solvers

import (
	"context"
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
)

// operator applies a symmetric matrix in place to the n × width block x,
// row-major.
type operator func(x []float64, width int)

// krylov finds the largest eigenpairs of an operator by block Lanczos with full
// orthogonalisation. The projected matrix T = QᵀMQ is kept whole, which makes
// restarting simple: the leading Ritz vectors become the basis, with T their
// eigenvalues, and the next block goes on from there (thick restart: Wu and
// Simon 2000). The basis Q is kept as rows.
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
	deflated  [][]float64                // orthonormal; the search is orthogonal to them
	random    *blas.Stream
	start     [][]float64 // span from which the first block is drawn; empty: the whole space

	q    krylovBasis
	room int       // rows of t
	t    []float64 // room × room, lower triangle
}

// largest finds the largest eigenpairs of the operator on the complement of the
// deflated vectors, descending, and whether they converged.
// It may return fewer than wanted: where the leading eigenvalues are so much
// larger than the rest that the rest would drown in their rounding, those alone
// are returned, for the caller to deflate before it asks again.
func (k *krylov) largest(ctx context.Context, wanted int) ([]float64, [][]float64, bool, error) {
	n := k.n
	// Beyond the limit there is room for the block that passed it and for the next.
	k.room = min(k.limit+2*k.block, n-len(k.deflated))
	k.q.n = n
	k.q.clear()
	k.t = make([]float64, k.room*k.room)
	next := make([]float64, k.block*n) // the block to be added, as rows
	coupling, scale := make([]float64, k.block*k.block), make([]float64, k.block)
	width := k.fresh(next, scale, coupling)
	columns := make([]float64, n*k.block)
	unit := slices.Repeat([]float64{1}, k.block)
	check := wanted + 1
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		first := k.q.size
		k.q.add(next[:width*n])
		// W = M·Q_last
		toColumns(next, width, n, columns)
		k.apply(columns[:n*width], width)
		k.products += width
		toRows(columns, width, n, next)
		rowNorms(next, width, n, scale)
		k.removeBasis(next, width, func(c []float64) { k.record(c, width, first) })
		added := min(k.orthonormalize(next, width, scale, coupling), k.room-k.q.size)
		if k.shrunken(scale, coupling, added, width) {
			// What is left is so short that its direction holds rounding from what was
			// taken away: clean it once more. The coupling is right as it is.
			k.removeBasis(next, added, func([]float64) {})
			added = k.orthonormalize(next, added, unit, make([]float64, k.block*k.block))
		}
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
			}
			k.Progress(0.5 + 0.5*float64(k.q.size)/float64(k.q.size+2*wanted))
			// Small problems are looked at after every block, large ones less often, so
			// that the projected eigenproblems stay a small part of the work.
			check = k.q.size + max(1, k.q.size/8)
		}
		if width = added; width == 0 {
			width = k.fresh(next, scale, coupling)
		}
	}
}

// restart makes the leading Ritz vectors the basis. What the operator adds to
// them lies in the next block, as before.
func (k *krylov) restart(theta, s []float64) {
	keep := min(k.keep, k.q.size)
	kept := k.q.combined(k.Kernels, 1, s, keep)
	k.q.clear()
	k.q.add(kept)
	clear(k.t)
	for j := range keep {
		k.t[j*k.room+j] = theta[j]
	}
}

// fresh fills next with random rows orthonormal to all that is there.
func (k *krylov) fresh(next, scale, coupling []float64) int {
	n := k.n
	width := min(k.block, k.room-k.q.size)
	k.random.Normals(next[:width*n])
	k.startFrom(next, width)
	rowNorms(next, width, n, scale)
	k.removeBasis(next, width, func([]float64) {})
	return k.orthonormalize(next, width, scale, coupling)
}

// removeBasis orthogonalises the leading rows of w against the deflated vectors
// and the basis, twice: once would let the loss of orthogonality grow from block
// to block. Each time it hands over the width × size coefficients.
func (k *krylov) removeBasis(w []float64, width int, coefficients func(c []float64)) {
	n := k.n
	c := make([]float64, width*k.q.size)
	for range 2 {
		for j := range width {
			blas.OrthogonalizeOnce(k.deflated, w[j*n:j*n+n])
		}
		if k.q.size > 0 {
			k.q.coefficients(k.Kernels, w, width, c)
			k.q.subtract(k.Kernels, k.Threads, c, width, w)
			coefficients(c)
		}
	}
}

// record adds the coefficients of the block that starts at basis vector first
// to the lower triangle of T = QᵀMQ.
func (k *krylov) record(c []float64, width, first int) {
	for j := range width {
		row := c[j*k.q.size : (j+1)*k.q.size]
		for i, v := range row {
			switch {
			case i < first:
				k.t[(first+j)*k.room+i] += v
			case i >= first+j:
				k.t[i*k.room+first+j] += v
			}
		}
	}
}

// orthonormalise makes the leading rows of w orthonormal among themselves and
// reports how many are left: a row that has lost all but rounding of its scale,
// the length it had before anything was taken from it, is dropped. r[i][j],
// row-major with the block as its width, is the coefficient of new row i in old
// row j.
func (k *krylov) orthonormalize(w []float64, rows int, scale, r []float64) int {
	n := k.n
	clear(r)
	kept := 0
	for j := range rows {
		v := w[j*n : j*n+n]
		blas.OrthogonalizeRowsQR(w[:kept*n], v, r[j:], k.block)
		norm := math.Sqrt(blas.Dot(v, v))
		if !(norm > 1e-13*scale[j]) {
			continue
		}
		r[kept*k.block+j] = norm
		blas.Scale(1/norm, v)
		copy(w[kept*n:kept*n+n], v)
		kept++
	}
	return kept
}

// shrunken tells whether orthogonalisation has taken all but a millionth of a
// row that was kept.
func (k *krylov) shrunken(scale, coupling []float64, kept, width int) bool {
	row := 0
	for j := range width {
		if row < kept && coupling[row*k.block+j] != 0 {
			if coupling[row*k.block+j] < 1e-6*scale[j] {
				return true
			}
			row++
		}
	}
	return false
}

func rowNorms(w []float64, rows, n int, norm []float64) {
	for j := range rows {
		norm[j] = math.Sqrt(blas.Dot(w[j*n:j*n+n], w[j*n:j*n+n]))
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
	if err := k.Kernels.SymEig(m, s, m, w, new(blas.Work)); err != nil {
		return nil, nil, err
	}
	theta, rows := make([]float64, m), make([]float64, m*m)
	for j := range m {
		theta[j] = w[m-1-j]
		copy(rows[j*m:j*m+m], s[(m-1-j)*m:(m-j)*m])
	}
	return theta, rows, nil
}

// leading returns how many pairs to wait for: those wanted, or the first few
// where a gap of more than drownRatio follows them; 0 while there are too few.
func (k *krylov) leading(theta []float64, wanted int) int {
	for j := 1; j < min(wanted, len(theta)) && !k.signed; j++ {
		if theta[j-1] > drownRatio*theta[j] {
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
		scale := theta[j]
		if k.signed {
			scale = max(theta[0], -theta[len(theta)-1])
		}
		if math.Sqrt(sum) > tolerance*scale {
			return false
		}
	}
	return true
}

// ritzVectors returns Q·s for the leading Ritz vectors.
func (k *krylov) ritzVectors(s []float64, wanted int) [][]float64 {
	n := k.n
	out := k.q.combined(k.Kernels, k.Threads, s, wanted)
	x := make([][]float64, wanted)
	for j := range x {
		x[j] = out[j*n : j*n+n]
	}
	return x
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
