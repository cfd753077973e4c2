package engine

import (
	"math"
	"testing"
)

// Coordinates that are right are those of an eighth of the samples, too, up to what fewer
// samples show less well; of noise they are others. Nothing is measured unasked, of few
// samples, and of landmarks.
func TestInstability(t *testing.T) {
	clean, noisy := generate(t, "swiss-roll", 8000, 1).X, generate(t, "swiss-roll", 8000, 1, "noise=0.3", "params=isometric").X
	asked := Options{Stability: "subset"}
	for _, m := range []Method{NEML{}, LTSA{}, PCA{}} {
		if v := embed(t, clean, m, asked).Quality.Instability; !(v < 0.15) {
			t.Errorf("%s of a clean roll: instability %g", m.Name(), v)
		}
	}
	if v := embed(t, noisy, NEML{}, asked).Quality.Instability; !(v > 0.3 && v <= 1) {
		t.Errorf("neml of noise: instability %g", v)
	}
	for name, q := range map[string]*Quality{
		"unasked":        embed(t, clean, LTSA{}, Options{}).Quality,
		"of few samples": embed(t, generate(t, "swiss-roll", 2047, 1).X, LTSA{}, asked).Quality,
		"with landmarks": embed(t, clean, LTSA{}, Options{Stability: "subset", Landmarks: 4000}).Quality,
	} {
		if !math.IsNaN(q.Instability) {
			t.Errorf("%s: instability %g", name, q.Instability)
		}
	}
	// The embedding itself is the same.
	plain, also := embed(t, clean, NEML{}, Options{}), embed(t, clean, NEML{}, asked)
	for i, v := range plain.Y.RawMatrix().Data {
		if also.Y.RawMatrix().Data[i] != v {
			t.Fatalf("value %d of the coordinates is another with stability=subset", i)
		}
	}
}
