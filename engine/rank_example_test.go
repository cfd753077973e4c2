package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
)

// Samples of three components, with an error of a few per cent.
func ExampleFindRank() {
	random := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(60, 30, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		var sum float64
		for k := range 3 {
			sum += (1 + math.Sin(float64(i*(k+2)))) * (1 + math.Cos(float64(j*(k+1))))
		}
		return sum * (1 + 0.1*random.NormFloat64())
	}, x)
	found, err := engine.FindRank(context.Background(), x, engine.NMF{}, engine.FindRankOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Rank, found.AtEnd)
	// Output: 3 false
}
