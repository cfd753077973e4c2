package blas_test

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

func Example() {
	k, err := blas.Select("gonum")
	if err != nil {
		fmt.Println(err)
		return
	}
	a := []float64{ // two rows of three
		1, 2, 3,
		4, 5, 6,
	}
	c := make([]float64, 4)
	k.Gemm(false, true, 2, 2, 3, 1, a, 3, a, 3, 0, c, 2)
	fmt.Println(k.Name(), c)
	// Output: gonum [14 32 32 77]
}

func ExampleStream() {
	s := blas.NewStream(1)
	fmt.Println(s.Uint64())
	fmt.Printf("%.4f\n", s.Uniform())
	// Output:
	// 10451216379200822465
	// 0.7458
}
