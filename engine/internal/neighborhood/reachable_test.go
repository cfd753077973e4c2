package neighborhood

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// graphOf makes lists of neighbours with their distances.
func graphOf(n int, pairs ...[3]float64) *neighbors.Graph {
	g := &neighbors.Graph{Ptr: []int{0}}
	for i := range n {
		for _, p := range pairs {
			if int(p[0]) == i {
				g.Index, g.Dist = append(g.Index, int32(p[1])), append(g.Dist, p[2])
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// The tree of a complete graph is that of the samples, though each pair is in one list alone.
func TestTreeOfACompleteGraph(t *testing.T) {
	const n = 40
	x := mat.NewDense(n, 3, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	var pairs [][3]float64
	for i := range n {
		for j := range i {
			from, to := i, j
			if (i+j)%2 == 0 {
				from, to = j, i
			}
			pairs = append(pairs, [3]float64{float64(from), float64(to), math.Sqrt(blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j)))})
		}
	}
	for _, k := range []int{1, 2, 5, n} {
		want := must.Get(Reachable{MinSamples: k}.Find(steptest.Run(t), samples.Of(x)))(t).Tree
		got := must.Get(Reachable{MinSamples: k, Graph: graphOf(n, pairs...)}.Find(steptest.Run(t), samples.Of(x)))(t).Tree
		if len(got.Weight) != n-1 || !mat.EqualApprox(mat.NewVecDense(n, got.Core), mat.NewVecDense(n, want.Core), 1e-12) {
			t.Errorf("of %d samples: %d edges, core distances %v, want %v", k, len(got.Weight), got.Core, want.Core)
		}
		a, b := slices.Sorted(slices.Values(got.Weight)), slices.Sorted(slices.Values(want.Weight))
		if !mat.EqualApprox(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b), 1e-12) {
			t.Errorf("of %d samples: edges of %v, want %v", k, a, b)
		}
	}
}

// Of two lengths of a pair the shorter counts. A sample with too few neighbours has no finite core distance, nothing joins it, and a warning counts it;
// two parts of a graph are two trees.
func TestForestOfAGraph(t *testing.T) {
	g := graphOf(6, [3]float64{0, 1, 2}, [3]float64{1, 0, 1}, [3]float64{1, 2, 3}, [3]float64{3, 4, 5})
	job := steptest.Run(t)
	tree := must.Get(Reachable{MinSamples: 2, Graph: g}.Find(job, samples.Samples{}))(t).Tree
	if want := []float64{1, 1, 3, 5, 5, math.Inf(1)}; !slices.Equal(tree.Core, want) {
		t.Errorf("core distances %v, want %v", tree.Core, want)
	}
	if w := slices.Sorted(slices.Values(tree.Weight)); !slices.Equal(w, []float64{1, 3, 5}) || slices.Contains(tree.From, 5) || slices.Contains(tree.To, 5) {
		t.Errorf("edges from %v to %v of %v", tree.From, tree.To, tree.Weight)
	}
	if list := job.Warnings(); len(list) != 1 || !strings.HasPrefix(list[0], "noise, for lack of neighbours in the graph (fewer than 1): 1 sample;") {
		t.Errorf("warnings %q", list)
	}
	tight := run.New(t.Context(), "hdbscan", run.Settings{Memory: 1})
	must.Refuse(t, "the spanning tree of 6 samples needs")(Reachable{MinSamples: 2, Graph: g}.Find(tight, samples.Samples{}))
}
