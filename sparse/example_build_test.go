package sparse_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// chain is the matrix of a path of n points: 2 on the diagonal, −1 next to it.
func chain(n int) *sparse.CSR {
	var list []sparse.Triplet
	for i := range n {
		list = append(list, sparse.Triplet{Row: i, Col: i, Val: 2})
		if i > 0 {
			list = append(list, sparse.Triplet{Row: i, Col: i - 1, Val: -1}, sparse.Triplet{Row: i - 1, Col: i, Val: -1})
		}
	}
	a, err := sparse.FromTriplets(n, n, list)
	if err != nil {
		panic(err)
	}
	return a
}

// Entries come in any order; those at one place are added.
func ExampleFromTriplets() {
	a, err := sparse.FromTriplets(2, 3, []sparse.Triplet{{Row: 1, Col: 0, Val: 3}, {Row: 0, Col: 2, Val: 1}, {Row: 0, Col: 2, Val: 4}})
	fmt.Println(a.NNZ(), a.At(0, 2), a.At(1, 0), err)
	_, err = sparse.FromTriplets(2, 3, []sparse.Triplet{{Row: 2, Col: 0, Val: 1}})
	fmt.Println(err != nil)
	// Output:
	// 2 5 3 <nil>
	// true
}

func ExampleAdd() {
	a := chain(3)
	s, err := sparse.Add(1, a, 0.5, a)
	fmt.Println(s.At(0, 0), s.At(0, 1), err)
	// Output: 3 -1.5 <nil>
}

// Products with one vector and with a block of two.
func ExampleCSR_MulVec() {
	a := chain(3)
	y := make([]float64, 3)
	a.MulVec(1, []float64{1, 1, 1}, y)
	fmt.Println(y)
	block := make([]float64, 6)
	a.MulBlock(1, 2, []float64{1, 0, 1, 1, 1, 0}, block)
	fmt.Println(block)
	// Output:
	// [1 0 1]
	// [1 -1 0 2 1 -1]
}

// D − W of a triangle's edges, each listed once.
func ExampleLaplacian() {
	l, err := sparse.Laplacian(context.Background(), 1, sparse.Edges{Ptr: []int{0, 2, 3, 3}, Index: []int32{1, 2, 2}, Weight: []float64{1, 1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(l.Dense()))
	// Output:
	// ⎡ 2  -1  -1⎤
	// ⎢-1   3  -2⎥
	// ⎣-1  -2   3⎦
}

// Two patches that share a row are added to one matrix.
func ExampleAssemble() {
	p := sparse.NewPatches(1, []int{0, 2, 4}, []int32{0, 1, 1, 2})
	p.Store(0, []float64{1, -1, 1}) // the lower triangle, row by row
	p.Store(1, []float64{1, -1, 1})
	phi, err := sparse.Assemble(context.Background(), 1, 3, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(phi.Dense()))
	// Output:
	// ⎡ 1  -1   0⎤
	// ⎢-1   2  -1⎥
	// ⎣ 0  -1   1⎦
}

// A saddle point, which Cholesky refuses: solved, and the signs of its eigenvalues.
func ExampleNewLDLT() {
	a, err := sparse.FromTriplets(2, 2, []sparse.Triplet{{Row: 0, Col: 0, Val: 2}, {Row: 0, Col: 1, Val: 1}, {Row: 1, Col: 0, Val: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := sparse.NewLDLT(context.Background(), a, 0, sparse.CholeskyOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{5, 1}
	if _, err := f.Solve(x, 1); err != nil {
		fmt.Println(err)
		return
	}
	signs, err := f.Inertia()
	fmt.Printf("%.0f, %d positive, %d negative, %v\n", x, signs.Positive, signs.Negative, err)
	// Output: [1 3], 1 positive, 1 negative, <nil>
}

// Both orders are permutations of the rows.
func ExampleMinimumDegree() {
	a := chain(6)
	fmt.Println(len(sparse.MinimumDegree(a)))
	order, err := sparse.NestedDissection(context.Background(), a, 1)
	fmt.Println(len(order), err)
	// Output:
	// 6
	// 6 <nil>
}

// A dense matrix as MatrixMarket, column by column, and its size without its entries.
func ExampleWriteMatrixMarketArray() {
	var text strings.Builder
	if err := sparse.WriteMatrixMarketArray(&text, mat.NewDense(2, 1, []float64{0.5, 3})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text.String())
	size, err := sparse.ReadMatrixMarketSize(strings.NewReader(text.String()))
	fmt.Println(size.Rows, size.Cols, err)
	// Output:
	// %%MatrixMarket matrix array real general
	// 2 1
	// 0.5
	// 3
	// 2 1 <nil>
}

func ExampleWriteMatrixMarket() {
	a, err := sparse.FromTriplets(2, 2, []sparse.Triplet{{Row: 0, Col: 1, Val: 1.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := sparse.WriteMatrixMarket(os.Stdout, a); err != nil {
		fmt.Println(err)
	}
	// Output:
	// %%MatrixMarket matrix coordinate real general
	// 2 2 1
	// 1 2 1.5
}

// The error about an asymmetric matrix names the place.
func ExampleCheckSymmetricDense() {
	fmt.Println(sparse.CheckSymmetricDense(blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 1}}) != nil)
	// Output: true
}

func ExampleDisjoint() {
	set := sparse.NewDisjoint(4)
	fmt.Println(set.Connect(0, 2), set.Connect(2, 3), set.Connect(3, 0))
	fmt.Println(set.Labels())
	// Output:
	// true true false
	// [0 1 0 0] [3 1]
}
