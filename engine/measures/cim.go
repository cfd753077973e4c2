package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// CIM returns the correntropy-induced metric of two points (Liu, Pokharel and Príncipe 2007),
//
//	√(mean(1 − exp(−(x − y)²/2σ²))),
//
// between 0 and 1: entries that differ by much more than σ contribute equally. x and y
// must have the same length, at least 1, and σ² > 0. O(m).
func CIM(x, y []float64, sigma2 float64) float64 {
	var sum float64
	for j, v := range x {
		e := v - y[j]
		sum -= math.Expm1(-e * e / (2 * sigma2))
	}
	return math.Sqrt(sum / float64(len(x)))
}

// CIMScale returns θ times the mean squared difference of entries over all pairs of rows,
// the scale σ² for [ClassifyCIM] (You et al. 2015 with θ = 1/2). It is 0 if all rows
// are equal. O(nm).
func CIMScale(train mat.Matrix, theta float64) (float64, error) {
	x, err := readPoints("cim", "training data", train)
	switch {
	case err != nil:
		return 0, err
	case x.N < 2:
		return 0, fmt.Errorf("cim: one training point has no pair; give at least 2, or σ²")
	case !(theta > 0) || math.IsInf(theta, 1):
		return 0, fmt.Errorf("cim: θ is %v; give a number above 0", theta)
	}
	mean := make([]float64, x.M)
	for i := range x.N {
		blas.Axpy(1/float64(x.N), x.Row(i), mean)
	}
	// Σ_{i<j} ‖xᵢ − xⱼ‖² = n Σᵢ ‖xᵢ − x̄‖².
	var sum float64
	for i := range x.N {
		sum += blas.SquaredDistance(x.Row(i), mean)
	}
	scale := theta * 2 * sum / (float64(x.N-1) * float64(x.M))
	if scale-scale != 0 {
		return 0, fmt.Errorf("cim: the squares of the training data overflow; scale them down")
	}
	return scale, nil
}

// ClassifyCIM assigns to each test point (a row of test) the label of the nearest
// training point in [CIM], ties by lower index. sigma2 is σ²;
// 0: [CIMScale] of the training data with θ = 1/2. Codes of a factorisation must be
// compared with codes computed in the same way: transform both sets.
//
// It returns the errors of [ClassifyNN], and an error if σ² is not positive and finite, as for
// equal training points. O(tests·n·m) exponentials, divided over
// the threads.
func ClassifyCIM(ctx context.Context, train mat.Matrix, labels []int64, test mat.Matrix, sigma2 float64, o Options) ([]int64, error) {
	if sigma2 == 0 {
		var err error
		if sigma2, err = CIMScale(train, 0.5); err != nil {
			return nil, err
		}
		if sigma2 == 0 {
			return nil, fmt.Errorf("cim: all training points are equal, which leaves no scale; give σ²")
		}
	}
	if !(sigma2 > 0) || math.IsInf(sigma2, 1) {
		return nil, fmt.Errorf("cim: σ² is %v; give a number above 0, or 0 for that of the training data", sigma2)
	}
	x, err := readPoints("cim", "training data", train)
	if err != nil {
		return nil, err
	}
	y, err := readPoints("cim", "test data", test)
	switch {
	case err != nil:
		return nil, err
	case x.M != y.M:
		return nil, fmt.Errorf("cim: the training data has %d columns and the test data %d", x.M, y.M)
	case len(labels) != x.N:
		return nil, fmt.Errorf("cim: %d labels for %d training points", len(labels), x.N)
	}
	predicted := make([]int64, y.N)
	return predicted, blas.For(ctx, o.Threads, y.N, 8, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			nearest, at := math.Inf(1), 0
			for t := range x.N {
				if d := CIM(x.Row(t), y.Row(i), sigma2); d < nearest {
					nearest, at = d, t
				}
			}
			predicted[i] = labels[at]
		}
	})
}
