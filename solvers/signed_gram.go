package solvers

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// gramRows is the matrix XXᵀ, whose rows are computed whenever they are asked
// for.
type gramRows struct {
	dense    // without entries
	kernels  *blas.Kernels
	x        []float64
	features int
}

// SignedGram is K = XXᵀ for the n × features matrix x, for an order at which K
// does not fit: 2n²·features flops a pass in place of 8n² bytes. Entries that are
// not finite are an error.
func SignedGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	if len(x) < n*features || n < 1 || features < 1 {
		return nil, fmt.Errorf("solvers: %d numbers are no %d × %d matrix", len(x), n, features)
	}
	if x = x[:n*features]; !allFinite(x) {
		return nil, errNotFinite
	}
	return &gramRows{dense: dense{n: n}, kernels: kernels, x: x, features: features}, nil
}

func (g *gramRows) begin(w, workers int, u []float64) {
	g.prepare(w, workers, u, blas.SignedScratch(w)+rowsOfDense*g.n)
}

func (g *gramRows) rows(worker, lo, hi int, _, plus, minus []float64) {
	w, f := g.columns, g.features
	scratch := g.scratch[worker*g.each : (worker+1)*g.each]
	tile := scratch[blas.SignedScratch(w):]
	g.kernels.Gemm(false, true, hi-lo, g.n, f, 1, g.x[lo*f:], f, g.x, f, 0, tile, g.n)
	blas.MulSigned(w, 0, hi-lo, g.n, tile, g.n, g.packed, plus[lo*w:], minus[lo*w:], scratch)
}
