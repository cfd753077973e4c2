package bench

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Alpha is the level of significance of comparisons, and FewestValues the number
// of repeats below which no difference can reach it: with three a side the
// smallest p is 0.1, with four it is 0.029.
const (
	Alpha        = 0.05
	FewestValues = 4
)

// Metrics are what [Compare] can compare, of the whole of a case.
var Metrics = []string{"cpu", "wall", "memory"}

// Change is what became of one case from one run to another.
type Change struct {
	Suite       string  `json:"suite"`
	Case        string  `json:"case"`
	Old         float64 `json:"old"` // medians
	New         float64 `json:"new"`
	OldSpread   float64 `json:"old_spread"`
	NewSpread   float64 `json:"new_spread"`
	OldRepeats  int     `json:"old_repeats"`
	NewRepeats  int     `json:"new_repeats"`
	Ratio       float64 `json:"ratio"` // new over old
	P           float64 `json:"p"`     // of the U test; 1 where there are too few repeats
	Significant bool    `json:"significant"`
	Regression  bool    `json:"regression"` // significantly worse, by more than the threshold
	Note        string  `json:"note,omitempty"`
}

// Comparison is what became of a run's cases.
type Comparison struct {
	Metric      string   `json:"metric"`
	Alpha       float64  `json:"alpha"`
	Threshold   float64  `json:"threshold"`
	Changes     []Change `json:"changes"`
	GeoMean     float64  `json:"geometric_mean_ratio"` // of the ratios of all cases compared; 0: there is none
	Regressions int      `json:"regressions"`
	OnlyOld     []string `json:"only_old"` // "suite case"
	OnlyNew     []string `json:"only_new"`
	Warnings    []string `json:"warnings"`
}

// Compare compares the cases that two runs have in common, by the rules of
// benchstat: medians, and a difference only where the U test finds one at
// [Alpha]. metric is one of [Metrics]; a significant change for the worse by more
// than threshold (0.05: 5 %) is a regression.
func Compare(before, after *Folder, metric string, threshold float64) (*Comparison, error) {
	if !slices.Contains(Metrics, metric) {
		return nil, fmt.Errorf("bench: metric is %q; give one of %v", metric, Metrics)
	}
	if !(threshold >= 0) || math.IsInf(threshold, 0) {
		return nil, fmt.Errorf("bench: threshold is %v; give a share such as 0.05, 0 or more", threshold)
	}
	c := &Comparison{Metric: metric, Alpha: Alpha, Threshold: threshold, Changes: []Change{}, OnlyOld: []string{}, OnlyNew: []string{}, Warnings: []string{}}
	c.Warnings = append(append(c.Warnings, before.Warnings...), after.Warnings...)
	sum, count := 0.0, 0
	for _, suite := range after.Suites {
		for _, r := range suite.List {
			old := before.Of(suite.Suite).Get(r.Case)
			if !r.Done() {
				continue
			}
			if old == nil {
				c.OnlyNew = append(c.OnlyNew, r.Suite+" "+r.Case)
				continue
			}
			change, ok := compareCase(old, r, metric, threshold)
			if !ok {
				continue
			}
			c.Changes = append(c.Changes, change)
			if change.Ratio > 0 && change.Note != differentInput {
				sum, count = sum+math.Log(change.Ratio), count+1
			}
			if change.Regression {
				c.Regressions++
			}
		}
	}
	for _, suite := range before.Suites {
		for _, r := range suite.List {
			if r.Done() && after.Of(suite.Suite).Get(r.Case) == nil {
				c.OnlyOld = append(c.OnlyOld, r.Suite+" "+r.Case)
			}
		}
	}
	if count > 0 {
		c.GeoMean = math.Exp(sum / float64(count))
	}
	c.warnOfMachines(before, after)
	return c, nil
}

// warnOfMachines reports differences in how the two runs were made.
func (c *Comparison) warnOfMachines(before, after *Folder) {
	for _, suite := range after.Suites {
		for _, r := range suite.List {
			old := before.Of(suite.Suite).Get(r.Case)
			if old == nil || !r.Done() {
				continue
			}
			if a, b := old.Machine.CPU, r.Machine.CPU; a != b {
				c.Warnings = append(c.Warnings, fmt.Sprintf("the runs were made on different machines (%s, %s): times do not compare", a, b))
				return
			}
		}
	}
}

// What a change may have to say.
const (
	differentInput = "not the same case: its parameters, data or threads differ"
	allEqual       = "all values are equal"
)

// compareCase compares one case; not ok where either record lacks the metric.
func compareCase(old, r *Record, metric string, threshold float64) (Change, bool) {
	a, hasOld := valuesOf(old, metric)
	b, hasNew := valuesOf(r, metric)
	if !hasOld || !hasNew {
		return Change{}, false
	}
	ch := Change{
		Suite: r.Suite, Case: r.Case, Old: a.Median, New: b.Median, OldSpread: a.Spread, NewSpread: b.Spread,
		OldRepeats: len(a.Values), NewRepeats: len(b.Values), P: 1,
	}
	if a.Median > 0 {
		ch.Ratio = b.Median / a.Median
	}
	switch {
	case old.Threads != r.Threads || old.DataHash != r.DataHash || !reflect.DeepEqual(old.Params, r.Params):
		ch.Note = differentInput
		return ch, true
	case len(a.Values) < FewestValues || len(b.Values) < FewestValues:
		ch.Note = fmt.Sprintf("too few repeats to decide (%d and %d, needs %d)", len(a.Values), len(b.Values), FewestValues)
		return ch, true
	case slices.Min(a.Values) == slices.Max(b.Values) && slices.Max(a.Values) == slices.Min(b.Values):
		ch.Note = allEqual
		return ch, true
	}
	ch.P = UTest(a.Values, b.Values)
	ch.Significant = ch.P < Alpha
	ch.Regression = ch.Significant && b.Median > a.Median*(1+threshold)
	return ch, true
}

// valuesOf returns the repeats of a metric.
func valuesOf(r *Record, metric string) (Statistics, bool) {
	switch metric {
	case "cpu":
		s, ok := r.CPUSeconds["total"]
		return s, ok
	case "wall":
		s, ok := r.Seconds["total"]
		return s, ok
	}
	// The peak of memory is one figure per case: the largest of its repeats.
	v := float64(r.PeakBytes)
	return Statistics{Median: v, Values: []float64{v}}, v > 0
}
