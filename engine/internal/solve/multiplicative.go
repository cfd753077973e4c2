package solve

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// Multiplicative solves max tr(UᵀCU) under U ≥ 0, UᵀU = I by projected gradients or
// multiplicative updates. C = Φ + σI for an alignment Φ to be maximised, and C = σI − Φ for
// one to be minimised.
type Multiplicative struct {
	Dim        int
	Update     string // gradient, paper, penalty or printed
	Sigma      *float64
	Alpha      *float64
	Init       string   // random or spectral
	Iterations int      // 0: the default of the rule
	Tolerance  *float64 // nil: the default of the rule
	Normalize  bool
	Round      bool

	Minimize bool
	Margin   float64 // for σ=auto of a minimisation: σ is this multiple of the largest eigenvalue
}

// target is Φ in the form that the updates use.
type target struct {
	order  int
	unit   run.Unit   // of Φ
	q      []float64  // both triangles; nil: Φ is not dense
	sum    *align.Sum // nil: Φ is not a sparse sum
	factor []float64  // order × m, of a dense Φ kept in factored form; nil: it is not
}

// rivals are the penalties, in norms of Φ, from which projections that minimise Φ are also
// searched: that problem has many local minima, and is small.
var rivals = []float64{0.125, 1, 8}

// laplacian reports whether Φ is a normalised graph Laplacian.
func (t target) laplacian() bool { return t.sum != nil && t.sum.Laplacian }

// normMargin turns an estimate of the largest eigenvalue into a bound.
const normMargin = 1.01

// Embedding returns U, or D^−½U for a normalised alignment, as the coordinates.
func (r Multiplicative) Embedding(in Input, a *align.Sum) (*Solution, error) {
	s, u, err := r.solve(in, target{order: in.X.N(), sum: a})
	if err != nil {
		return nil, err
	}
	for i, f := range a.Scale {
		blas.Scale(f, u.RawRowView(i))
	}
	s.Y = u
	return s, nil
}

// Projection returns XU, or XcU if the alignment is centred.
func (r Multiplicative) Projection(in Input, a *align.Projection) (*Projected, error) {
	s, u, err := r.solve(in, target{order: a.Order, unit: run.Square, q: a.Q})
	if err != nil {
		return nil, err
	}
	found := &Projected{Solution: s}
	return found, found.project(in, a.Mean, u)
}

// solve runs the updates.
func (r Multiplicative) solve(in Input, a target) (*Solution, *mat.Dense, error) {
	if a.q != nil && in.X.AllEqual() {
		return nil, nil, nothingToEmbed(in)
	}
	low, high, err := r.spectrum(in, a)
	if err != nil {
		return nil, nil, err
	}
	if max(math.Abs(low), math.Abs(high)) == 0 {
		return nil, nil, nothingToEmbed(in)
	}
	start, err := r.start(in, a)
	if err != nil {
		return nil, nil, err
	}
	sigma := r.shift(in, a, high)
	run.Measure(in.Run, "sigma", a.unit, sigma)
	operator, err := r.operator(in, a, sigma)
	if err != nil {
		return nil, nil, err
	}
	o := r.options(in)
	o.Spectral = max(math.Abs(low), math.Abs(high))
	o.Norm = normMargin * max(math.Abs(low+sigma), math.Abs(high+sigma))
	if r.Minimize {
		o.Norm = normMargin * max(math.Abs(sigma-low), math.Abs(sigma-high))
	}
	if a.q != nil && r.Minimize {
		o.Rivals = rivals
	}
	in.Explain("solve: at most %d updates (%s) of %d × %d, σ = %.4g", o.Iterations, r.Update, a.order, r.Dim, sigma)
	found, err := nonnegative.Maximize(in.Context(), operator, r.Dim, start, o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Method(), err)
	}
	s := iterated(in, found, o.Iterations, a.unit, 1)
	u := mat.NewDense(a.order, r.Dim, found.U)
	if r.Round {
		rounded, err := r.rounded(in, operator, found, s)
		if err != nil {
			return nil, nil, err
		}
		u = mat.NewDense(a.order, r.Dim, rounded.U)
		run.Measure(in.Run, "rounded_objective", a.unit, rounded.Trace)
	}
	return s, u, in.Err()
}

func nothingToEmbed(in Input) error {
	return fmt.Errorf("%s: all samples are equal, or their neighbours have weight 0 (a larger t helps); there is nothing to embed", in.Method())
}

// iterated returns the solution of an iteration without its coordinates. The objective has the given
// unit, and was divided by scale.
func iterated(in Input, r *nonnegative.Nonnegative, most int, unit run.Unit, scale float64) *Solution {
	if !r.Converged && r.Iterations < most {
		in.Warn("after %d iterations the objective falls by less than its rounding error, at a residual of %.1e", r.Iterations, r.KKT)
	}
	if n := len(r.Penalized); n > 0 {
		run.Measure(in.Run, "alpha", unit, r.Alpha*scale)
		run.Measure(in.Run, "penalised", unit, r.Penalized[n-1]*scale)
	}
	return &Solution{Next: math.NaN(), Angle: math.NaN(), Converged: r.Converged, KKT: r.KKT,
		Objective: r.Objective, Orthogonality: r.Orthogonality[len(r.Orthogonality)-1], Iterations: r.Iterations}
}

