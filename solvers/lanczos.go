package solvers

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// shiftScale sets ε = shiftScale·max aᵢᵢ, by which A is made definite: large
	// enough for the factorisation to succeed, small against every eigenvalue
	// that rounding lets the matrix have.
	shiftScale = 1e-12
	// ritzTolerance bounds the residual of a wanted pair of the inverse operator,
	// relative to its eigenvalue; nextTolerance that of the pair behind the gap.
	ritzTolerance = 1e-10
	nextTolerance = 1e-6
	// clusterTolerance: eigenvalues of the inverse this close count as one.
	clusterTolerance = 1e-7
	// drownRatio: eigenvalues of the inverse that far below the largest lose the
	// digits that ritzTolerance asks for to rounding in the projected matrix.
	drownRatio = 1e5
)

// shiftInvert is block Lanczos with full reorthogonalisation on (A + εI)⁻¹
// (Ericsson and Ruhe 1980; Grimes, Lewis and Simon 1994). The basis stays small
// (tens of vectors), so every new block is orthogonalised against all of it,
// twice, and the projected matrix is kept whole.
func (p *problem) shiftInvert(ctx context.Context) (*Eigen, error) {
	n := p.a.Rows
	block := 4
	if p.wanted > 6 {
		block = 8
	}
	analysis, err := sparse.Analyze(ctx, p.a)
	if err != nil {
		return nil, err
	}
	limit := min(n-len(p.null), max(10*p.wanted, 300))
	p.plan.Solver, p.plan.Ordering = "shift-invert lanczos", "minimum degree"
	p.plan.FactorEntries, p.plan.Flops = analysis.Entries(), analysis.Flops()
	p.plan.Bytes = analysis.Bytes() + 8*int64(n)*int64(4*p.wanted+4*block)
	if err := p.announce(); err != nil {
		return nil, err
	}
	inverse, shift, err := p.factor(ctx, analysis)
	if err != nil {
		return nil, err
	}
	p.Progress(0.5)
	k := &krylov{problem: p, inverse: inverse, block: block, limit: limit, random: blas.NewStream(p.Seed)}
	e := &Eigen{Converged: true}
	var theta []float64
	var vectors [][]float64
	search := func(wanted int) (largest float64, err error) {
		k.deflated = append(append([][]float64{}, p.null...), vectors...)
		t, x, converged, err := k.largest(ctx, wanted)
		if err != nil {
			return 0, err
		}
		e.Converged = e.Converged && converged
		for j := range t {
			theta, vectors = insertPair(theta, vectors, t[j], x[j])
		}
		return t[0], nil
	}
	for len(theta) < p.wanted && e.Converged {
		if _, err := search(p.wanted - len(theta)); err != nil {
			return nil, err
		}
	}
	// A Krylov space from b vectors holds at most b copies of an eigenvalue. Where
	// so many were found alike, look for more until one falls behind the last.
	for e.Converged && clustered(theta[:p.wanted], block) && len(p.null)+len(theta) < n {
		last := theta[p.wanted-1]
		found, err := search(1)
		if err != nil {
			return nil, err
		}
		if found <= last*(1+clusterTolerance) {
			break
		}
	}
	e.Solves = k.solves
	for j := range min(p.wanted, len(theta)) {
		e.Values = append(e.Values, 1/theta[j]-shift)
		e.Vectors = append(e.Vectors, vectors[j])
	}
	return e, nil
}

// factor computes the Cholesky factor of A + εI, raising ε where rounding in A
// has made it indefinite beyond the usual one.
func (p *problem) factor(ctx context.Context, analysis *sparse.Analysis) (*sparse.Factor, float64, error) {
	var largest float64
	for i := range p.a.Rows {
		largest = max(largest, math.Abs(p.a.At(i, i)))
	}
	if largest == 0 {
		largest = 1
	}
	shift := shiftScale * largest
	for {
		f, err := analysis.Factor(ctx, p.Kernels, p.a, shift)
		var indefinite *sparse.NotPositiveDefiniteError
		if !errors.As(err, &indefinite) {
			return f, shift, err
		}
		if shift *= 100; shift > 1e-6*largest {
			return nil, 0, err
		}
	}
}

// clustered tells whether b neighbouring values agree to clusterTolerance.
func clustered(theta []float64, b int) bool {
	for j := b - 1; j < len(theta); j++ {
		if theta[j-b+1]-theta[j] <= clusterTolerance*theta[j] {
			return true
		}
	}
	return false
}

// insertPair puts a pair into its place in a descending list.
func insertPair(theta []float64, x [][]float64, t float64, v []float64) ([]float64, [][]float64) {
	at := len(theta)
	for at > 0 && theta[at-1] < t {
		at--
	}
	return slices.Insert(theta, at, t), slices.Insert(x, at, v)
}

// krylov runs block Lanczos. The basis q is kept as rows.
type krylov struct {
	*problem
	inverse  *sparse.Factor
	block    int
	limit    int // largest basis
	deflated [][]float64
	random   *blas.Stream
	solves   int

	q    []float64 // size × n
	size int
	t    []float64 // projected operator, limit × limit, lower triangle
}

