package complexity

import (
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// timer takes the processor time from call to call.
type timer struct {
	at    float64
	taken []float64
}

// tick ends a step. What came before the first one is not a step.
func (t *timer) tick() {
	now := processor()
	if t.at != 0 {
		t.taken = append(t.taken, now-t.at)
	}
	t.at = now
}

// processor is the processor time of this process.
func processor() float64 {
	own, _ := bench.ProcessorSeconds()
	return own
}

// outcome is the outcome of the fastest of the steps that were timed, and of its error.
func (t *timer) outcome(samples, features int, quality string, err float64) (*bench.Outcome, error) {
	if len(t.taken) == 0 {
		return nil, fmt.Errorf("no step came to an end")
	}
	least := slices.Min(t.taken)
	return &bench.Outcome{
		Samples: samples, Features: features, Seconds: engine.Seconds{"total": least}, CPUSeconds: engine.Seconds{"total": least},
		Quality: map[string]float64{quality: err}, Note: fmt.Sprintf("the least of %d steps", len(t.taken)),
	}, nil
}

// uniforms draws numbers from low to 1.
func uniforms(seed uint64, count int, low float64) []float64 {
	x := make([]float64, count)
	blas.NewStream(seed).Uniforms(x)
	for i := range x {
		x[i] = low + (1-low)*x[i]
	}
	return x
}

// apart is ‖a − b‖/‖b‖.
func apart(a, b []float64) float64 {
	var d, s float64
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		s += b[i] * b[i]
	}
	return math.Sqrt(d / s)
}

// ascending are sizes from first to last: each doubling of the first, and half again as
// many between two of them.
func ascending(first, last int) []int {
	var sizes []int
	for ; first <= last; first *= 2 {
		if sizes = append(sizes, first); first*3/2 <= last {
			sizes = append(sizes, first*3/2)
		}
	}
	return sizes
}
