package patch

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Hessian is the patch HHᵀ of Hessian LLE in d dimensions on a neighbourhood, which
// includes the sample itself unless that is excluded. Hᵀf estimates the Hessian of f: the
// columns of H are the part of the products of two tangent coordinates orthogonal to the
// constants and the coordinates (Donoho and Grimes 2003, who exclude the sample: one that
// nobody lists then appears in no equation).
func Hessian(dim int, excludeSelf bool) Rule {
	r := hessian{dim: dim, excludeSelf: excludeSelf}
	return Rule{Sets: r.sets, Begin: r.begin, Factor: r.factor, Unheld: unlisted, Vanishing: outlying}
}

// hessian has d, and whether the sample itself is excluded.
type hessian struct {
	dim         int
	excludeSelf bool
	near        float64 // samples at most this far apart count as copies
}

// copyShare, times the median radius of the neighbourhoods, is the distance up to which samples count
// as equal.
const copyShare = 0x1p-46

// among returns the rule for these samples.
func (r hessian) among(in Local) hessian {
	g := in.Graph
	radii := make([]float64, 0, g.Len())
	for i := range g.Len() {
		if d := g.Distances(i); len(d) > 0 {
			radii = append(radii, d[len(d)-1])
		}
	}
	if len(radii) > 0 {
		r.near = copyShare * in.median(radii)
	}
	return r
}

func (r hessian) sets(g *neighbors.Graph) Sets { return neighborhoods{g, r.excludeSelf} }

func (r hessian) begin(in Local) (func() Func, error) {
	r = r.among(in)
	return func() Func {
		c := r.newCalculator(in)
		return func(i int, dst []float64) {
			k, first := c.span(i)
			tied := c.copies(in, i) > 1
			at := 0
			for a := range k {
				for b := range a + 1 {
					var v float64
					for j := first; j < c.basis.count; j++ {
						h := c.basis.vector(j)
						v += h[a] * h[b]
					}
					if tied {
						v += c.tie(i, a, b)
					}
					dst[at] = v
					at++
				}
			}
		}
	}, nil
}

// factor: the rows of the factor are the columns of H, or zero for dropped columns. The
// projector that ties copies is its own factor.
func (r hessian) factor(in Local) (func(int) int, func() FactorFunc, error) {
	r = r.among(in)
	rows := func(i int) int {
		if copies := r.copies(in, i); copies > 1 {
			return r.products() + copies
		}
		return r.products()
	}
	return rows, func() FactorFunc {
		c := r.newCalculator(in)
		return func(i int, dst []float64) {
			clear(dst)
			k, first := c.span(i)
			copy(dst, c.basis.vectors[first*k:c.basis.count*k])
			row := r.products() * k
			for a := range k {
				if c.tie(i, a, a) == 0 {
					continue
				}
				for b := range k {
					dst[row+b] = c.tie(i, a, b)
				}
				row += k
			}
		}
	}, nil
}

// products returns the number of products of two coordinates, d(d+1)/2.
func (r hessian) products() int { return r.dim * (r.dim + 1) / 2 }

// hessianCalculator is one worker's scratch.
type hessianCalculator struct {
	hessian
	in       Local
	sets     Sets
	set      []int32 // of the patch at work
	gathered *samples.Gathered
	spectrum *leftSpectrum
	basis    *orthonormal
}

func (r hessian) newCalculator(in Local) *hessianCalculator {
	most := in.Graph.MaxDegree() + 1
	return &hessianCalculator{r, in, r.sets(in.Graph), nil, samples.NewGathered(in.X), newLeftSpectrum(in.Kernels(), most), newOrthonormal(most, 2+r.dim+r.products())}
}

// copies returns the number of members of neighbourhood i that equal sample i up to
// rounding.
func (r hessian) copies(in Local, i int) int {
	count := 0
	distances := in.Graph.Distances(i)
	for a, j := range in.Graph.Of(i) {
		if distances[a] > r.near && !in.X.Same(i, int(j)) {
			break
		}
		count++
	}
	if !r.excludeSelf {
		count++
	}
	return count
}

// tie returns an entry of the projector that removes the constants on the copies of sample i. The Hessians
// do not distinguish copies, so without it their difference would be a coordinate of eigenvalue 0.
func (c *hessianCalculator) tie(i, a, b int) float64 {
	count := c.copies(c.in, i)
	last := c.sets.Size(i) - 1
	is := func(a int) bool { return a < count-1 || a == count-1 && c.excludeSelf || a == last && !c.excludeSelf }
	if count < 2 || !is(a) || !is(b) {
		return 0
	}
	if a == b {
		return 1 - 1/float64(count)
	}
	return -1 / float64(count)
}

// span computes the basis of [1, U, the products u_a∘u_b for a ≤ b] for one neighbourhood, and
// returns its size and the index of the first product. Products that depend linearly on the
// preceding vectors are dropped, which happens on grids and with the fewest
// neighbours.
func (c *hessianCalculator) span(i int) (k, first int) {
	c.set = c.sets.Of(i, c.set[:0])
	k = len(c.set)
	z, m := c.gathered.Centered(c.set)
	rank := c.spectrum.tangents(z, k, m, c.dim)
	b := c.basis
	b.reset(k)
	constant := b.room()
	for a := range constant {
		constant[a] = 1 / math.Sqrt(float64(k))
	}
	b.keep(minColumn)
	u := func(j int) []float64 { return c.spectrum.vectors[j*k : j*k+k] }
	for j := range rank {
		copy(b.room(), u(j))
		b.keep(minColumn)
	}
	first = b.count
	for s := range rank {
		for t := s; t < rank && b.count < k; t++ {
			product, us, ut := b.room(), u(s), u(t)
			for a := range product {
				product[a] = us[a] * ut[a]
			}
			b.keep(minColumn)
		}
	}
	return k, first
}
