package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Nearest finds the count eigenpairs nearest to Sigma, which may be any number, inside the spectrum or outside.
// They are ascending; Next is the nearest eigenvalue that was not asked for, if it is known. All else is as for
// [Pencil.Smallest], except that A must have entries: an operator is an error.
//
// A − σM = LDLᵀ is factorised with pivots of one and two rows, and block Lanczos runs on Tᵀ(A − σM)⁻¹T with M = TTᵀ, for the
// largest eigenvalues 1/(λ − σ) in size, of both signs. If an eigenvalue is so near to σ that a pivot vanishes, σ
// is moved; the plan's reason says by how much.
func (p Pencil) Nearest(ctx context.Context, count int, o Options) (*Eigen, error) {
	if o.Certified {
		return nil, errors.New("solvers: a certificate is of the smallest eigenvalues, or of all in an interval; leave it out, or ask for an interval, whose eigenvalues are counted")
	}
	if n, err := p.order(); err == nil && p.A != nil {
		if err := p.checkCount(n, count); err != nil {
			return nil, err
		}
	}
	s, err := p.within(ctx, count, o)
	if err != nil {
		return nil, err
	}
	var e *Eigen
	all, err := s.allIfSmall(ctx)
	if err != nil {
		return nil, err
	}
	if all != nil {
		e = all.nearest(s.Sigma, count)
	} else {
		form, err := s.form(ctx)
		if err != nil {
			return nil, err
		}
		at, err := form.at(ctx, s.Sigma, 1)
		if err != nil {
			return nil, err
		}
		if e, err = at.search(ctx, s.known, count, s.wanted, false); err != nil {
			return nil, err
		}
		if at.loose {
			if s.ended(e); slices.Max(e.Residuals) > max(looseResidual, s.accuracy) {
				form.strict = true
				if at, err = form.at(ctx, s.Sigma, 1); err != nil {
					return nil, err
				}
				if e, err = at.search(ctx, s.known, count, s.wanted, false); err != nil {
					return nil, err
				}
			}
		}
		if at.sigma != s.Sigma {
			e.Moved = fmt.Sprintf("sigma moved from %.17g to %.17g, off an eigenvalue", p.Sigma, s.scaling.outside(at.sigma))
			s.plan.Reason += ", " + e.Moved
		}
	}
	s.ended(e)
	return s.finished(ctx, e)
}

// within reads the input of a search inside a spectrum.
func (p Pencil) within(ctx context.Context, count int, o Options) (*pencil, error) {
	n, err := p.order()
	if err != nil {
		return nil, err
	}
	if p.A == nil {
		return nil, errors.New("solvers: eigenvalues inside a spectrum need a factorisation, and of an operator only products are known; give A, or a sigma below the spectrum")
	}
	outside := p
	outside.Sigma = min(p.Sigma, 0) // where null vectors are given there is no bound
	if math.IsNaN(p.Sigma) {
		outside.Sigma = p.Sigma
	}
	if err := outside.checkNumbers(n); err != nil {
		return nil, err
	}
	if math.IsInf(p.Sigma, 0) {
		return nil, fmt.Errorf("solvers: sigma is %v; give a finite number", p.Sigma)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	s := &pencil{Pencil: p, problem: &problem{
		n: n, count: count, wanted: min(count+1, n-len(p.Null)), sigma: p.Sigma, accuracy: p.Tolerance, Options: o}}
	s.massLater = !s.small() && len(p.Null) == 0
	return s, s.read(ctx)
}

// small reports whether all pairs by a dense solver are less work than a search.
func (s *pencil) small() bool { return s.n <= denseOrder || s.wanted > s.n/denseShare }

// ended orders, measures and names a result.
func (s *pencil) ended(e *Eigen) {
	order := make([]int, len(e.Values))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case e.Values[i] < e.Values[j]:
			return -1
		case e.Values[i] > e.Values[j]:
			return 1
		}
		return 0
	})
	values, vectors := make([]float64, len(order)), make([][]float64, len(order))
	for to, j := range order {
		values[to], vectors[to] = e.Values[j], e.Vectors[j]
	}
	e.Values, e.Vectors, e.Angle = values, vectors, math.NaN()
	s.measure(e)
	e.Plan = s.plan
}

