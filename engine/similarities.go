package engine

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// adaptiveSimilarities is the kernel whose width follows the density, made symmetric, of
// all pairs of samples: n × n, both triangles, with ones on the diagonal.
func (p *problem) adaptiveSimilarities(k *int) ([]float64, error) {
	defer p.clock.Phase("kernel")()
	at := rootNearest{k}.number(p.x.N)
	p.details["neighbors"] = at
	mapped, err := exemplars.Kernel(p.ctx, p.x.N, p.x.M, p.x.Data, exemplars.KernelOptions{Neighbors: at, Threads: p.options.Threads, Kernels: p.kernels})
	if err != nil {
		return nil, err
	}
	full := p.wholeOf(mapped.D)
	blas.Scale(-1, full)
	return full, p.ctx.Err()
}

// euclideanShares are the distances between all samples over the largest, n × n.
func (p *problem) euclideanShares() ([]float64, error) {
	defer p.clock.Phase("kernel")()
	mapped, err := exemplars.Distances(p.ctx, p.x.N, p.x.M, p.x.Data, exemplars.KernelOptions{Neighbors: 1, Threads: p.options.Threads, Kernels: p.kernels})
	if err != nil {
		return nil, err
	}
	return p.wholeOf(mapped.D), p.ctx.Err()
}

// wholeOf writes out both triangles.
func (p *problem) wholeOf(d *exemplars.Packed) []float64 {
	const block = 64
	full := make([]float64, d.N*d.N)
	// Where the run is cancelled the caller notices.
	_ = blas.For(p.ctx, p.options.Threads, d.N, block, func(_, lo, hi int) { d.Columns(lo, hi, full[lo*d.N:hi*d.N]) })
	return full
}