// rounded makes the factor exactly feasible.
func (r Multiplicative) rounded(in Input, operator nonnegative.Signed, found *nonnegative.Nonnegative, s *Solution) (*nonnegative.Rounded, error) {
	rounded, err := nonnegative.Round(in.Context(), operator, r.Dim, found.U, in.Threads(), in.Seed())
	if err != nil {
		return nil, err
	}
	for _, q := range rounded.Empty {
		in.Warn("coordinate %d has no row left after rounding and is zero; take a smaller dim or another seed", q+1)
	}
	in.Note("orthogonality_before_rounding", s.Orthogonality)
	s.Orthogonality = orthogonalityOf(rounded.U, r.Dim)
	return rounded, nil
}

// orthogonalityOf returns ‖UᵀU − I‖_F.
func orthogonalityOf(u []float64, dim int) float64 {
	gram := make([]float64, dim*dim)
	for at := 0; at < len(u); at += dim {
		for q, v := range u[at : at+dim] {
			blas.Axpy(v, u[at:at+dim], gram[q*dim:(q+1)*dim])
		}
	}
	for q := range dim {
		gram[q*dim+q]--
	}
	return math.Sqrt(blas.Dot(gram, gram))
}

// operator returns C.
func (r Multiplicative) operator(in Input, a target, sigma float64) (nonnegative.Signed, error) {
	if a.q != nil {
		return nonnegative.SignedDense(a.order, a.q, r.Minimize, sigma)
	}
	// The entries by sign, the factor, and the six panels, with columns rounded up,
	// that the gradient method keeps.
	bytes := a.sum.Phi.Bytes() + int64(a.order)*int64(28+8*8*(r.Dim+3))
	if err := in.Fit(bytes, fmt.Sprintf("updates of %d × %d need", a.order, r.Dim), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	return nonnegative.SignedSparse(a.sum.Phi, r.Minimize, sigma)
}

// spectrum estimates the extreme eigenvalues of Φ.
func (r Multiplicative) spectrum(in Input, a target) (low, high float64, err error) {
	if a.laplacian() && r.Update != nonnegative.UpdatePenalty && r.Update != nonnegative.UpdateGradient {
		return 0, 2, nil // bounds; nothing depends on them
	}
	multiply := func(x, y []float64) { a.sum.Phi.MulVec(in.Threads(), x, y) }
	if a.q != nil {
		multiply = func(x, y []float64) {
			_ = blas.For(in.Context(), in.Threads(), a.order, denseRows, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					y[i] = blas.Dot(a.q[i*a.order:(i+1)*a.order], x)
				}
			})
		}
	}
	seed := in.Seed()
	if r.Update == nonnegative.UpdateGradient {
		seed = 1 // α=auto must not depend on the seed of the start
	}
	return eigen.SpectrumEnds(in.Context(), a.order, seed, multiply)
}

// denseRows is the number of rows of a dense matrix that a worker processes at a time.
const denseRows = 64

// The defaults of each rule. A multiplicative one is mostly stopped early.
const (
	gradientIterations, gradientTolerance             = 20_000, 1e-3
	multiplicativeIterations, multiplicativeTolerance = 500, 1e-6
)

func (r Multiplicative) options(in Input) nonnegative.Multiplicative {
	o := nonnegative.Multiplicative{Update: r.Update, Iterations: multiplicativeIterations, Tolerance: multiplicativeTolerance,
		Threads: in.Threads()}
	if r.Update == nonnegative.UpdateGradient {
		o.Iterations, o.Tolerance = gradientIterations, gradientTolerance
	}
	if r.Iterations > 0 {
		o.Iterations = r.Iterations
	}
	if r.Tolerance != nil {
		o.Tolerance = *r.Tolerance
	}
	o.Progress, o.Watch = in.Iterating("solve", o.Iterations)
	switch {
	case r.Update == "printed":
		// The minimisation printed in the paper is the rule for the maximum of −Φ.
		o.Update, o.Normalize = nonnegative.UpdatePaper, r.Normalize
	case r.Normalize:
		in.Warn("‹normalise› is for ‹update=printed›: it does nothing")
	}
	if r.Alpha != nil {
		if r.Update != nonnegative.UpdatePenalty && r.Update != nonnegative.UpdateGradient {
			in.Warn("‹overlap_penalty› is for ‹update=gradient› and ‹update=penalty›: it does nothing")
		}
		o.Alpha = *r.Alpha
	}
	return o
}

// shift returns σ.
func (r Multiplicative) shift(in Input, a target, largest float64) float64 {
	switch {
	case r.Update == "printed" && r.Minimize:
		if r.Sigma != nil {
			in.Warn("the printed update has no shift: ‹sigma› does nothing")
		}
		return 0
	case r.Update == nonnegative.UpdateGradient:
		if r.Sigma != nil {
			in.Warn("‹update=gradient› has no shift: ‹sigma› does nothing")
		}
		return 0
	case r.Sigma != nil:
		return *r.Sigma
	case !r.Minimize:
		return 0
	case a.laplacian():
		return 1
	}
	return r.Margin * normMargin * largest
}

