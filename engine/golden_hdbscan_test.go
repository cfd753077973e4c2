package engine

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/density"
	"github.com/orthant-go/orthant/sparse"
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
			Memberships, Splits     [][]float64 // of components: λ of the birth and samples, ascending
			Leaves                  []float64
			Tied                    []int // samples that reach two clusters at the same distance: noise here, in one of them there
		}
		decode(t, raw, &c)
		x := mat.NewDense(len(c.X), len(c.X[0]), slices.Concat(c.X...))
		r := clusteringOf(t, x, HDBSCAN{MinClusterSize: c.MinClusterSize, MinSamples: &c.MinSamples, ClusterSelectionMethod: c.Method, Memberships: true}, ClusterOptions{})
		want := numberedByFirst(c.Labels)
		for _, i := range c.Tied {
			want[i] = -1
		}
		if !slices.Equal(r.Labels, want) {
			t.Errorf("labels %v, want %v", r.Labels, want)
		}
		checkTree(t, r.Hierarchy.Tree, c.Splits, c.Leaves, c.Tol, len(c.Tied))
		checkMemberships(t, r, c.Labels, c.Memberships, c.Tied)
		for i := range c.Labels {
			if !slices.Contains(c.Tied, i) && (math.Abs(r.Hierarchy.Probabilities[i]-c.Probabilities[i]) > c.Tol || math.Abs(r.Hierarchy.Outliers[i]-c.Outliers[i]) > c.Tol) {
				t.Errorf("sample %d: probability %v and outlier score %v, want %v and %v", i, r.Hierarchy.Probabilities[i], r.Hierarchy.Outliers[i], c.Probabilities[i], c.Outliers[i])
			}
		}
	})
}

// checkTree compares the λ of the samples, and those of the components with their sizes, which tied samples change.
func checkTree(t *testing.T, tree *density.Condensed, splits [][]float64, leaves []float64, tol float64, tied int) {
	t.Helper()
	var own [][]float64
	for c := 1; c < tree.Components(); c++ {
		own = append(own, []float64{tree.Birth[c], float64(tree.Size[c])})
	}
	slices.SortFunc(own, func(a, b []float64) int {
		return cmp.Or(cmp.Compare(math.Round(1e8*a[0]), math.Round(1e8*b[0])), cmp.Compare(a[1], b[1]))
	})
	if !slices.EqualFunc(own, splits, func(a, b []float64) bool {
		return math.Abs(a[0]-b[0]) <= tol*(1+b[0]) && math.Abs(a[1]-b[1]) <= float64(tied)
	}) {
		t.Errorf("components %v, want %v", own, splits)
	}
	for i, want := range leaves {
		if math.Abs(tree.Lambda[i]-want) > tol*(1+want) {
			t.Errorf("sample %d leaves at %v, want %v", i, tree.Lambda[i], want)
		}
	}
}

// checkMemberships compares them with those of clusters of other numbers. If a sample is at the same height of several clusters, that program takes the first of them
// for its sum, which is not compared.
func checkMemberships(t *testing.T, r *Clustering, labels []int64, want [][]float64, tied []int) {
	t.Helper()
	column := map[int64]int64{}
	for i, c := range numberedByFirst(labels) {
		column[c] = labels[i]
	}
	sums := 0
	for i, row := range want {
		if slices.Contains(tied, i) {
			continue
		}
		var own, other, most float64
		for c := range row {
			own, other = own+r.Hierarchy.Memberships.At(i, c), other+row[c]
		}
		if math.Abs(own-other) < 1e-6 {
			sums++
		} else if labels[i] >= 0 {
			t.Errorf("sample %d of cluster %d: memberships sum to %v, want %v", i, labels[i], own, other)
		}
		for c := range row {
			most = max(most, math.Abs(r.Hierarchy.Memberships.At(i, c)/own-row[column[int64(c)]]/other))
		}
		if most > 1e-6 {
			t.Errorf("sample %d: memberships %v, want %v", i, r.Hierarchy.Memberships.RawRowView(i), row)
		}
	}
	if 10*sums < 8*len(want) {
		t.Errorf("%d of %d rows have the same sum", sums, len(want))
	}
}