// largest finds the largest eigenpairs of the inverse operator on the
// complement of the deflated vectors, descending, and whether they converged.
// It may return fewer than wanted: where the leading eigenvalues are so much
// larger than the rest that the rest would drown in their rounding, those alone
// are returned, for the caller to deflate before it asks again.
func (k *krylov) largest(ctx context.Context, wanted int) ([]float64, [][]float64, bool, error) {
	n := k.a.Rows
	room := min(k.limit+k.block, n-len(k.deflated))
	k.q, k.size = k.q[:0], 0
	k.t = make([]float64, room*room)
	next := make([]float64, k.block*n) // the block to be added, as rows
	coupling, scale := make([]float64, k.block*k.block), make([]float64, k.block)
	width := k.fresh(next, scale, coupling, room)
	columns := make([]float64, n*k.block)
	unit := slices.Repeat([]float64{1}, k.block)
	var solve sparse.SolveWork
	check := wanted + 1
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		first := k.size
		k.q = append(k.q, next[:width*n]...)
		k.size += width
		// W = F⁻¹·Q_last
		toColumns(next, width, n, columns)
		k.inverse.Solve(columns[:n*width], width, &solve)
		k.solves += width
		toRows(columns, width, n, next)
		rowNorms(next, width, n, scale)
		k.removeBasis(next, width, func(c []float64) { k.record(c, width, first, room) })
		added := min(k.orthonormalise(next, width, scale, coupling), room-k.size)
		if k.shrunken(scale, coupling, added, width) {
			// What is left is so short that its direction holds rounding from what was
			// taken away: clean it once more. The coupling is right as it is.
			k.removeBasis(next, added, func([]float64) {})
			added = k.orthonormalise(next, added, unit, make([]float64, k.block*k.block))
		}
		if added == 0 || k.size >= min(check, k.limit) {
			theta, s, err := k.ritz(room)
			if err != nil {
				return nil, nil, false, err
			}
			if found := k.leading(theta, wanted); found > 0 && k.converged(theta, s, coupling, width, found) {
				return theta[:found], k.ritzVectors(s, found), true, nil
			}
			if k.size >= min(k.limit, room) {
				found := min(wanted, k.size)
				return theta[:found], k.ritzVectors(s, found), false, nil
			}
			k.Progress(0.5 + 0.5*float64(k.size)/float64(k.size+2*wanted))
			// Small problems are looked at after every block, large ones less often, so
			// that the projected eigenproblems stay a small part of the work.
			check = k.size + max(1, k.size/8)
		}
		if width = added; width == 0 {
			width = k.fresh(next, scale, coupling, room)
		}
	}
}

// fresh fills next with random rows orthonormal to all that is there.
func (k *krylov) fresh(next, scale, coupling []float64, room int) int {
	n := k.a.Rows
	width := min(k.block, room-k.size)
	k.random.Normals(next[:width*n])
	rowNorms(next, width, n, scale)
	k.removeBasis(next, width, func([]float64) {})
	return k.orthonormalise(next, width, scale, coupling)
}

// removeBasis orthogonalises the leading rows of w against the deflated vectors
// and the basis, twice; each time it hands over the width × size coefficients.
func (k *krylov) removeBasis(w []float64, width int, coefficients func(c []float64)) {
	n := k.a.Rows
	c := make([]float64, width*k.size)
	for range 2 {
		for j := range width {
			for _, z := range k.deflated {
				blas.Axpy(-blas.Dot(z, w[j*n:j*n+n]), z, w[j*n:j*n+n])
			}
		}
		if k.size == 0 {
			continue
		}
		k.Kernels.Gemm(false, true, width, k.size, n, 1, w, n, k.q, n, 0, c, k.size)
		k.Kernels.Gemm(false, false, width, n, k.size, -1, c, k.size, k.q, n, 1, w, n)
		coefficients(c)
	}
}

// record adds the coefficients of the block that starts at basis vector first
// to the lower triangle of T = QᵀF⁻¹Q.
func (k *krylov) record(c []float64, width, first, room int) {
	for j := range width {
		row := c[j*k.size : (j+1)*k.size]
		for i, v := range row {
			switch {
			case i < first:
				k.t[(first+j)*room+i] += v
			case i >= first+j:
				k.t[i*room+first+j] += v
			}
		}
	}
}

// orthonormalise makes the leading rows of w orthonormal among themselves and
// reports how many are left: a row that has lost all but rounding of its scale,
// the length it had before anything was taken from it, is dropped. r[i][j],
// row-major with the block as its width, is the coefficient of new row i in old
// row j.
func (k *krylov) orthonormalise(w []float64, rows int, scale, r []float64) int {
	n := k.a.Rows
	clear(r)
	kept := 0
	for j := range rows {
		v := w[j*n : j*n+n]
		for range 2 {
			for i := range kept {
				u := w[i*n : i*n+n]
				c := blas.Dot(u, v)
				blas.Axpy(-c, u, v)
				r[i*k.block+j] += c
			}
		}
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
func (k *krylov) ritz(room int) ([]float64, []float64, error) {
	m := k.size
	s, w := make([]float64, m*m), make([]float64, m)
	for i := range m {
		for j := range i + 1 {
			s[i*m+j], s[j*m+i] = k.t[i*room+j], k.t[i*room+j]
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
	for j := 1; j < min(wanted, len(theta)); j++ {
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
		last := s[(j+1)*k.size-width : (j+1)*k.size]
		var sum float64
		for i := range k.block {
			var c float64
			for q, v := range last {
				c += coupling[i*k.block+q] * v
			}
			sum += c * c
		}
		tolerance := ritzTolerance
		if len(k.deflated)-len(k.null)+j >= k.count {
			tolerance = nextTolerance
		}
		if math.Sqrt(sum) > tolerance*theta[j] {
			return false
		}
	}
	return true
}

// ritzVectors returns Q·s for the leading Ritz vectors.
func (k *krylov) ritzVectors(s []float64, wanted int) [][]float64 {
	n := k.a.Rows
	out := make([]float64, wanted*n)
	k.Kernels.Gemm(false, false, wanted, n, k.size, 1, s, k.size, k.q, n, 0, out, n)
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