// start returns the first factor, order × dim, with nonnegative entries.
func (r Multiplicative) start(in Input, a target) ([]float64, error) {
	if in.Start != nil {
		return r.givenStart(in, a.order)
	}
	if r.Init != "spectral" {
		u := make([]float64, a.order*r.Dim)
		// A separate stream: generated data may have been drawn from the same seed, and the
		// start must not depend on them.
		blas.NewStream(blas.NewStream(in.Seed()).Uint64()).Uniforms(u)
		for i, v := range u {
			u[i] = 0.1 + 0.9*v
		}
		unitColumns(u, r.Dim)
		return u, nil
	}
	vectors, err := r.leading(in, a)
	if err != nil {
		return nil, err
	}
	return positiveParts(vectors, a.order), nil
}

// givenStart checks and returns the given start.
func (r Multiplicative) givenStart(in Input, order int) ([]float64, error) {
	rows, cols := in.Start.Dims()
	if rows != order || cols != r.Dim {
		return nil, fmt.Errorf("%s: the start is %d × %d; give %d × %d, the order of the problem and dim", in.Method(), rows, cols, order, r.Dim)
	}
	u := slices.Clone(mat.DenseCopyOf(in.Start).RawMatrix().Data)
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the start is %v; give finite numbers ≥ 0", in.Method(), i/cols+1, i%cols+1, v)
		}
	}
	return u, nil
}

// positiveParts returns the start from eigenvectors of unit length: their positive
// parts plus 0.2, with signs that make the largest entry positive. Vectors are first
// scaled to root mean square 1, so that 0.2 has the same weight for every order.
func positiveParts(vectors [][]float64, order int) []float64 {
	dim := len(vectors)
	u := make([]float64, order*dim)
	for q, v := range vectors {
		vector.FixSign(v)
		for i, x := range v {
			u[i*dim+q] = max(x*math.Sqrt(float64(order)), 0) + 0.2
		}
	}
	unitColumns(u, dim)
	return u
}

// leading returns the eigenvectors for the largest eigenvalues of C, which are the smallest
// of Φ in a minimisation.
func (r Multiplicative) leading(in Input, a target) ([][]float64, error) {
	if a.q != nil {
		return r.leadingDense(in, a.q, a.order)
	}
	if a.factor != nil {
		m := in.X.M()
		vectors, err := r.leadingDense(in, align.GramOf(in.Run, a.factor, a.order, m, true), m)
		for q, v := range vectors {
			if vectors[q] = make([]float64, a.order); v == nil {
				continue
			}
			in.Kernels().Gemv(false, a.order, m, 1, a.factor, m, v, 0, vectors[q])
			if !vector.IsZero(vectors[q]) {
				vector.Normalize(vectors[q])
			}
		}
		return vectors, err
	}
	vectors := [][]float64{slices.Clone(a.sum.Null)}
	if r.Dim == 1 {
		return vectors, nil
	}
	o := eigen.Options{Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Memory: in.Remaining(),
		Laplacian: a.laplacian(), Columns: in.X.M(), Trusted: true, Planned: func(plan eigen.Plan) { in.Exceeds(plan.Bytes) }}
	if a.laplacian() {
		o.Bound = 2
	}
	e, err := eigen.Smallest(in.Context(), a.sum.Phi, [][]float64{a.sum.Null}, r.Dim-1, o)
	if err != nil {
		return nil, in.WrapMemoryError(err)
	}
	return append(vectors, e.Vectors...), nil
}

// leadingDense is leading for a full matrix; vectors beyond its order are nil.
func (r Multiplicative) leadingDense(in Input, matrix []float64, order int) ([][]float64, error) {
	if err := in.Fit(28*int64(order)*int64(order), fmt.Sprintf("a start by the eigenvectors of order %d needs", order), "take ‹init=random›, or raise the limit"); err != nil {
		return nil, err
	}
	work, count := slices.Clone(matrix[:order*order]), min(r.Dim, order)
	values, rows := make([]float64, count), make([]float64, count*order)
	from := order - count
	if r.Minimize {
		from = 0
	}
	if err := in.Kernels().SymEigRange(order, from, from+count, work, order, values, rows, order, new(blas.Work)); err != nil {
		return nil, err
	}
	vectors := make([][]float64, r.Dim)
	for q := range count {
		at := q
		if !r.Minimize {
			at = count - 1 - q // descending
		}
		vectors[q] = rows[at*order : (at+1)*order]
	}
	return vectors, nil
}

// unitColumns scales the columns of a row-major matrix to unit length.
func unitColumns(u []float64, dim int) {
	norms := make([]float64, dim)
	for i, v := range u {
		norms[i%dim] += v * v
	}
	for i := range u {
		u[i] /= math.Sqrt(norms[i%dim])
	}
}
