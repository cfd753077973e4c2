package patch

import "github.com/orthant-go/orthant/solvers"

// beginSome is begin for the patches of a few samples, with η from those.
func (r MultipleWeights) beginSome(in Local, some []int) (func() Func, error) {
	k := in.Graph.MaxDegree()
	spectrum, g := newLeftSpectrum(in.Kernels(), k), make([]float64, k*in.X.M())
	rho := make([]float64, len(some))
	for at, i := range some {
		list := in.Graph.Of(i)
		differences(in.X, i, list, g)
		spectrum.analyze(g, len(list), in.X.M(), 0)
		rho[at] = tailShare(spectrum.values[:len(list)], r.Dim)
	}
	eta := max(solvers.LowerMedian(rho), leastEta)
	if r.Eta != nil {
		eta = *r.Eta
	}
	return func() Func {
		c := r.newCalculator(in.Kernels(), k)
		own, g := newLeftSpectrum(in.Kernels(), k), make([]float64, k*in.X.M())
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			differences(in.X, i, list, g)
			own.analyze(g, len(list), in.X.M(), 0)
			c.patch(g, len(list), in.X.M(), weightCount(own.values[:len(list)], r.Dim, eta), dst)
		}
	}, nil
}
