package measures_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
)

func ExampleDeviation() {
	truth := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	straight := mat.NewDense(4, 1, []float64{7, 5, 3, 1}) // an affine image of the truth
	bent := mat.NewDense(4, 1, []float64{1, 4, 9, 16})
	for _, y := range []mat.Matrix{straight, bent} {
		dev, centred, err := measures.Deviation(truth, y)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("dev %.3f, centred %.3f\n", dev, centred)
	}
	// Output:
	// dev 0.000, centred 0.000
	// dev 0.072, centred 0.176
}

func ExampleNearestBadNeighbors() {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 3, 4, 5})
	b, err := measures.NearestBadNeighbors(context.Background(), x, []int64{1, 1, 1, 2, 2, 2}, 2, measures.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f of the neighbours, %d of %d neighbourhoods are bad\n", b.Neighbors, b.Bad, b.Owners)
	// Output:
	// 0.167 of the neighbours, 2 of 6 neighbourhoods are bad
}

func ExampleTrustworthiness() {
	x := mat.NewDense(6, 2, []float64{0, 0, 1, 0, 2, 0, 0, 5, 1, 5, 2, 5})
	y := mat.NewDense(6, 1, []float64{0, 1, 2, 0.1, 1.1, 2.1}) // two lines folded onto each other
	t, _ := measures.Trustworthiness(context.Background(), x, y, 2, measures.Options{})
	c, _ := measures.Continuity(context.Background(), x, y, 2, measures.Options{})
	fmt.Printf("trustworthiness %.2f, continuity %.2f\n", t, c)
	// Output:
	// trustworthiness 0.50, continuity 0.40
}

func ExampleAccuracy() {
	classes := []int64{0, 0, 0, 1, 1, 1}
	clusters := []int64{5, 5, 3, 3, 3, 3}
	acc, _ := measures.Accuracy(classes, clusters)
	nmi, _ := measures.NMI(classes, clusters, "max")
	fmt.Printf("acc %.3f, nmi %.3f\n", acc, nmi)
	// Output:
	// acc 0.833, nmi 0.459
}

func ExampleHolisticErrors() {
	// Two classes along two parallel lines, nearer to each other than their points are.
	y, labels := mat.NewDense(40, 2, nil), make([]int64, 40)
	for i := range labels {
		labels[i] = int64(i % 2)
		y.SetRow(i, []float64{float64(i), 0.1 * float64(i%2)})
	}
	trial := measures.Trial{Splits: 5, Train: 0.5, Seed: 1}
	rates, err := measures.HolisticErrors(context.Background(), y, labels, trial, measures.Options{}, measures.NN, measures.NFL)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("nearest point %.2f ± %.2f, nearest feature line %.2f\n", rates[0].Mean(), rates[0].Deviation(), rates[1].Mean())
	// Output:
	// nearest point 0.80 ± 0.07, nearest feature line 0.00
}
