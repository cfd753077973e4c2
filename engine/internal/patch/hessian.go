package patch

import (
	"math"
)

// Hessian is the patch HHᵀ of Hessian LLE in d dimensions, on the neighbours
// without the sample itself. Hᵀf estimates the Hessian of f: its columns are what
// the products of two tangent coordinates add to the constants and to the
// coordinates (Donoho and Grimes 2003).
func Hessian(dim int) Rule {
	d := hessian(dim)
	return Rule{Sets: withoutSelf, Begin: d.begin, Factor: d.factor}
}

// hessian is d.
type hessian int

func (d hessian) begin(in Local) (func() Func, error) {
	return func() Func {
		c := d.newCalculator(in)
		return func(i int, dst []float64) {
			k, first := c.span(i)
			at := 0
			for a := range k {
				for b := range a + 1 {
					var v float64
					for j := first; j < c.basis.count; j++ {
						h := c.basis.vector(j)
						v += h[a] * h[b]
					}
					dst[at] = v
					at++
				}
			}
		}
	}, nil
}

// factor: the columns of H are the rows of the factor, zero where one was
// dropped.
func (d hessian) factor(in Local) (func(int) int, func() FactorFunc, error) {
	return func(int) int { return d.products() }, func() FactorFunc {
		c := d.newCalculator(in)
		return func(i int, dst []float64) {
			clear(dst)
			k, first := c.span(i)
			copy(dst, c.basis.vectors[first*k:c.basis.count*k])
		}
	}, nil
}

// products is the number of products of two coordinates, d(d+1)/2.
func (d hessian) products() int { return int(d) * (int(d) + 1) / 2 }

// hessianCalculator is one worker's scratch.
type hessianCalculator struct {
	Local
	dim      int
	z        []float64
	spectrum *leftSpectrum
	basis    *orthonormal
}

func (d hessian) newCalculator(in Local) *hessianCalculator {
	k := in.Graph.MaxDegree()
	return &hessianCalculator{in, int(d), make([]float64, (k+1)*in.X.M()), newLeftSpectrum(in.Kernels(), k), newOrthonormal(k, 2+int(d)+d.products())}
}

// span makes the basis of [1, U, the products u_a∘u_b for a ≤ b] for one
// neighbourhood and returns its size and the place of the first product.
// Products that depend on what is before them (on grids, or with the fewest
// neighbours) are left out.
func (c *hessianCalculator) span(i int) (k, first int) {
	set := c.Graph.Of(i)
	k = len(set)
	centered(c.X, set, c.z)
	rank := c.spectrum.rank(c.z, k, c.X.M(), c.dim)
	b := c.basis
	b.reset(k)
	constant := b.room()
	for a := range constant {
		constant[a] = 1 / math.Sqrt(float64(k))
	}
	b.keep(leastColumn)
	u := func(j int) []float64 { return c.spectrum.vectors[j*k : j*k+k] }
	for j := range rank {
		copy(b.room(), u(j))
		b.keep(leastColumn)
	}
	first = b.count
	for s := range rank {
		for t := s; t < rank && b.count < k; t++ {
			product, us, ut := b.room(), u(s), u(t)
			for a := range product {
				product[a] = us[a] * ut[a]
			}
			b.keep(leastColumn)
		}
	}
	return k, first
}
