package diagnosis

import (
	"context"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// sheet are samples of a part of a cylinder with 12 neighbours each.
func sheet(t *testing.T, n int) Case {
	t.Helper()
	rng, x := blas.NewStream(1), mat.NewDense(n, 3, nil)
	for i := range n {
		angle, height := 4*rng.Uniform(), 2*rng.Uniform()
		x.SetRow(i, []float64{math.Cos(angle), math.Sin(angle), height})
	}
	job := run.New(context.Background(), "test", run.Settings{Kernels: blas.MustSelect(""), Threads: 1, Seed: 1})
	points := samples.Of(x)
	found := must.Get(neighborhood.Nearest(12).Find(job, points))(t)
	return Case{Local: patch.Local{Run: job, X: points, Graph: found.Graph}, Y: x}
}

// The weights between cells are those that plain counting finds.
func TestWeightsBetweenCells(t *testing.T) {
	g := sheet(t, 700).Graph
	some := centers(700)
	both := bothWays(g)
	cell := both.cells(some)
	members, sizes := cellMembers(cell, len(some))
	want := mat.NewDense(len(some), len(some), nil)
	counted := make([]int, len(some))
	for i := range g.Len() {
		counted[cell[i]]++
		for _, j := range g.Of(i) {
			if a, b := int(cell[i]), int(cell[j]); a != b {
				want.Set(a, b, want.At(a, b)+1)
				want.Set(b, a, want.At(b, a)+1)
			}
		}
	}
	pairs := both.between(cell, members, sizes, nil)
	weights := both.weights(cell, members, sizes, pairs)
	if weights.NNZ() != pairs {
		t.Errorf("%d entries, %d foretold", weights.NNZ(), pairs)
	}
	for a := range some {
		if sizes[a] != counted[a] {
			t.Errorf("cell %d has %d samples, want %d", a, sizes[a], counted[a])
		}
		for b := range some {
			if got := weights.At(a, b); got != want.At(a, b) {
				t.Errorf("between cells %d and %d: %g, want %g", a, b, got, want.At(a, b))
			}
		}
	}
}

// The search takes no more than it reckons with, garbage included: it comes when a run has
// taken all that it was estimated to need, and none of that is let go before the collector runs.
func TestNeckKeepsToItsRoom(t *testing.T) {
	c := sheet(t, 20000)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if cause, err := neck(c); err != nil || cause.text != "" {
		t.Fatalf("%q, %v", cause.text, err)
	}
	runtime.ReadMemStats(&after)
	taken := int64(after.TotalAlloc - before.TotalAlloc)
	if estimated := c.PeakBytes() - memory.Process(0); taken > estimated {
		t.Errorf("%.1f MB taken, %.1f MB estimated", float64(taken)/1e6, float64(estimated)/1e6)
	}
}
