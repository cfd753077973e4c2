package library

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Every task takes standardize, reports the numbers by columns, leaves the caller's samples
// alone, and its model scales new samples by them.
func TestStandardize(t *testing.T) {
	const n, m = 60, 3
	x := waves(n, m)
	for i := range x {
		x[i] *= []float64{0.01, 5, 700}[i%m]
	}
	kept, scaled := slices.Clone(x), slices.Clone(x)
	var mean, spread [m]float64
	for j := range m {
		for i := j; i < len(x); i += m {
			mean[j] += x[i] / n
		}
		for i := j; i < len(x); i += m {
			spread[j] += (x[i] - mean[j]) * (x[i] - mean[j]) / n
		}
		spread[j] = math.Sqrt(spread[j])
		for i := j; i < len(x); i += m {
			scaled[i] = (x[i] - mean[j]) / spread[j]
		}
	}
	given1 := given{method: "pca", parameters: []byte(`{"standardize": "standard", "model": true}`), x: viewing(x, n, m, m, typeFloat64)}
	found := do(t, "embed", given1)
	plain := do(t, "embed", given{method: "pca", parameters: []byte(`{"model": true}`), x: viewing(scaled, n, m, m, typeFloat64)})
	if !slices.Equal(x, kept) {
		t.Error("the caller's samples were written to")
	}
	for j := range m {
		if c, s := found.arrays["standardize_center"].numbers[j], found.arrays["standardize_spread"].numbers[j]; math.Abs(c-mean[j]) > 1e-12*spread[j] || math.Abs(s/spread[j]-1) > 1e-12 {
			t.Errorf("column %d: center %v, spread %v; want %v, %v", j, c, s, mean[j], spread[j])
		}
	}
	for i, v := range found.arrays["embedding"].numbers {
		if w := plain.arrays["embedding"].numbers[i]; math.Abs(v-w) > 1e-10 {
			t.Fatalf("coordinate %d is %v, of standardised samples %v", i, v, w)
		}
	}
	for task, g := range map[string]given{"cluster": {method: "kmeans", count: 3}, "select": {method: "ipm", count: 3}, "factorize": {method: "nmf", count: 2}} {
		how := "standard"
		if task == "factorize" {
			how = "unit"
		}
		g.parameters, g.x = []byte(`{"standardize": "`+how+`"}`), viewing(scaled, n, m, m, typeFloat64)
		if task == "factorize" {
			positive := slices.Clone(scaled)
			for i := range positive {
				positive[i] = math.Abs(positive[i])
			}
			g.x = viewing(positive, n, m, m, typeFloat64)
		}
		if got := do(t, task, g).report()["params"].(map[string]any)["standardize"]; got != how {
			t.Errorf("%s: standardize is %v", task, got)
		}
	}
	for text, want := range map[string]string{`{"standardize": "zscore"}`: "none, standard, minmax, unit, robust, log1p", `{"standardize": "log1p"}`: "Standardize: \"log1p\" takes log(1 + v) of entries above -1"} {
		given1.parameters = []byte(text)
		w, err := prepare(taskNumber("embed"), given1)
		if err == nil {
			_, err = carryOut(w).get()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
