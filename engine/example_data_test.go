package engine_test

import (
	"bytes"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// made generates samples of a known surface.
func made(name string, n int, set map[string]string) *datasets.Set {
	s, err := datasets.Generate(name, n, 1, set)
	if err != nil {
		panic(err)
	}
	return s
}

// Samples that stray from a surface by noise are moved back onto it.
func ExampleDenoise() {
	noisy := made("swiss-roll", 2000, map[string]string{"noise": "0.3"})
	clean := made("swiss-roll", 2000, nil)
	d, err := engine.Denoise(context.Background(), noisy.X, 2, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var before, after mat.Dense
	before.Sub(noisy.X, clean.X)
	after.Sub(d.X, clean.X)
	fmt.Println("moved:", d.Moved, "nearer to the surface:", mat.Norm(&after, 2) < mat.Norm(&before, 2))
	// Output: moved: true nearer to the surface: true
}

// Components are learnt from samples that come little by little.
func ExampleLearn() {
	method := engine.NMF{LeastSquares: engine.LeastSquares{Solver: "minibatch"}}
	var known engine.Learning
	for batch := range 3 {
		x := mat.NewDense(40, 4, nil)
		for i := range 40 {
			a, b := float64(i%5), float64((i+batch)%3)
			x.SetRow(i, []float64{a, 2 * a, b, 3 * b})
		}
		r, learned, err := engine.Learn(context.Background(), x, method, engine.FactorizeOptions{Rank: 2}, known)
		if err != nil {
			fmt.Println(err)
			return
		}
		known = learned
		rows, cols := r.H.Dims()
		fmt.Printf("after batch %d: H is %d × %d\n", batch+1, rows, cols)
	}
	// Output:
	// after batch 1: H is 2 × 4
	// after batch 2: H is 2 × 4
	// after batch 3: H is 2 × 4
}

// Samples that need not fit into memory are read in batches, and their coordinates are
// written as they are found.
func ExampleFactorizeSource() {
	x := make([]float64, 60*3)
	for i := range x {
		x[i] = float64(i % 7)
	}
	method := engine.NMF{LeastSquares: engine.LeastSquares{Solver: "minibatch"}}
	fmt.Println("in batches:", engine.InBatches(method), engine.InBatches(engine.NMF{}))
	r, err := engine.FactorizeSource(context.Background(), nmf.Memory(nmf.Data{Rows: 60, Cols: 3, Dense: x}), method, engine.FactorizeOptions{Rank: 2}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := r.H.Dims()
	fmt.Printf("H is %d × %d\n", rows, cols)
	// Output:
	// in batches: true false
	// H is 2 × 3
}

// Samples that need not fit into memory are read block by block, twice.
func ExampleEmbedSource() {
	x := make([]float64, 60*3)
	for i := range x {
		x[i] = float64(i % 7)
	}
	fmt.Println("block by block:", engine.EmbedsSource(engine.PCA{}), engine.EmbedsSource(engine.LLE{}))
	r, err := engine.EmbedSource(context.Background(), nmf.Memory(nmf.Data{Rows: 60, Cols: 3, Dense: x}), engine.PCA{Dim: 2}, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := r.Y.Dims()
	fmt.Printf("Y is %d × %d\n", rows, cols)
	// Output:
	// block by block: true false
	// Y is 60 × 2
}

// Each sample as a convex combination of its neighbours.
func ExampleRepresent() {
	line := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	g, err := engine.Represent(context.Background(), line, engine.LNP{Neighbors: 4}, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	from, to := g.Ptr[2], g.Ptr[3]
	fmt.Printf("sample 2: neighbours %d, weights %.2f\n", g.Index[from:to], g.Weight[from:to])
	// Output: sample 2: neighbours [1 3], weights [0.50 0.50]
}

// The weights by which LLE writes samples by their neighbours.
func ExampleReconstructionWeights() {
	line := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	g, err := neighbors.Exact(context.Background(), neighbors.Points{N: 5, M: 1, Data: line.RawMatrix().Data}, 2, neighbors.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := engine.ReconstructionWeights(context.Background(), line, g, 1e-6, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", w.RawRowView(2))
	// Output: [0.500 0.500]
}

// A start for t-SNE or UMAP, from the graph that they have made.
func ExampleSpectralInit() {
	const n = 12
	var edges []sparse.Triplet
	for i := range n { // a ring
		j := (i + 1) % n
		edges = append(edges, sparse.Triplet{Row: i, Col: j, Val: 1}, sparse.Triplet{Row: j, Col: i, Val: 1})
	}
	graph, err := sparse.FromTriplets(n, n, edges)
	if err != nil {
		fmt.Println(err)
		return
	}
	start, err := engine.SpectralInit(context.Background(), graph, 2, engine.SpectralInitOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := start.Y.Dims()
	fmt.Printf("%d × %d of %d component\n", rows, cols, len(start.Sizes))
	// Output: 12 × 2 of 1 component
}

// A model that was saved is read elsewhere, and gives new samples their coordinates.
func ExampleLoadModel() {
	x := made("swiss-roll", 200, nil).X
	r, err := engine.Embed(context.Background(), x, engine.PCA{}, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := r.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		fmt.Println(err)
		return
	}
	whole := file.Bytes()
	again, err := engine.LoadModel(bytes.NewReader(whole))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Method, again.Features)
	_, err = engine.LoadModelWithin(bytes.NewReader(whole[:len(whole)/2]), 1<<20)
	fmt.Println("half of it:", err != nil)
	// Output:
	// pca 3
	// half of it: true
}

// How well classes are separated in coordinates that a model gave to new samples.
func ExampleSeparateErrors() {
	s := made("gaussians", 120, map[string]string{"clusters": "3"})
	rates, err := engine.SeparateErrors(context.Background(), s.X, s.Labels, engine.PCA{}, engine.Options{}, measures.Trial{Splits: 5, Train: 0.5, Seed: 1}, measures.NN)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d splits, fewer than a tenth wrong: %t\n", len(rates[0]), rates[0].Mean() < 0.1)
	// Output: 5 splits, fewer than a tenth wrong: true
}

// What is known of a method before it is run.
func ExampleMethodNamed() {
	e, err := engine.MethodNamed("lda")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name, "needs labels:", e.Supervised)
	_, err = engine.MethodNamed("phate")
	fmt.Println(err != nil)
	// Output:
	// lda needs labels: true
	// true
}

func ExampleMethods() {
	for _, e := range engine.Methods() {
		if e.Name == "neml" {
			fmt.Println(e.Name, engine.PreservesDistances(e.Name), engine.KeepsSingle(engine.NEML{}), engine.FindsClusters(engine.NEML{}))
		}
	}
	// Output: neml false false false
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
	// 12 more of all embeddings, of 12
}

// Parameters as text. An error names the field.
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

// How many runs fit at the same time.
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
