package neml

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// A legible value without its row is judged against all three methods.
func TestLoneValuesOfTable1(t *testing.T) {
	q := newsTrials(&bench.Env{})
	v := loneValue{"nn", 3, 62.6, 1.3}
	records := func(errors ...float64) *bench.Records {
		r := &bench.Records{}
		for i, e := range errors {
			r.List = append(r.List, made(q.name(q.methods[i], v.d), map[string]float64{"nn-error": e, "nn-sd": 1}))
		}
		return r
	}
	for _, x := range []struct {
		name string
		r    *bench.Records
		want bench.Verdict
	}{
		{"one agrees", records(63, 39, 43), bench.Reproduces},
		{"none agrees", records(50, 39, 43), bench.DoesNot},
		{"one was not run", records(63, 39), bench.NotRun},
		{"one failed", failed(records(63, 39), q.name("neml", 3)), bench.CannotCheck},
	} {
		if f := v.claim().Check(x.r); f.Verdict != x.want || f.Why == "" {
			t.Errorf("%s: %+v, want %s", x.name, f, x.want)
		}
	}
}

// made is the record of a case with these qualities.
func made(name string, quality map[string]float64) *bench.Record {
	r := &bench.Record{Case: name, Quality: map[string]bench.Statistics{}, CPUSeconds: map[string]bench.Statistics{}}
	for key, v := range quality {
		r.Quality[key] = bench.Statistics{Median: v, Values: []float64{v}}
	}
	return r
}

// failed adds the record of a case that failed.
func failed(r *bench.Records, name string) *bench.Records {
	r.List = append(r.List, &bench.Record{Case: name, Error: "it failed"})
	return r
}
