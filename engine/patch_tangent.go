package engine

import (
	"github.com/orthant-go/orthant/engine/neighbors"
)

// tangent is the patch of local tangent space alignment: the projector
// I − 11ᵀ/n − UUᵀ off the constants and the d leading principal coordinates of
// the neighbourhood.
type tangent struct {
	dim         int
	excludeSelf bool
}

func (r tangent) sets(g *neighbors.Graph) ([]int, []int32) {
	if r.excludeSelf {
		return g.Ptr, g.Index
	}
	return withSelf(g)
}

func (r tangent) begin(p *problem) (func() patchFunc, error) {
	ptr, index := r.sets(p.graph)
	return func() patchFunc {
		most := p.graph.MaxDegree() + 1
		z := make([]float64, (most+1)*p.x.M)
		spectrum := newLeftSpectrum(p.kernels, most)
		return func(i int, dst []float64) {
			set := index[ptr[i]:ptr[i+1]]
			centred(p.x, set, z)
			r.project(z, len(set), p.x.M, spectrum, dst)
		}
	}, nil
}

// project writes the patch for n centred rows z.
func (r tangent) project(z []float64, n, m int, s *leftSpectrum, dst []float64) {
	rank := s.rank(z, n, m, r.dim)
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