// allIfSmall is all pairs where that is less work than a search, nil where it is not. Of a graded pencil they
// are as accurate only if A is semidefinite.
func (s *pencil) allIfSmall(ctx context.Context) (*Eigen, error) {
	if !s.small() || len(s.mass.massless.rows) > 0 {
		return nil, nil
	}
	if !s.scaling.graded() {
		return s.allPairs(ctx)
	}
	e, err := s.allGraded(ctx, 0)
	if indefinite(err) {
		return nil, nil
	}
	return e, err
}

// allPairs solves the whole problem in full arrays.
func (s *pencil) allPairs(ctx context.Context) (*Eigen, error) {
	n := s.n
	s.plan.Solver, s.plan.Reason = "dense", fmt.Sprintf("%d pairs of order %d", s.count, n)
	s.plan.Bytes = 48 * int64(n) * int64(n)
	if err := s.announce(); err != nil {
		return nil, err
	}
	full := s.given.Dense().RawMatrix().Data
	mass := make([]float64, n*n)
	for i := range n {
		mass[i*n+i] = 1
	}
	s.mass.multiply(s.Threads, n, slices.Clone(mass), mass)
	solved := func() (*Eigen, error) {
		values, vectors, rank, err := Generalized(s.Kernels, n, full, mass, n)
		if err != nil {
			return nil, err
		}
		if rank < n {
			return nil, fmt.Errorf("solvers: M is singular within rounding: of rank %d of %d; give a positive definite M", rank, n)
		}
		return &Eigen{Values: values, Vectors: vectors, Converged: true, Next: math.NaN()}, ctx.Err()
	}
	e, err := solved()
	if err != nil || len(s.known) == 0 {
		return e, err
	}
	// Once more, with the null vectors behind the end of the spectrum.
	away := 2*max(math.Abs(e.Values[0]), math.Abs(e.Values[n-1])) + 1
	image := make([]float64, n)
	for _, z := range s.known {
		s.mass.multiply(s.Threads, 1, z, image)
		for i, v := range image {
			blas.Axpy(away*v, image, full[i*n:i*n+n])
		}
	}
	if e, err = solved(); err != nil {
		return nil, err
	}
	left := n - len(s.known)
	e.Values, e.Vectors = e.Values[:left], e.Vectors[:left]
	return e, nil
}

// nearest keeps the pairs nearest to a number.
func (e *Eigen) nearest(sigma float64, count int) *Eigen {
	lo, hi := 0, len(e.Values)
	for hi-lo > count {
		if sigma-e.Values[lo] > e.Values[hi-1]-sigma {
			e.Next, lo = e.Values[lo], lo+1
		} else {
			e.Next, hi = e.Values[hi-1], hi-1
		}
	}
	e.Values, e.Vectors = e.Values[lo:hi], e.Vectors[lo:hi]
	return e
}

// inverted is a pencil in the standard form Cy = λy with the operator (C − σI)⁻¹, for any σ. Vectors y are in the order of elimination:
// for no M, y = x; for a diagonal one, y = M^½x; for a sparse one, M = TTᵀ, y = Tᵀx.
type inverted struct {
	*pencil
	c       *sparse.CSR // what is factorised is c − σd
	d       *sparse.CSR // nil: the identity
	roots   []float64   // of a diagonal M
	half    *sparse.Factor
	work    *sparse.SolveWork
	order   *sparse.CSR // M in the order of elimination
	rows    float64     // |c|
	strict  bool        // solutions are to be as accurate as those with interchanges at will
	counted bool        // the inertia at a shift is to be certain
}

