package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// autoAlpha times the square of the largest eigenvalue is the weight of the
// penalty in nonnegative multidimensional scaling.
const autoAlpha = 0.1

// scaling solves min ‖K − H·diag(s)·Hᵀ‖² for a Gram matrix K; coordinates are
// H·diag(√s). K is scaled to the largest eigenvalue 1 on the way.
func (r multiplicative) scaling(p *problem, a *alignment) (*solution, error) {
	n := p.x.N
	k, err := r.scaled(p, a)
	if err != nil {
		return nil, err
	}
	start, err := r.start(p, k.alignment(a), n)
	if err != nil {
		return nil, err
	}
	o := r.options(p)
	if o.Alpha /= k.largest * k.largest; o.Alpha == 0 {
		o.Alpha = autoAlpha
	}
	p.explain("solve: at most %d multiplicative updates (%s) of %d × %d", r.iterations, r.update, n, p.dim)
	ones := slices.Repeat([]float64{1}, p.dim)
	found, err := solvers.FitNMMS(p.ctx, k.operator, k.square, p.dim, start, ones, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	s := iterated(found)
	h, weights := found.U, found.S
	if r.round {
		rounded, err := r.rounded(p, k.operator, found, s)
		if err != nil {
			return nil, err
		}
		h = rounded.U
		// With HᵀH = I the best weights are what is positive of diag(HᵀKH).
		left := k.square
		for q, v := range rounded.Values {
			weights[q] = max(v, 0)
			left -= weights[q] * weights[q]
		}
		p.details["rounded_objective"] = left * k.largest * k.largest
	}
	for i := range s.objective {
		s.objective[i] *= k.largest * k.largest
	}
	p.details["squared_norm"] = k.square * k.largest * k.largest
	blas.Scale(k.largest, weights)
	p.details["s"] = weights
	s.y = mat.NewDense(n, p.dim, h)
	for i := range n {
		row := s.y.RawRowView(i)
		for q, w := range weights {
			row[q] *= math.Sqrt(w)
		}
	}
	return s, p.ctx.Err()
}

// scaledGram is K over its largest eigenvalue.
type scaledGram struct {
	operator solvers.Signed
	dense    *denseProblem // nil: K is not stored
	largest  float64
	square   float64 // ‖K‖²_F after scaling
}

// alignment is a for starts, with K scaled.
func (k *scaledGram) alignment(a *alignment) *alignment {
	return &alignment{gram: a.gram, dense: k.dense}
}

func (r multiplicative) scaled(p *problem, a *alignment) (*scaledGram, error) {
	k := &scaledGram{dense: a.dense}
	n, m := p.x.N, p.x.M
	entries := a.gram.smaller(p, a.dense)
	order := int(math.Sqrt(float64(len(entries))))
	_, high, err := r.spectrum(p, &alignment{dense: &denseProblem{order: order, q: entries}}, order)
	if err != nil {
		return nil, err
	}
	if !(high > 0) || p.allEqual() {
		return nil, p.nothingToEmbed()
	}
	k.largest = high
	for i := range order {
		row := entries[i*order : (i+1)*order]
		k.square += blas.Dot(row, row) / (high * high)
	}
	if a.dense != nil {
		blas.Scale(1/high, a.dense.q)
		k.operator, err = solvers.SignedDense(n, a.dense.q, false, 0)
		return k, err
	}
	blas.Scale(1/math.Sqrt(high), a.gram.centred)
	k.operator, err = solvers.SignedGram(p.kernels, n, m, a.gram.centred)
	return k, err
}

// smaller is K itself where it is stored, else XcᵀXc, which has the same nonzero
// eigenvalues and the same norm.
func (g *gram) smaller(p *problem, k *denseProblem) []float64 {
	if k != nil {
		return k.q
	}
	return p.gramOf(g.centred, p.x.N, p.x.M, true)
}

// barycentricOfAll is the extendRule of methods without neighbourhoods whose
// coordinates are no projection: by barycentric weights on the k nearest samples.
func barycentricOfAll(k int) extendRule {
	return func(p *problem, _ *alignment, s *solution) (*extension, error) {
		return byNeighbours(p.x, s.y, min(k, p.x.N), barycentricGamma), nil
	}
}
