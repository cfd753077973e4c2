package library

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// mixtures are n × m numbers ≥ 0 of a few parts.
func mixtures(n, m int) []float64 {
	x := waves(n, m)
	for i := range x {
		x[i] = math.Abs(x[i]) + float64((i/m+i%m)%3)
	}
	return x
}

// worked carries a task out.
func worked(t *testing.T, w work, err error) *made {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	m := must.Get(carryOut(w).get())(t)
	return m
}

func runsOf(t *testing.T, x []float64, n, m int, ranks []int64, runs int64, parameters string) *made {
	t.Helper()
	g := given{method: "nmf", count: runs, parameters: []byte(parameters), x: viewing(x, n, m, m, typeFloat64)}
	w, err := g.factorizeRuns(ranks)
	return worked(t, w, err)
}

// Every run equals a factorisation with its rank and seed, whatever the number of threads.
func TestRunsAreFactorizations(t *testing.T) {
	const n, m, runs = 50, 8, 3
	x := mixtures(n, m)
	ranks := []int64{4, 2}
	for _, threads := range []int{1, 2} {
		got := runsOf(t, x, n, m, ranks, runs, fmt.Sprintf(`{"keep_w": true, "seed": 9, "threads": %d, "iterations": 30, "backend": "native"}`, threads))
		if !slices.Equal(got.arrays["ranks"].integers, ranks) || !slices.Equal(got.arrays["seeds"].integers, []int64{9, 10, 11}) {
			t.Fatalf("ranks %v, seeds %v", got.arrays["ranks"].integers, got.arrays["seeds"].integers)
		}
		for i, rank := range ranks {
			h, w, labels := got.arrays[fmt.Sprintf("h_%d", rank)], got.arrays[fmt.Sprintf("w_%d", rank)], got.arrays[fmt.Sprintf("labels_%d", rank)]
			if h.rows != runs*int(rank) || h.cols != m || w.rows != runs*n || w.cols != int(rank) || labels.rows != runs || labels.cols != n {
				t.Fatalf("rank %d: h is %d × %d, w %d × %d, labels %d × %d", rank, h.rows, h.cols, w.rows, w.cols, labels.rows, labels.cols)
			}
			for run := range runs {
				one := do(t, "factorize", given{method: "nmf", count: rank, x: viewing(x, n, m, m, typeFloat64),
					parameters: fmt.Appendf(nil, `{"seed": %d, "iterations": 30, "backend": "native"}`, 9+run)})
				if !slices.Equal(one.arrays["h"].numbers, h.numbers[run*int(rank)*m:][:int(rank)*m]) || !slices.Equal(one.arrays["w"].numbers, w.numbers[run*n*int(rank):][:n*int(rank)]) {
					t.Errorf("rank %d, run %d: other factors than alone", rank, run)
				}
				if e := got.arrays["errors"].numbers[i*runs+run]; math.Abs(e-one.numbers["relative_error"]) > 1e-12 {
					t.Errorf("rank %d, run %d: error %v, alone %v", rank, run, e, one.numbers["relative_error"])
				}
				if got.arrays["iterations"].integers[i*runs+run] != 30 {
					t.Errorf("rank %d, run %d: %d iterations", rank, run, got.arrays["iterations"].integers[i*runs+run])
				}
				for s := range n {
					row := one.arrays["w"].numbers[s*int(rank):][:rank]
					if l := labels.integers[run*n+s]; row[l] != slices.Max(row) {
						t.Fatalf("rank %d, run %d: sample %d has the label %d of %v", rank, run, s, l, row)
					}
				}
			}
		}
		if text, err := toJSON(got.report()); err != nil || !strings.Contains(text, `"results":[{`) || !strings.Contains(text, `"stability":[{"parts":[{"cosine":`) {
			t.Error(err, text)
		}
	}
}

