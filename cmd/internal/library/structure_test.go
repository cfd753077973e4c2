package library

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
)

// listsOf are the lists that the library finds, with room for the sample itself in front.
func listsOf(t *testing.T, x view, k int) (indices []int64, distances []float64) {
	t.Helper()
	found := do(t, "neighbors", given{count: int64(k), x: x})
	return found.arrays["indices"].integers, found.arrays["distances"].numbers
}

// csrOfLists is a matrix with k entries a row; self puts the sample itself in front.
func csrOfLists(n, k int, indices []int64, distances []float64, self bool) *csrView {
	var ptr, cols []int32
	var vals []float64
	ptr = append(ptr, 0)
	for i := range n {
		if self {
			cols, vals = append(cols, int32(i)), append(vals, 0)
		}
		for a := range k {
			cols, vals = append(cols, int32(indices[i*k+a])), append(vals, distances[i*k+a])
		}
		ptr = append(ptr, int32(len(cols)))
	}
	return csrNarrow(n, n, ptr, cols, vals)
}

func csrNarrow(rows, cols int, ptr, indices []int32, data []float64) *csrView {
	return &csrView{data: unsafe.Pointer(&data[0]), indices: unsafe.Pointer(&indices[0]), indptr: unsafe.Pointer(&ptr[0]),
		rows: int64(rows), cols: int64(cols), entries: int64(len(data)), indexKind: typeInt32, kind: typeFloat64}
}

// A graph, in any form, gives the same result as the library's own search, to the bit.
func TestGivenGraphIsTheSearch(t *testing.T) {
	const n, m, k = 70, 3, 8
	x := viewing(waves(n, m), n, m, m, typeFloat64)
	indices, distances := listsOf(t, x, k)
	lists, lengths := viewing(indices, n, k, k, typeInt64), viewing(distances, n, k, k, typeFloat64)
	gaps, gapped := make([]int64, n*(k+1)), make([]float64, n*(k+2))
	for i := range n {
		copy(gaps[i*(k+1):], indices[i*k:(i+1)*k])
		copy(gapped[i*(k+2):], distances[i*k:(i+1)*k])
	}
	wide, far := viewing(gaps, n, k, k+1, typeInt64), viewing(gapped, n, k, k+2, typeFloat64)
	forms := map[string]structure{
		"rows by distance": {graph: csrOfLists(n, k, indices, distances, false)},
		"with the sample":  {graph: csrOfLists(n, k, indices, distances, true)},
		"lists":            {indices: &lists, distances: &lengths},
		"lists with gaps":  {indices: &wide, distances: &far},
	}
	for _, method := range []string{"le", "isomap", "lle"} {
		want := do(t, "embed", given{method: method, parameters: []byte(`{"neighbors": 8, "components": "each"}`), x: x})
		for form, near := range forms {
			g := given{method: method, parameters: []byte(`{"components": "each"}`), near: near, x: x}
			got := do(t, "embed", g)
			if !slices.Equal(got.arrays["embedding"].numbers, want.arrays["embedding"].numbers) {
				t.Errorf("%s, %s with the samples: another embedding", method, form)
			}
			if method == "lle" {
				continue
			}
			g.x = view{}
			if got = do(t, "embed", g); !slices.Equal(got.arrays["embedding"].numbers, want.arrays["embedding"].numbers) {
				t.Errorf("%s, %s alone: another embedding", method, form)
			}
		}
	}
	want := do(t, "cluster", given{method: "spectral", count: 3, parameters: []byte(`{"neighbors": 8}`), x: x}).arrays["labels"].integers
	if got := do(t, "cluster", given{method: "spectral", count: 3, near: forms["lists"]}).arrays["labels"].integers; !slices.Equal(got, want) {
		t.Errorf("spectral: labels %v, want %v", got, want)
	}
}

// Rows by distance are read where they lie.
func TestGraphIsShared(t *testing.T) {
	indices, distances := []int64{1, 0, 1}, []float64{1, 1, 2}
	near := structure{graph: csrOfLists(3, 1, indices, distances, false)}
	var o engine.Options
	must.Do(t, near.enter(&o))
	if unsafe.Pointer(&o.Graph.Dist[0]) != near.graph.data || unsafe.Pointer(&o.Graph.Index[0]) != near.graph.indices {
		t.Error("the graph is copied")
	}
	o = engine.Options{}
	near.graph = csrOfLists(3, 1, indices, distances, true)
	if err := near.enter(&o); err != nil || unsafe.Pointer(&o.Graph.Dist[0]) == near.graph.data || !slices.Equal(o.Graph.Dist, distances) {
		t.Error("the sample itself counts", err)
	}
}

