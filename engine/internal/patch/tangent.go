package patch

import (
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Tangent is the patch of local tangent space alignment: the projector
// I − 11ᵀ/n − UUᵀ orthogonal to the constants and to the d leading principal coordinates of
// the neighbourhood, which includes the sample itself unless that is excluded.
func Tangent(dim int, excludeSelf bool) Rule {
	r := tangent{dim, excludeSelf}
	return Rule{Sets: r.sets, Begin: r.begin, Factor: r.factor, NoDistances: true, Unheld: unlisted, Vanishing: outlying}
}

// tangent has d, and whether the sample itself is excluded.
type tangent struct {
	dim         int
	excludeSelf bool
}

func (r tangent) sets(g *neighbors.Graph) Sets { return neighborhoods{g, r.excludeSelf} }

func (r tangent) begin(in Local) (func() Func, error) {
	sets := r.sets(in.Graph)
	return func() Func {
		most := in.Graph.MaxDegree() + 1
		gathered := samples.NewGathered(in.X)
		spectrum := newLeftSpectrum(in.Kernels(), most)
		set := make([]int32, 0, most)
		return func(i int, dst []float64) {
			set = sets.Of(i, set[:0])
			z, m := gathered.Centered(set)
			r.project(z, len(set), m, spectrum, dst)
		}
	}, nil
}

// project writes the patch for n centred rows z.
func (r tangent) project(z []float64, n, m int, s *leftSpectrum, dst []float64) {
	rank := s.tangents(z, n, m, r.dim)
	at := 0
	for a := range n {
		for b := range a + 1 {
			v := -1 / float64(n)
			if a == b {
				v++
			}
			for j := range rank {
				v -= s.vectors[j*n+a] * s.vectors[j*n+b]
			}
			dst[at] = v
			at++
		}
	}
}

// factor: the patch of LTSA is a projector, and so its own factor.
func (r tangent) factor(in Local) (func(int) int, func() FactorFunc, error) {
	worker, err := r.begin(in)
	size := r.sets(in.Graph).Size
	return size, func() FactorFunc {
		patch := worker()
		var lower []float64
		return func(i int, dst []float64) {
			size := size(i)
			if len(lower) < size*(size+1)/2 {
				lower = make([]float64, size*(size+1)/2)
			}
			patch(i, lower)
			at := 0
			for a := range size {
				for b := range a + 1 {
					dst[a*size+b], dst[b*size+a] = lower[at], lower[at]
					at++
				}
			}
		}
	}, err
}
