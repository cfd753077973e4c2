package layout_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// Two groups of 15 vertices, all of which are joined within a group: the map keeps the groups apart.
func Example() {
	w := &sparse.CSR{Rows: 30, Cols: 30, Ptr: []int{0}}
	y := mat.NewDense(30, 2, nil)
	for i := range 30 {
		for j := i / 15 * 15; j < i/15*15+15; j++ {
			if j != i {
				w.Col, w.Val = append(w.Col, int32(j)), append(w.Val, 1)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
		y.SetRow(i, []float64{float64(i * 7 % 30), float64(i * 11 % 30)}) // a start that mixes them
	}
	curve, err := layout.NewCurve(0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := (layout.UMAP{Curve: curve, Epochs: 200, Seed: 1}).Arrange(context.Background(), w, y); err != nil {
		log.Fatal(err)
	}
	distance := func(i, j int) float64 {
		return math.Hypot(y.At(i, 0)-y.At(j, 0), y.At(i, 1)-y.At(j, 1))
	}
	var near, far float64
	for i := range 15 {
		for j := range 15 {
			near, far = near+distance(i, j), far+distance(i, 15+j)
		}
	}
	fmt.Println(far > 2*near)
	// Output: true
}

func ExampleNewCurve() {
	curve, err := layout.NewCurve(0.1, 1)
	fmt.Printf("1/(1 + %.3f d^%.3f) %v\n", curve.A, 2*curve.B, err)
	// Output: 1/(1 + 1.577 d^1.790) <nil>
}
