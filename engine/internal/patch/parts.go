package patch

import "github.com/orthant-go/orthant/solvers"

// Others are the processes that share the samples of a run among them. All call the same
// function at the same time, and all get the same answer.
type Others interface {
	// LowerMedian is [solvers.LowerMedian] of the numbers of all; NaN where there are none.
	LowerMedian(own []float64) float64
	// Sum adds up, place by place, what all give.
	Sum(own ...float64) []float64
}

// own is the number of samples whose lists are this process's.
func (in Local) own() int {
	if in.Others == nil {
		return in.Graph.Len()
	}
	return in.Own
}

// median is the lower median over the samples of all processes.
func (in Local) median(own []float64) float64 {
	if in.Others == nil {
		return solvers.LowerMedian(own)
	}
	return in.Others.LowerMedian(own)
}

// sum adds up what all processes have.
func (in Local) sum(own ...float64) []float64 {
	if in.Others == nil {
		return own
	}
	return in.Others.Sum(own...)
}
