package communities_test

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/communities"
	"github.com/orthant-go/orthant/sparse"
)

// plantedGraph draws edges of which that share lies within groups of consecutive vertices.
func plantedGraph(t *testing.T, n, size, edges int, inside float64, seed uint64) *sparse.CSR {
	t.Helper()
	return must.Get(sparse.FromEntries(n, n, func(put func(i, j int, v float64)) {
		r := blas.NewStream(seed)
		for range edges {
			i, j := r.Below(n), r.Below(n)
			if r.Uniform() < inside {
				j = i/size*size + r.Below(size)
			}
			if i != j {
				put(i, j, 1)
				put(j, i, 1)
			}
		}
	}))(t)
}

// Clear communities are agreed on in one round, with the bits of one thread on any number.
func TestConsensusOfClearCommunities(t *testing.T) {
	g := plantedGraph(t, 200, 20, 1500, 0.95, 1)
	p, how, err := communities.Consensus(t.Context(), g, communities.Options{Runs: 5})
	if err != nil || p.Count != 10 || !how.Complete || how.Unanimous < 0.99 {
		t.Fatalf("%d communities, %+v, %v", p.Count, how, err)
	}
	for i, c := range p.Label {
		if int(c) != i/20 {
			t.Fatalf("vertex %d is in community %d", i, c)
		}
	}
}

// Where runs differ, the consensus depends on the seed less than their best, its communities are connected, and its quality is that on
// the graph.
func TestConsensusDependsLessOnTheSeed(t *testing.T) {
	g := plantedGraph(t, 600, 40, 3600, 0.4, 7)
	var best, agreed [][]int64
	wide := func(label []int32) []int64 {
		list := make([]int64, len(label))
		for i, c := range label {
			list[i] = int64(c)
		}
		return list
	}
	for seed := range uint64(4) {
		o := communities.Options{Runs: 8, Seed: seed + 1, Threads: 1}
		p, how, err := communities.Consensus(t.Context(), g, o)
		if err != nil || !how.Complete || how.Rounds < 2 || how.Unanimous > 0.999 {
			t.Fatalf("%+v, %v", how, err)
		}
		o.Threads = 3
		three, again, err := communities.Consensus(t.Context(), g, o)
		if err != nil || again != how || !slices.Equal(three.Label, p.Label) || three.Quality != p.Quality {
			t.Fatalf("three threads give another partition: %v", err)
		}
		one := must.Get(communities.Leiden(t.Context(), g, communities.Options{Start: p.Label, Iterations: 1, Seed: 9}))(t)
		if q := byPairs(g, p.Label); math.Abs(q-p.Quality) > 1e-12 || one.Quality < p.Quality-1e-12 {
			t.Errorf("quality %v, %v by definition", p.Quality, q)
		}
		for c := range int32(p.Count) {
			if !connected(g, p.Label, c) {
				t.Errorf("community %d is not connected", c)
			}
		}
		best = append(best, wide(must.Get(communities.Leiden(t.Context(), g, o))(t).Label))
		agreed = append(agreed, wide(p.Label))
	}
	mean := func(list [][]int64) (sum float64) {
		for a := range list {
			for b := range a {
				sum += must.Get(measures.AdjustedRand(list[a], list[b]))(t) / float64(len(list)*(len(list)-1)/2)
			}
		}
		return sum
	}
	if single, together := mean(best), mean(agreed); !(together > single) {
		t.Errorf("consensuses agree by %.3f, the best of the runs by %.3f", together, single)
	}
}

// A graph without edges has a community for each vertex, on which runs agree.
func TestConsensusWithoutEdges(t *testing.T) {
	g := must.Get(sparse.FromEntries(4, 4, func(func(i, j int, v float64)) {}))(t)
	if p, how, err := communities.Consensus(t.Context(), g, communities.Options{}); err != nil || p.Count != 4 || how.Unanimous != 1 || !how.Complete {
		t.Errorf("%+v, %+v, %v", p, how, err)
	}
}
