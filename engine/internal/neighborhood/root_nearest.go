package neighborhood

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// RootNearest is the neighbourhood of the k nearest samples, ⌊√n⌋ where no number was
// given (K is nil), and no more than Most then.
type RootNearest struct {
	K    *int
	Most int // 0: any number
}

// Number is k for n samples.
func (r RootNearest) Number(n int) int {
	if r.K != nil {
		return *r.K
	}
	k := max(1, int(math.Sqrt(float64(n))))
	if r.Most > 0 {
		k = min(k, r.Most)
	}
	return k
}

// Check refuses a number above most for n samples.
func (r RootNearest) Check(method string, n, most int) error {
	if got := r.Number(n); got > most {
		return fmt.Errorf("%s: %d neighbours asked of %d samples; give a number from 1 to %d, or more samples", method, got, n, most)
	}
	return nil
}

// Find searches for that number.
func (r RootNearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	return Nearest(r.Number(x.N())).Find(job, x)
}

// Widen is that of [Nearest].
func (r RootNearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	return Nearest(r.Number(x.N())).Widen(job, x, k)
}