// Without keep_w there is no W, and of many samples the labels of a thousand.
func TestRunsKeepWhatIsAskedFor(t *testing.T) {
	const n, m = 2500, 6
	got := runsOf(t, mixtures(n, m), n, m, []int64{2}, 2, `{"iterations": 3}`)
	if _, there := got.arrays["w_2"]; there {
		t.Error("W was kept")
	}
	chosen := got.arrays["label_samples"].integers
	if len(chosen) != 1000 || chosen[0] != 0 || chosen[999] != 2497 || got.arrays["labels_2"].cols != 1000 {
		t.Errorf("labels of %d samples, to %d", len(chosen), chosen[len(chosen)-1])
	}
}

// The consensus is the engine's, of samples in either form, with the cophenetic correlation of the labels.
func TestConsensusIsTheEngines(t *testing.T) {
	const n, m, rank = 60, 9, 3
	x := mixtures(n, m)
	runs := runsOf(t, x, n, m, []int64{rank}, 8, `{"iterations": 50}`)
	h, l := runs.arrays["h_3"], runs.arrays["labels_3"]
	components := viewing(h.numbers, h.rows, h.cols, h.cols, typeFloat64)
	labels := view{unsafe.Pointer(&l.integers[0]), int64(l.rows), int64(l.cols), int64(l.cols), typeInt64}
	levels := mixtures(n, 14)
	other := viewing(levels, n, 14, 14, typeFloat64)
	want := must.Get(engine.FindConsensus(context.Background(), mat.NewDense(n, m, x), mat.NewDense(h.rows, m, h.numbers), rank,
		engine.ConsensusOptions{Threshold: 2, PerMillion: mat.NewDense(n, 14, levels)}))(t)
	var list [][]int64
	for run := range l.rows {
		list = append(list, l.integers[run*n:][:n])
	}
	cophenetic := must.Get(engine.CopheneticCorrelation(list))(t)
	g := given{count: rank, parameters: []byte(`{"local_density_threshold": 2}`), x: viewing(x, n, m, m, typeFloat64)}
	w, err := g.consensus(componentsGiven{components: &components, labelsOfRuns: &labels, levelsInFull: &other})
	got := worked(t, w, err)
	for name, a := range map[string]*mat.Dense{"spectra": want.Spectra, "usages": want.Usages, "scores": want.Scores, "levels": want.Levels} {
		if !slices.Equal(got.arrays[name].numbers, arrayOf(a).numbers) {
			t.Errorf("%s differ", name)
		}
	}
	for name, v := range map[string]float64{"stability": want.Stability, "relative_error": want.RelativeError, "prediction_error_unfiltered": want.ErrorOfAll, "cophenetic_correlation": cophenetic, "kept": 24} {
		if got.numbers[name] != v {
			t.Errorf("%s is %v, want %v", name, got.numbers[name], v)
		}
	}
	if text, err := toJSON(got.report()); err != nil || !strings.Contains(text, `"cophenetic_samples":60`) || !strings.Contains(text, `"parts":[{"cosine":`) {
		t.Error(err, text)
	}
	w, err = given{count: rank, parameters: []byte(`{"local_density_threshold": 2}`), x: g.x}.consensus(componentsGiven{components: &components})
	if v := worked(t, w, err).numbers["cophenetic_correlation"]; v == v {
		t.Errorf("without labels the cophenetic correlation is %v", v)
	}
}

