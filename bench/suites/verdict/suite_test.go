package verdict

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// made are records of all trials, with the dev and the verdict that a function gives.
func made(of func(i int, t *trial) (dev, sound float64)) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for i, t := range trials() {
		dev, sound := of(i, &t)
		quality := map[string]bench.Statistics{"dev": {Median: dev}, "judged": {Median: sound}, "beyond": {Median: 0}}
		r.List = append(r.List, &bench.Record{Suite: Suite.Name, Case: t.name(), Quality: quality})
	}
	return r
}

// rankedSets are records of the real sets in which the error falls, or rises, as more neighbours are
// kept.
func rankedSets(falls float64) []*bench.Record {
	var list []*bench.Record
	for _, set := range realSets {
		for m, method := range realMethods {
			list = append(list, &bench.Record{Suite: Suite.Name, Case: realName(set.name, method), Quality: map[string]bench.Statistics{
				"kept": {Median: float64(m) / 20}, "nn-error": {Median: 0.5 - falls*float64(m)/20}}})
		}
	}
	return list
}

func TestSpearman(t *testing.T) {
	if got := spearman([]float64{1, 2, 2, 5}, []float64{9, 7, 7, 1}); math.Abs(got+1) > 1e-12 {
		t.Errorf("%g", got)
	}
}

func TestFindings(t *testing.T) {
	// Every other run is wrong, and the verdict is right but for one in this many.
	judged := func(every int) *bench.Records {
		return made(func(i int, _ *trial) (float64, float64) {
			lies := 0.0
			if i%every < 2 { // a wrong run and a right one
				lies = 1
			}
			return []float64{0.2, 0.01}[i%2], math.Abs(float64(i%2) - lies)
		})
	}
	good, bad := judged(50), judged(30)
	reached, missed := map[string]bench.Verdict{}, map[string]bench.Verdict{}
	for _, c := range Suite.Claims {
		reached[c.Name], missed[c.Name] = bench.TargetReached, bench.TargetMissed
	}
	for _, r := range []*bench.Records{good, bad} {
		ranked := 1.0
		if r == bad {
			ranked = -1
		}
		r.List = append(r.List, rankedSets(ranked)...)
		r.List = append(r.List, &bench.Record{Suite: Suite.Name, Case: remedyCases()[0].Name, Quality: map[string]bench.Statistics{
			"offered": {Median: 1}, "worse": {Median: (1 - ranked) / 2}, "judged": {Median: 0}, "nearer": {Median: 1}}})
	}
	benchtest.CheckFindings(t, &Suite, good, reached)
	benchtest.CheckFindings(t, &Suite, bad, missed)
	benchtest.CheckSections(t, &Suite, good)
	// A few runs, as of the quick suite, are no evidence: "0 of 14" misses no target.
	few := *good
	few.List = few.List[:28]
	for _, c := range Suite.Claims {
		if found := c.Check(&few); found.Verdict != bench.CannotCheck && found.Verdict != bench.NotRun {
			t.Errorf("%s of few runs: %+v", c.Name, found)
		}
	}
}

// The truth of a surface keeps its lengths: of samples that are near each other, distances on
// it and between the samples agree.
func TestTruthKeepsLengths(t *testing.T) {
	for _, s := range surfaces {
		if s.name == "triple-peak" {
			continue // its truth is where the samples lie below the peaks
		}
		x, truth := must.Two(s.draw(20000, 7, 2))(t)
		n, _ := x.Dims()
		if n < 2000 {
			t.Errorf("%s: %d samples", s.name, n)
		}
		distance := func(m *mat.Dense, i, j int) float64 {
			var diff mat.VecDense
			diff.SubVec(m.RowView(i), m.RowView(j))
			return mat.Norm(&diff, 2)
		}
		scale := math.NaN() // of the helix lengths are a multiple of the angle
		for i := range 40 {
			nearest, least := -1, math.Inf(1)
			for j := range n {
				if d := distance(truth, i, j); j != i && d < least {
					nearest, least = j, d
				}
			}
			ratio := distance(x, i, nearest) / least
			if math.IsNaN(scale) {
				scale = ratio
			}
			if least < 0.2 && math.Abs(ratio/scale-1) > 0.02 {
				t.Errorf("%s: samples %d and %d are %g apart in truth and %g in space", s.name, i, nearest, least, ratio*least)
			}
		}
	}
}

// A clean roll has a sound verdict, and one whose neighbourhoods lie within the noise has not.
func TestVerdictOnTheRoll(t *testing.T) {
	for _, c := range []struct {
		noise float64
		sound bool
	}{{0, true}, {0.03, false}} {
		one := trial{surface: &surfaces[0], method: "ltsa", n: 4000, seed: 3, noise: c.noise, uneven: 1, set: map[string]string{"neighbors": "8"}}
		out := must.Get(one.run(t.Context(), &bench.Case{Threads: 2}))(t)
		if wrong := out.Quality["dev"] > wrongAbove; wrong == c.sound || out.Quality["judged"] == 1 != c.sound || (out.Note == "") != c.sound {
			t.Errorf("noise %g: dev %g, sound %g, %q", c.noise, out.Quality["dev"], out.Quality["judged"], out.Note)
		}
	}
}
