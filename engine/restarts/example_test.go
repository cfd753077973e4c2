package restarts_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/restarts"
)

// The components of four runs of rank 2, in any order, one of them far from all others.
func Example() {
	x := mat.NewDense(4, 4, []float64{
		4, 2, 0, 0,
		2, 1, 0, 0,
		0, 0, 3, 3,
		4, 2, 1, 1,
	})
	spectra := mat.NewDense(8, 4, []float64{
		2, 1, 0, 0,
		0, 0, 1, 1,
		0, 0, 2, 2,
		4, 2, 0, 0,
		2, 1, 0, 0,
		0, 0, 3, 3,
		0, 0, 1, 1,
		1, 0, 0, 5,
	})
	c, err := restarts.FindConsensus(context.Background(), x, spectra, 2, restarts.ConsensusOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d components are kept, relative error %.3f\n", c.Kept, c.Components, c.RelativeError)
	agree, err := restarts.CopheneticCorrelation([][]int64{{0, 0, 1, 0}, {1, 1, 0, 1}, {0, 0, 1, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("cophenetic correlation %.3f\n", agree)
	// Output:
	// 7 of 8 components are kept, relative error 0.000
	// cophenetic correlation 1.000
}

// Three components predict entries that runs did not see best, and two as well within a standard error.
func ExampleChooseRank() {
	choice, err := restarts.ChooseRank([]restarts.HeldOut{
		{Rank: 1, Loss: 9}, {Rank: 1, Loss: 7},
		{Rank: 2, Loss: 2}, {Rank: 2, Loss: 1.9},
		{Rank: 3, Loss: 2}, {Rank: 3, Loss: 1},
		{Rank: 4, Loss: 3}, {Rank: 4, Loss: 2},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice.Best, choice.Sparing, choice.AtEnd)
	// Output: 3 2 false
}
