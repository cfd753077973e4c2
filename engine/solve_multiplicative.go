package engine

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// multiplicative solves max tr(UᵀCU) under U ≥ 0, UᵀU = I by multiplicative
// updates, with C = Φ + σI of an alignment Φ or, where that is to be made small,
// C = σI − Φ.
type multiplicative struct {
	update     string // paper, penalty or printed
	sigma      *float64
	alpha      *float64
	init       string // random or spectral
	iterations int
	tolerance  *float64
	normalise  bool
	round      bool

	minimise bool
	margin   float64 // σ=auto of a minimisation: so many times the largest eigenvalue
}

// normMargin makes an estimate of the largest eigenvalue a bound.
const normMargin = 1.01

// embedding takes U, or D^−½U of a normalised alignment, for the coordinates.
func (r multiplicative) embedding(p *problem, a *alignment) (*solution, error) {
	s, u, err := r.solve(p, a, p.x.N)
	if err != nil {
		return nil, err
	}
	if a.scale != nil {
		for i, f := range a.scale {
			blas.Scale(f, u.RawRowView(i))
		}
	}
	s.y = u
	return s, nil
}

// projection takes XU, or XcU where the alignment is centred.
func (r multiplicative) projection(p *problem, a *alignment) (*solution, error) {
	s, u, err := r.solve(p, a, p.x.M)
	if err != nil {
		return nil, err
	}
	var mean []float64
	if a.gram != nil {
		mean = a.gram.mean
	}
	return s, s.project(p, mean, u)
}

// solve runs the updates on a problem of the given order.
func (r multiplicative) solve(p *problem, a *alignment, order int) (*solution, *mat.Dense, error) {
	if a.dense != nil && p.allEqual() {
		return nil, nil, p.nothingToEmbed()
	}
	low, high, err := r.spectrum(p, a, order)
	if err != nil {
		return nil, nil, err
	}
	if max(math.Abs(low), math.Abs(high)) == 0 {
		return nil, nil, p.nothingToEmbed()
	}
	start, err := r.start(p, a, order)
	if err != nil {
		return nil, nil, err
	}
	sigma := r.shift(p, a, high)
	p.details["sigma"] = sigma
	operator, err := r.operator(a, sigma)
	if err != nil {
		return nil, nil, err
	}
	o := r.options(p)
	o.Norm = normMargin * max(math.Abs(low+sigma), math.Abs(high+sigma))
	if r.minimise {
		o.Norm = normMargin * max(math.Abs(sigma-low), math.Abs(sigma-high))
	}
	p.explain("solve: at most %d multiplicative updates (%s) of %d × %d, σ = %.4g", r.iterations, r.update, order, p.dim, sigma)
	found, err := solvers.Maximize(p.ctx, operator, p.dim, start, o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	s := iterated(found)
	u := mat.NewDense(order, p.dim, found.U)
	if r.round {
		rounded, err := r.rounded(p, operator, found, s)
		if err != nil {
			return nil, nil, err
		}
		u = mat.NewDense(order, p.dim, rounded.U)
		p.details["rounded_objective"] = rounded.Trace
	}
	return s, u, p.ctx.Err()
}

// allEqual tells whether there is but one distinct sample: centred, it would be
// rounding that is left.
func (p *problem) allEqual() bool {
	for i := 1; i < p.x.N; i++ {
		if !equalRows(p.x.Row(0), p.x.Row(i)) {
			return false
		}
	}
	return true
}

func (p *problem) nothingToEmbed() error {
	return fmt.Errorf("%s: all samples are equal; there is nothing to embed", p.name)
}

// iterated is the solution of an iteration but for its coordinates.
func iterated(r *solvers.Nonnegative) *solution {
	return &solution{next: math.NaN(), angle: math.NaN(), converged: r.Converged,
		objective: r.Objective, orthogonality: r.Orthogonality[len(r.Orthogonality)-1], iterations: r.Iterations}
}

// rounded makes the factor exactly feasible.
func (r multiplicative) rounded(p *problem, operator solvers.Signed, found *solvers.Nonnegative, s *solution) (*solvers.Rounded, error) {
	rounded, err := solvers.Round(p.ctx, operator, p.dim, found.U, p.options.Threads, p.options.Seed)
	if err != nil {
		return nil, err
	}
	for _, q := range rounded.Empty {
		p.warn("coordinate %d has no row left after rounding and is zero; take a smaller dim or another seed", q+1)
	}
	p.details["orthogonality_before_rounding"] = s.orthogonality
	s.orthogonality = orthogonalityOf(rounded.U, p.dim)
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

func (r multiplicative) options(p *problem) solvers.Multiplicative {
	o := solvers.Multiplicative{Update: r.update, Iterations: r.iterations, Tolerance: *r.tolerance,
		Threads: p.options.Threads, Progress: p.fraction("solve")}
	switch {
	case r.update == "printed":
		// What is printed as a minimisation is the rule of the maximum of −Φ.
		o.Update, o.Normalize = solvers.UpdatePaper, r.normalise
	case r.normalise:
		p.warn("normalise is for update=printed: it does nothing")
	}
	if r.alpha != nil {
		if r.update != solvers.UpdatePenalty {
			p.warn("alpha is for update=penalty: it does nothing")
		}
		o.Alpha = *r.alpha
	}
	return o
}

// shift returns σ.
func (r multiplicative) shift(p *problem, a *alignment, largest float64) float64 {
	switch {
	case r.update == "printed" && r.minimise:
		if r.sigma != nil {
			p.warn("the printed update has no shift: sigma does nothing")
		}
		return 0
	case r.sigma != nil:
		return *r.sigma
	case !r.minimise:
		return 0
	case a.laplacian:
		return 1
	}
	return r.margin * normMargin * largest
}

// operator is C.
func (r multiplicative) operator(a *alignment, sigma float64) (solvers.Signed, error) {
	if a.dense != nil {
		return solvers.SignedDense(a.dense.order, a.dense.q, r.minimise, sigma)
	}
	return solvers.SignedSparse(a.phi, r.minimise, sigma)
}

// spectrum estimates the ends of the spectrum of Φ.
func (r multiplicative) spectrum(p *problem, a *alignment, order int) (low, high float64, err error) {
	if a.laplacian && r.update != solvers.UpdatePenalty {
		return 0, 2, nil // bounds, of which nothing depends
	}
	multiply := func(x, y []float64) { a.phi.MulVec(p.options.Threads, x, y) }
	if a.dense != nil {
		multiply = func(x, y []float64) {
			_ = blas.For(p.ctx, p.options.Threads, order, denseRows, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					y[i] = blas.Dot(a.dense.q[i*order:(i+1)*order], x)
				}
			})
		}
	}
	return solvers.SpectrumEnds(p.ctx, order, p.options.Seed, multiply)
}

// denseRows is the number of rows of a dense matrix that a worker takes at a time.
const denseRows = 64
