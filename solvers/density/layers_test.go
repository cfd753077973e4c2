package density

import (
	"fmt"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// leavesAt are the components without another inside, by their samples, of the tree of a minimal size.
func leavesAt(t *testing.T, h *Hierarchy, size int) (map[string]bool, []int32) {
	t.Helper()
	tree := must.Get(h.Condense(t.Context(), size))(t)
	chosen := must.Get(tree.Select(SelectOptions{Method: Leaves}))(t)
	labels := tree.Assign(chosen, 0).Labels
	sets := map[string]bool{}
	for q := range chosen {
		var members []int
		for i, c := range labels {
			if int(c) == q {
				members = append(members, i)
			}
		}
		sets[fmt.Sprint(members)] = true
	}
	return sets, labels
}

// The barcode, the total persistence, its peaks and the labels of layers are compared with trees of every minimal size.
func TestLayersAreThoseOfEveryMinimalSize(t *testing.T) {
	for _, c := range []struct {
		n, samples, size int
		grid             bool
	}{{200, 3, 3, false}, {150, 2, 2, true}, {240, 4, 6, false}, {40, 3, 15, false}} {
		for seed := range uint64(3) {
			h := hierarchyOf(t, c.n, reachability(sample(c.n, seed, c.grid), c.samples), false)
			tree := must.Get(h.Condense(t.Context(), c.size))(t)
			leaves, labels, life := make([]map[string]bool, c.n+2), make([][]int32, c.n+2), map[string]int64{}
			for m := c.size; m <= c.n; m++ {
				leaves[m], labels[m] = leavesAt(t, h, m)
				for set := range leaves[m] {
					life[set]++
				}
			}
			total := make([]int64, c.n+2) // of each minimal size
			for m := range leaves {
				for set := range leaves[m] {
					total[m] += life[set]
				}
			}
			got := must.Get(tree.Layers(t.Context(), c.n))(t)
			if c.size < 10 && len(got) == 0 {
				t.Errorf("%v, seed %d: no layers", c, seed)
			}
			for q, l := range got {
				m := l.MinSize
				if q > 0 && m <= got[q-1].MaxSize {
					t.Errorf("layers %d and %d overlap", q-1, q)
				}
				if l.Persistence != total[m] {
					t.Fatalf("%v, seed %d, size %d: persistence %d, by definition %d", c, seed, m, l.Persistence, total[m])
				}
				before, after := m-1, m+1
				for ; before >= c.size && total[before] == total[m]; before-- {
				}
				for ; total[after] == total[m]; after++ {
				}
				if before >= c.size && total[before] > total[m] || total[after] > total[m] {
					t.Errorf("%v, seed %d: size %d is no peak of %v", c, seed, m, total)
				}
				if !slices.Equal(l.Labels, numberedByFirst(labels[m])) {
					t.Errorf("%v, seed %d, size %d: labels %v, by definition %v", c, seed, m, l.Labels, labels[m])
				}
				if !same(leaves[m], leaves[l.MaxSize]) || same(leaves[m], leaves[l.MaxSize+1]) || m > c.size && same(leaves[m], leaves[m-1]) {
					t.Errorf("%v, seed %d: the clusters do not last from %d to %d", c, seed, m, l.MaxSize)
				}
			}
			most := slices.Max(total)
			if few := must.Get(tree.Layers(t.Context(), 1))(t); most > 0 && (len(few) != 1 || few[0].Persistence != most) {
				t.Errorf("the only layer is %+v, the largest total %d", few, most)
			}
			first, last := tree.Lifetimes()
			var bars []int64
			for c := 1; c < tree.Components(); c++ {
				if last[c] >= first[c] {
					bars = append(bars, int64(last[c]-first[c]+1))
				}
			}
			var want []int64
			for _, v := range life {
				want = append(want, v)
			}
			slices.Sort(bars)
			slices.Sort(want)
			if !slices.Equal(bars, want) {
				t.Errorf("%v, seed %d: barcode %v, by definition %v", c, seed, bars, want)
			}
		}
	}
}

func same(a, b map[string]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for set := range a {
		if !b[set] {
			return false
		}
	}
	return true
}

func numberedByFirst(labels []int32) []int32 {
	to, list := map[int32]int32{-1: -1}, make([]int32, len(labels))
	for i, c := range labels {
		if _, known := to[c]; !known {
			to[c] = int32(len(to) - 1)
		}
		list[i] = to[c]
	}
	return list
}

// Layers with the same clusters but for a few are one.
func TestLayersDiffer(t *testing.T) {
	h := hierarchyOf(t, 400, reachability(sample(400, 7, false), 2), false)
	tree := must.Get(h.Condense(t.Context(), 2))(t)
	list := must.Get(tree.Layers(t.Context(), 100))(t)
	if first, last := tree.Lifetimes(); len(list) >= len(peaksOf(first, last)) {
		t.Errorf("%d layers of %d peaks", len(list), len(peaksOf(first, last)))
	}
	for q, a := range list {
		for _, b := range list[:q] {
			both := 0
			for _, c := range a.Chosen {
				if slices.Contains(b.Chosen, c) {
					both++
				}
			}
			if 5*both > len(a.Chosen)+len(b.Chosen)-both {
				t.Errorf("sizes %d and %d have %d clusters in common", b.MinSize, a.MinSize, both)
			}
		}
	}
	must.Refuse(t, "≥ 0")(tree.Layers(t.Context(), -1))
}
