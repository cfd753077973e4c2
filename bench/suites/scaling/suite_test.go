package scaling

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/engine"
)

func TestScalingSuite(t *testing.T) {
	records := &bench.Records{Suite: "scaling"}
	for _, c := range allCases(&bench.Env{}) {
		if !c.Fresh || c.Threads != 1 {
			t.Errorf("%s does not run in a process of its own on one thread", c.Name)
		}
		if c.N > 100000 && (!c.Full || c.Method == "lle" && len(c.Needs) == 0) {
			t.Errorf("%s is part of --quick, or needs no memory", c.Name)
		}
		if c.N != firstSize || c.Method != "lle" && c.Method != "pca" {
			continue
		}
		out, err := c.Run(context.Background(), &bench.Env{}, &c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if out.Samples != firstSize || out.CPUSeconds["total"] < 0 || len(out.Seconds) == 0 {
			t.Errorf("%s: %+v", c.Name, out)
		}
		if c.Method == "lle" && !(out.Quality["fill"] > 0.5) { // the factor has the entries of half the matrix at least
			t.Errorf("%s: fill %v", c.Name, out.Quality)
		}
		records.List = append(records.List, benchtest.RecordOf("scaling", &c, out))
	}
	sections := allSections(records)
	if len(sections) != 7 {
		t.Errorf("%d sections, want three of each set and the fill", len(sections))
	}
}

// grown makes up records of the surface whose time is N to the given power.
func grown(power float64, peak int64) *bench.Records {
	r := &bench.Records{Suite: "scaling"}
	for _, m := range engine.Methods() {
		method := m.Name
		for n := firstSize; n <= millionSamples; n *= 2 {
			cpu := math.Pow(float64(n), power)
			_, accuracy := sets[0].errorOf(method, n)
			r.List = append(r.List, &bench.Record{Suite: "scaling", Case: caseName("surface", method, n), PeakBytes: peak,
				CPUSeconds: map[string]bench.Statistics{"total": {Median: cpu}}, Accuracy: []bench.Accuracy{accuracy},
				Quality: map[string]bench.Statistics{accuracy.Quality: {Median: 1e-9}}})
		}
	}
	return r
}

func TestScalingClaims(t *testing.T) {
	for _, c := range []struct {
		power  float64
		peak   int64
		growth bench.Verdict
		memory bench.Verdict
	}{{1.05, 5 << 30, bench.TargetReached, bench.TargetReached}, {1.8, 7 << 30, bench.TargetMissed, bench.TargetMissed}, {1, 0, bench.TargetReached, bench.NotRun}} {
		r := grown(c.power, c.peak)
		if f := claims[0].Check(r); f.Verdict != c.growth || len(f.Cases) != exponentPoints*len(scaledLocal()) {
			t.Errorf("N^%g: %+v", c.power, f)
		}
		if f := claims[1].Check(r); f.Verdict != c.memory {
			t.Errorf("%d bytes: %+v", c.peak, f)
		}
	}
}