// Sparse samples give what dense ones give, and a model that is not the caller's memory.
func TestSparseSamples(t *testing.T) {
	const n, m = 60, 6
	dense := make([]float64, n*m)
	ptr, cols, vals := []int32{0}, []int32{}, []float64{}
	for i := range n {
		for j := range m {
			if v := math.Sin(float64(3*i+7*j)) + 1.1; (i+j)%3 != 0 {
				dense[i*m+j], cols, vals = v, append(cols, int32(j)), append(vals, v)
			}
		}
		ptr = append(ptr, int32(len(cols)))
	}
	x, a := viewing(dense, n, m, m, typeFloat64), csrNarrow(n, m, ptr, cols, vals)
	want := do(t, "factorize", given{method: "nmf", count: 2, parameters: []byte(`{"iterations": 20}`), x: x}).arrays["w"].numbers
	got := do(t, "factorize", given{method: "nmf", count: 2, parameters: []byte(`{"iterations": 20}`), compressed: a}).arrays["w"].numbers
	for p := range want {
		if math.Abs(got[p]-want[p]) > 1e-9*(1+want[p]) {
			t.Fatalf("W[%d] is %v, of dense samples %v", p, got[p], want[p])
		}
	}
	if got, want := do(t, "neighbors", given{count: 4, compressed: a}), do(t, "neighbors", given{count: 4, x: x}); !slices.Equal(got.arrays["indices"].integers, want.arrays["indices"].integers) || got.report()["sparse"] != true {
		t.Error("sparse samples have other neighbours")
	}
	must.Refuse(t, "search exactly")(prepare(taskNumber("neighbors"), given{count: 4, compressed: a, parameters: []byte(`{"method": "approximate"}`)}))
	fit := do(t, "embed", given{method: "isomap", parameters: []byte(`{"neighbors": 9, "model": true}`), compressed: a})
	if fit.report()["sparse"] != true {
		t.Error("the samples are said to be dense")
	}
	by := &model{model: fit.model}
	before := do(t, "transform", given{model: by, compressed: a}).arrays["embedding"].numbers
	kept := csrNarrow(n, m, ptr, cols, slices.Clone(vals))
	clear(vals)
	after := do(t, "transform", given{model: &model{model: fit.model}, compressed: kept}).arrays["embedding"].numbers
	if !slices.Equal(before, after) {
		t.Error("the model changed with the samples")
	}
	spectral := do(t, "cluster", given{method: "spectral", count: 2, parameters: []byte(`{"model": true}`), compressed: kept})
	labels := do(t, "transform", given{model: &model{model: spectral.model}, x: x}).arrays["labels"].integers // dense ones
	if !slices.Equal(labels, spectral.arrays["labels"].integers) {
		t.Error("samples of the fit have other labels")
	}
}

// All distances between the samples give the same result as the samples.
func TestAllDistances(t *testing.T) {
	const n, m = 50, 3
	data := waves(n, m)
	x := viewing(data, n, m, m, typeFloat64)
	all := make([]float64, n*n)
	for i := range n {
		for j := range n {
			var s float64
			for c := range m {
				s += (data[i*m+c] - data[j*m+c]) * (data[i*m+c] - data[j*m+c])
			}
			all[i*n+j] = math.Sqrt(s)
		}
	}
	d := viewing(all, n, n, n, typeFloat64)
	for _, method := range []string{"mds", "isomap"} {
		want := do(t, "embed", given{method: method, x: x}).arrays["eigenvalues"].numbers
		got := do(t, "embed", given{method: method, near: structure{all: &d}}).arrays["eigenvalues"].numbers
		for p := range want {
			if math.Abs(got[p]-want[p]) > 1e-9*want[p] {
				t.Errorf("%s: eigenvalue %d is %v, of the samples %v", method, p, got[p], want[p])
			}
		}
	}
}

