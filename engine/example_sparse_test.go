package engine_test

import (
	"context"
	"fmt"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/solvers"
)

// Words are counted in the coordinates of another package, one entry for each time that
// one occurs, and factorised as they are: entries at one place add up.
func ExampleFactorize_sparse() {
	counts := storage.NewCOO(4, 4, nil, nil, nil)
	for document, words := range [][]int{{0, 1, 0, 0, 1, 0}, {0, 1, 0}, {2, 3, 3, 2}, {3, 2}} {
		for _, word := range words {
			counts.Set(document, word, 1)
		}
	}
	r, err := engine.Factorize(context.Background(), counts, engine.NMF{Updates: engine.Updates{Iterations: 500}}, engine.FactorizeOptions{Rank: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	topic := func(document int) bool { return r.W.At(document, 0) > r.W.At(document, 1) }
	fmt.Printf("kept sparse: %v, relative error below 1e-6: %v\n", r.Sparse, r.RelativeError < 1e-6)
	fmt.Println(topic(0) == topic(1), topic(2) == topic(3), topic(0) == topic(2))
	// Output:
	// kept sparse: true, relative error below 1e-6: true
	// true true false
}

// The alignment matrix of a method, in the type of another package and back.
func ExampleAlignment() {
	roll, err := datasets.Generate("swiss-roll", 500, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	phi, err := engine.Alignment(context.Background(), roll.X, engine.LTSA{}, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	other := phi.Storage() // shares the values
	ones := mat.NewVecDense(500, nil)
	for i := range 500 {
		ones.SetVec(i, 1)
	}
	product := storage.MulMatVec(false, 1, other, ones, nil)
	fmt.Printf("Φ sends constants to 0: %v\n", mat.Norm(product, 2) < 1e-10)

	ones.ScaleVec(1/mat.Norm(ones, 2), ones)
	e, err := solvers.Smallest(context.Background(), other, [][]float64{ones.RawVector().Data}, 2, solvers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("two coordinates of %d samples, found: %v\n", len(e.Vectors[0]), e.Converged)
	// Output:
	// Φ sends constants to 0: true
	// two coordinates of 500 samples, found: true
}
