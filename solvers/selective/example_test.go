package selective_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/solvers/selective"
)

// Of two heaps of numbers, one sample each is chosen; the graph joins it to its
// neighbours.
func ExampleNew() {
	x := []float64{1, 2, 3, 11, 12, 13}
	g, err := selective.New(context.Background(), len(x), 1, x, selective.Options{Neighbors: 2, Exemplars: 2, Lambda: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Exemplars())
	for _, i := range g.Exemplars() {
		cols, _ := g.Learned().Row(i)
		fmt.Println(i, "stands for", cols)
	}
	// Output:
	// [1 4]
	// 1 stands for [0 2]
	// 4 stands for [3 5]
}
