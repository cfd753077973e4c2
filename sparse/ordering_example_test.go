package sparse_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/sparse"
)

// The Laplacian of a grid of 16 × 16 × 16 points, ordered in two ways.
func ExampleAnalyzeOrdered() {
	const side = 16
	var entries []sparse.Triplet
	for i := range side * side * side {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 6})
		for _, step := range []int{1, side, side * side} {
			if i/step%side+1 < side {
				entries = append(entries, sparse.Triplet{Row: i, Col: i + step, Val: -1}, sparse.Triplet{Row: i + step, Col: i, Val: -1})
			}
		}
	}
	a, err := sparse.FromTriplets(side*side*side, side*side*side, entries)
	if err != nil {
		panic(err)
	}
	var flops [2]float64
	for k, ordering := range []sparse.Ordering{sparse.ByMinimumDegree, sparse.ByDissection} {
		analysis, err := sparse.AnalyzeOrdered(context.Background(), a, ordering, 0)
		if err != nil {
			panic(err)
		}
		fmt.Println(analysis.Ordering())
		flops[k] = analysis.Flops()
	}
	fmt.Println("fewer flops by dissection:", flops[1] < flops[0])
	// Output:
	// minimum degree
	// nested dissection
	// fewer flops by dissection: true
}
