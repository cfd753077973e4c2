package eigen

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// soundSolve is the backward error of a solution up to which a factor is taken without pairs of rows, or without refinement;
	// and strictSolve the bound where pairs so found had residuals of more than looseResidual, or were fewer than the counts say.
	soundSolve, strictSolve, looseResidual = 5e-12, 1e-13, 1e-11
	// movedShare times |C| is the first step by which σ is moved off an eigenvalue, and movedSteps how often
	// that is tried, each time sixteen times as far: a multiple eigenvalue leaves weak pivots around it.
	movedShare = 1e-9
	movedSteps = 7
	// certainSteps is how often that is tried where σ is on no eigenvalue, but so near to one that its inertia is not certain.
	certainSteps = 3
	// sharpCount times |C| is the bound on a count up to which no other factor makes it more certain.
	sharpCount = 1e-12
	// insideBasis times the pairs that are wanted is the size of the basis at least: around a shift inside a spectrum
	// eigenvalues are on both sides, and a search that restarts takes more solutions, which there are the larger part of the cost.
	insideBasis = 3
	// onShare times |C| is how near to an eigenvalue σ is on it.
	onShare = 1e-12
)

// shifted is the factor of a pencil at a shift.
type shifted struct {
	*inverted
	sigma   float64 // as it was moved
	inertia sparse.Inertia
	factor  *sparse.Factor // as the analysis orders rows; nil: pairs of rows were needed
	paired  *sparse.LDLT
	loose   bool      // solutions are less accurate than strictSolve
	refined bool      // solutions of the latter are accurate after refinement alone
	usable  bool      // solutions are accurate, and σ is on no eigenvalue
	counts  bool      // and the inertia is certain, or not needed
	even    []float64 // by which rows and columns of a graded pencil were multiplied at this shift, in the order of elimination; nil: by 1
	scratch []float64
}

