package sparse_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/sparse"
)

// Four towns on a road, one of them by a short cut, and an island.
func ExampleShortestPaths() {
	roads, err := sparse.FromTriplets(5, 5, []sparse.Triplet{
		{Row: 0, Col: 1, Val: 2}, {Row: 1, Col: 2, Val: 2}, {Row: 2, Col: 3, Val: 2}, {Row: 0, Col: 2, Val: 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lengths, err := sparse.ShortestPaths(context.Background(), roads, []int{0, 3}, sparse.PathOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lengths.RawRowView(0))
	fmt.Println(lengths.RawRowView(1))
	// Output:
	// [0 2 3 5 +Inf]
	// [5 4 2 0 +Inf]
}

func ExampleComponents() {
	graph, err := sparse.FromTriplets(5, 5, []sparse.Triplet{{Row: 0, Col: 3, Val: 1}, {Row: 4, Col: 1, Val: 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	label, sizes, err := sparse.Components(graph)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(label, sizes)
	// Output: [0 1 2 0 1] [2 2 1]
}
