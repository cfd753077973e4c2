package factor

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Units are the powers of the unit of the data in a solver's parameters and
// results.
type Units struct {
	W, H           float64 // of the result; if WH ≈ X, their sum is 1
	Codes          float64 // of the codes that are clustered
	StartW, StartH float64 // of a given start

	// Of the points of a trace: the loss, the term λ tr(WᵀΦW), Surrogate, and σ².
	Loss, Term, Surrogate, Sigma2 float64

	Parameters map[string]float64 // by key
	Weight     float64            // of the weight of the graph term relative to the loss

	// Mixed is the key of a parameter that adds terms of different units, so that the others
	// cannot follow the unit of the data; empty: none.
	Mixed string
}

// Objective returns the highest power in a trace. If that power of the data's unit overflows,
// there is no trace.
func (u Units) Objective() float64 {
	return max(math.Abs(u.Loss), u.Term, u.Surrogate, u.Sigma2)
}

// Point converts a point of the trace for samples divided by 2^e to the original
// samples.
func (u Units) Point(p nmf.Point, e int) nmf.Point {
	if e == 0 {
		return p
	}
	if u.Sigma2 > 0 && p.Sigma2 == 0 { // a warm iteration, with the squared error
		u.Loss, u.Surrogate = 2, 2
	}
	term := times(p.Regularizer, u.Term, e)
	loss := times(p.Objective-p.Regularizer, u.Loss, e)
	if p.Regularizer = term; u.Loss == u.Term {
		p.Objective = times(p.Objective, u.Term, e)
	} else {
		p.Objective = loss + term
	}
	p.Surrogate, p.Sigma2 = times(p.Surrogate, u.Surrogate, e), times(p.Sigma2, u.Sigma2, e)
	p.Penalty = times(p.Penalty, u.Loss, e)
	p.HeldBefore, p.Held = times(p.HeldBefore, u.Surrogate, e), times(p.Held, u.Surrogate, e)
	return p
}

// times returns v·2^(power·e); e is even, so roots of the unit are powers of two too.
func times(v, power float64, e int) float64 {
	return magnitude.TimesPower(v, power*float64(e))
}

// Units returns those of the factors. A balanced loss gives each factor half of the unit
// by default. Components of unit length give all of it to W.
func (r ByNMF) Units() Units {
	w := 0.5
	if r.Order == nmf.CodesFirst || r.Normalize == nmf.EachIteration {
		w = 1 // in every iteration, not only at the end
	}
	t := w // power of W in the graph term
	if r.Balanced {
		t = 1
	}
	u := Units{W: w, H: 1 - w, StartW: 0.5, StartH: 0.5, Loss: 2}
	learned := 0.5 // power of a factor that is learned and penalised
	switch r.Fixed {
	case nmf.WFixed: // its numbers have no unit
		u.W, u.H, u.StartW, u.StartH, learned = 0, 1, 0, 1, 1
	case nmf.HFixed:
		u.W, u.H, u.StartW, u.StartH, learned = 1, 0, 1, 0, 1
	}
	if r.SumToOne { // which has no unit
		u.W, u.H, u.StartW, u.StartH, learned = 0, 1, 0, 1, 1
	}
	lambda := 2 - 2*t // of the weight relative to the derivative of the squared error
	switch r.Loss {
	case nmf.KL, nmf.NegativeBinomial:
		u.Loss, lambda = 1, 1-2*t
	case nmf.L21:
		u.Loss, lambda = 1, 1-2*t
	case nmf.Beta:
		u.Loss, lambda = r.Beta, r.Beta-2*t
	case nmf.Correntropy:
		// The loss has no unit, but is 2σ² times as large relative to the graph term.
		u.Loss, u.Surrogate, u.Sigma2 = 0, 2, 2
		if r.Sigma.KernelConstant {
			u.Loss, u.Surrogate, lambda = -1, 1, lambda-1
		}
	}
	u.Term = lambda + 2*t
	u.Parameters = map[string]float64{"lambda": lambda, "sigma2": 2, "threshold": 1, "dispersion": -1}
	// The penalty is α times W², or W, whose unit is the root of the data's (or all of it if H is fixed).
	switch squares, sums := u.Loss-2*learned, u.Loss-learned; {
	case !r.Penalties.Present():
	case r.Penalties.L1Ratio == 0:
		u.Parameters["alpha_w"], u.Parameters["alpha_h"] = squares, squares
	case r.Penalties.L1Ratio == 1:
		u.Parameters["alpha_w"], u.Parameters["alpha_h"] = sums, sums
	default:
		u.Mixed = "l1_ratio"
	}
	u.Weight = lambda
	if r.Balanced && r.Loss == nmf.KL {
		u.Parameters["lambda"] = 0 // the mean of the data is divided out
	}
	if u.Sigma2 == 0 {
		u.Surrogate = u.Loss
	}
	if r.Normalize != nmf.Never {
		u.W, u.H = 1, 0
	}
	u.Codes = u.W
	return u
}

// Units returns those of the components, as indicators have none: the unit of the features, unless these
// are scaled to [0, 1].
func (r ByALM) Units() Units {
	return Units{H: 1, StartH: 1}
}

// noteNorm reports the spectral norm of the features.
func (r ByALM) noteNorm(job *run.Run, norm float64) {
	unit := run.Length
	if r.Scale == "minmax" {
		unit = run.NoUnit
	}
	run.Measure(job, "spectral_norm", unit, norm)
}

// Units returns those of indicators with the directions of a subspace.
func (r Projected) Units() Units {
	u := r.ByALM.Units()
	u.H = 0
	return u
}

// Units returns those of codes in the scale of their samples. They are computed from samples of
// unit length.
func (r Deep) Units() Units { return Units{W: 1} }
