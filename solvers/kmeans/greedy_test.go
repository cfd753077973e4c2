package kmeans

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// plainGreedy chooses by whole sums, one sample after the other.
func plainGreedy(x *mat.Dense, clusters int, g Greedy, weights []float64) []int {
	n, _ := x.Dims()
	square := func(i, j int) float64 { // times the weight of i
		d := floats.Distance(x.RawRowView(i), x.RawRowView(j), 2)
		return weights[i] * d * d
	}
	chosen, nearest := []int{g.First}, make([]float64, n)
	for i := range n {
		nearest[i] = square(i, g.First)
	}
	for at := 0; len(chosen) < clusters; at += g.Trials {
		best, least := -1, 0.0
		total := floats.Sum(nearest)
		for _, u := range g.Draws[at : at+g.Trials] {
			j, sum := 0, nearest[0]
			for sum < u*total && j < n-1 {
				j++
				sum += nearest[j]
			}
			left := 0.0
			for i := range n {
				left += min(nearest[i], square(i, j))
			}
			if best < 0 || left < least {
				best, least = j, left
			}
		}
		chosen = append(chosen, best)
		for i := range n {
			nearest[i] = min(nearest[i], square(i, best))
		}
	}
	return chosen
}

func TestGreedyStartIsThePlainOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ n, m, k, trials int }{{50, 2, 5, 3}, {1500, 6, 12, 4}, {700, 30, 8, 1}, {20, 3, 1, 2}, {9, 2, 9, 4}} {
		x := blobs(random, c.n, c.m, c.k, 2)
		g := Greedy{First: random.IntN(c.n), Trials: c.trials, Draws: make([]float64, (c.k-1)*c.trials)}
		for at := range g.Draws {
			g.Draws[at] = random.Float64()
		}
		ones, weights := make([]float64, c.n), make([]float64, c.n)
		for i := range weights {
			ones[i], weights[i] = 1, max(0, 3*random.Float64()-1)
		}
		by := g
		by.Weighted = true
		got, err := GreedyStart(context.Background(), x, c.k, by, KMeansFromOptions{Weights: weights})
		if want := plainGreedy(x, c.k, g, weights); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, weighted: chose %v (%v), want %v", c, got, err, want)
		}
		want := plainGreedy(x, c.k, g, ones)
		if got, err := GreedyStart(context.Background(), x, c.k, g, KMeansFromOptions{Weights: weights}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, with weights that do not count: chose %v (%v), want %v", c, got, err, want)
		}
		for _, threads := range []int{1, 3} {
			for _, samples := range []mat.Matrix{x, withoutZerosOf(x)} {
				got, err := GreedyStart(context.Background(), samples, c.k, g, KMeansFromOptions{Threads: threads})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%+v, %T: chose %v (%v), want %v", c, samples, got, err, want)
				}
			}
		}
		r := must.Get(KMeansGreedy(context.Background(), x, c.k, g, KMeansFromOptions{Iterations: 50}))(t)
		from, err := KMeansFrom(context.Background(), x, samplesAt(x, want), KMeansFromOptions{Iterations: 50})
		if err != nil || r.Cost != from.Cost || !slices.Equal(r.Labels, from.Labels) {
			t.Errorf("%+v: cost %v from the greedy start, and %v from its samples (%v)", c, r.Cost, from.Cost, err)
		}
	}
}

func TestGreedyStartRefusals(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	for name, c := range map[string]struct {
		clusters int
		g        Greedy
	}{
		"clusters": {4, Greedy{Trials: 1, Draws: make([]float64, 3)}},
		"first":    {2, Greedy{First: 3, Trials: 1, Draws: make([]float64, 1)}},
		"draws":    {2, Greedy{Trials: 2, Draws: make([]float64, 1)}},
		"a draw":   {2, Greedy{Trials: 1, Draws: []float64{1}}},
		"trials":   {1, Greedy{}},
	} {
		if _, err := GreedyStart(context.Background(), x, c.clusters, c.g, KMeansFromOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := GreedyStart(context.Background(), x, 2, Greedy{Trials: 1, Draws: []float64{0}, Weighted: true}, KMeansFromOptions{Weights: []float64{1, -1, 1}}); err == nil {
		t.Error("a weight below 0: no error")
	}
}
