package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Curved is the patch D(I − VVᵀ)D of the curvature variant of local tangent space
// alignment, with D = diag(1/φ) scaled to mean square 1 and V an orthonormal basis
// of D[1, U]. It first passes over all samples to find their tangent bases.
func Curved(dim int, excludeSelf bool, delta float64) Rule {
	r := curved{tangent{dim, excludeSelf}, delta}
	return Rule{Sets: r.sets, Begin: r.begin, Factor: r.factor, NoDistances: true, Unheld: unlisted, Vanishing: outlying}
}

// curved has d, and δ, the least φ.
type curved struct {
	tangent
	delta float64
}

func (r curved) begin(in Local) (func() Func, error) {
	bases, err := r.tangentBases(in)
	if err != nil {
		return nil, err
	}
	return func() Func {
		c := r.newCalculator(in, bases)
		return func(i int, dst []float64) {
			n := c.decompose(i)
			at := 0
			for a := range n {
				for b := range a + 1 {
					dst[at] = c.entry(a, b) * c.weight[a]
					at++
				}
			}
		}
	}, nil
}

// factor: (I − VVᵀ)D, since I − VVᵀ is a projector.
func (r curved) factor(in Local) (func(int) int, func() FactorFunc, error) {
	bases, err := r.tangentBases(in)
	if err != nil {
		return nil, nil, err
	}
	return r.sets(in.Graph).Size, func() FactorFunc {
		c := r.newCalculator(in, bases)
		return func(i int, dst []float64) {
			n := c.decompose(i)
			for a := range n {
				for b := range n {
					dst[a*n+b] = c.entry(a, b)
				}
			}
		}
	}, nil
}

// tangents holds the tangent spaces at all samples.
type tangents struct {
	width int       // capacity in vectors
	m     int       // entries of each
	rank  []int32   // vectors of each sample
	q     []float64 // N × width × m, orthonormal rows
}

func (t *tangents) basis(i int) []float64 {
	from := i * t.width * t.m
	return t.q[from : from+int(t.rank[i])*t.m]
}

// tangentBases finds the d leading right singular vectors of every centred
// neighbourhood.
func (r curved) tangentBases(in Local) (*tangents, error) {
	sets := r.sets(in.Graph)
	m, most := in.X.M(), in.Graph.MaxDegree()+1
	t := &tangents{width: min(r.dim, m), m: m, rank: make([]int32, in.X.N())}
	t.q = make([]float64, in.X.N()*t.width*m)
	type scratch struct {
		gathered *samples.Gathered
		spectrum *leftSpectrum
		basis    orthonormal
		set      []int32
	}
	workers := make([]*scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), in.X.N(), blockPatches, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &scratch{gathered: samples.NewGathered(in.X), spectrum: newLeftSpectrum(in.Kernels(), most)}
		}
		s := workers[w]
		for i := lo; i < hi; i++ {
			s.set = sets.Of(i, s.set[:0])
			set := s.set
			z, _ := s.gathered.Centered(set) // of dense samples: the bases have all columns
			rank := s.spectrum.tangents(z, len(set), m, r.dim)
			s.basis.vectors = t.q[i*t.width*m : (i+1)*t.width*m]
			s.basis.reset(m)
			for j := range rank {
				v := s.basis.room()
				clear(v)
				for a := range set {
					blas.Axpy(s.spectrum.vectors[j*len(set)+a], z[a*m:a*m+m], v)
				}
				s.basis.keep(0)
			}
			t.rank[i] = int32(s.basis.count)
		}
	})
	return t, err
}

// curvedCalculator is one worker's scratch.
type curvedCalculator struct {
	curved
	Local
	bases    *tangents
	sets     Sets
	set      []int32 // of the patch at work
	gathered *samples.Gathered
	spectrum *leftSpectrum
	angle    angleSolver
	radius   []float64 // ‖θ‖ of each sample of the patch
	weight   []float64 // the diagonal of D
	basis    *orthonormal
}

