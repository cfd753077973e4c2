package choose

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// IPM chooses by projection and matching; see the method ipm.
type IPM struct {
	Scale string
}

// Choose repeatedly selects the sample closest to the leading direction.
func (m IPM) Choose(job *run.Run, x samples.Samples, count int) (*Choice, error) {
	rows, order := int64(x.N())*int64(x.M()), int64(min(x.N(), x.M()))
	if err := job.FitBeforeSolve(x.N(), x.M(), 8*(2*rows+order*order+int64(count)*int64(x.M())), "take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	x = x.Scaled(m.Scale)
	defer job.Phase("solve")()
	found, err := exemplars.Projection(job.Context(), points(x), count, options(job, count))
	if err != nil {
		return nil, err
	}
	own := count - found.Filled
	job.Note("filled", found.Filled)
	if found.Filled > 0 {
		job.Warn("%d of the %d exemplars are the samples farthest from the others: %d span all samples", found.Filled, count, own)
	}
	if found.Inexact > 0 {
		job.Warn("%d exemplars were chosen by leading directions that missed their residual: others would do nearly as well", found.Inexact)
	}
	c := &Choice{Indices: found.Indices, First: math.NaN(), Last: found.Rest[own], Iterations: own, Converged: found.Inexact == 0}
	if own > 0 {
		c.First = found.Rest[1]
	}
	return c, nil
}
