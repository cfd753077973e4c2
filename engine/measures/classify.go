package measures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// ClassifyNN gives each test point (a row of test) the label of the nearest
// training point in Euclidean distance; of equally near ones the lowest index
// decides.
//
// Errors are about shapes that do not match, values that are not finite and a
// cancelled context. Time is O(tests·n·m) over the threads, or about
// O(tests·log n) in few dimensions; see [neighbors.Search].
func ClassifyNN(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, o Options) ([]int64, error) {
	x, y, err := trainingAndTest("nn", train, labels, test)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults("nn"); err != nil {
		return nil, err
	}
	g, err := neighbors.Search(ctx, neighbors.Points(x), neighbors.Points(y), 1,
		neighbors.Options{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	predicted := make([]int64, y.N)
	for i := range predicted {
		predicted[i] = labels[g.Of(i)[0]]
	}
	return predicted, nil
}

// ErrorRate returns the share of predictions that differ from the labels. The
// error is about different or no numbers of them.
func ErrorRate(labels, predicted []int64) (float64, error) {
	if len(labels) == 0 || len(labels) != len(predicted) {
		return 0, fmt.Errorf("error rate: %d labels and %d predictions, want one of each for every sample", len(labels), len(predicted))
	}
	wrong := 0
	for i, l := range labels {
		if predicted[i] != l {
			wrong++
		}
	}
	return float64(wrong) / float64(len(labels)), nil
}

// trainingAndTest checks the input of a classifier.
func trainingAndTest(measure string, train mat.Matrix, labels []int64, test mat.Matrix) (x, y blas.Rows, err error) {
	if x, err = readPoints(measure, "training data", train); err != nil {
		return x, y, err
	}
	if y, err = readPoints(measure, "test data", test); err != nil {
		return x, y, err
	}
	switch {
	case x.M != y.M:
		err = fmt.Errorf("%s: the training data has %d columns and the test data %d", measure, x.M, y.M)
	case len(labels) != x.N:
		err = fmt.Errorf("%s: %d labels for %d training points", measure, len(labels), x.N)
	}
	if err != nil {
		return x, y, err
	}
	both := tame(x, y)
	return both[0], both[1], nil
}
