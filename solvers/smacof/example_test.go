package smacof_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/smacof"
)

// The corners of a square from five of the six distances between them: a side is unknown.
func Example() {
	p := &smacof.Pairs{
		N:   4,
		Ptr: []int{0, 2, 4, 5, 5}, Index: []int32{1, 2, 2, 3, 3},
		Delta: []float64{1, 1.4142135623730951, 1, 1.4142135623730951, 1},
	}
	y := mat.NewDense(4, 2, []float64{-1, -1, -2, 1, 1, 3, 1, -1}) // the start
	r, err := smacof.Minimize(context.Background(), p, y, smacof.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var side mat.VecDense
	side.SubVec(y.RowView(0), y.RowView(3))
	fmt.Printf("stress-1 below 0.001: %t, the unknown side: %.2f\n", r.Stress1[len(r.Stress1)-1] < 1e-3, mat.Norm(&side, 2))
	// Output:
	// stress-1 below 0.001: true, the unknown side: 1.00
}
