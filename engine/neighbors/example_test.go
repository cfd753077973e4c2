package neighbors_test

import (
	"context"
	"fmt"

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
