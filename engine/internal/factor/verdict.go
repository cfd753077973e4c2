package factor

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/nmf"
)

const (
	// changeOfRounding: an objective that changes by less has not changed.
	changeOfRounding = 1e-9
	// exactResidual: factors with this relative error or less are the data to rounding: squares are
	// rounded to 1e-16 of those of the data.
	exactResidual = 1e-7
	// leastTerm: a graph's term that is less than this share of what is lowered has no effect: by
	// its defaults ndla has 1e-8 to 1e-5, and npaf and gnmf 2e-4 and more.
	leastTerm = 1e-4
	// mostError: factors whose ‖X − WH‖ is a larger share of ‖X‖ are hardly nearer than zeros.
	mostError = 0.999
)

// Judged is what the trace of a factorisation says of it. NaN: it says nothing.
type Judged struct {
	Improvement float64 // the share of the objective of the start that was taken off; below 0: it rose
	GraphShare  float64 // of λ tr(WᵀΦW) in what is lowered, in the end
	Verdict     string  // what speaks against the factors, with a remedy; empty: nothing
}

// judge looks at the trace, in the units of the caller, and at the relative error. What is
// lowered is Point.Surrogate, of most losses the objective itself.
func judge(trace []nmf.Point, relative float64, converged, graph bool) Judged {
	first, last := trace[0], trace[len(trace)-1]
	j := Judged{math.NaN(), math.NaN(), ""}
	var doubts []string
	if first.Surrogate > 0 {
		j.Improvement = 1 - last.Surrogate/first.Surrogate
	}
	if relative >= mostError {
		doubts = append(doubts, fmt.Sprintf("‖X − WH‖ is %.4g of ‖X‖, so that zeros would be about as near: take another loss, a larger rank, or, with correntropy, a larger theta", relative))
	}
	exact := last.Residual > 0 && last.Residual <= exactResidual
	switch {
	case exact: // what is left is rounding, which may rise
	case j.Improvement < -changeOfRounding:
		doubts = append(doubts, fmt.Sprintf("the objective rises from %.4g to %.4g: take another start, fewer iterations, or a smaller lambda", first.Surrogate, last.Surrogate))
	case j.Improvement <= changeOfRounding && !converged && last.Iteration > 0:
		doubts = append(doubts, fmt.Sprintf("%d iterations do not improve the start, whose objective is %.4g: take another one", last.Iteration, first.Surrogate))
	}
	if graph && last.Surrogate > 0 && last.Regularizer > 0 {
		if j.GraphShare = last.Regularizer / last.Surrogate; j.GraphShare < leastTerm {
			doubts = append(doubts, fmt.Sprintf("the graph, or the labels that it is made of, has no effect: its term is %.2g of the objective; take a larger lambda", j.GraphShare))
		}
	}
	j.Verdict = strings.Join(doubts, "; ")
	return j
}

// judged enters what the trace says, and warns of what speaks against the factors.
func (f *Found) judged(job *run.Run, of Plan, exponent int) {
	trace := make([]nmf.Point, len(f.Trace))
	for i, p := range f.Trace {
		trace[i] = of.Solve.Units().Point(p, exponent)
	}
	if f.Judged = judge(trace, f.RelativeError(), f.Converged, of.Align != nil); f.Verdict != "" {
		job.Warn("%s", f.Verdict)
	}
}
