// Package steptest has helpers for the tests of the steps.
package steptest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Run returns a run with the best backend for a method called "test", with seed 1, on all cores.
// It reports no progress.
func Run(t testing.TB) *run.Run {
	return run.New(t.Context(), "test", run.Settings{Kernels: blas.MustSelect("auto"), Seed: 1, Recall: 0.99})
}

// Samples returns the rows of a golden case.
func Samples(rows [][]float64) samples.Samples {
	return samples.OfRows(len(rows), len(rows[0]), golden.Flat(rows))
}

// Columns returns the samples of a golden case that stores them as columns.
func Columns(columns [][]float64) samples.Samples {
	return samples.Of(mat.DenseCopyOf(mat.NewDense(len(columns), len(columns[0]), golden.Flat(columns)).T()))
}

// Shapes returns n nonnegative samples of m columns around three patterns, with the
// patterns as labels.
func Shapes(n, m int) (*mat.Dense, []int64) {
	stream := blas.NewStream(11)
	patterns := make([]float64, 3*m)
	stream.Uniforms(patterns)
	x, labels := mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		for j := range m {
			x.Set(i, j, max(0, patterns[i%3*m+j]-0.3+0.3*stream.Uniform())*(1+float64(i%5)))
		}
	}
	return x, labels
}

// Sheet returns n random samples of a bent sheet in m columns with a little noise.
func Sheet(n, m int, seed uint64) *mat.Dense {
	s := blas.NewStream(seed)
	u, mixing, x := mat.NewDense(n, 4, nil), mat.NewDense(4, m, nil), mat.NewDense(n, m, nil)
	for i := range n {
		a, b := s.Uniform(), s.Uniform()
		u.SetRow(i, []float64{3 * a, 2 * b, math.Sin(3 * a), a * b})
	}
	s.Normals(mixing.RawMatrix().Data)
	x.Mul(u, mixing)
	noise := make([]float64, n*m)
	s.Normals(noise)
	blas.Axpy(0.1, noise, x.RawMatrix().Data)
	return x
}

// Whole joins the blocks of a matrix.
func Whole(b *eigen.RowBlocks) *sparse.CSR {
	whole := &sparse.CSR{Ptr: []int{0}}
	block := b.Worker()
	for i := range b.Blocks {
		part := block(i)
		for _, end := range part.Ptr[1:] {
			whole.Ptr = append(whole.Ptr, len(whole.Col)+end)
		}
		whole.Col, whole.Val = append(whole.Col, part.Col...), append(whole.Val, part.Val...)
		whole.Rows, whole.Cols = whole.Rows+part.Rows, part.Cols
	}
	return whole
}
