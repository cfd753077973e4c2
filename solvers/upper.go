package solvers

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// UpperPanel is the number of rows of an [Upper] that begin at the same column.
const UpperPanel = 32

// Upper is a full symmetric matrix of which little more than the upper triangle
// is stored, 4n² + 128n bytes: panels of UpperPanel rows, each from the first
// column of its diagonal block on.
type Upper struct {
	n      int
	panels [][]float64
}

// NewUpper returns a zero matrix of order n.
func NewUpper(n int) *Upper {
	u := &Upper{n: n}
	for lo := 0; lo < n; lo += UpperPanel {
		u.panels = append(u.panels, make([]float64, min(UpperPanel, n-lo)*(n-lo)))
	}
	return u
}

// UpperBytes is the memory of an [Upper] of order n.
func UpperBytes(n int64) int64 { return 4 * n * (n + UpperPanel) }

// Order returns n.
func (u *Upper) Order() int { return u.n }

// First returns the first column that is stored of row i.
func (u *Upper) First(i int) int { return i - i%UpperPanel }

// Row returns the entries of row i from column First(i) on, to be read and
// written.
func (u *Upper) Row(i int) []float64 {
	lo := u.First(i)
	width := u.n - lo
	return u.panels[i/UpperPanel][(i-lo)*width : (i-lo+1)*width]
}

// Mirror copies what stands above the diagonal within the diagonal blocks to
// below it. It is due after the rows have been written and before Mul.
func (u *Upper) Mirror() {
	for i := range u.n {
		lo := u.First(i)
		for j := lo; j < i; j++ {
			u.Row(i)[j-lo] = u.Row(j)[i-lo]
		}
	}
}

// upperGroups is the number of partial sums of a product. It decides bits and is
// therefore one constant.
const upperGroups = 16

// Mul computes Y = U·X for n × width blocks, row-major, on up to threads workers
// (0: all cores), whose number changes no bit. Every panel is read once for both
// triangles: 2n²·width operations, 16n·width numbers of scratch.
func (u *Upper) Mul(kernels *blas.Kernels, threads, width int, x, y []float64) {
	n := u.n
	sums := make([][]float64, min(upperGroups, len(u.panels)))
	// The context is never cancelled, so neither are the loops.
	_ = blas.For(context.Background(), threads, len(sums), 1, func(_, g, _ int) {
		z := make([]float64, n*width)
		for p := g; p < len(u.panels); p += len(sums) {
			lo := p * UpperPanel
			hi := min(lo+UpperPanel, n)
			ld := n - lo
			kernels.Gemm(false, false, hi-lo, width, ld, 1, u.panels[p], ld, x[lo*width:n*width], width, 1, z[lo*width:], width)
			if hi < n {
				kernels.Gemm(true, false, n-hi, width, hi-lo, 1, u.panels[p][hi-lo:], ld, x[lo*width:hi*width], width, 1, z[hi*width:], width)
			}
		}
		sums[g] = z
	})
	_ = blas.For(context.Background(), threads, n*width, 1<<14, func(_, lo, hi int) {
		out := y[lo:hi]
		clear(out)
		for _, z := range sums {
			blas.Axpy(1, z[lo:hi], out)
		}
	})
}
