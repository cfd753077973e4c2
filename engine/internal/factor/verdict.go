package factor

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/nmf"
)

const (
	// changeOfRounding is the relative change of an objective that is due to rounding.
	changeOfRounding = 1e-9
	// exactResidual: factors with at most this relative error equal the data up to rounding, because
	// squares have rounding errors of 1e-16 relative to those of the data.
	exactResidual = 1e-7
	// minTerm: a graph term with a smaller share of the minimised function has no effect. With its
	// paper's λ ndla has 1e-8 to 1e-5; with default parameters it has 0.1 or more, and npaf and gnmf 2e-4 or more.
	minTerm = 1e-4
	// maxError: factors with a larger ‖X − WH‖/‖X‖ are hardly better than zeros.
	maxError = 0.999
)

// Judged is the verdict on a factorisation from its trace. NaN: unknown.
type Judged struct {
	Improvement float64 // relative decrease of the objective from the start; below 0: it rose
	GraphShare  float64 // share of λ tr(WᵀΦW) in the final value of the minimised function
	Verdict     string  // the doubts about the factors, with a remedy; empty: none
}

// judge examines the trace, in the units of the caller, and the relative error. The minimised function
// is Point.Surrogate, which for most losses is the objective.
func judge(trace []nmf.Point, relative float64, converged, graph bool) Judged {
	first, last := trace[0], trace[len(trace)-1]
	j := Judged{math.NaN(), math.NaN(), ""}
	var doubts []string
	if first.Surrogate > 0 {
		j.Improvement = 1 - last.Surrogate/first.Surrogate
	}
	if relative >= maxError {
		doubts = append(doubts, fmt.Sprintf("‖X − WH‖ is %.4g of ‖X‖, so that zeros would be about as near: take another loss, a larger rank, or, with correntropy, a larger theta", relative))
	}
	exact := last.Residual > 0 && last.Residual <= exactResidual
	switch {
	case exact: // the remainder is rounding error, which may rise
	case j.Improvement < -changeOfRounding:
		doubts = append(doubts, fmt.Sprintf("the objective rises from %.4g to %.4g: take another start, fewer iterations, or a smaller lambda", first.Surrogate, last.Surrogate))
	case j.Improvement <= changeOfRounding && !converged && last.Iteration > 0:
		doubts = append(doubts, fmt.Sprintf("%d iterations do not improve the start, whose objective is %.4g: take another one", last.Iteration, first.Surrogate))
	}
	if graph && last.Surrogate > 0 && last.Regularizer > 0 {
		if j.GraphShare = last.Regularizer / last.Surrogate; j.GraphShare < minTerm {
			doubts = append(doubts, fmt.Sprintf("the graph, or the labels that it is made of, has no effect: its term is %.2g of the objective; take a larger lambda", j.GraphShare))
		}
	}
	j.Verdict = strings.Join(doubts, "; ")
	return j
}

// judged sets the verdict from the trace, and warns of doubts.
func (f *Found) judged(job *run.Run, of Plan, exponent int) {
	trace := make([]nmf.Point, len(f.Trace))
	for i, p := range f.Trace {
		trace[i] = of.Solve.Units().Point(p, exponent)
	}
	if f.Judged = judge(trace, f.RelativeError(), f.Converged, of.Align != nil); f.Verdict != "" {
		job.Warn("%s", f.Verdict)
	}
}
