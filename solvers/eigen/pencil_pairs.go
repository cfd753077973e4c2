package eigen

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// pairs brings the pencil to a standard form Cy = λy with x = Ty, solves that, and
// measures the pairs with A and M.
func (s *pencil) pairs(ctx context.Context) (e *Eigen, err error) {
	if s.mass.given() || s.given == nil {
		// What is known of A does not hold for C.
		s.Laplacian, s.Factored, s.Bound = false, nil, 0
	}
	switch {
	case s.given == nil:
		e, err = s.byOperator(ctx)
	case len(s.mass.massless.rows) > 0 && s.small(): // the block of A in these rows is singular
		return nil, &BelowSigmaError{Sigma: s.sigma, Value: math.NaN(), Row: s.mass.massless.rows[0]}
	case len(s.mass.massless.rows) > 0:
		e, err = s.massShiftInvert(ctx)
	case s.scaling.graded():
		e, err = s.equilibrated(ctx)
	case s.mass.matrix != nil:
		e, err = s.bySparseMass(ctx)
	case s.mass.diagonal != nil:
		e, err = s.scaled(ctx)
	default:
		s.a, s.norm, s.null, s.start = s.given, s.size, s.known, s.Start
		return s.standard(ctx)
	}
	if err != nil {
		return nil, err
	}
	if s.given != nil && s.size == 0 { // zeros, of which only the shift is left
		clear(e.Values)
		e.Next *= 0
	}
	s.measure(e)
	return e, nil
}

// standard solves Cy = λy.
func (p *problem) standard(ctx context.Context) (*Eigen, error) {
	e, err := p.solve(ctx)
	if err != nil {
		return nil, err
	}
	p.finish(e)
	return e, p.above(e)
}

