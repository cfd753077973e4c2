package patch

import (
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers"
)

// beginSome is begin for the patches of a few samples, with η from those.
func (r MultipleWeights) beginSome(in Local, some []int) (func() Func, error) {
	k := in.Graph.MaxDegree()
	spectrum, laid := newLeftSpectrum(in.Kernels(), k), samples.NewLaid(in.X)
	rho := make([]float64, len(some))
	for at, i := range some {
		list := in.Graph.Of(i)
		g, m := laid.Differences(i, list)
		spectrum.analyze(g, len(list), m, 0)
		rho[at] = tailShare(spectrum.values[:len(list)], r.Dim)
	}
	eta := max(solvers.LowerMedian(rho), leastEta)
	if r.Eta != nil {
		eta = *r.Eta
	}
	return func() Func {
		c := r.newCalculator(in.Kernels(), k)
		own, laid := newLeftSpectrum(in.Kernels(), k), samples.NewLaid(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := laid.Differences(i, list)
			own.analyze(g, len(list), m, 0)
			c.patch(g, len(list), m, weightCount(own.values[:len(list)], r.Dim, eta), dst)
		}
	}, nil
}
