package eigen

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// bidiagonal finds the largest singular triplets of A by block Lanczos steps on both
// sides at once: V spans products with Aᵀ, U those with A, and the projected matrix
// B = UᵀAV is kept whole, which makes restarts simple, as in [krylov]. A has at least as
// many rows as columns.
type bidiagonal struct {
	Options
	Rectangular
	block, limit, keep int
	random             *blas.Stream
	products           int

	right, left           rowBasis    // V, U
	foundRight, foundLeft [][]float64 // triplets of earlier searches; this one is orthogonal to them
	largest               float64     // of all singular values seen
	room                  int         // rows and columns of b
	b                     []float64   // room × room
	columns, rows         []float64   // blocks as products take them
}

// lanczos runs search after search, each orthogonal to what the ones before it have
// found, until no further copy of a repeated singular value turns up.
func (s *singular) lanczos(ctx context.Context, wanted int) (*Singular, error) {
	a, swapped := s.Rectangular, s.Rows < s.Cols
	if swapped {
		a = Rectangular{Rows: a.Cols, Cols: a.Rows, Multiply: a.MultiplyTransposed, MultiplyTransposed: a.Multiply}
	}
	basis := min(max(6*wanted, 20*s.block(wanted)), a.Cols)
	k := &bidiagonal{
		Options: s.Options, Rectangular: a, block: s.block(wanted), limit: basis, keep: wanted + (basis-wanted)/3,
		random: blas.NewStream(s.Seed),
	}
	r := &Singular{Converged: true}
	search := func(more int) (float64, error) {
		k.foundRight, k.foundLeft = slices.Clone(r.Right), slices.Clone(r.Left)
		values, left, right, converged, err := k.search(ctx, more, len(r.Values)+more > wanted-1)
		if err != nil {
			return 0, err
		}
		r.Converged = r.Converged && converged
		for j, sigma := range values {
			_, r.Right = insertPair(slices.Clone(r.Values), r.Right, sigma, right[j], math.Abs)
			r.Values, r.Left = insertPair(r.Values, r.Left, sigma, left[j], math.Abs)
		}
		return values[0], nil
	}
	if _, err := search(wanted); err != nil {
		return nil, err
	}
	for r.Converged && len(r.Values) < a.Cols && clustered(r.Values[:wanted], k.block, math.Abs) {
		last := r.Values[wanted-1]
		if last <= clusterTolerance*r.Values[0] {
			break // zeros, and values indistinguishable from zero
		}
		found, err := search(1)
		if err != nil {
			return nil, err
		}
		if found <= last*(1+clusterTolerance) {
			break
		}
	}
	r.Values, r.Left, r.Right = r.Values[:wanted], r.Left[:wanted], r.Right[:wanted]
	if swapped {
		r.Left, r.Right = r.Right, r.Left
	}
	r.Products = k.products
	s.Progress(1)
	return r, nil
}

// search finds the wanted largest triplets on the complement of those found. The last of
// them need only be known roughly where it is not asked for.
func (k *bidiagonal) search(ctx context.Context, wanted int, lastIsNext bool) (values []float64, left, right [][]float64, converged bool, err error) {
	m, n := k.Rows, k.Cols
	k.room = min(k.limit+2*k.block, n-len(k.foundRight))
	k.right.n, k.left.n = n, m
	k.right.clear()
	k.left.clear()
	k.b = make([]float64, k.room*k.room)
	k.columns, k.rows = make([]float64, n*k.block), make([]float64, m*k.block)
	next, image := make([]float64, k.block*n), make([]float64, k.block*m)
	scale, coupling := make([]float64, k.block), make([]float64, k.block*k.block)
	width := k.fresh(next)
	check := max(wanted+1, fewestBlocks*k.block)
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, false, err
		}
		first := k.right.size
		k.right.add(next[:width*n])
		k.image(next, image, width, first, scale)
		if !finite(scale[:width]) {
			return nil, nil, nil, false, errProducts
		}
		// Z = AᵀU_last, of which V has all but the next block.
		toColumns(image, width, m, k.rows)
		k.MultiplyTransposed(width, k.rows[:m*width], k.columns[:n*width])
		k.products += width
		toRows(k.columns, width, n, next)
		rowNorms(next, width, n, scale)
		if !finite(scale[:width]) {
			return nil, nil, nil, false, errProducts
		}
		k.remove(&k.right, k.foundRight, next, width, nil)
		added := min(k.orthonormalize(next, n, width, scale, coupling, func(v []float64) { k.remove(&k.right, k.foundRight, v, 1, nil) }), k.room-k.right.size)
		if added == 0 || k.right.size >= min(check, k.limit) {
			sigma, x, y, err := k.projected()
			if err != nil {
				return nil, nil, nil, false, err
			}
			k.largest = max(k.largest, sigma[0])
			enough := k.right.size >= wanted
			done := enough && k.converged(x, coupling, width, wanted, lastIsNext)
			full := k.right.size >= min(k.limit, k.room)
			if enough && (done || k.products >= maxProducts || math.IsNaN(sigma[0])) {
				return sigma[:wanted], vectors(&k.left, k.Options, x, wanted), vectors(&k.right, k.Options, y, wanted), done, nil
			}
			if full && k.right.size < k.room {
				k.restart(sigma, x, y)
			}
			k.Progress(float64(k.right.size) / float64(k.right.size+2*wanted))
			check = k.right.size + max(1, k.right.size/8)
		}
		if width = added; width == 0 {
			width = k.fresh(next)
		}
	}
}