// form analyses the pencil for factorisations at any shift.
func (s *pencil) form(ctx context.Context) (*inverted, error) {
	f := &inverted{pencil: s, c: s.given, work: &sparse.SolveWork{Threads: s.Threads}}
	pattern := s.given
	var err error
	switch {
	case s.mass.matrix != nil:
		f.d = s.mass.matrix
		if pattern, err = sparse.Add(1, f.c, 1, f.d); err != nil {
			return nil, err
		}
		s.analyzed = s.mass.analysisOf(pattern)
	case s.mass.diagonal != nil:
		f.roots = s.roots()
		c := *s.given
		c.Val = make([]float64, len(s.given.Val))
		s.take(8 * int64(len(c.Val)))
		for i := range c.Rows {
			for p := c.Ptr[i]; p < c.Ptr[i+1]; p++ {
				c.Val[p] = s.given.Val[p] / (f.roots[i] * f.roots[c.Col[p]])
			}
		}
		f.c, pattern = &c, &c
	}
	s.a, s.inverted = pattern, s.scaling.graded()
	if err := s.analyze(ctx); err != nil {
		return nil, err
	}
	f.rows = f.c.RowSumNorm()
	s.plan.Solver, s.plan.Reason = "shift-invert lanczos", fmt.Sprintf("order %d, LDLᵀ factorisation of %.2g flops", s.n, s.plan.Flops)
	s.plan.Bytes = s.factorBytes() + 49*int64(s.n) + 8*int64(s.n)*int64(s.wanted)
	if f.d != nil {
		s.plan.Bytes += s.analysis.Bytes() + 2*pattern.Bytes()
	}
	if err := s.announce(); err != nil {
		return nil, err
	}
	if f.d == nil {
		return f, nil
	}
	whole, err := sparse.Add(0, f.c, 1, s.mass.regular())
	if err != nil {
		return nil, err
	}
	f.half, err = s.analysis.Factor(ctx, s.Kernels, s.Threads, whole, 0)
	if err == nil && s.massLater {
		err = f.half.Definite(whole, 0, f.work)
	}
	if err != nil {
		var indefinite *sparse.NotPositiveDefiniteError
		if errors.As(err, &indefinite) {
			return nil, notDefinite(indefinite.Column, indefinite.Pivot, "pivot")
		}
		return nil, err
	}
	f.order = f.d.Permuted(s.analysis.Permutation())
	return f, nil
}

// to returns y for each x, in the order of elimination of a shift's factor.
func (f *shifted) to(vectors [][]float64) [][]float64 {
	switch {
	case f.half != nil:
		return f.mass.transformed(f.half, vectors, f.work)
	case f.roots != nil:
		vectors = times(vectors, f.roots)
	}
	return eliminated(f.permutation(), vectors)
}

// from replaces each y by x.
func (f *shifted) from(vectors [][]float64) [][]float64 {
	if f.half != nil {
		f.turnedBack(vectors)
		return vectors
	}
	restored(f.permutation(), vectors)
	for _, x := range vectors {
		for i, r := range f.roots {
			x[i] /= r
		}
	}
	return vectors
}

// turnedBack is T⁻ᵀ of vectors, eight to a pass over the factor.
func (f *inverted) turnedBack(vectors [][]float64) {
	const most = 8
	block := make([]float64, f.n*min(most, len(vectors)))
	for lo := 0; lo < len(vectors); lo += most {
		some := vectors[lo:min(lo+most, len(vectors))]
		width := len(some)
		for j, y := range some {
			for i, v := range y {
				block[i*width+j] = v
			}
		}
		f.half.SolveUpper(block[:f.n*width], width, f.work)
		for j, y := range some {
			for i := range y {
				y[i] = block[i*width+j]
			}
		}
	}
}

// Pairs finds the count smallest pairs above Sigma, or the nearest to it where eigenvalues lie below, as below a positive
// Sigma they usually do. Only the smallest can be certified.
func (p Pencil) Pairs(ctx context.Context, count int, o Options) (*Eigen, error) {
	if p.Sigma > 0 && !o.Certified {
		return p.Nearest(ctx, count, o)
	}
	e, err := p.Smallest(ctx, count, o)
	if _, inside := errors.AsType[*BelowSigmaError](err); inside && !o.Certified {
		return p.Nearest(ctx, count, o)
	}
	return e, err
}