// scaled solves for a diagonal M: C = M^−½AM^−½.
func (s *pencil) scaled(ctx context.Context) (*Eigen, error) {
	root := s.roots()
	c := *s.given
	c.Val = make([]float64, len(s.given.Val))
	s.take(8 * int64(len(c.Val)))
	for i := range c.Rows {
		for p := c.Ptr[i]; p < c.Ptr[i+1]; p++ {
			c.Val[p] = s.given.Val[p] / (root[i] * root[c.Col[p]])
		}
	}
	s.a, s.norm = &c, c.RowSumNorm()
	if math.IsInf(s.norm, 0) {
		return nil, fmt.Errorf("solvers: M has entries so small that M^−½AM^−½ overflows; scale A and M to sizes near 1")
	}
	s.null, s.start, s.byMass = times(s.known, root), times(s.Start, root), root
	e, err := s.standard(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range e.Vectors {
		for i, r := range root {
			x[i] /= r
		}
	}
	return e, nil
}

// roots returns the square roots of a diagonal M.
func (s *pencil) roots() []float64 {
	root := make([]float64, s.n)
	for i, d := range s.mass.diagonal {
		root[i] = math.Sqrt(d)
	}
	return root
}

// times returns copies of vectors with entry i multiplied by d[i].
func times(vectors [][]float64, d []float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for j, v := range vectors {
		out[j] = make([]float64, len(v))
		for i, t := range v {
			out[j][i] = t * d[i]
		}
	}
	return out
}

// byOperator solves by products with A alone: C = T⁻¹AT⁻ᵀ with M = TTᵀ.
func (s *pencil) byOperator(ctx context.Context) (*Eigen, error) {
	back := func(x []float64, width int) {}
	switch {
	case s.mass.diagonal != nil:
		root := s.roots()
		s.multiply = func(width int, x, y []float64) {
			scaled := make([]float64, len(x))
			for i, r := range root {
				for j := i * width; j < (i+1)*width; j++ {
					scaled[j] = x[j] / r
				}
			}
			s.byA(width, scaled, y)
			for i, r := range root {
				for j := i * width; j < (i+1)*width; j++ {
					y[j] /= r
				}
			}
		}
		back = func(x []float64, width int) {
			for i, r := range root {
				x[i] /= r
			}
		}
		s.null, s.start = times(s.known, root), times(s.Start, root)
	case s.mass.matrix != nil:
		f, err := s.mass.factor(ctx, s.Options)
		if err != nil {
			return nil, err
		}
		s.take(f.Bytes())
		work := &sparse.SolveWork{Threads: s.Threads}
		s.multiply = func(width int, x, y []float64) {
			turned := append([]float64(nil), x...)
			f.SolveUpper(turned, width, work)
			s.byA(width, turned, y)
			f.SolveLower(y, width, work)
		}
		back = func(x []float64, width int) { f.SolveUpper(x, width, work) }
		s.null, s.start = s.mass.transformed(f, s.known, work), s.mass.transformed(f, s.Start, work)
	default:
		s.multiply, s.null, s.start = s.byA, s.known, s.Start
	}
	if s.given == nil {
		s.plan.MatrixEntries = int64(s.n) * int64(s.n)
	}
	e, err := s.byProductsAlone(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range e.Vectors {
		back(x, 1)
	}
	return e, nil
}

// transformed returns L⁻¹PMx for M = PᵀLLᵀP, that is LᵀPx.
func (s *mass) transformed(f *sparse.Factor, vectors [][]float64, work *sparse.SolveWork) [][]float64 {
	out := make([][]float64, len(vectors))
	for j, v := range vectors {
		out[j] = make([]float64, s.n)
		s.multiply(1, 1, v, out[j])
		f.SolveLower(out[j], 1, work)
	}
	return out
}

// byProductsAlone finds the smallest pairs of an operator, which is formed where it is
// small.
func (s *pencil) byProductsAlone(ctx context.Context) (*Eigen, error) {
	low, high, err := SpectrumEnds(ctx, s.n, s.Seed, func(x, y []float64) { s.multiply(1, x, y) })
	if err != nil {
		return nil, err
	}
	s.norm = max(math.Abs(low), math.Abs(high))
	if math.IsNaN(low) || math.IsNaN(high) || math.IsInf(s.norm, 0) {
		return nil, fmt.Errorf("solvers: a product of the operator holds NaN or infinities; correct Multiply")
	}
	if s.given == nil {
		s.size = s.norm * s.mass.norm
	}
	// The ends lie inside the spectrum, mostly by less than a thousandth of it.
	s.Bound = high + max((high-low)/100, s.norm/1000)
	if s.Bound == 0 {
		s.Bound = 1 // zeros
	}
	if s.mass.given() && s.accuracy == 0 {
		// M counts in the residual of x, not in the residual of y.
		s.accuracy = largestTolerance
	}
	var e *Eigen
	if s.n <= denseOrder || s.wanted > s.n/denseShare {
		s.plan.Reason = fmt.Sprintf("%d pairs of an operator of order %d", s.wanted, s.n)
		e, err = s.denseOperator(ctx)
	} else {
		s.plan.Solver, s.plan.Reason = "lanczos", "an operator: products alone"
		e, err = s.products(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.finish(e)
	return e, s.above(e)
}

// denseOperator forms the operator by its products with unit vectors.
func (p *problem) denseOperator(ctx context.Context) (*Eigen, error) {
	n := p.n
	p.plan.Solver = "dense"
	p.plan.Bytes = 24*int64(n)*int64(n) + 8*int64(p.wanted)*int64(n)
	if err := p.announce(); err != nil {
		return nil, err
	}
	full := p.formed()
	e, err := p.denseOf(ctx, full)
	if e != nil {
		e.Products = n
	}
	return e, err
}

// formed returns the operator as a full matrix.
func (p *problem) formed() []float64 {
	n := p.n
	unit, full := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	p.multiply(n, unit, full)
	for i := range n {
		for j := range i {
			v := (full[i*n+j] + full[j*n+i]) / 2
			full[i*n+j], full[j*n+i] = v, v
		}
	}
	return full
}

// bySparseMass solves for a sparse M.
func (s *pencil) bySparseMass(ctx context.Context) (*Eigen, error) {
	if s.n <= denseOrder || s.wanted > s.n/denseShare {
		return s.byOperator(ctx)
	}
	return s.massShiftInvert(ctx)
}

// halves is the operator L⁻¹ML⁻ᵀ with LLᵀ = A − σM + εM.
//
// All is in the order of elimination, in which neighbours are near in memory.
type halves struct {
	*mass
	inOrder *sparse.CSR // M
	factor  *sparse.Factor
	work    sparse.SolveWork
	known   krylovBasis // null vectors, M-orthonormal
	images  krylovBasis // M times these
	product []float64
}

// apply replaces x by L⁻¹ML⁻ᵀx.
func (h *halves) apply(x []float64, width int) {
	h.up(x, width)
	copy(x, h.image(x, width))
	h.factor.SolveLowerEliminated(x, width, &h.work)
}

// image returns Mx, until the next call.
func (h *halves) image(x []float64, width int) []float64 {
	h.product = grown(h.product, len(x))
	h.inOrder.MulBlock(h.work.Threads, width, x, h.product)
	return h.product
}

// up replaces x by L⁻ᵀx, less what that has along the null vectors, where L⁻ᵀ has blown up what
// rounding left.
func (h *halves) up(x []float64, width int) {
	h.factor.SolveUpperEliminated(x, width, &h.work)
	if h.known.size == 0 {
		return
	}
	c := along{q: &h.images}
	c.measure(x, nil)
	c.q = &h.known
	h.known.strips(func(lo, hi int) { c.subtract(x, lo, hi) })
}

// massShiftInvert is block Lanczos on L⁻¹ML⁻ᵀ, whose eigenvalues are 1/(λ − σ + ε).
func (s *pencil) massShiftInvert(ctx context.Context) (*Eigen, error) {
	b, err := sparse.Add(1, s.given, -s.Sigma, s.mass.matrix)
	if err != nil {
		return nil, err
	}
	s.a, s.analyzed = b, s.mass.analysisOf(b)
	if err := s.analyze(ctx); err != nil {
		return nil, err
	}
	s.plan.Solver, s.plan.Reason = "shift-invert lanczos", fmt.Sprintf("order %d, factorisation of %.2g flops", s.n, s.plan.Flops)
	s.plan.Bytes = s.factorBytes() + b.Bytes() + s.mass.matrix.Bytes() + 8*int64(s.n)*int64(s.wanted)
	if err := s.announce(); err != nil {
		return nil, err
	}
	perm := s.analysis.Permutation()
	h := &halves{mass: &s.mass, inOrder: s.mass.matrix.Permuted(perm), work: sparse.SolveWork{Threads: s.Threads}}
	if h.factor, err = s.massFactor(ctx, b); err != nil {
		return nil, err
	}
	basis := krylovBasis{n: s.n, lanes: s.block(), threads: s.Threads, each: max(1, min(s.block(), len(s.known)))}
	h.known, h.images = basis, basis
	for _, z := range eliminated(perm, s.known) {
		h.known.addVector(z)
		h.images.addVector(h.image(z, 1))
	}
	s.Progress(0.5)
	s.inverted = true
	// L⁻¹PMz is along LᵀPz, and accurate where LᵀPz is next to nothing.
	s.null = s.mass.transformed(h.factor, s.known, &h.work)
	for j, z := range s.null {
		blas.Orthogonalize(s.null[:j], z)
		blas.Scale(1/math.Sqrt(blas.Dot(z, z)), z)
	}
	limit, keep, most := s.basisRoom()
	k := &krylov{
		problem: s.problem, block: s.block(), limit: limit, keep: keep, most: most, tolerance: s.toleranceOr(ritzTolerance),
		random: blas.NewStream(s.Seed), start: s.mass.transformed(h.factor, s.Start, &h.work), apply: h.apply,
	}
	theta, vectors, converged, err := k.pairs(ctx, s.wanted, false)
	if err != nil {
		return nil, err
	}
	e := &Eigen{Converged: converged, Solves: k.products + len(s.known) + len(s.Start), Next: math.NaN()}
	for _, t := range theta {
		e.Values = append(e.Values, 1/t-s.shift)
	}
	if len(e.Values) > s.count {
		e.Next, e.Values, vectors = e.Values[s.count], e.Values[:s.count], vectors[:s.count]
	}
	e.Vectors = restored(perm, h.back(vectors, &k.q))
	if err := s.above(e); err != nil {
		return nil, err
	}
	for j, v := range e.Values {
		if s.Sigma == 0 {
			e.Values[j] = max(v, 0) // A is semidefinite: below zero there is only rounding
		}
	}
	e.Angle = math.NaN()
	if gap := e.Next - e.Values[len(e.Values)-1]; gap > 0 && converged {
		e.Angle = min((s.toleranceOr(ritzTolerance)*(e.Next+s.shift)+0x1p-52*s.norm)/gap, math.Pi/2)
	}
	return e, nil
}

// massFactor factorises A − (σ − ε)M, with ε raised where rounding makes that
// indefinite. It sets the norm of the standard form to what diagonals show of it.
func (s *pencil) massFactor(ctx context.Context, b *sparse.CSR) (*sparse.Factor, error) {
	s.norm = 0
	for i := range s.n {
		if m := s.mass.matrix.At(i, i); m > 0 {
			s.norm = max(s.norm, math.Abs(b.At(i, i))/m)
		}
	}
	if s.scaling.graded() {
		s.norm = s.scaling.least // by which the small rows are measured
	}
	largest := s.norm
	if largest == 0 {
		largest = 1
	}
	for definite := shiftScale * largest; ; definite *= 100 {
		s.shift = definite - s.Sigma
		shifted, err := sparse.Add(1, s.given, s.shift, s.mass.matrix)
		if err != nil {
			return nil, err
		}
		f, err := s.analysis.Factor(ctx, s.Kernels, s.Threads, shifted, 0)
		if !indefinite(err) || definite > 1e-7*largest {
			return f, err
		}
	}
}

// back replaces each vector y by x = L⁻ᵀy, M-orthonormal by the Cholesky factor of their Gram matrix, which it takes at unit
// lengths. The basis is only storage.
func (h *halves) back(vectors [][]float64, q *krylovBasis) [][]float64 {
	q.set(vectors)
	count := len(vectors)
	for _, x := range q.pieces[:q.used()] {
		if h.massless.units != nil {
			h.apply(x, q.lanes) // once more, so that rows without mass hold as those with it do
		}
		h.up(x, q.lanes)
	}
	gram := make([]float64, count*count) // its lower triangle
	for p, x := range q.pieces[:q.used()] {
		c := along{q: q, from: p}
		c.measure(h.image(x, q.lanes), nil)
		for i := p * q.lanes; i < count; i++ {
			copy(gram[i*count+p*q.lanes:(i+1)*count], c.c[i*q.lanes:(i+1)*q.lanes])
		}
	}
	size := make([]float64, count)
	for j := range size {
		if size[j] = 1; gram[j*count+j] > 0 {
			size[j] = 1 / math.Sqrt(gram[j*count+j])
		}
	}
	for i := range count {
		for j := range i + 1 {
			gram[i*count+j] *= size[i] * size[j]
		}
	}
	inverse := inverseTriangle(gram, count)
	for i := range count {
		for j := range i + 1 {
			inverse[i*count+j] *= size[j]
		}
	}
	q.rotate(inverse, count)
	q.copyVectors(vectors)
	return vectors
}

// inverseTriangle returns L⁻¹ of a w × w matrix LLᵀ near the identity, of which it reads
// the lower triangle and destroys all.
func inverseTriangle(a []float64, w int) []float64 {
	for j := range w {
		for i := j; i < w; i++ {
			s := a[i*w+j] - blas.Dot(a[i*w:i*w+j], a[j*w:j*w+j])
			if i == j {
				a[j*w+j] = math.Sqrt(max(s, 0x1p-52))
			} else {
				a[i*w+j] = s / a[j*w+j]
			}
		}
	}
	inverse := make([]float64, w*w)
	for j := range w {
		inverse[j*w+j] = 1 / a[j*w+j]
		for i := j + 1; i < w; i++ {
			var s float64
			for k := j; k < i; k++ {
				s += a[i*w+k] * inverse[k*w+j]
			}
			inverse[i*w+j] = -s / a[i*w+i]
		}
	}
	return inverse
}
