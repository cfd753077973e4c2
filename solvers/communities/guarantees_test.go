package communities_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/communities"
	"github.com/orthant-go/orthant/sparse"
)

// weighted is a random graph of blocks of vertices, with weights that depend on the pair.
func weighted(t *testing.T, n, blocks int, within, between float64, seed uint64) *sparse.CSR {
	return must.Get(sparse.FromEntries(n, n, func(put func(i, j int, v float64)) {
		r := blas.NewStream(seed)
		for i := range n {
			for j := range i {
				p := between
				if i%blocks == j%blocks {
					p = within
				}
				if r.Uniform() < p {
					v := 0.1 + r.Uniform()
					put(i, j, v)
					put(j, i, v)
				}
			}
		}
	}))(t)
}

// quality is the definition, over all pairs.
func quality(g *sparse.CSR, label []int32, o communities.Options) float64 {
	gamma := 1.0
	if o.Resolution != nil {
		gamma = *o.Resolution
	}
	degree, total := make([]float64, g.Rows), 0.0
	for i := range degree {
		for j := range degree {
			degree[i] += g.At(i, j)
		}
		total += degree[i]
	}
	var sum float64
	for i, a := range label {
		for j, b := range label {
			switch {
			case a != b:
			case o.Quality == communities.CPM && j < i:
				sum += g.At(i, j) - gamma
			case o.Quality == communities.Modularity:
				sum += (g.At(i, j) - gamma*degree[i]*degree[j]/total) / total
			}
		}
	}
	return sum
}

// best is the highest quality of all partitions of a small graph.
func best(g *sparse.CSR, o communities.Options) float64 {
	label, most := make([]int32, g.Rows), math.Inf(-1)
	var place func(i int, count int32)
	place = func(i int, count int32) {
		if i == len(label) {
			most = max(most, quality(g, label, o))
			return
		}
		for c := range count + 1 {
			label[i] = c
			place(i+1, max(count, c+1))
		}
	}
	place(0, 0)
	return most
}

// Of small graphs, some of several runs find the best of all partitions.
func TestLeidenFindsTheOptimum(t *testing.T) {
	for seed := range uint64(3) {
		g := weighted(t, 7, 2, 0.8, 0.3, seed)
		for _, q := range []communities.Quality{communities.Modularity, communities.CPM} {
			for _, gamma := range []float64{0.3, 1} {
				o := communities.Options{Quality: q, Resolution: &gamma, Runs: 40, Seed: seed}
				p := must.Get(communities.Leiden(t.Context(), g, o))(t)
				if want := best(g, o); math.Abs(p.Quality-want) > 1e-12 {
					t.Errorf("seed %d, quality %d, γ %g: %.12f, the best is %.12f", seed, q, gamma, p.Quality, want)
				}
			}
		}
	}
	p := must.Get(communities.Leiden(t.Context(), club(), communities.Options{Runs: 10}))(t)
	if want := 0.4197896; math.Abs(p.Quality-want) > 1e-7 || p.Count != 4 { // Brandes et al. 2008
		t.Errorf("karate club: %.8f in %d communities, the best is %.7f in 4", p.Quality, p.Count, want)
	}
}

// Communities are connected, no two of them can be merged, and no vertex moved, with a gain; the quality is that of the definition, rises with the iterations, and no bit
// depends on the threads.
func TestLeidenGuarantees(t *testing.T) {
	for _, c := range []struct {
		quality communities.Quality
		gamma   float64
	}{{communities.Modularity, 1}, {communities.Modularity, 4}, {communities.CPM, 0.05}, {communities.CPM, 0.3}} {
		t.Run(fmt.Sprint(c.quality, c.gamma), func(t *testing.T) {
			g := weighted(t, 80, 5, 0.5, 0.04, 5)
			o := communities.Options{Quality: c.quality, Resolution: &c.gamma, Seed: 3, Threads: 1}
			p := must.Get(communities.Leiden(t.Context(), g, o))(t)
			want := quality(g, p.Label, o)
			if math.Abs(p.Quality-want) > 1e-9*math.Abs(want) {
				t.Errorf("quality %g, %g by definition", p.Quality, want)
			}
			for k := range int32(p.Count) {
				if !connected(g, p.Label, k) {
					t.Errorf("community %d is not connected", k)
				}
			}
			own := slices.Clone(p.Label)
			for a := range int32(p.Count) {
				for b := range a {
					copy(own, p.Label)
					for i, k := range own {
						if k == a {
							own[i] = b
						}
					}
					if got := quality(g, own, o); p.Count < 30 && got > want+1e-9 {
						t.Errorf("communities %d and %d together: %g, apart %g", a, b, got, want)
					}
				}
			}
			before := math.Inf(-1)
			for most := 1; most <= 4; most++ {
				o.Iterations = most
				q := must.Get(communities.Leiden(t.Context(), g, o))(t)
				if q.Quality < before {
					t.Errorf("the quality falls from %g to %g in iteration %d", before, q.Quality, most)
				}
				before = q.Quality
			}
			o.Iterations, o.Start = 0, p.Label
			if again := must.Get(communities.Leiden(t.Context(), g, o))(t); again.Quality < p.Quality {
				t.Errorf("from the partition itself the quality falls from %g to %g", p.Quality, again.Quality)
			}
			o.Start, o.Runs = nil, 3
			one := must.Get(communities.Leiden(t.Context(), g, o))(t)
			for _, o.Threads = range []int{2, 5} {
				if q := must.Get(communities.Leiden(t.Context(), g, o))(t); !slices.Equal(q.Label, one.Label) || q.Quality != one.Quality {
					t.Errorf("%d threads: another partition", o.Threads)
				}
			}
		})
	}
}

