package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// ClassifyNN gives each test point (a row of test) the label of the nearest
// training point in Euclidean distance; of equally near ones the lowest index
// decides.
//
// Errors are about shapes that do not match and values that are not finite.
// Time is O(tests·n·m) on all cores, memory beyond the labels none.
func ClassifyNN(train mat.Matrix, labels []int64, test mat.Matrix) ([]int64, error) {
	x, y, err := trainingAndTest("nn", train, labels, test)
	if err != nil {
		return nil, err
	}
	predicted := make([]int64, y.n)
	parallel(y.n, 16, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			point, best, least := y.row(i), 0, math.Inf(1)
			for j := range x.n {
				if d := blas.SquaredDistance(point, x.row(j)); d < least {
					best, least = j, d
				}
			}
			predicted[i] = labels[best]
		}
	})
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
func trainingAndTest(measure string, train mat.Matrix, labels []int64, test mat.Matrix) (x, y points, err error) {
	if x, err = readPoints(measure, "training data", train); err != nil {
		return x, y, err
	}
	if y, err = readPoints(measure, "test data", test); err != nil {
		return x, y, err
	}
	switch {
	case x.m != y.m:
		err = fmt.Errorf("%s: the training data has %d columns and the test data %d", measure, x.m, y.m)
	case len(labels) != x.n:
		err = fmt.Errorf("%s: %d labels for %d training points", measure, len(labels), x.n)
	}
	if err != nil {
		return x, y, err
	}
	both := tame(x, y)
	return both[0], both[1], nil
}
