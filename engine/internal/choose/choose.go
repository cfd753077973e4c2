// Package choose implements the selection of samples that represent all of them.
package choose

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// Rule chooses count of the samples.
type Rule func(job *run.Run, x samples.Samples, count int) (*Choice, error)

// Choice is the result of a rule.
type Choice struct {
	Indices     []int   // count of them
	First, Last float64 // the objective after the first choice, or at the start, and at the end
	Iterations  int
	Converged   bool
}

// filled fills the exemplars up to count with the samples farthest from them.
func filled(job *run.Run, x samples.Samples, chosen []int, count int, why string) ([]int, error) {
	job.Note("filled", count-len(chosen))
	if len(chosen) == count {
		return chosen, nil
	}
	job.Warn("%d of the %d exemplars are the samples farthest from the others: %s", count-len(chosen), count, why)
	return exemplars.Farthest(job.Context(), job.Threads(), points(x), chosen, count)
}

// points returns the samples in the type of the solvers.
func points(x samples.Samples) blas.Rows {
	return blas.Rows{N: x.N(), M: x.M(), Data: x.Data()}
}

// options returns the options of solvers that choose one exemplar at a time.
func options(job *run.Run, count int) exemplars.Options {
	return exemplars.Options{Kernels: job.Kernels(), Threads: job.Threads(), Seed: job.Seed(), Progress: job.Counting("solve", "exemplars", count)}
}

// totalOf returns the sum of a list; NaN if it is empty.
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

// adaptiveSimilarities returns the kernel with density-adaptive width for all
// pairs of samples, made symmetric: n × n, both triangles, with ones on the diagonal.
func adaptiveSimilarities(job *run.Run, x samples.Samples, k *int) ([]float64, error) {
	defer job.Phase("kernel")()
	at := neighborhood.RootNearest{K: k}.Number(x.N())
	job.Note("neighbors", at)
	mapped, err := exemplars.Kernel(job.Context(), x.N(), x.M(), x.Data(), exemplars.KernelOptions{Neighbors: at, Threads: job.Threads(), Kernels: job.Kernels()})
	if err != nil {
		return nil, err
	}
	full := wholeOf(job, mapped.D)
	blas.Scale(-1, full)
	return full, job.Err()
}

// euclideanShares returns the distances between all samples divided by the largest, n × n.
func euclideanShares(job *run.Run, x samples.Samples) ([]float64, error) {
	defer job.Phase("kernel")()
	mapped, err := exemplars.Distances(job.Context(), x.N(), x.M(), x.Data(), exemplars.KernelOptions{Neighbors: 1, Threads: job.Threads(), Kernels: job.Kernels()})
	if err != nil {
		return nil, err
	}
	return wholeOf(job, mapped.D), job.Err()
}

// wholeOf returns both triangles.
func wholeOf(job *run.Run, d *exemplars.Packed) []float64 {
	const block = 64
	full := make([]float64, d.N*d.N)
	// The caller checks for cancellation.
	_ = blas.For(job.Context(), job.Threads(), d.N, block, func(_, lo, hi int) { d.Columns(lo, hi, full[lo*d.N:hi*d.N]) })
	return full
}
