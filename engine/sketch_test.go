package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// communities is a graph of groups of this many vertices each, vertex i in group i % groups, of weights 1.
func communities(t *testing.T, groups, each int) *sparse.CSR {
	t.Helper()
	random, n := blas.NewStream(2), groups*each
	var entries []sparse.Triplet
	add := func(i, j int) {
		if i != j {
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: 1}, sparse.Triplet{Row: j, Col: i, Val: 1})
		}
	}
	for i := range n {
		for range 6 {
			add(i, random.Below(each)*groups+i%groups)
		}
		add(i, random.Below(n))
	}
	w := must(sparse.FromTriplets(n, n, entries))(t)
	for q := range w.Val {
		w.Val[q] = 1 // also of an edge drawn twice
	}
	return w
}

// A sketch has the coordinates and the clusters of the exact solver where the graph has a gap, says that it is one, and leaves the affinities as they are.
func TestSketchOfAGraph(t *testing.T) {
	const groups, each = 4, 600
	w := communities(t, groups, each)
	before := slices.Clone(w.Val)
	exact := embed(t, nil, LE{Dim: groups - 1}, Options{Affinities: w})
	sketch := embed(t, nil, LE{Dim: groups - 1, Solver: "sketch"}, Options{Affinities: w})
	if p := sketch.Plan; p == nil || p.Solver != "block krylov sketch" || !sketch.Converged || sketch.Products == 0 || sketch.Products > 40*8 {
		t.Errorf("%+v, %d products, warnings %q", p, sketch.Products, sketch.Warnings)
	}
	for j, v := range exact.Values {
		if math.Abs(sketch.Values[j]-v) > sketch.Residuals[j] {
			t.Errorf("value %d is %v, the exact one %v, the residual %v", j, sketch.Values[j], v, sketch.Residuals[j])
		}
		a, b := exact.Y.ColView(j), sketch.Y.ColView(j)
		if cos := math.Abs(mat.Dot(a, b)) / (mat.Norm(a, 2) * mat.Norm(b, 2)); cos < 1-1e-5 {
			t.Errorf("column %d: cosine %v", j, cos)
		}
	}
	one := embed(t, nil, LE{Dim: groups - 1, Solver: "sketch"}, Options{Affinities: w, Threads: 1})
	if !mat.Equal(one.Y, sketch.Y) {
		t.Error("the coordinates depend on the number of threads")
	}
	large := *w
	large.Val = slices.Clone(w.Val)
	blas.Scale(0x1p600, large.Val)
	scaled := embed(t, nil, LE{Dim: groups - 1, Solver: "sketch"}, Options{Affinities: &large})
	if scaled.Values[0] != sketch.Values[0] || large.Val[0] != 0x1p600 || !slices.Equal(w.Val, before) {
		t.Error("affinities of another unit have other eigenvalues, or were changed")
	}
	a := clusteringOf(t, nil, Spectral{}, ClusterOptions{Options: Options{Affinities: w}, Clusters: groups})
	b := clusteringOf(t, nil, Spectral{Solver: "sketch"}, ClusterOptions{Options: Options{Affinities: w, Components: "largest"}, Clusters: groups, KeepAffinities: true})
	if !slices.Equal(a.Labels, b.Labels) || !slices.Equal(b.Affinities.Val, before) {
		t.Error("spectral: the labels of the sketch differ, or it keeps other affinities")
	}
	for i, l := range b.Labels {
		if l != b.Labels[i%groups] {
			t.Fatalf("vertex %d is not in the cluster of its group", i)
		}
	}
}

// Samples have the same graph either way; the rule for new samples is that of the method, and a certificate is refused.
func TestSketchOfSamples(t *testing.T) {
	x := sheet(t, 700)
	exact := embed(t, x, LE{Neighbors: 9}, Options{})
	sketch := embed(t, x, LE{Neighbors: 9, Solver: "sketch"}, Options{})
	for j, v := range exact.Values {
		if math.Abs(sketch.Values[j]-v) > sketch.Residuals[j]+1e-12 {
			t.Errorf("value %d is %v, the exact one %v, the residual %v", j, sketch.Values[j], v, sketch.Residuals[j])
		}
	}
	found := true
	for j, r := range sketch.Residuals {
		found = found && r <= min(1e-4, 0.01*sketch.Values[j])
	}
	if sketch.Converged != found || sketch.Converged == slices.ContainsFunc(sketch.Warnings, func(w string) bool { return strings.Contains(w, "residuals up to") }) {
		t.Errorf("converged %v, residuals %v, warnings %q", sketch.Converged, sketch.Residuals, sketch.Warnings)
	}
	if _, err := sketch.Model(); err != nil {
		t.Error(err)
	}
	_, err := Embed(t.Context(), x, LE{Solver: "sketch"}, Options{Certified: true})
	if err == nil || !strings.Contains(err.Error(), `Solver: "sketch"`) {
		t.Errorf("a certificate of a sketch: %v", err)
	}
	if _, err := Embed(t.Context(), x, LE{Solver: "guess"}, Options{}); err == nil {
		t.Error("a solver of an unknown name")
	}
	_, err = Embed(t.Context(), nil, LE{Solver: "sketch", Dim: 30}, Options{Affinities: communities(t, 3, 8000), Memory: 48 << 20})
	if err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("within 48 MiB: %v", err)
	}
}
