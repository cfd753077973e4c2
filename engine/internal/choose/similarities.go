package choose

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// adaptiveSimilarities is the kernel whose width follows the density, made symmetric, of
// all pairs of samples: n × n, both triangles, with ones on the diagonal.
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

// euclideanShares are the distances between all samples over the largest, n × n.
func euclideanShares(job *run.Run, x samples.Samples) ([]float64, error) {
	defer job.Phase("kernel")()
	mapped, err := exemplars.Distances(job.Context(), x.N(), x.M(), x.Data(), exemplars.KernelOptions{Neighbors: 1, Threads: job.Threads(), Kernels: job.Kernels()})
	if err != nil {
		return nil, err
	}
	return wholeOf(job, mapped.D), job.Err()
}

// wholeOf writes out both triangles.
func wholeOf(job *run.Run, d *exemplars.Packed) []float64 {
	const block = 64
	full := make([]float64, d.N*d.N)
	// Where the run is cancelled the caller notices.
	_ = blas.For(job.Context(), job.Threads(), d.N, block, func(_, lo, hi int) { d.Columns(lo, hi, full[lo*d.N:hi*d.N]) })
	return full
}
