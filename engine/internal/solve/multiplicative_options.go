package solve

import "github.com/orthant-go/orthant/solvers"

// What a rule needs where nothing was asked: a multiplicative one is mostly stopped early.
const (
	gradientIterations, gradientTolerance             = 20_000, 1e-3
	multiplicativeIterations, multiplicativeTolerance = 500, 1e-6
)

func (r Multiplicative) options(in Input) solvers.Multiplicative {
	o := solvers.Multiplicative{Update: r.Update, Iterations: multiplicativeIterations, Tolerance: multiplicativeTolerance,
		Threads: in.Threads()}
	if r.Update == solvers.UpdateGradient {
		o.Iterations, o.Tolerance = gradientIterations, gradientTolerance
	}
	if r.Iterations > 0 {
		o.Iterations = r.Iterations
	}
	if r.Tolerance != nil {
		o.Tolerance = *r.Tolerance
	}
	o.Progress, o.Watch = in.Iterating("solve", o.Iterations)
	switch {
	case r.Update == "printed":
		// What is printed as a minimisation is the rule of the maximum of −Φ.
		o.Update, o.Normalize = solvers.UpdatePaper, r.Normalize
	case r.Normalize:
		in.Warn("‹normalise› is for ‹update=printed›: it does nothing")
	}
	if r.Alpha != nil {
		if r.Update != solvers.UpdatePenalty && r.Update != solvers.UpdateGradient {
			in.Warn("‹alpha› is for ‹update=gradient› and ‹update=penalty›: it does nothing")
		}
		o.Alpha = *r.Alpha
	}
	return o
}

// shift returns σ.
func (r Multiplicative) shift(in Input, a target, largest float64) float64 {
	switch {
	case r.Update == "printed" && r.Minimize:
		if r.Sigma != nil {
			in.Warn("the printed update has no shift: ‹sigma› does nothing")
		}
		return 0
	case r.Update == solvers.UpdateGradient:
		if r.Sigma != nil {
			in.Warn("‹update=gradient› has no shift: ‹sigma› does nothing")
		}
		return 0
	case r.Sigma != nil:
		return *r.Sigma
	case !r.Minimize:
		return 0
	case a.laplacian():
		return 1
	}
	return r.Margin * normMargin * largest
}
