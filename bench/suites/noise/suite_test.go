package noise

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// The claims hold where auto stays at the floor, and fail where it is above.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		dev  float64
		want string
	}{{0.0005, "target reached"}, {0.5, "target missed"}} {
		r := &bench.Records{Suite: Suite.Name}
		for _, one := range runs() {
			dev := 0.01
			if one.k == auto {
				dev = c.dev
			}
			r.List = append(r.List, &bench.Record{Suite: Suite.Name, Case: one.name(), Samples: one.n, Quality: map[string]bench.Statistics{"dev-centred": bench.Summarize([]float64{dev}), "floor": bench.Summarize([]float64{0.0004})}})
		}
		for _, claim := range Suite.Claims[1:] {
			f := claim.Check(r)
			if reached := f.Verdict == bench.TargetReached; reached != (c.want == "target reached") {
				t.Errorf("%s with dev %g: %v (%s)", claim.Name, c.dev, f.Verdict, f.Why)
			}
		}
	}
}

// What is drawn has the noise that is said, in all columns.
func TestDraw(t *testing.T) {
	noisy := run{surface: &surfaces[1], n: 2000, noise: 0.3, columns: 20}
	clean := noisy
	clean.noise = 0
	a := must.Get(noisy.draw())(t)
	b := must.Get(clean.draw())(t)
	most := 0.0
	for i, v := range a.X.RawMatrix().Data {
		most = max(most, v-b.X.RawMatrix().Data[i], b.X.RawMatrix().Data[i]-v)
	}
	if want := 0.3 / 3.14159265; most > want || most < 0.999*want {
		t.Errorf("the noise reaches %g, want %g", most, want)
	}
}
