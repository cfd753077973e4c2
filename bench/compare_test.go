package bench

import (
	"math"
	"strings"
	"testing"
)

func TestUTestKnownValues(t *testing.T) {
	// Without ties the count of arrangements with a rank sum at most the one seen,
	// over C(n+m, n), twice: the tables of Mann and Whitney.
	for _, c := range []struct {
		name string
		x, y []float64
		want float64
	}{
		{"3 and 3, apart", []float64{1, 2, 3}, []float64{4, 5, 6}, 2.0 / 20},
		{"4 and 4, apart", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{"5 and 5, U = 0", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"5 and 5, U = 1", []float64{1, 2, 3, 4, 6}, []float64{5, 7, 8, 9, 10}, 4.0 / 252},
		{"5 and 5, U = 2", []float64{1, 2, 3, 4, 7}, []float64{5, 6, 8, 9, 10}, 8.0 / 252},
		{"5 and 5, U = 3", []float64{1, 2, 3, 4, 8}, []float64{5, 6, 7, 9, 10}, 14.0 / 252},
		{"2 and 5, U = 0", []float64{1, 2}, []float64{6, 7, 8, 9, 10}, 2.0 / 21},
		{"one of each", []float64{1}, []float64{2}, 1},
		{"equal", []float64{3, 3, 3, 3}, []float64{3, 3, 3, 3}, 1},
		// With ties, by hand: of the 6 choices of two of the ranks 1, 2½, 2½, 4 two have
		// the sum 3½, and none has less.
		{"ties", []float64{1, 2}, []float64{2, 3}, 2 * 2.0 / 6},
	} {
		if got := UTest(c.x, c.y); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%s: p = %v, want %v", c.name, got, c.want)
		}
		if a, b := UTest(c.x, c.y), UTest(c.y, c.x); a != b {
			t.Errorf("%s: p is %v one way and %v the other", c.name, a, b)
		}
	}
	if p := UTest(nil, []float64{1}); !math.IsNaN(p) {
		t.Errorf("p of nothing is %v", p)
	}
}

func TestUTestApproximationMeetsExact(t *testing.T) {
	// 30 and 30 values are counted, 31 and 30 approximated: on nearly the same
	// values the two must nearly agree: to about 1/n of p, here 3 %.
	var x, y []float64
	for i := range 30 {
		x, y = append(x, float64(i)), append(y, float64(i)+5.5)
	}
	exact := UTest(x, y)
	ranks := doubledRanks(append(append([]float64{}, x...), y...))
	sum := 0
	for _, r := range ranks[:30] {
		sum += r
	}
	if near := normalP(ranks, 30, 30, sum); math.Abs(near-exact) > 0.05*exact {
		t.Errorf("p is %v by counting and %v by approximation", exact, near)
	}
	if p := UTest(append(x, 15), y); !(p > 0 && p < 0.1) {
		t.Errorf("p of 61 values is %v", p)
	}
}

func folder(t *testing.T, records ...Record) *Folder {
	t.Helper()
	dir := t.TempDir()
	writeRecords(t, dir, records...)
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCompare(t *testing.T) {
	other := record("s", "other-data", 1, 1.1, 1.2, 1.3)
	other.DataHash = "changed"
	failed := Record{Suite: "s", Case: "failed", Error: "no"}
	before := folder(t,
		record("s", "slower", 1.00, 1.01, 1.02, 1.03, 1.04), record("s", "faster", 1.00, 1.01, 1.02, 1.03),
		record("s", "little", 1.000, 1.001, 1.002, 1.003), record("s", "same", 1, 1.1, 1.2, 1.3), record("s", "few", 1, 1, 1),
		record("s", "equal", 2, 2, 2, 2), record("s", "other-data", 5, 6, 7, 8), record("s", "gone", 1), record("s", "failed", 1))
	after := folder(t,
		record("s", "slower", 2.00, 2.01, 2.02, 2.03, 2.04), record("s", "faster", 0.50, 0.51, 0.52, 0.53),
		record("s", "little", 1.010, 1.011, 1.012, 1.013), record("s", "same", 1.05, 1.15, 1.25, 1.29), record("s", "few", 9, 9, 9),
		record("s", "equal", 2, 2, 2, 2), other, record("s", "fresh", 1), failed)
	c, err := Compare(before, after, "cpu", 0.05)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		significant, regression bool
		note                    string
	}{
		"slower": {true, true, ""}, "faster": {true, false, ""}, "little": {true, false, ""}, "same": {},
		"few": {false, false, "too few repeats"}, "equal": {false, false, "all values are equal"}, "other-data": {false, false, "not the same case"},
	}
	if len(c.Changes) != len(want) || c.Regressions != 1 {
		t.Errorf("%d changes with %d regressions: %+v", len(c.Changes), c.Regressions, c.Changes)
	}
	product, count := 1.0, 0.0
	for _, ch := range c.Changes {
		w := want[ch.Case]
		if ch.Significant != w.significant || ch.Regression != w.regression || !strings.Contains(ch.Note, w.note) || (w.note == "") != (ch.Note == "") {
			t.Errorf("%s: %+v", ch.Case, ch)
		}
		if ch.Case != "other-data" {
			product, count = product*ch.Ratio, count+1
		}
	}
	if mean := math.Pow(product, 1/count); math.Abs(c.GeoMean-mean) > 1e-12 {
		t.Errorf("geometric mean %v, want %v", c.GeoMean, mean)
	}
	if strings.Join(c.OnlyNew, ",") != "s fresh" || strings.Join(c.OnlyOld, ",") != "s gone,s failed" {
		t.Errorf("only old %v, only new %v", c.OnlyOld, c.OnlyNew)
	}
	if c, err = Compare(before, after, "memory", 0.05); err != nil || c.Regressions != 0 || len(c.Changes) != 7 {
		t.Errorf("memory: %+v, %v", c, err)
	}
	if _, err := Compare(before, after, "speed", 0.05); err == nil {
		t.Error("an unknown metric was compared")
	}
	if _, err := Compare(before, after, "cpu", math.NaN()); err == nil {
		t.Error("a threshold of NaN was accepted")
	}
}