// image computes AV_last, records what it has along U in B, and adds the rest to U. A
// direction that vanishes makes room for a random one, so that U keeps pace with V.
func (k *bidiagonal) image(next, image []float64, width, first int, scale []float64) {
	m, n := k.Rows, k.Cols
	toColumns(next, width, n, k.columns)
	k.Multiply(width, k.columns[:n*width], k.rows[:m*width])
	k.products += width
	toRows(k.rows, width, m, image)
	rowNorms(image, width, m, scale)
	if !finite(scale[:width]) {
		return // the search ends with an error
	}
	k.remove(&k.left, k.foundLeft, image, width, func(c []float64) {
		for j := range width {
			for i, v := range c[j*first : (j+1)*first] {
				k.b[i*k.room+first+j] += v
			}
		}
	})
	for j := range width {
		v := image[j*m : j*m+m]
		blas.OrthogonalizeRowsQR(image[:j*m], v, k.b[first*k.room+first+j:], k.room)
		norm := math.Sqrt(blas.Dot(v, v))
		if norm > 1e-13*scale[j] {
			k.b[(first+j)*k.room+first+j] = norm
			blas.Scale(1/norm, v)
		} else {
			k.random.Normals(v)
			norm = 0
		}
		for drawn := 0; drawn < redraws && (norm < 1e-6*scale[j] || norm == 0); drawn++ { // its direction is rounding, or random
			blas.Orthogonalize(k.foundLeft, v)
			k.remove(&k.left, nil, v, 1, nil)
			blas.OrthogonalizeRows(image[:j*m], v)
			norm = math.Sqrt(blas.Dot(v, v))
			if norm > 1e-3 {
				blas.Scale(1/norm, v)
				break
			}
			k.random.Normals(v)
		}
	}
	k.left.add(image[:width*m])
}

// remove takes from the leading rows of w what they have along found vectors and a
// basis, twice, and hands over the coefficients of the basis.
func (k *bidiagonal) remove(basis *rowBasis, found [][]float64, w []float64, width int, coefficients func(c []float64)) {
	c := make([]float64, width*basis.size)
	for range 2 {
		for j := range width {
			blas.OrthogonalizeOnce(found, w[j*basis.n:(j+1)*basis.n])
		}
		if basis.size > 0 {
			basis.coefficients(k.Kernels, w, width, c)
			basis.subtract(k.Kernels, k.Threads, c, width, w)
			if coefficients != nil {
				coefficients(c)
			}
		}
	}
}

// orthonormalize makes the leading rows of w orthonormal, leaves out those that have lost
// all but rounding of their scale, and returns how many are left; clean is called for one
// of which little is left. r[i][j], row-major with the block as its width, is the
// coefficient of new row i in old row j.
func (k *bidiagonal) orthonormalize(w []float64, n, rows int, scale, r []float64, clean func(v []float64)) int {
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
		if norm < 1e-6*scale[j] {
			clean(v)
			blas.OrthogonalizeRows(w[:kept*n], v)
			left := math.Sqrt(blas.Dot(v, v))
			if !(left > 1e-3) {
				r[kept*k.block+j] = 0
				continue
			}
			blas.Scale(1/left, v)
		}
		copy(w[kept*n:kept*n+n], v)
		kept++
	}
	return kept
}

// fresh fills next with orthonormal rows orthogonal to V: products of Aᵀ with random
// vectors, which leave out what A does not see, and random ones where those vanish.
func (k *bidiagonal) fresh(next []float64) int {
	m, n := k.Rows, k.Cols
	width := min(k.block, k.room-k.right.size)
	random := make([]float64, m*width)
	k.random.Normals(random)
	k.MultiplyTransposed(width, random, k.columns[:n*width])
	k.products += width
	toRows(k.columns, width, n, next)
	for j := range width {
		v := next[j*n : j*n+n]
		for range redraws {
			before := math.Sqrt(blas.Dot(v, v))
			k.remove(&k.right, k.foundRight, v, 1, nil)
			blas.OrthogonalizeRows(next[:j*n], v)
			norm := math.Sqrt(blas.Dot(v, v))
			if math.IsNaN(norm) || norm > 1e-6*before {
				blas.Scale(1/norm, v)
				break
			}
			k.random.Normals(v)
		}
	}
	return width
}

