package scaling

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
)

// What is compared with the surface's own coordinates, by method: the others look for
// neither, and are held to having solved their problem.
var (
	unrolling = []string{"lle", "mlle", "neml", "ltsa", "ltsa-curvature", "hlle", "isomap"}
	laplacian = []string{"le", "lnp", "smce"}
	iterative = []string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"}
)

// The largest errors of a surface's embedding on which a claim of speed may rest.
const (
	devLimit        = 1e-3 // from largeEnough samples on
	devMillionLimit = 1e-4 // at a million
	devSingleWeight = 0.01 // LLE at both: one vector of weights a sample determines less
	angleLimit      = 0.05 // from largeEnough samples on, of Laplacian eigenmaps
	sparseAngle     = 0.2  // of LNP and SMCE, whose graphs have a few edges a sample
)

// errorOf says which error stands beside the seconds of a method, and what measures it
// (nil: the solve itself does).
func (s *growthSet) errorOf(method string, n int) (bench.Measure, bench.Accuracy) {
	within := func(quality string, limit float64) bench.Accuracy {
		if n < largeEnough {
			return bench.Shown(quality)
		}
		return bench.AtMost(quality, limit)
	}
	switch {
	case slices.Contains(iterative, method):
		return nil, bench.Settled()
	case s.known && slices.Contains(unrolling, method):
		limit := devLimit
		switch {
		case method == "lle":
			limit = devSingleWeight
		case n >= millionSamples:
			limit = devMillionLimit
		}
		return bench.Dev, within("dev", limit)
	case s.known && method == "le":
		return bench.StripAngle, within("angle", angleLimit)
	case s.known && slices.Contains(laplacian, method):
		return bench.StripAngle, within("angle", sparseAngle)
	}
	return nil, bench.Exact()
}

// measured takes the error of an embedding of the samples that it has: those of smaller
// components have none.
func measured(ctx context.Context, measure bench.Measure, x, truth, y *mat.Dense, out *bench.Outcome) error {
	d := &bench.Data{X: x, Truth: truth}
	var kept []int
	n, _ := y.Dims()
	for i := range n {
		if !math.IsNaN(y.At(i, 0)) {
			kept = append(kept, i)
		}
	}
	if len(kept) < n {
		d = d.Rows(kept)
		y = (&bench.Data{X: y}).Rows(kept).X
	}
	return measure(ctx, d, y, out)
}
