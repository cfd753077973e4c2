package sparse_test

import (
	"fmt"
	"os"
	"strings"

	storage "github.com/james-bowman/sparse"

	"github.com/orthant-go/orthant/sparse"
)

// A symmetric MatrixMarket file gives one triangle; entries given twice are added.
func ExampleReadMatrixMarket() {
	market, err := sparse.ReadMatrixMarket(strings.NewReader(`%%MatrixMarket matrix coordinate real symmetric
3 3 3
1 1 2
3 1 -1
3 1 0.5
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a := market.Sparse
	fmt.Println(a.NNZ(), a.At(0, 2), a.At(2, 0))
	if err := sparse.WriteMatrixMarket(os.Stdout, a); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 -0.5 -0.5
	// %%MatrixMarket matrix coordinate real general
	// 3 3 3
	// 1 1 2
	// 1 3 -0.5
	// 3 1 -0.5
}

// Coordinates of another package, with two entries at one place, there and back.
func ExampleOf() {
	coo := storage.NewCOO(2, 3, []int{0, 0, 0, 1}, []int{2, 0, 2, 1}, []float64{1, 2, 3, 4})
	a, isSparse, err := sparse.Of(coo)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(isSparse, a.NNZ(), a.At(0, 2))
	other := a.Storage()
	again, _, err := sparse.Of(other)
	if err != nil {
		fmt.Println(err)
		return
	}
	again.Val[0] = 5 // nothing was copied
	fmt.Println(a.At(0, 0), other.At(0, 0))
	// Output:
	// true 3 4
	// 5 5
}

// The second differences of a grid of four points, without a list of their entries.
func ExampleFromEntries() {
	a, err := sparse.FromEntries(4, 4, func(put func(i, j int, v float64)) {
		for i := range 4 {
			put(i, i, 2)
			if i > 0 {
				put(i, i-1, -1)
				put(i-1, i, -1)
			}
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.NNZ(), a.At(1, 1), a.At(1, 2))
	// Output:
	// 10 2 -1
}