// Affinities are the edges of a Laplacian: a ring of affinities has the eigenvalues of a ring.
func TestAffinities(t *testing.T) {
	const n = 12
	ptr, cols, vals := []int32{0}, []int32{}, []float64{}
	for i := range n {
		a, b := (i+n-1)%n, (i+1)%n
		cols, vals, ptr = append(cols, int32(min(a, b)), int32(max(a, b))), append(vals, 2, 2), append(ptr, int32(2*i+2))
	}
	w := csrNarrow(n, n, ptr, cols, vals)
	got := do(t, "embed", given{method: "le", near: structure{affinities: w}})
	for p, v := range got.arrays["eigenvalues"].numbers { // of D − W over D
		if want := 1 - math.Cos(2*math.Pi/n); math.Abs(v-want) > 1e-12 {
			t.Errorf("eigenvalue %d is %v, want %v", p, v, want)
		}
	}
}

// Errors are one line, and come before any work.
func TestStructureRefused(t *testing.T) {
	const n, k = 4, 1
	x := viewing(waves(n, 2), n, 2, 2, typeFloat64)
	good := func() *csrView {
		return csrNarrow(n, n, []int32{0, 1, 2, 3, 4}, []int32{1, 0, 3, 2}, []float64{1, 1, 2, 2})
	}
	changed := func(change func(cols []int32, vals []float64)) *csrView {
		cols, vals := []int32{1, 0, 3, 2}, []float64{1, 1, 2, 2}
		change(cols, vals)
		return csrNarrow(n, n, []int32{0, 1, 2, 3, 4}, cols, vals)
	}
	twice := csrNarrow(n, n, []int32{0, 2, 3, 4, 4}, []int32{1, 1, 0, 3}, []float64{1, 2, 1, 2})
	huge := csrOf64(n, []int64{0, 1, 2, 3, 4}, []int64{1, 0, 1 << 40, 2}, []float64{1, 1, 2, 2})
	indices, distances, floats := viewing([]int64{1, 0, 3, 2}, n, k, k, typeInt64), viewing([]float64{1, 1, 2, 2}, n, k, k, typeFloat64), viewing([]float64{1, 0, 3, 2}, n, k, k, typeFloat64)
	beyond, short := viewing([]int64{1, 0, 4, 2}, n, k, k, typeInt64), viewing([]float64{1, 1, 2}, 3, k, k, typeFloat64)
	five := viewing(waves(5, 2), 5, 2, 2, typeFloat64)
	square, skew := viewing(make([]float64, 16), n, n, n, typeFloat64), viewing([]float64{0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 7, 0}, n, n, n, typeFloat64)
	for _, c := range []struct {
		task string
		g    given
		want string
	}{
		{"embed", given{method: "le", near: structure{graph: good(), indices: &indices}}, "more than one of a graph"},
		{"embed", given{method: "le", near: structure{graph: good(), affinities: good()}}, "given together"},
		{"embed", given{method: "le", near: structure{indices: &indices}}, "NULL; give both"},
		{"embed", given{method: "le", near: structure{indices: &indices, distances: &short}}, "4 × 1 indices and 3 × 1 distances"},
		{"embed", given{method: "le", near: structure{indices: &floats, distances: &distances}}, "its indices: its type is float64; give int64"},
		{"embed", given{method: "le", near: structure{indices: &beyond, distances: &distances}}, "row 3 (counting from 1) lists sample 4 of 4"},
		{"embed", given{method: "le", near: structure{graph: changed(func(_ []int32, v []float64) { v[2] = -1 })}}, "row 3, column 4 (counting from 1): the distance is -1"},
		{"embed", given{method: "le", near: structure{graph: changed(func(_ []int32, v []float64) { v[1] = math.NaN() })}}, "row 1, column 0 (counting from 0) is NaN"},
		{"embed", given{method: "le", near: structure{graph: changed(func(c []int32, _ []float64) { c[1] = 9 })}}, "row 1 has an entry in column 9"},
		{"embed", given{method: "le", near: structure{graph: twice}}, "sample 1 (from 0) twice"},
		{"embed", given{method: "le", near: structure{graph: huge}}, "1099511627776"},
		{"embed", given{method: "le", near: structure{graph: csrNarrow(2, 4, []int32{0, 1, 2}, []int32{1, 0}, []float64{1, 1})}}, "the matrix is 2 × 4; give a square one"},
		{"embed", given{method: "le", near: structure{graph: good()}, x: five}, "a graph of 4 samples for data of 5"},
		{"embed", given{method: "lle", near: structure{graph: good()}}, "needs the samples in addition to their graph"},
		{"embed", given{method: "pca", near: structure{graph: good()}, x: x}, "takes no neighbour graph"},
		{"embed", given{method: "le", near: structure{graph: good()}, parameters: []byte(`{"neighbors": 2}`)}, "Neighbors is given together with a graph"},
		{"embed", given{method: "le", near: structure{affinities: changed(func(_ []int32, v []float64) { v[3] = 5 })}}, "not symmetric: row 3, column 4"},
		{"embed", given{method: "le", near: structure{affinities: changed(func(_ []int32, v []float64) { v[0], v[1] = -3, -3 })}}, "row 1, column 2 (counting from 1) of the affinities is -3"},
		{"embed", given{method: "isomap", near: structure{affinities: good()}}, "takes no affinities"},
		{"select", given{method: "ds3", count: 2, near: structure{graph: good()}, x: x}, "select: it takes no neighbour graph"},
		{"select", given{method: "ds3", count: 2, compressed: good()}, "it needs dense samples"},
		{"embed", given{method: "lda", compressed: good()}, "lda: it needs dense samples"},
		{"embed", given{method: "isomat", compressed: good()}, `did you mean "isomap"`},
		{"embed", given{method: "le", compressed: good(), x: x}, "both given"},
		{"embed", given{method: "le", compressed: changed(func(c []int32, _ []float64) { c[0] = -1 })}, "le: options.samples: row 0 has an entry in column -1"},
		{"embed", given{method: "le"}, "x is NULL"},
		{"embed", given{method: "mds", near: structure{all: &indices}}, "options.distances: its type is int64"},
		{"embed", given{method: "mds", near: structure{all: &distances, graph: good()}}, "more than one of a graph"},
		{"embed", given{method: "pca", near: structure{all: &square}, x: x}, "takes no distances"},
		{"embed", given{method: "mds", near: structure{all: &square}, x: x}, "samples and distances are given together"},
		{"embed", given{method: "mds", near: structure{all: &skew}}, "symmetric"},
	} {
		w, err := prepare(taskNumber(c.task), c.g)
		if err == nil {
			_, err = carryOut(w).get()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || statusOf(err) != statusInvalid {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}

func csrOf64(n int, ptr, indices []int64, data []float64) *csrView {
	v := csrNarrow(n, n, []int32{0}, []int32{0}, data)
	v.indices, v.indptr, v.indexKind = unsafe.Pointer(&indices[0]), unsafe.Pointer(&ptr[0]), typeInt64
	return v
}

// Converted copies count against the limit.
func TestStructureMemory(t *testing.T) {
	const n, k = 3000, 20
	indices, distances := make([]int64, n*k), make([]float64, n*k)
	for i := range n {
		for a := range k {
			indices[i*k+a], distances[i*k+a] = int64((i+a+1)%n), float64(a+1)
		}
	}
	near := structure{graph: csrOfLists(n, k, indices, distances, true)}
	asStored := memory.Process(near.graph.held() + near.graph.bytes()) // with no room for lists without the sample itself
	for limit, refused := range map[int64]bool{0: false, 1 << 30: false, asStored: true, asStored - 1: true} {
		o := engine.Options{Memory: limit}
		if err := near.enter(&o); (statusOf(err) == statusNoMemory) != refused {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
}

// Rows in no order are sorted in a copy, which counts; rows in order need none.
func TestSortingMemory(t *testing.T) {
	const n = 40000
	ptr, cols, vals := make([]int32, n+1), make([]int32, 2*n), make([]float64, 2*n)
	for i := range n {
		ptr[i+1], cols[2*i], cols[2*i+1], vals[2*i], vals[2*i+1] = int32(2*i+2), 0, 1, 1, float64(i)
	}
	v := csrNarrow(n, 2, ptr, cols, vals)
	limit := memory.Process(v.held() + v.bytes())
	if _, err := v.within("A", limit); err != nil {
		t.Error(err)
	}
	cols[2*n-2], cols[2*n-1] = 1, 0
	if _, err := v.within("A", limit); statusOf(err) != statusNoMemory {
		t.Error(err)
	}
	if a, err := v.within("A", 0); err != nil || a.Col[2*n-1] != 1 || cols[2*n-1] != 0 {
		t.Error("not sorted in a copy", err)
	}
}
