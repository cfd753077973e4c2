package neighbors_test

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

func ExampleExact() {
	x := neighbors.Points{N: 4, M: 1, Data: []float64{0, 1, 3, 7}}
	g, err := neighbors.Exact(context.Background(), x, 2, neighbors.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range g.Len() {
		fmt.Println(i, g.Of(i), g.Distances(i))
	}
	_, sizes := g.Components()
	fmt.Println("components:", len(sizes))
	// Output:
	// 0 [1 2] [1 3]
	// 1 [0 2] [1 2]
	// 2 [1 0] [2 3]
	// 3 [2 1] [4 6]
	// components: 1
}

func ExampleApproximate() {
	const n = 3000 // samples of a closed curve
	x := neighbors.Points{N: n, M: 6}
	for i := range n {
		t := 2 * math.Pi * float64(i) / n
		for c := 1.0; c <= 3; c++ {
			x.Data = append(x.Data, math.Cos(c*t), math.Sin(c*t))
		}
	}
	g, report, err := neighbors.Approximate(context.Background(), x, 4, neighbors.ApproximateOptions{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Len(), "lists, exact:", report.Exact)
	fmt.Println("recall at least 0.99, measured on", report.Rows, "rows:", report.Recall >= 0.99)
	// Output:
	// 3000 lists, exact: false
	// recall at least 0.99, measured on 1000 rows: true
}

// An index is prepared once and searched block after block.
func ExampleIndex() {
	index, err := neighbors.NewIndex(neighbors.Points{N: 4, M: 1, Data: []float64{0, 1, 2, 10}}, neighbors.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, query := range []float64{0.9, 7} {
		g, err := index.Search(context.Background(), neighbors.Points{N: 1, M: 1, Data: []float64{query}}, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(g.Of(0), g.Distances(0))
	}
	// Output:
	// [1 0] [0.09999999999999998 0.9]
	// [3 2] [3 5]
}

// Documents are compared by the angle between their counts of words, and linked within a
// radius.
func ExampleWithin() {
	counts := neighbors.Points{N: 4, M: 3, Data: []float64{
		4, 0, 1,
		8, 0, 2, // twice as long, and about the same
		0, 5, 1,
		3, 1, 1,
	}}
	g, err := neighbors.Within(context.Background(), counts, 0.1, neighbors.Cosine, neighbors.WithinOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range g.Len() {
		fmt.Printf("%d: %v %.3f\n", i, g.Of(i), g.Distances(i))
	}
	// Output:
	// 0: [1 3] [0.000 0.049]
	// 1: [0 3] [0.000 0.049]
	// 2: [] []
	// 3: [0 1] [0.049 0.049]
}
