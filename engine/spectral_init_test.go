package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// rings is a graph of cycles of the given numbers of vertices, with weights that vary.
func rings(t *testing.T, sizes ...int) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	n := 0
	for _, size := range sizes {
		for q := range size {
			i, j := n+q, n+(q+1)%size
			if i == j || size == 2 && q == 1 {
				continue
			}
			w := 1 + 0.3*math.Sin(float64(q))
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: w}, sparse.Triplet{Row: j, Col: i, Val: w})
		}
		n += size
	}
	a := must(sparse.FromTriplets(n, n, entries))(t)
	return a
}

// The start of a connected graph is the eigenvectors of its normalised Laplacian.
func TestSpectralInitIsTheEigenvectors(t *testing.T) {
	w := rings(t, 300)
	n := w.Rows
	s := must(SpectralInit(t.Context(), w, 3, SpectralInitOptions{}))(t)
	if !s.Converged || !slices.Equal(s.Sizes, []int{n}) || len(s.Values) != 3 {
		t.Errorf("%v %v %v", s.Converged, s.Sizes, s.Values)
	}
	degree := make([]float64, n)
	w.DoNonZero(func(i, _ int, v float64) { degree[i] += v })
	for j := range 3 {
		y := mat.Col(nil, j, s.Y)
		r, squares, along := slices.Clone(y), 0.0, 0.0
		w.DoNonZero(func(i, k int, v float64) { r[i] -= v / math.Sqrt(degree[i]*degree[k]) * y[k] })
		largest := 0.0
		for i := range r {
			squares += y[i] * y[i]
			along += y[i] * math.Sqrt(degree[i])
			if math.Abs(r[i]-s.Values[j]*y[i]) > 1e-8 {
				t.Fatalf("column %d is not an eigenvector in row %d", j, i)
			}
			if math.Abs(y[i]) > math.Abs(largest) {
				largest = y[i]
			}
		}
		if math.Abs(squares-1) > 1e-9 || math.Abs(along) > 1e-7 || largest < 0 || s.Values[j] <= 0 {
			t.Errorf("column %d: length² %g, along the null vector %g, largest %g, eigenvalue %g", j, squares, along, largest, s.Values[j])
		}
	}
	again, err := SpectralInit(t.Context(), w, 3, SpectralInitOptions{Threads: 5})
	if err != nil || !mat.Equal(again.Y, s.Y) {
		t.Error("threads change the start", err)
	}
	umap, err := SpectralInit(t.Context(), w, 3, SpectralInitOptions{Scale: "umap"})
	if err != nil || math.Abs(max(mat.Max(umap.Y), -mat.Min(umap.Y))-10) > 1e-12 {
		t.Error("another scale than 10", err)
	}
	tsne := must(SpectralInit(t.Context(), w, 3, SpectralInitOptions{Scale: "tsne"}))(t)
	mean, squares := 0.0, 0.0
	for _, v := range mat.Col(nil, 0, tsne.Y) {
		mean += v / float64(n)
		squares += v * v / float64(n)
	}
	if math.Abs(math.Sqrt(squares-mean*mean)-1e-4) > 1e-10 {
		t.Error("another deviation than 1e-4")
	}
}

// Components stand apart: the nearest vertices of two are no nearer than their places
// and reach allow, and a component alone is its own start, moved and scaled.
func TestSpectralInitPlacesComponents(t *testing.T) {
	for _, c := range []struct {
		dim   int
		sizes []int
	}{{2, []int{60, 41}}, {2, []int{50, 40, 3, 1}}, {2, []int{9, 50, 8, 7, 1, 1, 1, 30, 2, 2, 11}}, {1, []int{20, 30, 10, 1}}, {3, []int{20, 30, 40, 50, 60, 2}}} {
		w := rings(t, c.sizes...)
		s := must(SpectralInit(t.Context(), w, c.dim, SpectralInitOptions{}))(t)
		label, _, err := sparse.Components(w)
		if err != nil {
			t.Fatal(err)
		}
		low, high := map[int][]float64{}, map[int][]float64{}
		for i := range w.Rows {
			row := s.Y.RawRowView(i)
			if low[label[i]] == nil {
				low[label[i]], high[label[i]] = slices.Clone(row), slices.Clone(row)
			}
			for j, v := range row {
				if math.IsNaN(v) {
					t.Fatalf("NaN in row %d", i)
				}
				low[label[i]][j], high[label[i]][j] = min(low[label[i]][j], v), max(high[label[i]][j], v)
			}
		}
		for a := range c.sizes {
			for b := range a {
				apart := false
				for j := range c.dim {
					apart = apart || low[a][j] >= high[b][j]-1e-9 || low[b][j] >= high[a][j]-1e-9
				}
				if !apart && len(c.sizes) > 2*c.dim {
					t.Errorf("%v: components %d and %d overlap", c.sizes, a, b)
				}
			}
		}
		if !slices.IsSortedFunc(s.Sizes, func(a, b int) int { return b - a }) || len(s.Sizes) != len(c.sizes) {
			t.Errorf("sizes %v", s.Sizes)
		}
	}
	w := rings(t, 60, 41)
	both := must(SpectralInit(t.Context(), w, 2, SpectralInitOptions{}))(t)
	alone := must(SpectralInit(t.Context(), rings(t, 60), 2, SpectralInitOptions{}))(t)
	scale := max(mat.Max(alone.Y), -mat.Min(alone.Y))
	for i := range 60 {
		for j, at := range []float64{1, 0} {
			if math.Abs(both.Y.At(i, j)-at-alone.Y.At(i, j)/scale) > 1e-9 {
				t.Fatalf("row %d of the larger component is at %g", i, both.Y.At(i, j))
			}
		}
	}
	joint, err := SpectralInit(t.Context(), w, 2, SpectralInitOptions{Components: "joint"})
	if err != nil || joint.Values[0] > 1e-9 {
		t.Error(joint, err)
	}
}

func TestSpectralInitRefuses(t *testing.T) {
	w := rings(t, 20, 10)
	with := func(p int, v float64) *sparse.CSR {
		a := *w
		a.Val = slices.Clone(w.Val)
		a.Val[p] = v
		return &a
	}
	r := refusing(t)
	r.of("", failed(SpectralInit(t.Context(), mat.NewDense(4, 4, nil), 2, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), w.RowRange(0, 5), 2, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), with(0, 7), 2, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), with(0, math.NaN()), 2, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), w, 30, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), w, 0, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), w, 2, SpectralInitOptions{Components: "all"})))
	r.of("", failed(SpectralInit(t.Context(), w, 2, SpectralInitOptions{Scale: "big"})))
	r.of("", failed(SpectralInit(t.Context(), w, 2, SpectralInitOptions{Components: "error"})))
	r.of("", failed(SpectralInit(t.Context(), &sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{1, 0}, Val: []float64{-1, -1}}, 1, SpectralInitOptions{})))
	r.of("", failed(SpectralInit(t.Context(), w, 2, SpectralInitOptions{Memory: 1000})))
	if _, err := SpectralInit(t.Context(), w, 2, SpectralInitOptions{Memory: 1000}); !IsMemory(err) {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := SpectralInit(canceled, rings(t, 2000), 2, SpectralInitOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
