package engine_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The rank of a factorisation by entries that it did not see.
func ExampleChooseRank() {
	p, err := datasets.GenerateProgrammes(300, 1, map[string]string{"programmes": "4", "dims": "60", "depth": "200"})
	if err != nil {
		fmt.Println(err)
		return
	}
	runs, err := engine.FactorizeRuns(context.Background(), p.Counts, engine.NMF{Updates: engine.Updates{Iterations: 60}},
		engine.RunsOptions{Ranks: []int{2, 4, 8}, Runs: 3, HeldOut: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	choice, err := engine.ChooseRank(runs.Runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rank", choice.Sparing)
	// Output: rank 4
}

// What the components of three runs have in common.
func ExampleFindConsensus() {
	x := mat.NewDense(6, 4, []float64{
		1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0, 0,
		0, 0, 1, 2, 0, 0, 2, 4, 0, 0, 3, 6,
	})
	spectra := mat.NewDense(6, 4, []float64{ // two components of each run
		1, 1, 0, 0, 0, 0, 1, 2,
		2, 2.1, 0, 0, 0, 0, 2, 4.1,
		0, 0, 3, 6, 3, 3, 0, 0,
	})
	c, err := engine.FindConsensus(context.Background(), x, spectra, 2, engine.ConsensusOptions{Share: 0.4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d components kept, relative error below 0.05: %t\n", c.Kept, c.Components, c.RelativeError < 0.05)
	fmt.Println(engine.ConsensusBytes(6, 2, 6, 4, 0, 0) > 0)
	// Output:
	// 6 of 6 components kept, relative error below 0.05: true
	// true
}

// Runs that agree which samples belong together, whatever they call the groups.
func ExampleCopheneticCorrelation() {
	r, err := engine.CopheneticCorrelation([][]int64{{0, 0, 1, 1}, {1, 1, 0, 0}})
	fmt.Println(r, err)
	// Output: 1 <nil>
}
