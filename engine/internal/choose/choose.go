// Package choose has the rules of selections: which samples stand for all of them.
package choose

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// Rule chooses count of the samples.
type Rule func(job *run.Run, x samples.Samples, count int) (*Choice, error)

// Choice is what a rule chose.
type Choice struct {
	Indices     []int   // as many as asked for
	First, Last float64 // the objective after the first choice, or at the start, and in the end
	Iterations  int
	Converged   bool
}

// filled tops the exemplars up to count with the samples farthest from them.
func filled(job *run.Run, x samples.Samples, chosen []int, count int, why string) ([]int, error) {
	job.Note("filled", count-len(chosen))
	if len(chosen) == count {
		return chosen, nil
	}
	job.Warn("%d of the %d exemplars are the samples farthest from the others: %s", count-len(chosen), count, why)
	return exemplars.Farthest(job.Context(), job.Threads(), points(x), chosen, count)
}

// points are the samples, as the solvers of selection take them.
func points(x samples.Samples) blas.Rows {
	return blas.Rows{N: x.N(), M: x.M(), Data: x.Data()}
}

// options are those of the solvers that choose one exemplar after the other.
func options(job *run.Run, count int) exemplars.Options {
	return exemplars.Options{Kernels: job.Kernels(), Threads: job.Threads(), Seed: job.Seed(), Progress: job.Counting("solve", "exemplars", count)}
}

// totalOf adds up; NaN for nothing.
func totalOf(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range list {
		sum += v
	}
	return sum
}
