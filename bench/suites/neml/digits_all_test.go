package neml

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/internal/must"
)

func TestAllDigitsClaims(t *testing.T) {
	with := func(neml, residual float64, peak int64) *bench.Records {
		r := &bench.Records{}
		for _, method := range allDigitsMethods {
			for _, d := range allDigitsDims {
				quality := map[string]float64{"residual": residual}
				for _, way := range allDigitsWays {
					quality[way+"-error"] = map[string]float64{"lle": 10, "le": 9, "neml": neml}[method]
				}
				one := made(allDigitsName(method, d), quality)
				one.PeakBytes, one.Seconds = peak, map[string]bench.Statistics{"total": {Median: 30}}
				r.List = append(r.List, one)
			}
		}
		return r
	}
	partly := with(8, 1e-12, 1<<30)
	partly.List = partly.List[1:]
	for _, x := range []struct {
		name     string
		r        *bench.Records
		embedded bench.Verdict
		order    bench.Verdict
	}{
		{"as hoped for", with(8, 1e-12, 1<<30), bench.TargetReached, bench.TargetReached},
		{"LE is better in 17", with(9.5, 1e-12, 1<<30), bench.TargetReached, bench.TargetMissed},
		{"too much memory", with(8, 1e-12, 5<<30), bench.TargetMissed, bench.TargetReached},
		{"not converged", with(11, 1e-3, 1<<30), bench.TargetMissed, bench.TargetMissed},
		{"not run", partly, bench.NotRun, bench.NotRun},
		{"failed", failed(&bench.Records{}, allDigitsName("lle", 9)), bench.CannotCheck, bench.CannotCheck},
	} {
		for i, want := range []bench.Verdict{bench.CannotCheck, x.embedded, x.order} {
			if f := allDigitsClaims[i].Check(x.r); f.Verdict != want {
				t.Errorf("%s: %s: %+v, want %s", x.name, allDigitsClaims[i].Name, f, want)
			}
		}
	}
}

// The classifiers and the discriminants run on a small stand-in: a few clouds.
func TestAllDigitsOnClouds(t *testing.T) {
	s := must.Get(datasets.Generate("gaussians", 120, 1, map[string]string{"clusters": "3", "dims": "6", "sd": "3"}))(t)
	folder := t.TempDir()
	labels := mat.NewDense(len(s.Labels), 1, nil)
	for i, l := range s.Labels {
		labels.Set(i, 0, float64(l))
	}
	for name, m := range map[string]*mat.Dense{"clouds.X.npy": s.X, "clouds.y.npy": labels} {
		out := must.Get(files.Create(folder+"/"+name, nil))(t)
		must.Do(t, out.WriteMatrix(m, files.Options{}))
		must.Do(t, out.Commit())
	}
	e, trial := &bench.Env{Data: folder}, measures.Trial{Splits: 2, Train: 0.5, Seed: 1}
	c := &bench.Case{Method: "neml", Threads: 1}
	out := must.Get(classifyProjected(context.Background(), e, c, bench.FromFile("clouds.X.npy"), trial, map[string]string{"neighbors": "12", "dim": "4"}))(t)
	for _, way := range allDigitsWays {
		if v, found := out.Quality[way+"-error"]; !found || v > 50 || len(out.Series[way]) != 2 {
			t.Errorf("%s: %v %% of %v", way, v, out.Series[way])
		}
	}
	raw, err := classifyRaw(context.Background(), e, c, bench.FromFile("clouds.X.npy"), trial)
	if err != nil || raw.Quality["nn-error"] > 50 {
		t.Errorf("as they are: %v, %v", raw, err)
	}
	if _, err := classifyProjected(context.Background(), e, c, bench.FromFile("absent.X.npy"), trial, nil); err == nil {
		t.Error("a file that is not there is no error")
	}
}
