package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// A cheaper way is named for samples that take minutes, and where it is not taken yet.
func TestCheaper(t *testing.T) {
	for _, c := range []struct {
		m          Method
		n, columns int
		o          Options
		want       string
	}{
		{Isomap{}, 30_000, 3, Options{}, "isomap of 30000 samples finds 9e+08 paths; ‹landmarks=1000› finds only paths from that many samples, with 1/30 of the work"},
		{Isomap{}, 200_000, 3, Options{}, "‹landmarks=4000›"},
		{Isomap{}, 30_000, 3, Options{Landmarks: 500}, ""},
		{Isomap{}, 5_000, 3, Options{}, ""},
		{DPP{}, 10_000, 50, Options{}, "grows as n³; ‹negative=keep› takes none"},
		{DPP{Negative: "keep"}, 10_000, 50, Options{}, ""},
		{DPP{Sample: "exact"}, 10_000, 50, Options{}, "‹sample=map› with ‹negative=keep›"},
		{DPP{}, 1_000, 50, Options{}, ""},
		{DS3{}, 10_000, 50, Options{}, "n² unknowns"},
		{LLE{}, 400_000, 784, Options{}, "‹recall=0.99›"},
		{LLE{}, 400_000, 784, Options{Neighbors: "approximate"}, ""},
		{LLE{}, 400_000, 3, Options{}, ""}, // by a tree
		{PCA{}, 400_000, 784, Options{}, ""},
	} {
		got := cheaper(c.m, c.n, c.columns, c.o)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s of %d × %d: %q, want %q", c.m.Name(), c.n, c.columns, got, c.want)
		}
	}
}

// The estimate grows as the method's memory does.
func TestEstimateMemory(t *testing.T) {
	for _, c := range []struct {
		name       string
		method     string
		n, m, k    int
		o          Options
		least, top int64
	}{
		{"the data alone", "no such method", 1000, 10, 0, Options{}, 24e4, 24e4},
		{"a graph method is linear in n", "lle", 1e5, 3, 10, Options{}, 2e8, 1e9},
		{"isomap is quadratic in n", "isomap", 1e4, 3, 10, Options{Threads: 1}, 4e8, 1.2e9},
		{"landmarks spare isomap that", "isomap", 1e4, 3, 10, Options{Threads: 1, Landmarks: 100}, 8e6, 1e8},
		{"landmarks are all that lle embeds", "lle", 1e5, 3, 10, Options{Landmarks: 1000}, 7.2e6, 2e7},
		{"codes of all against all", "ndla", 1e4, 3, 0, Options{}, 36e8, 38e8},
		{"the Gram matrix of the shorter side", "pca", 1e5, 50, 0, Options{}, 12e7, 13e7},
		{"nothing", "lle", 0, 0, 0, Options{}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := EstimateMemory(c.method, c.n, c.m, c.k, c.o); got < c.least || got > c.top {
				t.Errorf("%s: %d bytes, want %d to %d", c.name, got, c.least, c.top)
			}
		})
	}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			small, large := EstimateMemory(e.Name, 100, 10, 5, Options{}), EstimateMemory(e.Name, 1000, 10, 5, Options{})
			if small < 24*1000 || large <= small {
				t.Errorf("%s: %d bytes for 100 samples, %d for 1000", e.Name, small, large)
			}
		})
	}
}

// The growth of each phase is that of its work.
func TestForecastGrowth(t *testing.T) {
	for _, c := range []struct {
		m       Method
		phase   string
		columns int
		want    float64 // of 4000 samples, by 1000
	}{
		{LLE{}, "patches", 3, 4},
		{LLE{}, "neighbors", 3, 4 * math.Log(4000) / math.Log(1000)},
		{LLE{}, "neighbors", 100, math.Pow(4, 1.3)},
		{LLE{}, "solve", 3, math.Pow(4, 1.2)},
		{LLE{}, "solve", 100, math.Pow(4, 1.7)},
		{Isomap{}, "alignment", 3, 16},
		{Isomap{}, "solve", 3, 16},
		{PCA{}, "solve", 3, 4},
	} {
		if got := growth(method.RowOf(c.m), c.phase, 4000, 1000, c.columns); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s of %s with %d columns grows %g times, want %g", c.phase, c.m.Name(), c.columns, got, c.want)
		}
	}
}

// Of little work, or work that few samples say nothing of, there is no forecast; and what is
// measured changes nothing of the result.
func TestForecastEmbed(t *testing.T) {
	x := generate(t, "swiss-roll", forecastFrom, 1).X
	for name, f := range map[string]*Forecast{
		"few samples": ForecastEmbed(t.Context(), generate(t, "swiss-roll", 500, 1).X, LTSA{}, Options{}),
		"landmarks":   ForecastEmbed(t.Context(), x, LTSA{}, Options{Landmarks: 100}),
		"sparse":      ForecastEmbed(t.Context(), &sparse.CSR{Rows: 9000, Cols: 3, Ptr: make([]int, 9001)}, LTSA{}, Options{}),
	} {
		if f != nil {
			t.Errorf("%s: %v", name, f)
		}
	}
	f := &Forecast{Rows: 800, Took: 0.05, Phases: Seconds{"neighbors": 1, "solve": 3, "write": 0.001, "total": 4.001}}
	if got := f.String(); got != "seconds: about 4 (solve 3, neighbors 1), from rates measured on 800 of the samples in 0.05 s" {
		t.Error(got)
	}
	if f := ForecastEmbed(t.Context(), x, PCA{}, Options{}); f != nil && (f.Phases["total"] <= 0 || f.Rows < minRows || !strings.Contains(f.String(), "from rates measured on")) {
		t.Errorf("%+v", f)
	}
}
