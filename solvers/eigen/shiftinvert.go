package eigen

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// shiftScale sets ε = shiftScale·max aᵢᵢ, by which A is made definite: large
	// enough for the factorisation to succeed nearly always, and small, since the
	// inverse does not separate eigenvalues below it.
	shiftScale = 1e-14
	// ritzTolerance bounds the residual of a wanted pair of the inverse operator,
	// relative to its eigenvalue.
	ritzTolerance = 1e-10
)

// shiftInvert is block Lanczos on (A + εI)⁻¹ (Ericsson and Ruhe 1980; Grimes,
// Lewis and Simon 1994). The basis stays small: some 120 vectors, or twice those that
// are wanted.
func (p *problem) shiftInvert(ctx context.Context) (*Eigen, error) {
	p.plan.Bytes = p.factorBytes()
	if err := p.announce(); err != nil {
		return nil, err
	}
	random := blas.NewStream(p.Seed)
	var first []float64
	var inverse *sparse.Factor
	var err error
	// The first block is drawn on one thread, at the same time.
	failed := blas.For(ctx, p.Threads, 2, 1, func(_, part, _ int) {
		if part == 0 {
			first = pages.Make[float64](p.n * p.block())
			normals(random, first, p.block(), min(p.block(), p.n-len(p.null)))
		} else {
			inverse, err = p.factor(ctx)
		}
	})
	p.Storage = nil
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	fold := p.Own && p.a.NNZ() >= folded
	if fold {
		p.a.Fold()
	}
	e, err := p.invert(ctx, inverse, random, first)
	if fold {
		pages.ReleaseUnused(p.factorBytes())
		p.a.Unfold()
	} else {
		pages.Reuse(p.factorBytes())
	}
	return e, err
}

// folded is the number of entries from which a matrix is folded while its factor is there.
const folded = 4e6

// invert is [problem.shiftInvert] once the factor is there. random has drawn the first block.
func (p *problem) invert(ctx context.Context, inverse *sparse.Factor, random *blas.Stream, first []float64) (*Eigen, error) {
	p.Progress(0.5)
	pages.Reuse(p.factorBytes()) // what the factorisation worked with
	p.inverted = true
	work := sparse.SolveWork{Threads: p.Threads}
	limit, keep, most := p.basisRoom()
	// The search runs in the order of elimination, in which a solve meets memory in order.
	perm, inOrder := p.analysis.Permutation(), *p
	inOrder.null = eliminated(perm, p.null)
	k := &krylov{
		problem: &inOrder, block: p.block(), limit: limit, keep: keep, most: most, tolerance: p.toleranceOr(ritzTolerance),
		random: random, next: first, drawn: true, start: eliminated(perm, p.start),
		apply: func(x []float64, width int) { inverse.SolveEliminated(x, width, &work) },
	}
	if p.sigma == 0 && p.Factored != nil { // a refinement may follow
		k.further = (p.wanted+refineGuard+k.block-1)/k.block*k.block - p.wanted
	}
	theta, vectors, converged, err := k.pairs(ctx, p.wanted, false)
	if err != nil {
		return nil, err
	}
	e := &Eigen{Converged: converged, Solves: k.products}
	for _, t := range theta {
		e.Values = append(e.Values, 1/t-p.shift)
	}
	searched := 8 * int64(p.n) * int64(k.products)
	if k.further > 0 && p.atRoundingLevel(e) {
		e.Vectors = restored(perm, append(vectors, k.beyond...))
		pages.ReleaseUnused(searched)
		return e, p.refine(ctx, inverse, &work, k, e)
	}
	e.Vectors = restored(perm, vectors)
	return e, nil
}

// eliminated returns copies of vectors in the order of elimination.
func eliminated(perm []int32, vectors [][]float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for j, v := range vectors {
		out[j] = make([]float64, len(v))
		for k, i := range perm {
			out[j][k] = v[i]
		}
	}
	return out
}

// restored brings vectors back into the order of the matrix, in their places.
func restored(perm []int32, vectors [][]float64) [][]float64 {
	if len(vectors) == 0 {
		return vectors
	}
	ordered := make([]float64, len(perm))
	for _, v := range vectors {
		copy(ordered, v)
		for k, i := range perm {
			v[i] = ordered[k]
		}
	}
	return vectors
}

// block is the number of vectors treated at a time: solves with four and eight
// right-hand sides cost far less a vector than single ones, and as many copies
// of a repeated eigenvalue are found at once.
func (p *problem) block() int {
	if p.wanted > 6 {
		return 8
	}
	return 4
}

const (
	// fewestBasis is the size up to which a basis grows, however few pairs are wanted.
	fewestBasis = 120
	// maxSolves and solvesPerPair bound a search that does not converge.
	maxSolves     = 3000
	solvesPerPair = 100
)

// basisRoom is the size at which the basis restarts, no more than the limit of memory
// allows, the vectors that survive, and the most solves. Twice the pairs are enough: a
// larger basis takes more memory, and longer to orthogonalise, than it saves in solves.
func (p *problem) basisRoom() (limit, keep, most int) {
	limit = min(p.n-len(p.null), max(fewestBasis, p.basis, 2*(p.wanted+p.block())))
	if p.Memory > 0 {
		further := max(p.Memory-p.factorBytes(), 0) / (8 * int64(p.n))
		limit = min(limit, p.minBasis()-2*p.block()+int(min(further, int64(limit))))
	}
	return limit, p.wanted + (limit-p.wanted)/3, max(maxSolves, solvesPerPair*p.wanted)
}

// minBasis is the number of vectors of a basis that any search is given.
func (p *problem) minBasis() int {
	return (2*p.wanted/p.block() + 5) * p.block()
}

// factor computes the Cholesky factor of A + εI, raising ε where rounding in A
// has made it indefinite beyond the usual one.
func (p *problem) factor(ctx context.Context) (*sparse.Factor, error) {
	var largest float64
	for i := range p.a.Rows {
		largest = max(largest, math.Abs(p.a.At(i, i)-p.sigma))
	}
	if largest == 0 {
		largest = 1
	}
	for definite := shiftScale * largest; ; definite *= 100 {
		p.shift = definite - p.sigma
		var report func(int, float64)
		if p.Factoring != nil {
			report = func(columns int, share float64) { p.Factoring(columns, p.n, share) }
		}
		f, err := p.analysis.FactorWithProgress(ctx, p.Kernels, p.Threads, p.a, p.shift, p.Storage, report)
		var indefinite *sparse.NotPositiveDefiniteError
		if !errors.As(err, &indefinite) {
			return f, err
		}
		if definite > 1e-7*largest {
			return nil, err
		}
	}
}

// atRoundingLevel reports whether the smallest eigenvalue is below what the stored
// matrix can know of it.
func (p *problem) atRoundingLevel(e *Eigen) bool {
	return len(e.Values) > 0 && e.Values[0] < RoundingLevel*p.norm
}

// RoundingLevel times |A| is the size under which rounding in the stored matrix A
// shows in an eigenvalue: about a tenth of its value there, while the span of the
// wanted vectors, which the gap behind them decides, is still sound.
const RoundingLevel = 10 * 0x1p-52
