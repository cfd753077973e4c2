package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/solvers"
)

// The first figure of the NEML paper: a swiss roll with a hole in it.
func ExampleEmbed() {
	roll, err := datasets.Generate("swiss-roll-hole", 1500, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, method := range []engine.Method{engine.NEML{Neighbors: 15}, engine.LLE{Neighbors: 15}} {
		result, err := engine.Embed(context.Background(), roll.X, method, engine.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		dev, _, err := measures.Deviation(roll.Params, result.Y)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: error %.2f of an affine map to the true coordinates\n", result.Method, dev)
	}
	// Output:
	// neml: error 0.03 of an affine map to the true coordinates
	// lle: error 0.05 of an affine map to the true coordinates
}

// Methods are also found by name, with parameters as text.
func ExampleNew() {
	method, err := engine.New("neml")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := engine.Set(method, "gamma", "1e-6"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(engine.Values(method)["gamma"], engine.Values(method)["eta"])
	fmt.Println(engine.Set(method, "gama", "1e-6"))
	// Output:
	// 1e-06 auto
	// neml: no parameter "gama"; did you mean "gamma"?
}

// A fit is kept in a file and maps samples that come later.
func ExampleModel() {
	roll, err := datasets.Generate("swiss-roll", 1000, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := engine.Embed(context.Background(), roll.X, engine.NEML{Neighbors: 12}, engine.Options{Model: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := result.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		fmt.Println(err)
		return
	}

	again, err := engine.LoadModel(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := again.Transform(context.Background(), roll.X.Slice(0, 5, 0, 3), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := y.Dims()
	fmt.Printf("%s of %d samples, %s: %d × %d coordinates\n", again.Method, again.Samples, again.Kind(), rows, cols)
	for i := range rows {
		fmt.Println(math.Abs(y.At(i, 0)-result.Y.At(i, 0)) < 1e-3)
	}
	// Output:
	// neml of 1000 samples, barycentric: 5 × 2 coordinates
	// true
	// true
	// true
	// true
	// true
}

// Two rings that come close to each other.
func ExampleCluster() {
	x := mat.NewDense(80, 2, nil)
	for i := range 80 {
		u := 2 * math.Pi * float64(i/2) / 40
		x.SetRow(i, []float64{math.Cos(u) + 2.2*float64(i%2), math.Sin(u)})
	}
	r, err := engine.Cluster(context.Background(), x, engine.LNP{}, engine.ClusterOptions{Clusters: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Sizes, r.Labels[:6], r.Parts[0].Dimension, r.Parts[1].Dimension)
	// Output: [40 40] [0 1 0 1 0 1] 1 1
}

// Counts of four words in four documents about two topics.
func ExampleFactorize() {
	x := mat.NewDense(4, 4, []float64{
		4, 2, 0, 0,
		2, 1, 0, 0,
		0, 0, 3, 3,
		4, 2, 1, 1,
	})
	r, err := engine.Factorize(context.Background(), x, engine.NMF{LeastSquares: engine.LeastSquares{Solver: "hals"}, Updates: engine.Updates{Iterations: 500}}, engine.FactorizeOptions{Rank: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := r.W.Dims()
	_, h := r.H.Dims()
	fmt.Printf("%d samples of %d features, relative error below 1e-6: %v\n", w, h, r.RelativeError < 1e-6)

	model, err := r.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := model.Transform(context.Background(), mat.NewDense(1, 4, []float64{0, 0, 5, 5}), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("a document about one topic: %v\n", math.Min(y.At(0, 0), y.At(0, 1)) < 1e-6)
	// Output:
	// 4 samples of 4 features, relative error below 1e-6: true
	// a document about one topic: true
}

// Twelve of five hundred samples that are as different as can be.
func ExampleSelect() {
	moons, err := datasets.Generate("two-moons", 500, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := engine.Select(context.Background(), moons.X, engine.DPP{}, engine.SelectOptions{Count: 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	upper := 0
	for _, i := range s.Indices {
		if i < 250 {
			upper++
		}
	}
	fmt.Printf("%s: %d exemplars, %d of them on the upper moon\n", s.Method, len(s.Indices), upper)
	// Output: dpp: 12 exemplars, 7 of them on the upper moon
}

// The verdict with an embedding, and the same looked at by who did not make it.
func ExampleVerify() {
	ctx := context.Background()
	roll, err := datasets.Generate("swiss-roll", 2000, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	method := engine.LTSA{Neighbors: 10}
	result, err := engine.Embed(ctx, roll.X, method, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("verdict:", result.Quality.Verdict)
	for range 2 {
		found, err := engine.Verify(ctx, roll.X, result.Y, method, engine.VerifyOptions{Eigenvalues: result.Values, Next: result.Next})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("passed:", found.Passed)
		result.Y.Set(7, 1, -result.Y.At(7, 1)) // and again
	}
	// Output:
	// verdict: sound
	// passed: true
	// passed: false
}

// What would take minutes has a cheaper way that is worth to be known beforehand.
func ExampleCheaper() {
	fmt.Println(engine.Cheaper(context.Background(), engine.Isomap{}, 50_000, 3, engine.Options{}))
	fmt.Println(engine.Cheaper(context.Background(), engine.LTSA{}, 50_000, 3, engine.Options{}) == "")
	// Output:
	// isomap of 50000 samples finds 2.5e+09 paths; Landmarks: 1000 finds only paths from that many samples, with 1/50 of the work and of the memory, and places the others by them
	// true
}

// Columns in different units, each brought to mean 0 and variance 1.
func ExampleStandardize() {
	x := mat.NewDense(2, 2, []float64{1, 2000, 3, 6000})
	z, err := engine.Standardize(context.Background(), x, "standard", engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(z))
	// Output:
	// ⎡-1  -1⎤
	// ⎣ 1   1⎦
}

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

// What distinguishes groups, as a table of columns.
func ExampleProfile() {
	x := mat.NewDense(6, 3, []float64{5, 0, 1, 6, 1, 1, 7, 0, 1, 1, 4, 1, 2, 5, 1, 1, 6, 1})
	p, err := engine.Profile(context.Background(), x, []int64{0, 0, 0, 1, 1, 1}, engine.ProfileOptions{Names: []string{"length", "width", "legs"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range p.Groups {
		c := g.Columns[0]
		fmt.Printf("%d: %s; mean %s %.3g for %.3g\n", g.Label, g.Name(2), c.Name, c.MeanIn, c.MeanOut)
	}
	// Output:
	// 0: length, −width; mean length 6 for 1.33
	// 1: −length, width; mean length 1.33 for 6
}
