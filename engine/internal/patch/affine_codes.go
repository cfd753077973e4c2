package patch

import (
	"sync/atomic"

	"github.com/orthant-go/orthant/solvers"
)

// AffineCodes is the patch of SP-RNA within classes: (e − s)(e − s)ᵀ for the
// sparse affine code s of [solvers.AffineCoder]. A sample without neighbours has
// none.
// Codes that are not solved to the end are counted in failed.
func AffineCodes(failed *atomic.Int64) Rule {
	return Rule{Sets: withSelf, Begin: func(in Local) (func() Func, error) { return affineCodes(in, failed), nil }}
}

func affineCodes(in Local, failed *atomic.Int64) func() Func {
	return func() Func {
		var coder solvers.AffineCoder
		rows := NewRows(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			if len(list) == 0 {
				dst[0] = 0
				return
			}
			x, data, places := rows.Of(i, list)
			s, report := coder.Solve(x, data, places, nil)
			if !report.Converged {
				failed.Add(1)
			}
			rankOne(s, dst)
		}
	}
}
