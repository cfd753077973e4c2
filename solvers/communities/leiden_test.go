package communities_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/communities"
	"github.com/orthant-go/orthant/sparse"
)

// undirected returns the graph of pairs, each of weight 1.
func undirected(n int, pairs [][2]int) *sparse.CSR {
	a, err := sparse.FromEntries(n, n, func(put func(i, j int, v float64)) {
		for _, p := range pairs {
			put(p[0], p[1], 1)
			put(p[1], p[0], 1)
		}
	})
	if err != nil {
		panic(err)
	}
	return a
}

// club is the karate club of Zachary (1977).
func club() *sparse.CSR {
	lists := [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31}, {2, 3, 7, 13, 17, 19, 21, 30}, {3, 7, 8, 9, 13, 27, 28, 32}, {7, 12, 13}, {6, 10}, {6, 10, 16}, {16}, {}, {30, 32, 33}, {33}, {}, {}, {}, {33},
		{32, 33}, {32, 33}, {}, {}, {32, 33}, {33}, {32, 33}, {}, {32, 33}, {25, 27, 29, 32, 33}, {25, 27, 31}, {31}, {29, 33}, {33}, {31, 33}, {32, 33}, {32, 33}, {32, 33}, {33}, {}}
	var pairs [][2]int
	for i, list := range lists {
		for _, j := range list {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return undirected(34, pairs)
}

// The karate club has 78 edges, and its best partition a modularity of 0.4198 (Brandes et al. 2008); Leiden comes near.
func TestKarateClub(t *testing.T) {
	g := club()
	if g.NNZ() != 156 {
		t.Fatalf("%d entries", g.NNZ())
	}
	p := must.Get(communities.Leiden(t.Context(), g, communities.Options{}))(t)
	if p.Quality < 0.40 || p.Quality > 0.41981 {
		t.Errorf("modularity %g in %d communities", p.Quality, p.Count)
	}
	if got := byPairs(g, p.Label); math.Abs(got-p.Quality) > 1e-12 {
		t.Errorf("modularity %g, %g by definition", p.Quality, got)
	}
}

// byPairs is Σ_ij (w_ij − d_i d_j/w)/w over the pairs of one community.
func byPairs(g *sparse.CSR, label []int32) float64 {
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
			if a == b {
				sum += (g.At(i, j) - degree[i]*degree[j]/total) / total
			}
		}
	}
	return sum
}

// Every member of two cliques with one edge between them is in the community of its clique, whatever the order.
func TestCliques(t *testing.T) {
	rng := blas.NewStream(1)
	for range 20 {
		order := make([]int, 12)
		for i := range order {
			order[i] = i
		}
		for i := range order {
			j := rng.Below(12)
			order[i], order[j] = order[j], order[i]
		}
		var pairs [][2]int
		for i := range 12 {
			for j := range i {
				if i < 6 == (j < 6) || i == 6 && j == 0 {
					pairs = append(pairs, [2]int{order[i], order[j]})
				}
			}
		}
		p := must.Get(communities.Leiden(t.Context(), undirected(12, pairs), communities.Options{}))(t)
		for i := range 12 {
			if want := p.Label[order[i/6*6]]; p.Count != 2 || p.Label[order[i]] != want {
				t.Fatalf("%v in the order %v", p.Label, order)
			}
		}
	}
}

func TestQuotientKeepsTheWeight(t *testing.T) {
	g := club()
	label := make([]int32, 34)
	for i := range label {
		label[i] = int32(i % 3)
	}
	q := communities.Quotient(g, label, 3)
	for a := range 3 {
		for b := range 3 {
			var want float64
			for i := a; i < 34; i += 3 {
				for j := b; j < 34; j += 3 {
					want += g.At(i, j)
				}
			}
			if q.At(a, b) != want {
				t.Errorf("%d, %d: %g, want %g", a, b, q.At(a, b), want)
			}
		}
	}
}

func TestLeidenRefuses(t *testing.T) {
	for name, g := range map[string]*sparse.CSR{
		"not square": {Rows: 2, Cols: 3, Ptr: []int{0, 0, 0}},
		"negative":   {Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{-1}},
		"NaN":        {Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{math.NaN()}},
	} {
		if _, err := communities.Leiden(t.Context(), g, communities.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if p := must.Get(communities.Leiden(t.Context(), &sparse.CSR{Rows: 3, Cols: 3, Ptr: make([]int, 4)}, communities.Options{}))(t); p.Count != 3 || !slices.Equal(p.Label, []int32{0, 1, 2}) {
		t.Errorf("without edges: %+v", p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := communities.Leiden(ctx, club(), communities.Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func ExampleLeiden() {
	// Two triangles, joined by an edge.
	g := undirected(6, [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}})
	p, err := communities.Leiden(context.Background(), g, communities.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, modularity %.3f\n", p.Label, p.Quality)
	fmt.Println(communities.Quotient(g, p.Label, p.Count).Val)
	// Output:
	// [0 0 0 1 1 1], modularity 0.357
	// [6 1 1 6]
}

func ExampleConsensus() {
	// Two triangles, joined by an edge.
	g := undirected(6, [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}})
	p, how, err := communities.Consensus(context.Background(), g, communities.Options{Runs: 10})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, all runs agree on %.0f %% of the weight\n", p.Label, 100*how.Unanimous)
	// Output:
	// [0 0 0 1 1 1], all runs agree on 100 % of the weight
}