// Each error has its own message, before or during the work.
func TestRunsRefuse(t *testing.T) {
	x := mixtures(30, 5)
	v := viewing(x, 30, 5, 5, typeFloat64)
	for _, c := range []struct {
		g      given
		ranks  []int64
		status status
		says   string
	}{
		{given{method: "nmf", count: 0, x: v}, []int64{2}, statusInvalid, "nmf: runs is 0"},
		{given{method: "nmf", count: 2, x: v}, []int64{6}, statusInvalid, "nmf: rank 6 for 30 × 5 data; give ranks from 1 to 5"},
		{given{method: "nmf", count: 2, x: v}, []int64{0}, statusInvalid, "rank 0"},
		{given{method: "nmf", count: 2, x: v}, []int64{2, 3, 2}, statusInvalid, "rank 2 is given twice"},
		{given{method: "gnmf", count: 2, x: v}, []int64{2}, statusInvalid, "many runs are made by nmf"},
		{given{method: "nmf", count: 2, x: v, start: &v}, []int64{2}, statusInvalid, "neither labels nor starts"},
		{given{method: "nmf", count: 2}, []int64{2}, statusInvalid, "x is NULL"},
		{given{method: "nmf", count: 2, x: v, parameters: []byte(`{"model": true}`)}, []int64{2}, statusInvalid, `no parameter "model"`},
		{given{method: "nmf", count: 2, x: v, parameters: []byte(`{"keep_w": "yes"}`)}, []int64{2}, statusInvalid, "keep_w"},
		{given{method: "nmf", count: 2, x: v, parameters: []byte(`{"seed": 9223372036854775806}`)}, []int64{2}, statusInvalid, "leaves no room for the seeds"},
		{given{method: "nmf", count: 1e9, x: v, parameters: []byte(`{"memory": 1000000000}`)}, []int64{2}, statusNoMemory, "take smaller ranks or fewer runs"},
	} {
		w, err := c.g.factorizeRuns(c.ranks)
		if err == nil {
			err = carryOut(w).err
		}
		if err == nil || statusOf(err) != c.status || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, ranks %v: %v; want %q", c.g.parameters, c.ranks, err, c.says)
		}
	}
	h := mixtures(12, 5)
	components, short := viewing(h, 12, 5, 5, typeFloat64), viewing(h, 12, 4, 5, typeFloat64)
	labels := view{unsafe.Pointer(&[]int64{0, 1, 0, 1, 0, 1}[0]), 2, 3, 3, typeInt64}
	for _, c := range []struct {
		rank       int64
		of         componentsGiven
		parameters string
		says       string
	}{
		{3, componentsGiven{}, "", "components are NULL"},
		{5, componentsGiven{components: &components}, "", "12 components are not runs of rank 5"},
		{0, componentsGiven{components: &components}, "", "rank is 0"},
		{3, componentsGiven{components: &short}, "", "4 columns for data of 5"},
		{6, componentsGiven{components: &components}, "", "make at least 4 runs"},
		{3, componentsGiven{components: &components, labelsOfRuns: &labels}, "", "labels of 2 runs where there are components of 4"},
		{3, componentsGiven{components: &components, labelsOfRuns: &v}, "", "labels: its type is float64"},
		{3, componentsGiven{components: &components, levelsInFull: &components}, "", "12 rows for 30 samples"},
		{3, componentsGiven{components: &components}, `{"local_density_threshold": 0}`, "give a number > 0"},
		{3, componentsGiven{components: &components}, `{"local_neighborhood_size": 1.5}`, "up to 1"},
		{3, componentsGiven{components: &components}, `{"method": "gnmf"}`, "nmf-kl"},
		{3, componentsGiven{components: &components}, `{"local_density_treshold": 1}`, `did you mean "local_density_threshold"?`},
		{3, componentsGiven{components: &components}, `{"memory": 100}`, "the limit is 100 B"},
	} {
		w, err := given{count: c.rank, parameters: []byte(c.parameters), x: v}.consensus(c.of)
		if err == nil {
			err = carryOut(w).err
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("rank %d, %s: %v; want %q", c.rank, c.parameters, err, c.says)
		}
	}
}

// A tolerance that no run reaches is a status, with the runs.
func TestRunsNotConverged(t *testing.T) {
	x := mixtures(40, 6)
	g := given{method: "nmf", count: 2, parameters: []byte(`{"tolerance": 1e-300, "solver": "mu"}`), x: viewing(x, 40, 6, 6, typeFloat64)}
	w := must.Get(g.factorizeRuns([]int64{3}))(t)
	r := carryOut(w)
	var f *failure
	if !errors.As(r.err, &f) || f.status != statusNotConverged || r.made == nil || !strings.Contains(f.text, "2 of 2 runs") {
		t.Errorf("%v", r.err)
	}
}
