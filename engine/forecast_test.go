package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

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
	if f := ForecastEmbed(t.Context(), x, PCA{}, Options{}); f != nil && (f.Phases["total"] <= 0 || f.Rows < leastRows || !strings.Contains(f.String(), "from rates measured on")) {
		t.Errorf("%+v", f)
	}
}
