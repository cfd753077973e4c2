package sparse_test

import (
	"fmt"
	"os"
	"strings"

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
