package trust

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/communities"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// Two communities are one group if this share of the edges of the smaller one is between them,
	tied = 0.02
	// or if as many samples of both have this share of their neighbours in the other: where a line or a sheet goes on,
	// half of the neighbours of a sample are beyond each cut.
	seamSamples, seamShare = 8, 0.25
	// largeShare: a group with this share of the samples, and leastLarge samples, counts.
	largeShare, leastLarge = 0.01, 10
)

// groups are the communities of a graph, and the sets of them that are apart.
type groups struct {
	community   []int32 // of each sample
	communities int
	label       []int32 // the group of each sample
	sizes       []int
}

// large returns the number of groups of n samples that count.
func large(sizes []int, n int) int {
	least, count := max(leastLarge, int(largeShare*float64(n))), 0
	for _, size := range sizes {
		if size >= least {
			count++
		}
	}
	return count
}

// group finds the groups of a graph: its communities by modularity, which divide even a sheet, joined where many
// edges cross.
func group(ctx context.Context, g *neighbors.Graph, threads int) (*groups, error) {
	w := symmetric(g)
	found, err := communities.Leiden(ctx, w, communities.Options{Threads: threads})
	if err != nil {
		return nil, err
	}
	s := &groups{community: found.Label, communities: found.Count}
	between := communities.Quotient(w, found.Label, found.Count)
	volume, parent := make([]float64, found.Count), make([]int32, found.Count)
	for c := range volume {
		_, vals := between.Row(c)
		for _, v := range vals {
			volume[c] += v
		}
		parent[c] = int32(c)
	}
	root := func(c int32) int32 {
		for parent[c] != c {
			c = parent[c]
		}
		return c
	}
	seams := seams(g, found.Label)
	for c := range volume {
		cols, vals := between.Row(c)
		for q, d := range cols {
			if int(d) != c && (vals[q] >= tied*min(volume[c], volume[d]) || seams[pairOf(int32(c), d)] >= seamSamples) {
				a, b := root(int32(c)), root(d)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	to := slices.Repeat([]int32{-1}, found.Count)
	s.label = make([]int32, g.Len())
	for i, c := range found.Label {
		r := root(c)
		if to[r] < 0 {
			to[r] = int32(len(s.sizes))
			s.sizes = append(s.sizes, 0)
		}
		s.label[i] = to[r]
		s.sizes[to[r]]++
	}
	return s, nil
}

// pair is two communities, the lower first.
type pair [2]int32

func pairOf(a, b int32) pair { return pair{min(a, b), max(a, b)} }

// seams counts the samples of two communities that have seamShare of their neighbours in the other.
func seams(g *neighbors.Graph, label []int32) map[pair]int {
	at := map[pair]int{}
	for i := range g.Len() {
		list, own := g.Of(i), label[i]
		for q, j := range list {
			d := label[j]
			if d == own || slices.ContainsFunc(list[:q], func(l int32) bool { return label[l] == d }) {
				continue
			}
			inside := 0
			for _, l := range list[q:] {
				if label[l] == d {
					inside++
				}
			}
			if float64(inside) >= seamShare*float64(len(list)) {
				at[pairOf(own, d)]++
			}
		}
	}
	return at
}

// symmetric returns the graph of the lists: 1 for a pair of which one lists the other, 2 where both do.
func symmetric(g *neighbors.Graph) *sparse.CSR {
	n := g.Len()
	start := make([]int, n+1) // of the samples that list each sample
	for _, j := range g.Index {
		start[j+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	by, next := make([]int32, len(g.Index)), slices.Clone(start[:n])
	for i := range n {
		for _, j := range g.Of(i) {
			by[next[j]] = int32(i)
			next[j]++
		}
	}
	w := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, 0, 2*len(g.Index)), Val: make([]float64, 0, 2*len(g.Index))}
	var own []int32
	for i := range n {
		own = append(own[:0], g.Of(i)...)
		slices.Sort(own)
		back := by[start[i]:start[i+1]]
		for a, b := 0, 0; a < len(own) || b < len(back); {
			switch {
			case b == len(back) || a < len(own) && own[a] < back[b]:
				w.Col, w.Val = append(w.Col, own[a]), append(w.Val, 1)
				a++
			case a == len(own) || back[b] < own[a]:
				w.Col, w.Val = append(w.Col, back[b]), append(w.Val, 1)
				b++
			default:
				w.Col, w.Val = append(w.Col, own[a]), append(w.Val, 2)
				a, b = a+1, b+1
			}
		}
		w.Ptr[i+1] = len(w.Col)
	}
	return w
}
