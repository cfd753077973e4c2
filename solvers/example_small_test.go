package solvers_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// The largest eigenpairs of a matrix that is known by its products alone.
func ExampleLargest() {
	diagonal := []float64{1, 5, 3, 2, 4, 0, 1, 2, 3, 1}
	a := solvers.Operator{Order: len(diagonal), Multiply: func(width int, x, y []float64) {
		for i, d := range diagonal {
			for j := range width {
				y[i*width+j] = d * x[i*width+j]
			}
		}
	}}
	e, err := solvers.Largest(context.Background(), a, 2, solvers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f, next %.3f\n", e.Values, e.Next)
	// Output: [5.000 4.000], next 3.000
}

// Both ends of a spectrum, from products.
func ExampleSpectrumEnds() {
	low, high, err := solvers.SpectrumEnds(context.Background(), 50, 1, func(x, y []float64) {
		for i := range x {
			y[i] = float64(i) * x[i]
		}
	})
	fmt.Printf("%.1f to %.1f, %v\n", low, high, err)
	// Output: 0.0 to 49.0, <nil>
}

// A small dense problem A·v = λB·v.
func ExampleGeneralized() {
	kernels, err := blas.Select("")
	if err != nil {
		fmt.Println(err)
		return
	}
	values, _, rank, err := solvers.Generalized(kernels, 2, []float64{2, 0, 0, 9}, []float64{1, 0, 0, 3}, 2)
	fmt.Printf("%.2f, rank %d, %v\n", values, rank, err)
	// Output: [2.00 3.00], rank 2, <nil>
}

// k-means from given centres, as scikit-learn's Lloyd iteration.
func ExampleKMeansFrom() {
	x := mat.NewDense(4, 1, []float64{0, 1, 10, 11})
	r, err := solvers.KMeansFrom(context.Background(), x, mat.NewDense(2, 1, []float64{0, 1}), solvers.KMeansFromOptions{Iterations: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Labels, r.Centers, r.Converged)
	// Output: [0 0 1 1] [0.5 10.5] true
}

// The start of k-means++ from given draws, and k-means from it.
func ExampleKMeansGreedy() {
	x := mat.NewDense(4, 1, []float64{0, 1, 10, 11})
	draws := solvers.Greedy{First: 0, Trials: 2, Draws: []float64{0.2, 0.7}}
	start, err := solvers.GreedyStart(context.Background(), x, 2, draws, solvers.KMeansFromOptions{})
	fmt.Println(start, err)
	r, err := solvers.KMeansGreedy(context.Background(), x, 2, draws, solvers.KMeansFromOptions{Iterations: 20})
	fmt.Println(r.Labels, r.Cost, err)
	// Output:
	// [0 2] <nil>
	// [0 0 1 1] 1 <nil>
}

// Sparse samples stay sparse.
func ExampleKMeansSparse() {
	a, err := sparse.FromTriplets(4, 3, []sparse.Triplet{{Row: 0, Col: 0, Val: 1}, {Row: 1, Col: 0, Val: 2}, {Row: 2, Col: 2, Val: 5}, {Row: 3, Col: 2, Val: 6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := solvers.KMeansSparse(context.Background(), a, 2, solvers.KMeansOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Labels, p.Cost)
	// Output: [0 0 1 1] 1
}

// A nonnegative matrix with one entry a row, of columns that are improved on their rows.
func ExampleRound() {
	c, err := solvers.SignedDense(4, []float64{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 3}, false, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := solvers.Round(context.Background(), c, 2, []float64{0.9, 0.2, 0.8, 0.3, 0.1, 0.7, 0.3, 0.6}, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d %.2f %.0f\n", r.Label, r.Values, r.Trace)
	// Output: [0 0 1 1] [3.00 4.00] 7
}

// A point between two others, as an affine combination of few.
func ExampleNewAffineLasso() {
	kernels, err := blas.Select("")
	if err != nil {
		fmt.Println(err)
		return
	}
	// Three points as seen from the sample: one on each side, and one far off.
	c, violation := solvers.NewAffineLasso(kernels).Solve([]float64{-1, 1, 8}, 3, 1, []float64{0.1, 0.1, 0.8}) // the last are weights: far points are dear
	fmt.Printf("%.2f, optimal: %t\n", c, violation < 1e-9)
	// Output: [0.50 0.50 0.00], optimal: true
}

// The middle of some numbers.
func ExampleMedian() {
	fmt.Println(solvers.Median([]float64{9, 1, 4, 2}), solvers.LowerMedian([]float64{9, 1, 4, 2}), solvers.NthSmallest([]float64{9, 1, 4, 2}, 0))
	// Output: 3 2 1
}

func ExampleFormatBytes() {
	fmt.Println(solvers.FormatBytes(3<<30), solvers.FormatBytes(900))
	// Output: 3.0 GiB 900 B
}
