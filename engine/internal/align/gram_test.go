package align

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// On the neighbour graph K is that of the lengths of shortest paths, here by Floyd and
// Warshall.
func TestGeodesicGram(t *testing.T) {
	const n, k = 60, 5
	roll := must.Get(datasets.Generate("swiss-roll", n, 2, nil))(t)
	job, x := steptest.Run(t), samples.Of(roll.X)
	found := must.Get(neighborhood.Nearest(k).Find(job, x))(t)
	g := found.Graph
	d := mat.NewDense(n, n, slices.Repeat([]float64{math.Inf(1)}, n*n))
	for i := range n {
		d.Set(i, i, 0)
		for a, j := range g.Of(i) {
			d.Set(i, int(j), g.Distances(i)[a])
			d.Set(int(j), i, g.Distances(i)[a])
		}
	}
	for via := range n {
		for i := range n {
			for j := range n {
				d.Set(i, j, min(d.At(i, j), d.At(i, via)+d.At(via, j)))
			}
		}
	}
	var want mat.Dense
	d.Apply(func(_, _ int, v float64) float64 { return v * v }, d)
	j := mat.NewDense(n, n, slices.Repeat([]float64{-1.0 / n}, n*n))
	for i := range n {
		j.Set(i, i, 1-1.0/n)
	}
	want.Product(j, d, j)
	want.Scale(-0.5, &want)
	a := must.Get(GeodesicGram(Input{Local: patch.Local{Run: job, X: x, Graph: g}}))(t)
	got := a.K
	for i := range n {
		for j := range n {
			if math.Abs(got[i*n+j]-want.At(i, j)) > 1e-10*mat.Max(d) || got[i*n+j] != got[j*n+i] {
				t.Fatalf("entry (%d, %d) is %g, want %g", i, j, got[i*n+j], want.At(i, j))
			}
		}
	}
}