// TestTreeOfHDBSCAN: the spanning tree of a clustering joins all samples by mutual reachability distances, in the unit of the data.
func TestTreeOfHDBSCAN(t *testing.T) {
	for _, scale := range []float64{1, 0x1p600, 0x1p-600} {
		x := mat.NewDense(40, 2, nil)
		for i := range 40 {
			x.SetRow(i, []float64{scale * float64(i*i%17), scale * float64(i*7%23+3*(i%2))})
		}
		r := clusteringOf(t, x, HDBSCAN{MinClusterSize: 4}, ClusterOptions{})
		set, core := sparse.NewDisjoint(40), make([]float64, 40)
		for i := range core {
			to := make([]float64, 40)
			for j := range to {
				to[j] = math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
			}
			slices.Sort(to)
			core[i] = to[3]
			if math.Abs(r.Hierarchy.Spanning.Core[i]-core[i]) > 1e-12*core[i] {
				t.Fatalf("scale %g: core distance %g of sample %d, want %g", scale, r.Hierarchy.Spanning.Core[i], i, core[i])
			}
		}
		for e, a := range r.Hierarchy.Spanning.From {
			b := r.Hierarchy.Spanning.To[e]
			d := max(core[a], core[b], math.Hypot(x.At(int(a), 0)-x.At(int(b), 0), x.At(int(a), 1)-x.At(int(b), 1)))
			if math.Abs(r.Hierarchy.Spanning.Weight[e]-d) > 1e-12*d {
				t.Fatalf("scale %g: edge %d has length %g, want %g", scale, e, r.Hierarchy.Spanning.Weight[e], d)
			}
			set.Join(set.Find(a), set.Find(b))
		}
		if len(r.Hierarchy.Spanning.From) != 39 || set.Size(set.Find(0)) != 40 {
			t.Fatalf("scale %g: %d edges join %d of 40 samples", scale, len(r.Hierarchy.Spanning.From), set.Size(set.Find(0)))
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

// Memberships do not depend on the unit of the samples or on threads, are by any metric, and need samples.
func TestMembershipsOfUnits(t *testing.T) {
	x, _ := clouds(60, 50)
	few := 4
	of := func(x mat.Matrix, o Options) *mat.Dense {
		return clusteringOf(t, x, HDBSCAN{MinClusterSize: 10, MinSamples: &few, Memberships: true}, ClusterOptions{Options: o}).Hierarchy.Memberships
	}
	want := of(x, Options{})
	for _, threads := range []int{1, 2, 3} {
		if got := of(x, Options{Threads: threads}); !mat.Equal(got, want) {
			t.Errorf("other memberships on %d threads", threads)
		}
	}
	var small mat.Dense
	small.Scale(0x1p-600, x)
	tree := func(x mat.Matrix) *density.Condensed {
		return clusteringOf(t, x, HDBSCAN{MinClusterSize: 10, MinSamples: &few}, ClusterOptions{}).Hierarchy.Tree
	}
	for i, v := range tree(&small).Lambda {
		if own := tree(x).Lambda[i]; v != own*0x1p600 {
			t.Fatalf("sample %d leaves at %v in a unit of 2^-600, and at %v", i, v, own)
		}
	}
	if got := of(&small, Options{}); !mat.EqualApprox(got, want, 1e-12) {
		t.Error("other memberships in another unit")
	}
	manhattan := of(x, Options{Metric: "manhattan"})
	if mat.Equal(manhattan, want) {
		t.Error("the same memberships by another metric")
	}
	for i := range 110 {
		if own := map[bool]int{true: 0, false: 1}[i < 60]; manhattan.At(i, own) <= manhattan.At(i, 1-own) {
			t.Errorf("sample %d is in the clouds with %v", i, manhattan.RawRowView(i))
		}
	}
	g, err := neighbors.Exact(t.Context(), neighbors.Points{N: 110, M: 3, Data: x.RawMatrix().Data}, 8, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Cluster(t.Context(), nil, HDBSCAN{MinSamples: &few, Memberships: true}, ClusterOptions{Options: Options{Graph: g}})
	if err == nil || !strings.Contains(err.Error(), "give the samples in addition") {
		t.Errorf("without samples: %v", err)
	}
}
