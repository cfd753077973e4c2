package engine_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// What is known of a method before it is run.
func ExampleMethodNamed() {
	e, err := engine.MethodNamed("lda")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name, "needs labels:", e.Supervised)
	_, err = engine.MethodNamed("tsne")
	fmt.Println(err != nil)
	// Output:
	// lda needs labels: true
	// true
}

func ExampleMethods() {
	for _, e := range engine.Methods() {
		if e.Name == "neml" {
			fmt.Println(e.Name, engine.KeepsLengths(e.Name), engine.KeepsSingle(engine.NEML{}))
		}
	}
	// Output: neml false false
}

// A method by name, for one task; the error names the call that another method is for.
func ExampleNewFor() {
	m, err := engine.NewFor("cluster", "kmeans")
	fmt.Println(m.Name(), err)
	_, err = engine.NewFor("cluster", "pca")
	fmt.Println(err)
	// Output:
	// kmeans <nil>
	// pca does not cluster; it is a method of engine.Embed
}

// The parameters of a method, by which help and forms are made.
func ExampleParameters() {
	for _, p := range engine.Parameters(engine.LTSA{}) {
		fmt.Println(p.Key, p.Type, p.Default)
	}
	fmt.Println(len(engine.CommonParameters()), "more of all embeddings, of", len(engine.CommonOf(engine.LTSA{})))
	// Output:
	// neighbors integer 12
	// dim integer 2
	// exclude_self boolean false
	// 9 more of all embeddings, of 9
}

// Parameters as text. What is wrong is told by the name of the field.
func ExampleSet() {
	m := &engine.NEML{}
	fmt.Println(engine.Set(m, "neighbors", "20"), m.Neighbors)
	fmt.Println(engine.Set(m, "dim", "none"))
	// Output:
	// <nil> 20
	// neml: Dim is "none"; give a whole number ≥ 1
}

func ExampleSetJSON() {
	m := &engine.LE{}
	fmt.Println(engine.SetJSON(m, []byte(`{"neighbors": 8, "weights": "heat"}`)), m.Neighbors, m.Weights)
	// Output: <nil> 8 heat
}

// Options that all methods share, as text.
func ExampleSetCommon() {
	var o engine.Options
	fmt.Println(engine.SetCommon(&o, "components", "largest"), o.Components)
	fmt.Println(engine.SetCommon(&o, "components", "some"))
	// Output:
	// <nil> largest
	// Components is some; give one of auto, error, largest, each, joint, bridge
}

// All parameters of a method, defaults filled in.
func ExampleValues() {
	v := engine.Values(engine.LLE{Neighbors: 9})
	fmt.Println(v["neighbors"], v["dim"], v["gamma"])
	// Output: 9 2 auto
}

// How many runs fit beside each other.
func ExampleEstimateMemory() {
	one := engine.EstimateMemory("isomap", 10000, 50, 12, engine.Options{})
	few := engine.EstimateMemory("isomap", 10000, 50, 12, engine.Options{Landmarks: 500})
	fmt.Println("landmarks take less:", few < one)
	// Output: landmarks take less: true
}

// Work beyond a limit of memory is refused before it begins.
func ExampleIsMemory() {
	x := made("swiss-roll", 2000, nil).X
	_, err := engine.Embed(context.Background(), x, engine.Isomap{}, engine.Options{Memory: 20 << 20})
	fmt.Println(engine.IsMemory(err))
	// Output: true
}

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