// at factorises at a shift, which is moved up (side 1) or down (−1) where an eigenvalue is on it.
func (f *inverted) at(ctx context.Context, sigma, side float64) (*shifted, error) {
	step := movedShare * f.rows
	if f.scaling.graded() {
		step = movedShare * max(f.scaling.least, math.Abs(sigma))
	} else if f.half != nil {
		step = movedShare * f.size / f.mass.norm
	}
	if step == 0 {
		step = movedShare
	}
	s := &shifted{inverted: f, sigma: sigma}
	for tried := range movedSteps {
		if err := s.factorize(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil || s.usable && (s.counts || tried >= certainSteps) {
			return s, err
		}
		s.sigma += side * step
		step *= 16
	}
	return nil, fmt.Errorf("solvers: A − σM is singular within rounding for every shift tried from sigma = %.17g to %.17g; give a sigma away from there", f.scaling.outside(sigma), f.scaling.outside(s.sigma))
}

// factorize factorises at the shift: without pairs of rows where that solves as well.
func (s *shifted) factorize(ctx context.Context) error {
	a, shift := s.c, -s.sigma
	if s.d != nil {
		var err error
		if a, err = sparse.Add(1, s.c, -s.sigma, s.d); err != nil {
			return err
		}
		shift = 0
	}
	s.factor, s.paired, s.even = nil, nil, nil
	if s.scaling.graded() {
		even := a.Equilibration()
		a = a.Scaled(even, 1)
		s.even = eliminated(s.analysis.Permutation(), [][]float64{even})[0]
	}
	f, err := s.analysis.FactorIndefinite(ctx, s.Kernels, s.Threads, a, shift, nil)
	if err != nil {
		return err
	}
	s.inertia = f.Inertia(a, shift)
	s.counts = s.inertia.Certain || !s.counted
	if s.inertia.Perturbed == 0 && (s.counts || s.inertia.Bound <= sharpCount*s.rows) {
		s.factor = f
		if sound, on := s.tried(a, shift); sound {
			s.usable = !on && s.inertia.Zero == 0
			return nil
		}
		s.factor = nil
	}
	if s.paired, err = sparse.NewLDLT(ctx, a, shift, sparse.CholeskyOptions{Kernels: s.Kernels, Threads: s.Threads, Memory: s.Memory}); err != nil {
		return err
	}
	if s.inertia, err = s.paired.Inertia(); err != nil {
		return err
	}
	s.counts = s.inertia.Certain || !s.counted
	s.refined = false
	sound, on := s.tried(a, shift)
	if !sound {
		s.refined = true
		sound, on = s.tried(a, shift)
	}
	s.usable = sound && !on && s.inertia.Zero == 0
	return nil
}

// tried solves for a random side: sound reports whether the solution has the backward error of one with interchanges
// at will, and on whether it is so long that σ is on an eigenvalue.
func (s *shifted) tried(a *sparse.CSR, shift float64) (sound, on bool) {
	b := make([]float64, s.n)
	blas.NewStream(s.Seed + 1).Normals(b)
	x, r := append([]float64(nil), b...), make([]float64, s.n)
	if s.factor != nil {
		s.factor.Solve(x, 1, s.work)
	} else if s.refined {
		if _, err := s.paired.Solve(x, 1); err != nil {
			return false, false // a BackwardError: not accurate, or singular
		}
	} else if err := s.paired.SolveUnrefined(x, 1); err != nil {
		return false, false
	}
	a.MulVec(s.Threads, x, r)
	var left, solution, side float64
	for i, v := range b {
		left = max(left, math.Abs(v-r[i]-shift*x[i]))
		solution, side = max(solution, math.Abs(x[i])), max(side, math.Abs(v))
	}
	norm := a.RowSumNorm() + math.Abs(shift)
	// A random side has 1/√n of its length along a vector.
	sufficient := soundSolve
	if s.strict {
		sufficient = strictSolve
	}
	s.loose = left > strictSolve*(norm*solution+side)
	return left <= sufficient*(norm*solution+side), !(math.Sqrt(blas.Dot(x, x)/blas.Dot(b, b)*float64(s.n))*onShare*norm < 1)
}

// permutation is the order of elimination in which a search runs: the order of the factor it solves with, except where M has a factor,
// whose order both then use.
func (s *shifted) permutation() []int32 {
	if s.paired != nil && s.half == nil {
		return s.paired.Permutation()
	}
	return s.analysis.Permutation()
}

// solve replaces x by (c − σd)⁻¹x, in the order of elimination.
func (s *shifted) solve(x []float64, width int) error {
	s.balance(x, width)
	if err := s.solveEven(x, width); err != nil {
		return err
	}
	s.balance(x, width)
	return nil
}

// balance multiplies the rows of a block by what the rows of the factorised matrix were multiplied by.
func (s *shifted) balance(x []float64, width int) {
	for i, d := range s.even {
		blas.Scale(d, x[i*width:(i+1)*width])
	}
}

// solveEven is solve with the matrix as it was factorised.
func (s *shifted) solveEven(x []float64, width int) error {
	if s.factor != nil {
		s.factor.SolveEliminated(x, width, s.work)
		return nil
	}
	if s.half == nil && !s.refined {
		return s.paired.SolveEliminated(x, width)
	}
	perm := s.permutation()
	if len(s.scratch) < len(x) {
		s.scratch = make([]float64, len(x))
	}
	y := s.scratch[:len(x)]
	for k, i := range perm {
		copy(y[int(i)*width:(int(i)+1)*width], x[k*width:])
	}
	var err error
	if s.refined {
		_, err = s.paired.Solve(y, width)
	} else {
		err = s.paired.SolveUnrefined(y, width)
	}
	if err != nil {
		return err
	}
	for k, i := range perm {
		copy(x[k*width:(k+1)*width], y[int(i)*width:])
	}
	return nil
}

// search finds the wanted pairs nearest to the shift, orthogonal to those known, and returns count of them; Next is
// the next where there is one.
func (s *shifted) search(ctx context.Context, known [][]float64, count, wanted int, counted bool) (*Eigen, error) {
	inOrder := *s.problem
	inOrder.null, inOrder.count, inOrder.wanted = orthonormal(s.to(known)), count, wanted
	inOrder.basis = insideBasis * wanted
	limit, keep, most := inOrder.basisRoom()
	var failure error
	product := []float64(nil)
	k := &krylov{
		problem: &inOrder, block: inOrder.block(), limit: limit, keep: keep, most: most, tolerance: s.toleranceOr(ritzTolerance),
		// What was found before may be along the vectors of the same stream.
		random: blas.NewStream(s.Seed + uint64(len(known)-len(s.known))), start: s.to(s.Start), bySize: true,
		apply: func(x []float64, width int) {
			if s.half == nil {
				if err := s.solve(x, width); err != nil && failure == nil {
					failure = err
				}
				return
			}
			if len(product) < len(x) {
				product = make([]float64, len(x))
			}
			y := product[:len(x)]
			s.half.SolveUpperEliminated(x, width, s.work)
			s.order.MulBlock(s.Threads, width, x, y)
			if err := s.solve(y, width); err != nil && failure == nil {
				failure = err
			}
			s.order.MulBlock(s.Threads, width, y, x)
			s.half.SolveLowerEliminated(x, width, s.work)
		},
	}
	theta, vectors, converged, err := k.pairs(ctx, wanted, counted)
	if failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, err
	}
	if len(s.mass.massless.rows) > 0 {
		theta, vectors = withoutInfinite(theta, vectors)
	}
	e := &Eigen{Converged: converged, Solves: k.products, Next: math.NaN()}
	for _, t := range theta {
		e.Values = append(e.Values, s.sigma+1/t)
	}
	if len(e.Values) > count {
		e.Next, e.Values, vectors = e.Values[count], e.Values[:count], vectors[:count]
	}
	e.Vectors = s.from(vectors)
	if s.scaling.graded() || len(s.mass.massless.rows) > 0 {
		return e, s.again(e.Vectors)
	}
	return e, nil
}

// again replaces each x by (A − σM)⁻¹Mx, which is along it and knows the entries of heavy rows, and of rows without mass, from the others.
func (s *shifted) again(vectors [][]float64) error {
	image := make([]float64, s.n)
	for _, x := range vectors {
		s.mass.multiply(s.Threads, 1, x, image)
		y := eliminated(s.permutation(), [][]float64{image})
		if err := s.solve(y[0], 1); err != nil {
			return err
		}
		copy(x, restored(s.permutation(), y)[0])
	}
	return nil
}

// orthonormal makes vectors that nearly are so orthonormal, in their places.
func orthonormal(vectors [][]float64) [][]float64 {
	for j, z := range vectors {
		blas.Orthogonalize(vectors[:j], z)
		blas.Scale(1/math.Sqrt(blas.Dot(z, z)), z)
	}
	return vectors
}
