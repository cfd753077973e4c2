package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

func folder(t *testing.T, records ...Record) *Folder {
	t.Helper()
	dir := t.TempDir()
	writeRecords(t, dir, records...)
	f := must.Get(ReadFolder(dir, nil, files.Options{}))(t)
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
