package engine

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/solvers/density"
)

// TestGoldenHDBSCAN: clusters, probabilities and outlier scores of another program, whose clusters may have other numbers.
func TestGoldenHDBSCAN(t *testing.T) {
	golden.Cases(t, "hdbscan", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X                       [][]float64
			MinClusterSize          int `json:"min_cluster_size"`
			MinSamples              int `json:"min_samples"`
			Method                  string
			Tol                     float64
			Labels                  []int64
			Probabilities, Outliers []float64
			Tied                    []int // samples that reach two clusters at the same distance: noise here, in one of them there
		}
		decode(t, raw, &c)
		x := mat.NewDense(len(c.X), len(c.X[0]), slices.Concat(c.X...))
		r := clusteringOf(t, x, HDBSCAN{MinClusterSize: c.MinClusterSize, MinSamples: &c.MinSamples, ClusterSelectionMethod: c.Method}, ClusterOptions{})
		want := numberedByFirst(c.Labels)
		for _, i := range c.Tied {
			want[i] = -1
		}
		if !slices.Equal(r.Labels, want) {
			t.Errorf("labels %v, want %v", r.Labels, want)
		}
		for i := range c.Labels {
			if !slices.Contains(c.Tied, i) && (math.Abs(r.Probabilities[i]-c.Probabilities[i]) > c.Tol || math.Abs(r.Outliers[i]-c.Outliers[i]) > c.Tol) {
				t.Errorf("sample %d: probability %v and outlier score %v, want %v and %v", i, r.Probabilities[i], r.Outliers[i], c.Probabilities[i], c.Outliers[i])
			}
		}
	})
}

// TestTreeOfHDBSCAN: the spanning tree of a clustering joins all samples by mutual reachability distances, in the unit of the data.
func TestTreeOfHDBSCAN(t *testing.T) {
	for _, scale := range []float64{1, 0x1p600, 0x1p-600} {
		x := mat.NewDense(40, 2, nil)
		for i := range 40 {
			x.SetRow(i, []float64{scale * float64(i*i%17), scale * float64(i*7%23+3*(i%2))})
		}
		r := clusteringOf(t, x, HDBSCAN{MinClusterSize: 4}, ClusterOptions{})
		set, core := density.NewDisjoint(40), make([]float64, 40)
		for i := range core {
			to := make([]float64, 40)
			for j := range to {
				to[j] = math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
			}
			slices.Sort(to)
			core[i] = to[3]
			if math.Abs(r.Tree.Core[i]-core[i]) > 1e-12*core[i] {
				t.Fatalf("scale %g: core distance %g of sample %d, want %g", scale, r.Tree.Core[i], i, core[i])
			}
		}
		for e, a := range r.Tree.From {
			b := r.Tree.To[e]
			d := max(core[a], core[b], math.Hypot(x.At(int(a), 0)-x.At(int(b), 0), x.At(int(a), 1)-x.At(int(b), 1)))
			if math.Abs(r.Tree.Weight[e]-d) > 1e-12*d {
				t.Fatalf("scale %g: edge %d has length %g, want %g", scale, e, r.Tree.Weight[e], d)
			}
			set.Join(set.Find(a), set.Find(b))
		}
		if len(r.Tree.From) != 39 || set.Size(set.Find(0)) != 40 {
			t.Fatalf("scale %g: %d edges join %d of 40 samples", scale, len(r.Tree.From), set.Size(set.Find(0)))
		}
	}
}

// numberedByFirst numbers clusters by their first samples; −1 stays.
func numberedByFirst(labels []int64) []int64 {
	to, list := map[int64]int64{-1: -1}, make([]int64, len(labels))
	for i, c := range labels {
		if _, known := to[c]; !known {
			to[c] = int64(len(to) - 1)
		}
		list[i] = to[c]
	}
	return list
}
