package neml

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// local is a neighbourhood as the paper writes it: G, m × k, holds the differences of the
// neighbours from the sample, a column each. Its spectrum comes from gonum's singular
// values, not from the engine's patches, so that what is measured here is a second witness.
type local struct {
	k, d    int
	g       *mat.Dense // m × k
	v       *mat.Dense // k × k, the right singular vectors, falling singular values
	lambda  []float64  // k squares of the singular values, 0 past the rank
	squares float64    // ‖G‖_F²
}

// newLocal returns the neighbourhood of row i; false where all neighbours are at the sample.
func newLocal(x *mat.Dense, i int, list []int32, d int) (*local, bool) {
	_, m := x.Dims()
	l := &local{k: len(list), d: d, g: mat.NewDense(m, len(list), nil), v: &mat.Dense{}, lambda: make([]float64, len(list))}
	for a, j := range list {
		for r := range m {
			l.g.Set(r, a, x.At(int(j), r)-x.At(i, r))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(l.g, mat.SVDFullV) {
		return nil, false
	}
	for j, sigma := range svd.Values(nil) {
		l.lambda[j] = sigma * sigma
		l.squares += sigma * sigma
	}
	svd.VTo(l.v)
	return l, l.squares > 0
}

// rank is how many singular values are not rounding.
func (l *local) rank() int {
	for r, v := range l.lambda {
		if v <= 1e-24*l.lambda[0] {
			return r
		}
	}
	return l.k
}

// projected is the part of the vector of ones in the span of the right singular vectors
// from number r on.
func (l *local) projected(r int) []float64 {
	y := make([]float64, l.k)
	for j := r; j < l.k; j++ {
		column := mat.Col(nil, j, l.v)
		sum := total(column)
		for a := range y {
			y[a] += sum * column[a]
		}
	}
	return y
}

// limitWeights are the weights of least norm in the span of the right singular vectors
// from number r on: w* for the rank of G, w₁ for d.
func (l *local) limitWeights(r int) []float64 {
	y := l.projected(r)
	scale := 1 / total(y)
	for a := range y {
		y[a] *= scale
	}
	return y
}

// tailShare is ρ, what lies off the first d directions over what lies along them.
func (l *local) tailShare() float64 { return total(l.lambda[l.d:]) / total(l.lambda[:l.d]) }

// vectors is the number s of weight vectors for a given η.
func (l *local) vectors(eta float64) int {
	for s := l.k - l.d; s > 1; s-- {
		if total(l.lambda[l.k-s:]) <= (1+1e-10)*eta*total(l.lambda[:l.k-s]) {
			return s
		}
	}
	return 1
}

// family returns the s weight vectors of NEML for w, the columns of
// (1−α)²·w·1ᵀ + (2−α)·V₀H, and α.
func (l *local) family(w []float64, s int) (*mat.Dense, float64) {
	null := l.v.Slice(0, l.k, l.k-s, l.k)
	sums := make([]float64, s) // V₀ᵀ1
	for j := range sums {
		sums[j] = total(mat.Col(nil, j, null))
	}
	alpha := norm(sums) / math.Sqrt(float64(s))
	u := make([]float64, s)
	for j := range u {
		u[j] = alpha - sums[j]
	}
	turned := mat.DenseCopyOf(null)
	if length := norm(u); length > 1e-12 { // Householder's reflection H, from the right
		for j := range u {
			u[j] /= length
		}
		var along mat.VecDense
		along.MulVec(null, mat.NewVecDense(s, u))
		turned.RankOne(turned, -2, &along, mat.NewVecDense(s, u))
	}
	family := mat.NewDense(l.k, s, nil)
	family.Apply(func(a, _ int, v float64) float64 { return (1-alpha)*(1-alpha)*w[a] + (2-alpha)*v }, turned)
	return family, alpha
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func norm(x []float64) float64 { return mat.Norm(mat.NewVecDense(len(x), x), 2) }

func distance(x, y []float64) float64 {
	z := slices.Clone(x)
	for a := range z {
		z[a] -= y[a]
	}
	return norm(z)
}

// singularValues returns them, falling.
func singularValues(a mat.Matrix) []float64 {
	var svd mat.SVD
	svd.Factorize(a, mat.SVDNone)
	return svd.Values(nil)
}

// median is the lower one, as the paper's mid-value.
func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[(len(sorted)-1)/2]
}
