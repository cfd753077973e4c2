package library

import (
	"math"
	"testing"
)

// A result of a method by a projection has it where a model was asked for, and no other
// result has one.
func TestProjectionOfResults(t *testing.T) {
	x := make([]float64, 60*4)
	for i := range x {
		x[i] = math.Sin(float64(3*i)) + float64(i%4)
	}
	for _, c := range []struct {
		method, parameters string
		want               bool
	}{{"pca", `{"model": true}`, true}, {"lpp", `{"model": "try"}`, true}, {"pca", `{}`, false}, {"lle", `{"model": true}`, false}} {
		m := do(t, "embed", given{method: c.method, parameters: []byte(c.parameters), x: viewing(x, 60, 4, 4, typeFloat64)})
		p, has := m.arrays["projection"]
		mean, hasMean := m.arrays["mean"]
		if has != c.want || hasMean != c.want {
			t.Fatalf("%s %s: %v", c.method, c.parameters, m.arrays)
		}
		if !has {
			continue
		}
		if p.rows != 4 || p.cols != 2 || mean.rows != 4 || mean.cols != 1 {
			t.Fatalf("%s: the projection is %d × %d", c.method, p.rows, p.cols)
		}
		y := m.arrays["embedding"].numbers
		for i := range 60 {
			for k := range 2 {
				sum := 0.0
				for j := range 4 {
					sum += (x[4*i+j] - mean.numbers[j]) * p.numbers[2*j+k]
				}
				if math.Abs(sum-y[2*i+k]) > 1e-12 {
					t.Fatalf("%s: coordinate %d of sample %d is %g, by the projection %g", c.method, k, i, y[2*i+k], sum)
				}
			}
		}
	}
}