func (r curved) newCalculator(in Local, bases *tangents) *curvedCalculator {
	most := in.Graph.MaxDegree() + 1
	d := bases.width
	return &curvedCalculator{
		curved: r, Local: in, bases: bases, sets: r.sets(in.Graph),
		gathered: samples.NewGathered(in.X), spectrum: newLeftSpectrum(in.Kernels(), most),
		angle:  angleSolver{m: in.X.M(), rest: make([]float64, d*in.X.M()), gram: make([]float64, d*d), values: make([]float64, d), work: make([]float64, 2*d)},
		radius: make([]float64, most), weight: make([]float64, most), basis: newOrthonormal(most, d+1),
	}
}

// decompose finds D and V for patch i and returns its size.
func (c *curvedCalculator) decompose(i int) int {
	c.set = c.sets.Of(i, c.set[:0])
	n := len(c.set)
	z, m := c.gathered.Centered(c.set)
	rank := c.spectrum.tangents(z, n, m, c.tangent.dim)
	c.weigh(i, c.set, rank)
	b := c.basis
	b.reset(n)
	copy(b.room(), c.weight[:n])
	b.keep(0)
	for j := range rank {
		v := b.room()
		for a := range v {
			v[a] = c.weight[a] * c.spectrum.vectors[j*n+a]
		}
		b.keep(minColumn * math.Sqrt(blas.Dot(v, v)))
	}
	return n
}

// weigh sets the diagonal of D.
func (c *curvedCalculator) weigh(i int, set []int32, rank int) {
	n := len(set)
	var square float64
	for a := range n {
		var r float64
		for j := range rank {
			u := c.spectrum.vectors[j*n+a]
			r += c.spectrum.values[j] * u * u
		}
		c.radius[a] = math.Sqrt(r)
		square += r
	}
	h := math.Sqrt(square / float64(n))
	var curvature float64
	count := 0
	for a, j := range set {
		if int(j) == i {
			continue
		}
		count++
		// A sample at the centre of the patch says nothing of its curvature, and
		// dividing by its radius would only raise the rounding of the angle.
		if c.radius[a] > 1e-8*h {
			curvature += c.angle.between(c.bases.basis(i), c.bases.basis(int(j))) / c.radius[a]
		}
	}
	if count > 0 {
		curvature /= float64(count)
	}
	square = 0
	for a := range n {
		phi := c.delta
		if h > 0 {
			phi += curvature * c.radius[a] * c.radius[a] / (2 * h)
		}
		c.weight[a] = 1 / phi
		square += c.weight[a] * c.weight[a]
	}
	blas.Scale(1/math.Sqrt(square/float64(n)), c.weight[:n])
}

// entry returns entry (a, b) of (I − VVᵀ)D.
func (c *curvedCalculator) entry(a, b int) float64 {
	var v float64
	if a == b {
		v = 1
	}
	for j := range c.basis.count {
		u := c.basis.vector(j)
		v -= u[a] * u[b]
	}
	return v * c.weight[b]
}

// angleSolver finds angles between subspaces.
type angleSolver struct {
	m                        int
	rest, gram, values, work []float64
}

// between returns the largest principal angle of two subspaces given by
// orthonormal rows, from its sine: that of the smaller one to the larger one, by
// what is left of the one off the other.
func (s angleSolver) between(p, q []float64) float64 {
	if len(q) > len(p) {
		p, q = q, p
	}
	m, d := s.m, len(q)/s.m
	if d == 0 {
		return 0
	}
	for j := range d {
		rest := s.rest[j*m : j*m+m]
		copy(rest, q[j*m:j*m+m])
		for at := 0; at < len(p); at += m {
			blas.Axpy(-blas.Dot(p[at:at+m], rest), p[at:at+m], rest)
		}
		for l := range j + 1 {
			g := blas.Dot(rest, s.rest[l*m:l*m+m])
			s.gram[j*d+l], s.gram[l*d+j] = g, g
		}
	}
	blas.SymEigSmall(d, s.gram[:d*d], s.values[:d], false, s.work)
	return math.Asin(math.Sqrt(min(max(s.values[d-1], 0), 1)))
}
