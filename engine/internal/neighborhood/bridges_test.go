package neighborhood

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// kruskal joins components by all their edges, the shortest first.
func kruskal(x samples.Samples, label []int, components int) []Bridge {
	var all, tree []Bridge
	for j := range int32(x.N()) {
		for i := range j {
			if label[i] != label[j] {
				one, err := neighbors.Search(context.Background(), samples.OfRows(1, x.M(), x.Row(int(i))).Points(), samples.OfRows(1, x.M(), x.Row(int(j))).Points(), 1, neighbors.Options{})
				if err != nil {
					panic(err)
				}
				all = append(all, Bridge{i, j, one.Dist[0]})
			}
		}
	}
	slices.SortFunc(all, Bridge.compare)
	f := forest{parent: make([]int32, components)}
	for c := range f.parent {
		f.parent[c] = int32(c)
	}
	for _, b := range all {
		if f.join(int32(label[b.From]), int32(label[b.To])) {
			tree = append(tree, b)
		}
	}
	return tree
}

// clumps are groups of samples on a grid, with many ties, in groups of the given sizes.
func clumps(sizes []int, m int, seed uint64) (samples.Samples, []int) {
	s := blas.NewStream(seed)
	var data []float64
	var label []int
	for c, size := range sizes {
		at := make([]float64, m)
		for j := range at {
			at[j] = float64(int(60 * s.Uniform()))
		}
		for range size {
			for j := range m {
				data = append(data, at[j]+float64(int(4*s.Uniform())))
			}
			label = append(label, c)
		}
	}
	return samples.Of(mat.NewDense(len(label), m, data)), label
}

func TestBridgesAreTheMinimumSpanningTree(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		m     int
	}{
		{[]int{5, 1, 1, 7, 2, 30, 3, 3, 4, 1}, 2},
		{[]int{5, 1, 1, 7, 2, 30, 3, 3, 4, 1}, 12},
		{slices.Repeat([]int{2}, 60), 3},
		{slices.Repeat([]int{1}, 40), 30}, // samples at one place among them
		{[]int{smallComponent + 9, 3, smallComponent + 20, 1}, 2},
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(c.sizes[:4], c.m, seed), func(t *testing.T) {
				x, label := clumps(c.sizes, c.m, seed+1)
				got := must.Get(Bridges(steptest.Run(t), x, label, len(c.sizes)))(t)
				slices.SortFunc(got, Bridge.compare)
				if want := kruskal(x, label, len(c.sizes)); !slices.Equal(got, want) {
					t.Errorf("bridges %v, want %v", got, want)
				}
			})
		}
	}
}

// Bridges stand in the lists of both ends, and once in the lists of one way, of which
// none has two.
func TestLinked(t *testing.T) {
	x, label := clumps([]int{9, 5, 6, 7, 5}, 3, 4)
	members := Members(label, []int{9, 5, 6, 7, 5})
	g := &neighbors.Graph{Ptr: make([]int, 1, x.N()+1)}
	for i := range x.N() {
		for _, j := range members[slices.IndexFunc(members, func(l []int) bool { return slices.Contains(l, i) })] {
			if j != i && len(g.Index)-g.Ptr[i] < 3 {
				g.Index, g.Dist, g.Weight = append(g.Index, int32(j)), append(g.Dist, 1), append(g.Weight, 0.5)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	bridges := must.Get(Bridges(steptest.Run(t), x, label, 5))(t)
	f := Found{Graph: g}.Linked(bridges, label)
	for name, g := range map[string]*neighbors.Graph{"both": f.Graph, "one way": f.OneWay()} {
		if _, sizes := g.Components(); len(sizes) != 1 {
			t.Errorf("%s: %d components", name, len(sizes))
		}
	}
	if f.Degree() != 3 || f.OneWay().MaxDegree() != 4 {
		t.Errorf("lists of %d, one way of %d", f.Degree(), f.OneWay().MaxDegree())
	}
	if got := len(f.Graph.Index) - len(g.Index); got != 2*len(bridges) {
		t.Errorf("%d entries more for %d bridges", got, len(bridges))
	}
	for _, b := range bridges {
		at := slices.Index(f.Graph.Of(int(b.From)), b.To)
		if at < 0 || slices.Index(f.Graph.Of(int(b.To)), b.From) < 0 {
			t.Fatalf("%v is not in both lists", b)
		}
		if w, want := f.Graph.Weights(int(b.From))[at], 0.5/max(b.Length, 1); w != want {
			t.Errorf("%v has the weight %v, want %v", b, w, want)
		}
		if !slices.IsSorted(f.Graph.Distances(int(b.From))) {
			t.Errorf("list of %d: distances %v", b.From, f.Graph.Distances(int(b.From)))
		}
	}
}

// Every basin has one closed class, and holds the samples that lead to it.
func TestBasins(t *testing.T) {
	g := &neighbors.Graph{Ptr: []int{0}}
	for _, list := range [][]struct {
		j int32
		w float64
	}{
		{{1, 1}}, {{0, 1}}, // a class
		{{1, 0.4}, {4, 0.6}},                     // to the second class, more likely
		{{4, 1}}, {{3, 0.5}, {5, 0.5}}, {{3, 1}}, // another
		{{2, 0.5}, {0, 0.5}}, // .5 straight, .3 through 2
	} {
		for _, e := range list {
			g.Index, g.Dist, g.Weight = append(g.Index, e.j), append(g.Dist, 1), append(g.Weight, e.w)
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	cut, classes := Basins(g)
	label, sizes := cut.Components()
	if classes != 2 || !slices.Equal(label, []int{0, 0, 1, 1, 1, 1, 0}) || len(sizes) != 2 {
		t.Fatalf("%d classes, basins %v", classes, label)
	}
	if ClosedClasses(cut) != 2 {
		t.Errorf("%d closed classes in two basins", ClosedClasses(cut))
	}
	for i := range cut.Len() {
		var total float64
		for _, w := range cut.Weights(i) {
			total += w
		}
		if total != 1 {
			t.Errorf("weights of %d add up to %v", i, total)
		}
	}
}
