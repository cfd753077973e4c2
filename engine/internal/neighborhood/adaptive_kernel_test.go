package neighborhood

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// The widths of the adaptive kernel have a floor where copies have filled the
// neighbourhood, and weights stay finite.
func TestAdaptiveWidths(t *testing.T) {
	x := samples.OfRows(6, 1, []float64{0, 0, 0, 1, 2, 4})
	near := must.Get(Nearest(2).Find(steptest.Run(t), x))(t)
	weight := AdaptiveKernel(x, near.Graph)
	if got := weight(0, 1, 0); got != 1 {
		t.Errorf("copies have weight %v", got)
	}
	// s₃ = 1 (of the samples at 0, 0, 0, 2), and s₀ only the floor.
	if got, want := weight(0, 3, 1), math.Exp(-0.5)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("the weight of 0 and 1 is %v, want %v", got, want)
	}
}
