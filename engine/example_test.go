package engine_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
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
	// lle: error 0.18 of an affine map to the true coordinates
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
