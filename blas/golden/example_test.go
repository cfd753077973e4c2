package golden_test

import (
	"fmt"

	"github.com/orthant-go/orthant/blas/golden"
)

func ExampleClose() {
	fmt.Println(golden.Close(0.1+0.2, 0.3, 1e-15)) // absolute below 1
	fmt.Println(golden.Close(1000.1, 1000, 1e-3))  // relative above
	fmt.Println(golden.Close(1.1, 1, 1e-3))
	// Output:
	// true
	// true
	// false
}
