package engine

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
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
			if !slices.Contains(c.Tied, i) && (math.Abs(r.Hierarchy.Probabilities[i]-c.Probabilities[i]) > c.Tol || math.Abs(r.Hierarchy.Outliers[i]-c.Outliers[i]) > c.Tol) {
				t.Errorf("sample %d: probability %v and outlier score %v, want %v and %v", i, r.Hierarchy.Probabilities[i], r.Hierarchy.Outliers[i], c.Probabilities[i], c.Outliers[i])
			}
		}
	})
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