// connected reports whether community k is connected.
func connected(g *sparse.CSR, label []int32, k int32) bool {
	seen, size := map[int32]bool{}, 0
	for i, c := range label {
		if c != k {
			continue
		}
		if size++; len(seen) > 0 {
			continue
		}
		for open := []int32{int32(i)}; len(open) > 0; open = open[1:] {
			if seen[open[0]] {
				continue
			}
			seen[open[0]] = true
			cols, _ := g.Row(int(open[0]))
			for _, j := range cols {
				if label[j] == k {
					open = append(open, j)
				}
			}
		}
	}
	return len(seen) == size
}

// Graphs that are large enough to be sorted give the same bits on any number of threads, and their planted communities.
func TestLeidenOfALargeGraph(t *testing.T) {
	const n, size = 16_400, 40
	g := must.Get(sparse.FromEntries(n, n, func(put func(i, j int, v float64)) {
		r := blas.NewStream(1)
		for i := range n {
			for range 6 {
				j := (i + n/size*(1+r.Below(size-1))) % n // of the same residue
				if r.Uniform() < 0.1 {
					j = r.Below(n)
				}
				if i != j {
					put(i, j, 1)
					put(j, i, 1)
				}
			}
		}
	}))(t)
	few := 100.0
	o := communities.Options{Resolution: &few, Iterations: 3, Threads: 1}
	one := must.Get(communities.Leiden(t.Context(), g, o))(t)
	o.Threads = 3
	three := must.Get(communities.Leiden(t.Context(), g, o))(t)
	if !slices.Equal(one.Label, three.Label) {
		t.Error("3 threads: another partition")
	}
	planted := make([]int32, n)
	for i := range planted {
		planted[i] = int32(i % (n / size))
	}
	right := 0
	for i := range one.Label {
		if one.Label[i] == one.Label[i%(n/size)] {
			right++
		}
	}
	if right < 9*n/10 {
		t.Errorf("%d of %d vertices are in their planted community; %d communities", right, n, one.Count)
	}
}

// Multiplying the weights by a power of two changes no label, and equal weights may have any size.
func TestLeidenOfAnyUnit(t *testing.T) {
	g := weighted(t, 100, 4, 0.4, 0.05, 2)
	p := must.Get(communities.Leiden(t.Context(), g, communities.Options{}))(t)
	for _, unit := range []float64{0x1p-900, 0x1p900} {
		scaled := *g
		scaled.Val = slices.Clone(g.Val)
		for i := range scaled.Val {
			scaled.Val[i] *= unit
		}
		if q := must.Get(communities.Leiden(t.Context(), &scaled, communities.Options{}))(t); !slices.Equal(q.Label, p.Label) {
			t.Errorf("in the unit %g: %d communities, not %d", unit, q.Count, p.Count)
		}
	}
}

func TestLeidenRefusesOptions(t *testing.T) {
	negative := -1.0
	for words, o := range map[string]communities.Options{
		"resolution is -1":         {Resolution: &negative},
		"randomness is -1":         {Randomness: &negative},
		"2 labels for 34 vertices": {Start: []int32{0, 0}},
		"starts in community 34":   {Start: slices.Repeat([]int32{34}, 34)},
	} {
		if _, err := communities.Leiden(t.Context(), club(), o); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", words, err)
		}
	}
}
