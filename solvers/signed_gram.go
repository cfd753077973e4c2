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

func (g *gramRows) diagonal() []float64 { return squaredRows(g.x, g.dense.n, g.features) }

func squaredRows(x []float64, n, features int) []float64 {
	squares := make([]float64, n)
	for i := range squares {
		row := x[i*features : (i+1)*features]
		squares[i] = blas.Dot(row, row)
	}
	return squares
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

// gramFactor is the matrix XXᵀ by two products with X, which do not tell its
// entries apart by their sign: C⁻ counts as zero.
type gramFactor struct {
	kernels     *blas.Kernels
	x           []float64
	n, features int
	columns     int
	inner       []float64 // XᵀU, features × columns
}

// PlainGram is K = XXᵀ for the n × features matrix x by 4n·features·p flops a product:
// for the update "gradient" alone, which does not look at signs. Entries that are not
// finite are an error.
func PlainGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	g, err := SignedGram(kernels, n, features, x)
	if err != nil {
		return nil, err
	}
	return &gramFactor{kernels: kernels, x: g.(*gramRows).x, n: n, features: features}, nil
}

func (g *gramFactor) Order() int                   { return g.n }
func (g *gramFactor) terms() (sign, sigma float64) { return 1, 0 }
func (g *gramFactor) width(p int) int              { return fours(p) }
func (g *gramFactor) oneSided() bool               { return true }
func (g *gramFactor) block() int                   { return rowsOfSparse }
func (g *gramFactor) diagonal() []float64          { return squaredRows(g.x, g.n, g.features) }

func (g *gramFactor) begin(w, workers int, u []float64) {
	if g.columns = w; len(g.inner) < g.features*w {
		g.inner = make([]float64, g.features*w)
	}
	g.kernels.GemmParallel(workers, true, false, g.features, w, g.n, 1, g.x, g.features, u, w, 0, g.inner, w)
}

func (g *gramFactor) rows(_, lo, hi int, _, plus, _ []float64) {
	w := g.columns
	g.kernels.Gemm(false, false, hi-lo, w, g.features, 1, g.x[lo*g.features:], g.features, g.inner, w, 0, plus[lo*w:], w)
}
