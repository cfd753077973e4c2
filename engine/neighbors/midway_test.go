package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// An approximate search whose samples stop being finite between two reports of progress ends,
// in an error or in lists of the right length.
func TestSearchThatBreaksMidway(t *testing.T) {
	const n, m, k = 3000, 6, 8
	clean := make([]float64, n*m)
	blas.NewStream(4).Uniforms(clean)
	search := func(at int, v float64) (calls int, spoiled bool, g *Graph, err error) {
		x := Points{N: n, M: m, Data: slices.Clone(clean)}
		o := ApproximateOptions{}
		o.Threads = 1
		o.Progress = func(float64) {
			if calls++; calls == at {
				for i := range x.Data {
					x.Data[i] = v
				}
				spoiled = true
			}
		}
		g, _, err = Approximate(context.Background(), x, k, o)
		return calls, spoiled, g, err
	}
	calls, _, want, err := search(0, 0)
	if err != nil || calls < 3 {
		t.Fatalf("%d reports, %v", calls, err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e300} {
		changed := false
		for _, at := range []int{1, calls / 3, 2 * calls / 3} {
			_, spoiled, g, err := search(max(at, 1), v)
			if !spoiled {
				t.Errorf("%g at report %d of %d: the samples were not spoiled", v, at, calls)
			}
			if err != nil {
				changed = true
				continue
			}
			changed = changed || !slices.Equal(g.Index, want.Index)
			if err := g.Validate(); g.Len() != n || len(g.Index) != n*k {
				t.Errorf("%g at report %d: %d lists of %d entries, %v", v, at, g.Len(), len(g.Index), err)
			}
		}
		if !changed {
			t.Errorf("no search met %g", v)
		}
	}
}
