package engine

import (
	"sync/atomic"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// affineReconstruction is the patch of SP-RNA within classes: (e − s)(e − s)ᵀ for the
// sparse affine code s of [solvers.AffineCoder]. A sample without neighbours has
// none.
type affineReconstruction struct {
	failed *atomic.Int64 // codes that were not solved to the end
}

func (affineReconstruction) sets(g *neighbors.Graph) ([]int, []int32) { return withSelf(g) }

func (r affineReconstruction) begin(p *problem) (func() patchFunc, error) {
	return func() patchFunc {
		var coder solvers.AffineCoder
		return func(i int, dst []float64) {
			list := p.graph.Of(i)
			if len(list) == 0 {
				dst[0] = 0
				return
			}
			s, report := coder.Solve(p.x.Row(i), p.x.Data, list, nil)
			if !report.Converged {
				r.failed.Add(1)
			}
			rankOne(s, dst)
		}
	}, nil
}
