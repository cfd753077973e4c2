package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// ComponentMatch is a matching of the components of two factorisations.
type ComponentMatch struct {
	Of     []int     // for each component the row of the reference that it is matched with; −1: none
	Cosine []float64 // of the two; 0 where there is none
	Mean   float64   // of the cosines over the matched pairs
}

// MatchComponents matches the components of a factorisation, the rows of h (r × m), with those of another one (s × m):
// min(r, s) pairs whose cosines have the largest sum (the assignment problem; cosines count in steps of 10⁻⁹). A component of
// zeros has the cosine 0 with all.
//
// It returns an error for numbers of columns that differ and values that are not finite. Time is O(rsm + min(r, s)²·max(r, s)).
func MatchComponents(h, reference mat.Matrix) (*ComponentMatch, error) {
	const measure, steps = "component-match", 1e9
	a, err := unitRows(measure, "components", h)
	if err != nil {
		return nil, err
	}
	b, err := unitRows(measure, "reference", reference)
	if err != nil {
		return nil, err
	}
	if a.M != b.M {
		return nil, fmt.Errorf("%s: components of %d columns, and those to match with of %d; give factorisations of the same columns", measure, a.M, b.M)
	}
	cosines := make([]float64, a.N*b.N)
	for i := range a.N {
		for j := range b.N {
			cosines[i*b.N+j] = blas.Dot(a.Row(i), b.Row(j))
		}
	}
	cost := func(i, j int) int { return -int(math.Round(steps * cosines[i*b.N+j])) }
	c := &ComponentMatch{Of: make([]int, a.N), Cosine: make([]float64, a.N)}
	for i := range c.Of {
		c.Of[i] = -1
	}
	if a.N <= b.N {
		copy(c.Of, assign(a.N, b.N, cost))
	} else {
		for j, i := range assign(b.N, a.N, func(j, i int) int { return cost(i, j) }) {
			c.Of[i] = j
		}
	}
	for i, j := range c.Of {
		if j >= 0 {
			c.Cosine[i] = cosines[i*b.N+j]
			c.Mean += c.Cosine[i] / float64(min(a.N, b.N))
		}
	}
	return c, nil
}

// unitRows copies rows at unit length; a row of zeros stays.
func unitRows(measure, what string, x mat.Matrix) (blas.Rows, error) {
	p, err := readPoints(measure, what, x)
	if err != nil {
		return p, err
	}
	u := blas.Rows{N: p.N, M: p.M, Data: append([]float64(nil), p.Data...)}
	for i := range u.N {
		row := u.Row(i)
		if top := largest(row); top > 0 {
			for j := range row {
				row[j] /= top // so that no square leaves the range
			}
			blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		}
	}
	return u, nil
}

// Sparseness returns for each component, a row of h with m ≥ 2 columns, the sparseness of Hoyer (2004, Journal of Machine
// Learning Research 5:1457), (√m − ‖h‖₁/‖h‖₂)/(√m − 1): 1 if one entry is not zero, 0 if all are equal. NaN
// for a row of zeros.
//
// It returns an error for fewer columns and values that are not finite. Time is O(rm).
func Sparseness(h mat.Matrix) ([]float64, error) {
	p, err := readPoints("sparseness", "components", h)
	if err != nil {
		return nil, err
	}
	if p.M < 2 {
		return nil, fmt.Errorf("sparseness: components of %d column; give at least 2", p.M)
	}
	root := math.Sqrt(float64(p.M))
	list := make([]float64, p.N)
	for k := range list {
		top := largest(p.Row(k))
		if top == 0 {
			list[k] = math.NaN()
			continue
		}
		var sum, squares float64
		for _, v := range p.Row(k) {
			v /= top // so that no square leaves the range
			sum += math.Abs(v)
			squares += float64(v * v)
		}
		list[k] = min(1, max(0, (root-sum/math.Sqrt(squares))/(root-1)))
	}
	return list, nil
}

// ComponentShares returns the share of each component in the product WH of nonnegative factors, W n × r and H r × m. The shares
// sum to 1, and do not depend on how a scale is divided between W and H:
//
//	of the sum      Σᵢⱼ wᵢₖhₖⱼ / Σᵢⱼ (WH)ᵢⱼ
//	of the squares  Σᵢⱼ wᵢₖhₖⱼ(WH)ᵢⱼ / ‖WH‖²
//
// After nmf-kl without penalties the sum of WH is that of the data, so that the first are shares of the data. It returns an error for factors
// that do not match, negative or not finite values, and a product of zeros. Time is O((n + m)r²).
func ComponentShares(w, h mat.Matrix, squares bool) ([]float64, error) {
	const measure = "component-shares"
	a, err := readPoints(measure, "W", w)
	if err != nil {
		return nil, err
	}
	b, err := readPoints(measure, "H", h)
	if err != nil {
		return nil, err
	}
	if a.M != b.N {
		return nil, fmt.Errorf("%s: W is %d × %d and H %d × %d; give n × r and r × m", measure, a.N, a.M, b.N, b.M)
	}
	for _, p := range []blas.Rows{a, b} {
		for _, v := range p.Data {
			if v < 0 {
				return nil, fmt.Errorf("%s: the factors have a negative entry, %v, and parts that cancel have no shares; give factors ≥ 0", measure, v)
			}
		}
	}
	r := a.M
	left, right := gramOrSums(a, true, squares), gramOrSums(b, false, squares)
	shares := make([]float64, r)
	var whole float64
	for k := range shares {
		if squares {
			shares[k] = blas.Dot(left[k*r:(k+1)*r], right[k*r:(k+1)*r])
		} else {
			shares[k] = left[k] * right[k]
		}
		whole += shares[k]
	}
	if !(whole > 0) {
		return nil, fmt.Errorf("%s: the product of the factors is zero, which has no shares; give components that are not zero", measure)
	}
	for k := range shares {
		shares[k] /= whole
	}
	return shares, nil
}

// gramOrSums returns the Gram matrix of the columns of p, or of its rows, or only their sums. Entries are divided by the largest one.
func gramOrSums(p blas.Rows, columns, gram bool) []float64 {
	count, length := p.N, p.M
	if columns {
		count, length = length, count
	}
	scale := largest(p.Data)
	if scale == 0 {
		scale = 1
	}
	if !gram {
		sums := make([]float64, count)
		for i := range p.N {
			for j, v := range p.Row(i) {
				if columns {
					sums[j] += v / scale
				} else {
					sums[i] += v / scale
				}
			}
		}
		return sums
	}
	vectors := make([]float64, count*length)
	for i := range p.N {
		for j, v := range p.Row(i) {
			if columns {
				vectors[j*length+i] = v / scale
			} else {
				vectors[i*length+j] = v / scale
			}
		}
	}
	g := make([]float64, count*count)
	for k := range count {
		for l := range count {
			g[k*count+l] = blas.Dot(vectors[k*length:(k+1)*length], vectors[l*length:(l+1)*length])
		}
	}
	return g
}
