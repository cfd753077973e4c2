package factor

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// balance is the weight of a balanced graph term for a λ that has no unit: λ over the mean
// degree of the graph, and over the mean of the data too where the loss has their unit and
// not its square, as the term has.
func balance(o nmf.Options, phi *align.Phi, x samples.Samples) float64 {
	lambda := o.Lambda
	if degree := phi.Degree(); degree > 0 {
		lambda /= degree
	}
	if o.Loss == nmf.KL {
		var mean float64
		for _, v := range x.Mean() {
			mean += v / float64(x.M())
		}
		if mean > 0 {
			lambda /= mean
		}
	}
	return lambda
}
