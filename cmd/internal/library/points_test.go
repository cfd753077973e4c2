package library

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/kmeans"
)

// Partitions and neighbours of queries have the bits of Go, whatever holds the samples.
func TestPointsOfC(t *testing.T) {
	a := beads(40)
	full := a.Dense()
	start := full.Slice(3, 8, 0, 40).(*mat.Dense)
	centers := mat.DenseCopyOf(start).RawMatrix().Data
	weights := slices.Repeat([]float64{1, 2}, 20)
	for _, q := range []problem{{a: lent(a)}, {dense: lentDense(full.RawMatrix().Data, 40, 40)}} {
		var x mat.Matrix = full
		if q.a != nil {
			x = a
		}
		partition := q
		partition.centers, partition.weights = lentDense(centers, 5, 40), lentDense(weights, 40, 1)
		partition.parameters = []byte(`{"iterations": 20, "tolerance": 1e-9, "trace": true, "threads": 1}`)
		r := must.Get(solved("lloyd", partition))(t)
		want := must.Get(kmeans.KMeansFrom(t.Context(), x, start, kmeans.KMeansFromOptions{Weights: weights, Iterations: 20, Tolerance: 1e-9, Trace: true}))(t)
		m := r.made
		if !slices.Equal(m.arrays["labels"].integers, columnOf(want.Labels).integers) || !slices.Equal(m.arrays["centers"].numbers, want.Centers) ||
			m.numbers["inertia"] != want.Cost || m.numbers["iterations"] != float64(want.Iterations) || m.arrays["objective"].rows != len(want.Costs) {
			t.Errorf("%T: another partition than Go's: cost %v in %v iterations, want %v in %d", x, m.numbers["inertia"], m.numbers["iterations"], want.Cost, want.Iterations)
		}
		drawn := q
		drawn.draws, drawn.parameters = lentDense([]float64{0.2, 0.9, 0.5, 0.4}, 2, 2), []byte(`{"iterations": 20, "first": 7}`)
		r = must.Get(solved("lloyd", drawn))(t)
		want = must.Get(kmeans.KMeansGreedy(t.Context(), x, 3, kmeans.Greedy{First: 7, Trials: 2, Draws: []float64{0.2, 0.9, 0.5, 0.4}}, kmeans.KMeansFromOptions{Iterations: 20}))(t)
		if !slices.Equal(r.made.arrays["centers"].numbers, want.Centers) || r.made.arrays["centers"].rows != 3 {
			t.Errorf("%T: another partition by draws than Go's", x)
		}
		queries := q
		queries.queriesDense, queries.count = lentDense(full.RawMatrix().Data, 4, 40), 3
		r = must.Get(solved("nearest", queries))(t)
		g := must.Get(neighbors.NearestOf(t.Context(), x, full.Slice(0, 4, 0, 40).(*mat.Dense), 3, neighbors.Euclidean, neighbors.Options{}))(t)
		if got := r.made.arrays; !slices.Equal(got["indices"].integers, columnOf(g.Index).integers) || !slices.Equal(got["distances"].numbers, g.Dist) || got["indices"].rows != 4 {
			t.Errorf("%T: other neighbours than Go's", x)
		}
		queries.count, queries.parameters = 0, []byte(`{"radius": 3.5}`)
		r = must.Get(solved("nearest", queries))(t)
		g = must.Get(neighbors.WithinOf(t.Context(), x, full.Slice(0, 4, 0, 40).(*mat.Dense), 3.5, neighbors.Euclidean, neighbors.WithinOptions{}))(t)
		if got := r.made.arrays; !slices.Equal(got["graph_indices"].integers, columnOf(g.Index).integers) || !slices.Equal(got["graph_indptr"].integers, columnOf(g.Ptr).integers) || len(g.Index) < 8 {
			t.Errorf("%T: others within the radius than Go's", x)
		}
	}
}

func TestPointsRefused(t *testing.T) {
	a := beads(6)
	x := lentDense(a.Dense().RawMatrix().Data, 6, 6)
	for _, c := range []struct {
		task string
		q    problem
		says string
	}{
		{"lloyd", problem{a: lent(a)}, "lloyd: the problem is without centers; give those to begin at"},
		{"lloyd", problem{dense: x, centers: lentDense(make([]float64, 5), 1, 5)}, "lloyd: the start has 5 columns and the samples have 6"},
		{"lloyd", problem{dense: x, centers: x, weights: x}, "lloyd: the weights are 6 × 6; give one for each sample"},
		{"lloyd", problem{dense: x, centers: x, weights: lentDense(make([]float64, 5), 5, 1)}, "5 × 1 for a matrix of order 6"},
		{"lloyd", problem{dense: x, centers: x, parameters: []byte(`{"iterations": -1}`)}, "iterations is"},
		{"lloyd", problem{dense: x, centers: x, draws: x}, "both centers and draws"},
		{"lloyd", problem{dense: x, draws: lentDense([]float64{2}, 1, 1)}, "lloyd: draw 1 (counting from 1) is 2"},
		{"nearest", problem{dense: x, queriesDense: x}, "nearest: k is 0 without a radius"},
		{"nearest", problem{dense: x, queriesDense: x, count: -1}, "nearest: k is -1; give a whole number ≥ 1"},
		{"nearest", problem{dense: x, queriesDense: x, count: 1 << 31}, "nearest: the number asked for is 2147483648; give a whole number ≥ 1, below 2³¹"},
		{"nearest", problem{dense: x, queriesDense: x, count: -1, parameters: []byte(`{"radius": 1}`)}, "nearest: k is -1 together with a radius"},
		{"nearest", problem{dense: x, queriesDense: x, count: 2, parameters: []byte(`{"radius": 1}`)}, "nearest: k is 2 together with a radius"},
		{"nearest", problem{dense: x, count: 2}, "nearest: the problem is without the queries"},
		{"nearest", problem{dense: x, queriesDense: x, count: 7}, "nearest: 7 neighbours requested of 6 samples"},
		{"nearest", problem{dense: x, queriesDense: x, count: 1, parameters: []byte(`{"metric": "sine"}`)}, `nearest: there is no metric "sine"`},
	} {
		must.Refuse(t, c.says)(solved(c.task, c.q))
	}
}
