package datasets_test

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/engine/datasets"
)

func ExampleGenerate() {
	roll, err := datasets.Generate("swiss-roll", 400, 1, map[string]string{"noise": "0.1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, m := roll.X.Dims()
	fmt.Printf("%d samples, %d features\n", n, m)
	fmt.Printf("height %.3f, angle %.3f\n", roll.Params.At(0, 0), roll.Params.At(0, 1))
	// Output:
	// 400 samples, 3 features
	// height 15.661, angle 10.052
}

func ExampleParameters() {
	ps, _ := datasets.Parameters("gaussians")
	for _, p := range ps {
		fmt.Printf("%s=%s: %s\n", p.Key, p.Default, p.Meaning)
	}
	_, err := datasets.Generate("gausians", 100, 1, nil)
	hint, _, _ := strings.Cut(err.Error(), ";")
	fmt.Println(hint)
	// Output:
	// clusters=5: number of clusters
	// dims=10: number of features
	// sd=1: standard deviation within a cluster
	// datasets: unknown generator "gausians" (did you mean "gaussians"?)
}
