package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/solvers"
)

// Multiplicative solves max tr(UᵀCU) under U ≥ 0, UᵀU = I by projected gradients or
// multiplicative updates, with C = Φ + σI of an alignment Φ or, where that is to be made small,
// C = σI − Φ.
type Multiplicative struct {
	Dim        int
	Update     string // gradient, paper, penalty or printed
	Sigma      *float64
	Alpha      *float64
	Init       string   // random or spectral
	Iterations int      // 0: what the rule needs
	Tolerance  *float64 // nil: what the rule needs
	Normalize  bool
	Round      bool

	Minimize bool
	Margin   float64 // σ=auto of a minimisation: so many times the largest eigenvalue
}

// target is Φ as the updates see it.
type target struct {
	order  int
	q      []float64  // both triangles; nil: Φ is not dense
	sum    *align.Sum // nil: Φ is no sparse sum
	factor []float64  // order × m, of a dense Φ that is left in this factor; nil: it is not
}

// rivals are the penalties, in norms of Φ, from which directions that make it small are
// searched for besides: that problem has many local minima, and is small.
var rivals = []float64{0.125, 1, 8}

// laplacian tells whether Φ is a normalised graph Laplacian.
func (t target) laplacian() bool { return t.sum != nil && t.sum.Laplacian }

// normMargin makes an estimate of the largest eigenvalue a bound.
const normMargin = 1.01

// Embedding takes U, or D^−½U of a normalised alignment, for the coordinates.
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

// Projection takes XU, or XcU where the alignment is centred.
func (r Multiplicative) Projection(in Input, a *align.Projection) (*Projected, error) {
	s, u, err := r.solve(in, target{order: a.Order, q: a.Q})
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
	in.Note("sigma", sigma)
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
	found, err := solvers.Maximize(in.Context(), operator, r.Dim, start, o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Method(), err)
	}
	s := iterated(in, found, o.Iterations, 1)
	u := mat.NewDense(a.order, r.Dim, found.U)
	if r.Round {
		rounded, err := r.rounded(in, operator, found, s)
		if err != nil {
			return nil, nil, err
		}
		u = mat.NewDense(a.order, r.Dim, rounded.U)
		in.Note("rounded_objective", rounded.Trace)
	}
	return s, u, in.Err()
}

func nothingToEmbed(in Input) error {
	return fmt.Errorf("%s: all samples are equal, or their neighbours have weight 0 (a larger t helps); there is nothing to embed", in.Method())
}

// iterated is the solution of an iteration but for its coordinates; its penalised objective
// is in that unit.
func iterated(in Input, r *solvers.Nonnegative, most int, unit float64) *Solution {
	if !r.Converged && r.Iterations < most {
		in.Warn("after %d iterations the objective falls no further than it is rounded, at a residual of %.1e", r.Iterations, r.KKT)
	}
	if n := len(r.Penalized); n > 0 {
		in.Note("alpha", r.Alpha*unit)
		in.Note("penalised", r.Penalized[n-1]*unit)
	}
	return &Solution{Next: math.NaN(), Angle: math.NaN(), Converged: r.Converged, KKT: r.KKT,
		Objective: r.Objective, Orthogonality: r.Orthogonality[len(r.Orthogonality)-1], Iterations: r.Iterations}
}

// rounded makes the factor exactly feasible.
func (r Multiplicative) rounded(in Input, operator solvers.Signed, found *solvers.Nonnegative, s *Solution) (*solvers.Rounded, error) {
	rounded, err := solvers.Round(in.Context(), operator, r.Dim, found.U, in.Threads(), in.Seed())
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

// orthogonalityOf is ‖UᵀU − I‖_F.
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

// operator is C.
func (r Multiplicative) operator(in Input, a target, sigma float64) (solvers.Signed, error) {
	if a.q != nil {
		return solvers.SignedDense(a.order, a.q, r.Minimize, sigma)
	}
	// The entries by their sign, the factor, and the six panels, of columns rounded up,
	// that a gradient keeps of it.
	bytes := a.sum.Phi.Bytes() + int64(a.order)*int64(28+8*8*(r.Dim+3))
	if err := in.Fit(bytes, fmt.Sprintf("updates of %d × %d need", a.order, r.Dim), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	return solvers.SignedSparse(a.sum.Phi, r.Minimize, sigma)
}

// spectrum estimates the ends of the spectrum of Φ.
func (r Multiplicative) spectrum(in Input, a target) (low, high float64, err error) {
	if a.laplacian() && r.Update != solvers.UpdatePenalty && r.Update != solvers.UpdateGradient {
		return 0, 2, nil // bounds, of which nothing depends
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
	if r.Update == solvers.UpdateGradient {
		seed = 1 // α=auto is a matter of the data, not of the start
	}
	return solvers.SpectrumEnds(in.Context(), a.order, seed, multiply)
}

// denseRows is the number of rows of a dense matrix that a worker takes at a time.
const denseRows = 64