// projected decomposes B = XΣYᵀ: values descending, vectors in rows.
func (k *bidiagonal) projected() (sigma, x, y []float64, err error) {
	p := k.right.size
	b, sigma := make([]float64, p*p), make([]float64, p)
	for i := range p {
		copy(b[i*p:i*p+p], k.b[i*k.room:i*k.room+p])
	}
	u, x, y := make([]float64, p*p), make([]float64, p*p), make([]float64, p*p)
	if err := k.Kernels.SVD(p, p, b, p, sigma, u, p, y, p, new(blas.Work)); err != nil {
		return nil, nil, nil, err
	}
	toRows(u, p, p, x)
	return sigma, x, y, nil
}

// converged applies the residual ‖Aᵀu − σv‖ = ‖R·x_last‖, where R couples the last block
// of U to the next one of V; Av = σu holds by construction.
func (k *bidiagonal) converged(x, coupling []float64, width, wanted int, lastIsNext bool) bool {
	p := k.right.size
	for j := range wanted {
		last := x[(j+1)*p-width : (j+1)*p]
		var sum float64
		for i := range k.block {
			sum += square(blas.Dot(coupling[i*k.block:i*k.block+width], last))
		}
		tolerance := largestTolerance
		if j == wanted-1 && lastIsNext {
			tolerance = nextTolerance
		}
		if !(math.Sqrt(sum) <= tolerance*k.largest) {
			return false
		}
	}
	return true
}

// errProducts is the refusal of an operator whose products are not numbers.
var errProducts = errors.New("solvers: a product of the operator holds NaN or infinities; correct Multiply or MultiplyTransposed")

// finite reports whether all are numbers.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func square(v float64) float64 { return v * v }

// restart makes the leading triplets of B the basis on both sides.
func (k *bidiagonal) restart(sigma, x, y []float64) {
	keep := min(k.keep, k.right.size)
	right, left := k.right.combined(k.Kernels, k.Threads, y, keep), k.left.combined(k.Kernels, k.Threads, x, keep)
	k.right.clear()
	k.left.clear()
	k.right.add(right)
	k.left.add(left)
	clear(k.b)
	for j := range keep {
		k.b[j*k.room+j] = sigma[j]
	}
}

// vectors returns the leading rows of SQ one by one.
func vectors(q *rowBasis, o Options, s []float64, count int) [][]float64 {
	rows := q.combined(o.Kernels, o.Threads, s, count)
	out := make([][]float64, count)
	for j := range out {
		out[j] = rows[j*q.n : (j+1)*q.n]
	}
	return out
}

// basisRows is the number of vectors that are stored together: most searches end with
// fewer, and a basis that outgrows its pieces is never copied.
const basisRows = 40

// rowBasis holds orthonormal vectors of length n as the rows of Q, in pieces.
type rowBasis struct {
	n      int
	size   int
	pieces [][]float64
}

// clear empties the basis and keeps its storage.
func (q *rowBasis) clear() {
	for i := range q.pieces {
		q.pieces[i] = q.pieces[i][:0]
	}
	q.size = 0
}

// add appends rows.
func (q *rowBasis) add(rows []float64) {
	for len(rows) > 0 {
		at := q.size / basisRows
		if at == len(q.pieces) {
			q.pieces = append(q.pieces, make([]float64, 0, basisRows*q.n))
		}
		take := min(len(rows), (basisRows-q.size%basisRows)*q.n)
		q.pieces[at] = append(q.pieces[at], rows[:take]...)
		q.size += take / q.n
		rows = rows[take:]
	}
}

// each calls f for every piece that has rows: their number, and where they begin in Q.
func (q *rowBasis) each(f func(piece []float64, first, rows int)) {
	for at := 0; at*basisRows < q.size; at++ {
		f(q.pieces[at], at*basisRows, len(q.pieces[at])/q.n)
	}
}

// coefficients sets the width × size c to WQᵀ.
func (q *rowBasis) coefficients(kernels *blas.Kernels, w []float64, width int, c []float64) {
	q.each(func(piece []float64, first, rows int) {
		kernels.Gemm(false, true, width, rows, q.n, 1, w, q.n, piece, q.n, 0, c[first:], q.size)
	})
}

// subtract takes CQ from W.
func (q *rowBasis) subtract(kernels *blas.Kernels, threads int, c []float64, width int, w []float64) {
	q.each(func(piece []float64, first, rows int) {
		kernels.GemmParallel(threads, false, false, width, q.n, rows, -1, c[first:], q.size, piece, q.n, 1, w, q.n)
	})
}

// combined returns SQ for the count × size matrix S.
func (q *rowBasis) combined(kernels *blas.Kernels, threads int, s []float64, count int) []float64 {
	out := make([]float64, count*q.n)
	q.each(func(piece []float64, first, rows int) {
		kernels.GemmParallel(threads, false, false, count, q.n, rows, 1, s[first:], q.size, piece, q.n, 1, out, q.n)
	})
	return out
}

// rowNorms sets norm to the lengths of the leading rows of w.
func rowNorms(w []float64, rows, n int, norm []float64) {
	for j := range rows {
		norm[j] = math.Sqrt(blas.Dot(w[j*n:j*n+n], w[j*n:j*n+n]))
	}
}
