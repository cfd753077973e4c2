package library

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// beads is the matrix of a string of n beads between walls: 2 on the diagonal, −1 next to it, with
// eigenvalues 2 − 2cos(jπ/(n+1)).
func beads(n int) *sparse.CSR {
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, 1, n+1)}
	for i := range n {
		for j := max(i-1, 0); j <= min(i+1, n-1); j++ {
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, map[bool]float64{true: 2, false: -1}[i == j])
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// lent is a matrix in the caller's memory.
func lent(a *sparse.CSR) *csrView {
	indptr := make([]int32, len(a.Ptr))
	for i, p := range a.Ptr {
		indptr[i] = int32(p)
	}
	return &csrView{data: unsafe.Pointer(&a.Val[0]), indices: unsafe.Pointer(&a.Col[0]), indptr: unsafe.Pointer(&indptr[0]),
		rows: int64(a.Rows), cols: int64(a.Cols), entries: int64(len(a.Val)), indexKind: typeInt32, kind: typeFloat64}
}

func lentDense(x []float64, n, m int) *view {
	v := viewing(x, n, m, m, typeFloat64)
	return &v
}

func byProducts(a *sparse.CSR) *operator {
	return &operator{rows: int64(a.Rows), cols: int64(a.Cols), multiply: func(transposed bool, width int, x, y []float64) int {
		of := a
		if transposed {
			of = a.Transposed()
		}
		of.MulBlock(1, width, x, y)
		return 0
	}}
}

// solveIn solves in the caller's memory.
func solveIn(f factor, v view) error { return replace(f, v, "solve", f.solve) }

func problemNamed(name string) int {
	return slices.IndexFunc(problems, func(p solver) bool { return p.name == name })
}

func solved(task string, q problem) (*result, error) {
	w, err := prepareProblem(problemNamed(task), q)
	if err != nil {
		return nil, err
	}
	r := carryOut(w)
	return r, r.err
}

// Every solver gives the bits of the one in Go, by every way to give the matrix.
func TestSolversAreThoseOfGo(t *testing.T) {
	a := beads(400)
	full := a.Dense().RawMatrix().Data
	ones := slices.Repeat([]float64{2}, 400)
	e := must.Get(eigen.Pencil{A: a, M: diagonal(lentDense(ones, 400, 1)), Tolerance: 1e-9}.Smallest(t.Context(), 3, eigen.Options{Seed: 4}))(t)
	q := problem{count: 3, parameters: []byte(`{"seed": 4, "tolerance": 1e-9, "threads": 2}`), mDense: lentDense(ones, 400, 1)}
	for name, q := range map[string]problem{
		"sparse": func() problem { q := q; q.a = lent(a); return q }(), "full": func() problem { q := q; q.dense = lentDense(full, 400, 400); return q }(),
	} {
		r, err := solved("eigsh", q)
		if err != nil {
			t.Fatal(name, err)
		}
		vectors := make([]float64, 3*400)
		must.Do(t, r.made.arrays["vectors"].copyTo(*lentDense(vectors, 400, 3), "vectors"))
		if !slices.Equal(r.made.arrays["eigenvalues"].numbers, e.Values) || r.made.numbers["next_eigenvalue"] != e.Next || !slices.Equal(r.made.arrays["residuals"].numbers, e.Residuals) {
			t.Errorf("%s: other eigenvalues", name)
		}
		for i := range 400 {
			for j := range 3 {
				if vectors[3*i+j] != e.Vectors[j][i] {
					t.Fatalf("%s: vector %d differs in row %d", name, j, i)
				}
			}
		}
		if report, err := r.describe(); err != nil || !strings.Contains(report, `"solver"`) {
			t.Error(report, err)
		}
	}
	want := func(j int) float64 { return 2 - 2*math.Cos(float64(j)*math.Pi/401) }
	near := func(what string, got, want []float64) {
		t.Helper()
		for j, v := range want {
			if math.Abs(got[j]-v) > 1e-8 {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
	}
	start := make([]float64, 3*400)
	must.Do(t, columnsOf(e.Vectors, 400).copyTo(*lentDense(start, 400, 3), "start"))
	r := must.Get(solved("eigsh", problem{products: byProducts(a), count: 2, start: lentDense(start, 400, 3)}))(t)
	near("by products", r.made.arrays["eigenvalues"].numbers, []float64{want(1), want(2)})
	for name, q := range map[string]problem{"sparse": {a: lent(a)}, "full": {dense: lentDense(full, 400, 400)}, "products": {products: byProducts(a)}} {
		q.count = 2
		r = must.Get(solved("largest", q))(t)
		near("largest of "+name, r.made.arrays["eigenvalues"].numbers, []float64{want(400), want(399)})
		q.parameters = nil
		if q.products != nil {
			q.products = byProducts(a)
		}
		r = must.Get(solved("svds", q))(t)
		near("svds of "+name, append(slices.Clone(r.made.arrays["singular_values"].numbers), r.made.numbers["next_singular_value"]), []float64{want(400), want(399), want(398)})
		if u, v := r.made.arrays["u"], r.made.arrays["v"]; u.rows != 400 || v.rows != 400 || u.cols != 2 || v.cols != 2 {
			t.Errorf("%d × %d and %d × %d", u.rows, u.cols, v.rows, v.cols)
		}
	}
}

// A factor solves in the caller's memory, whatever its stride and type, and takes new values.
func TestFactorOfC(t *testing.T) {
	const n = 50
	a := beads(n)
	r, err := solved("cholesky", problem{a: lent(a), parameters: []byte(`{"shift": 0.5}`)})
	if err != nil {
		t.Fatal(err)
	}
	f := must.Get(r.factorOf())(t)
	want := waves(n, 2)
	plain := slices.Clone(want)
	must.Do(t, solveIn(f, viewing(plain, n, 2, 2, typeFloat64)))
	back := make([]float64, 2*n)
	a.MulBlock(1, 2, plain, back)
	for p, v := range back {
		if math.Abs(v+plain[p]/2-want[p]) > 1e-12 {
			t.Fatalf("entry %d: %g, want %g", p, v+plain[p]/2, want[p])
		}
	}
	gaps, single := slices.Repeat([]float64{-7}, 5*n), make([]float32, 2*n)
	for i := range n {
		copy(gaps[5*i:], want[2*i:2*i+2])
		single[2*i], single[2*i+1] = float32(want[2*i]), float32(want[2*i+1])
	}
	must.Do(t, errors.Join(solveIn(f, viewing(gaps, n, 2, 5, typeFloat64)), solveIn(f, viewing(single, n, 2, 2, typeFloat32))))
	for i := range n {
		if !slices.Equal(gaps[5*i:5*i+2], plain[2*i:2*i+2]) || gaps[5*i+3] != -7 || math.Abs(float64(single[2*i])-plain[2*i]) > 1e-5 {
			t.Fatalf("row %d: %v and %v, want %v", i, gaps[5*i:5*i+5], single[2*i:2*i+2], plain[2*i:2*i+2])
		}
	}
	_, err = solved("update_values", problem{a: lent(a), factor: f, parameters: []byte(`{"shift": -3}`)})
	if statusOf(err) != statusNotDefinite || !strings.HasPrefix(err.Error(), "update_values: pivot ") {
		t.Error(err)
	}
	if err := solveIn(f, viewing(plain, n, 2, 2, typeFloat64)); statusOf(err) != statusNotDefinite {
		t.Error("a factor that failed solves:", err)
	}
	if _, err = solved("update_values", problem{a: lent(a), factor: f}); err != nil {
		t.Error(err)
	}
	found, err := r.ask(askLogDet, "", nil)
	if err != nil || found[0] != 1 || math.Abs(found[1]-math.Log(n+1)) > 1e-12 {
		t.Error(found, err)
	}
}

// What is asked of a factor besides solutions: products with its parts, the parts, entries of the inverse, an update and back.
func TestToolsOfFactors(t *testing.T) {
	const n = 40
	a := beads(n)
	ctx := t.Context()
	for _, task := range []string{"cholesky", "ldlt"} {
		r := must.Get(solved(task, problem{a: lent(a), parameters: []byte(`{"shift": 0.25}`)}))(t)
		f := must.Get(factorisationOf(r.made.factor))(t)
		x, y := waves(n, 3), waves(n, 3)
		solve := map[string]string{"cholesky": "P^T L^-T L^-1 P", "ldlt": "P^T L^-T D^-1 L^-1 P"}[task]
		v := viewing(x, n, 3, 3, typeFloat64)
		must.Get(r.ask(askApply, solve, &v))(t)
		must.Do(t, f.solve(y, 3))
		for p := range x {
			if math.Abs(x[p]-y[p]) > 1e-12 {
				t.Fatalf("%s: the parts solve to %g, want %g", task, x[p], y[p])
			}
		}
		diagonal := must.Get(solved("inverse", problem{factor: f}))(t).made.arrays["diagonal"].numbers
		entries := must.Get(solved("inverse", problem{factor: f, a: lent(a)}))(t).made.arrays
		all := must.Get(solved("inverse", problem{factor: f, parameters: []byte(`{"entries": "factor"}`)}))(t).made.arrays
		want := must.Get(f.InverseEntries(ctx, a))(t)
		if !slices.Equal(entries["data"].numbers, want.Val) || !slices.Equal(entries["indices"].integers, columnOf(a.Col).integers) || len(all["data"].numbers) < len(want.Val) {
			t.Errorf("%s: other entries of the inverse", task)
		}
		for i, v := range diagonal {
			if v != want.At(i, i) {
				t.Errorf("%s: the diagonal has %g in row %d, want %g", task, v, i, want.At(i, i))
			}
		}
		parts, known := must.Get(solved("parts", problem{factor: f}))(t).made.arrays, must.Get(f.Parts())(t)
		if !slices.Equal(parts["l_data"].numbers, known.L.Val) || len(parts["order"].integers) != n || (parts["d_indptr"].integers == nil) != (task == "cholesky") {
			t.Errorf("%s: the parts are %v", task, parts)
		}
		w := make([]float64, n)
		w[3], w[4] = 1, -0.5
		vector := viewing(w, n, 1, 1, typeFloat64)
		_, err := solved("update_rank", problem{factor: f, dense: &vector})
		if task == "ldlt" {
			if statusOf(err) != statusInvalid || !strings.Contains(err.Error(), "a factor LDLᵀ takes no vectors") {
				t.Error(err)
			}
			continue
		}
		updated := must.Get(solved("inverse", problem{factor: f}))(t).made.arrays["diagonal"].numbers
		if err != nil || !(updated[3] < diagonal[3]) {
			t.Error(err, updated[3], diagonal[3])
		}
		if _, err = solved("update_rank", problem{factor: f, dense: &vector, parameters: []byte(`{"subtract": true}`)}); err != nil {
			t.Error(err)
		}
		w[3] = 30
		if _, err = solved("update_rank", problem{factor: f, dense: &vector, parameters: []byte(`{"subtract": true}`)}); statusOf(err) != statusNotDefinite || !strings.HasPrefix(err.Error(), "update_rank: subtracting vector 0") {
			t.Error(err)
		}
	}
	r := must.Get(solved("laplacian", problem{a: lent(a)}))(t)
	for _, name := range []string{"inverse", "parts"} {
		if _, err := solved(name, problem{factor: r.made.factor}); statusOf(err) != statusInvalid || !strings.Contains(err.Error(), name+": a solver of Laplacians has no factor") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where an eigenvalue is zero within rounding the inertia is not certain, with a warning; and a side outside the range has no
// solution, which is an error.
func TestSingularLDLT(t *testing.T) {
	singular, err := sparse.FromTriplets(3, 3, []sparse.Triplet{{Row: 0, Col: 1, Val: 1e-320}, {Row: 1, Col: 0, Val: 1e-320}, {Row: 1, Col: 2, Val: 1e-320}, {Row: 2, Col: 1, Val: 1e-320}})
	if err != nil {
		t.Fatal(err)
	}
	r := must.Get(solved("ldlt", problem{a: lent(singular)}))(t)
	n := r.made.numbers
	if n["positive"] != 1 || n["negative"] != 1 || n["zero"] != 1 || n["certain"] != 0 || n["warnings"] != 1 || len(r.made.report()["warnings"].([]string)) != 1 {
		t.Errorf("%v, %v", n, r.made.report()["warnings"])
	}
	if err := solveIn(r.made.factor, viewing([]float64{1e-320, 0, -1e-320}, 3, 1, 1, typeFloat64)); statusOf(err) != statusInvalid {
		t.Error("a side outside the range is solved for:", err)
	}
	if r, err = solved("ldlt", problem{a: lent(singular), parameters: []byte(`{"shift": 1e-321}`)}); err != nil || r.made.numbers["zero"] != 0 || r.made.numbers["certain"] != 1 {
		t.Error(r.made.numbers, err)
	}
}

// An indefinite matrix is factorised, its eigenvalues are counted, and those inside its spectrum are found.
func TestIndefinite(t *testing.T) {
	const n = 300
	a := beads(n)
	value := func(j int) float64 { return 2 - 2*math.Cos(float64(j)*math.Pi/(n+1)) }
	r, err := solved("ldlt", problem{a: lent(a), parameters: []byte(`{"shift": -1.5}`)})
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	for j := 1; j <= n; j++ {
		if value(j) < 1.5 {
			below++
		}
	}
	if r.made.numbers["negative"] != float64(below) || r.made.numbers["positive"] != float64(n-below) || r.made.numbers["zero"] != 0 || !(r.made.numbers["bound"] < 1e-9) {
		t.Errorf("%v, want %d negative", r.made.numbers, below)
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(3 * i))
	}
	y, back := slices.Clone(x), make([]float64, n)
	must.Do(t, solveIn(r.made.factor, viewing(y, n, 1, 1, typeFloat64)))
	a.MulVec(1, y, back)
	for i, v := range back {
		if math.Abs(v-1.5*y[i]-x[i]) > 1e-10 {
			t.Fatalf("row %d: %g, want %g", i, v-1.5*y[i], x[i])
		}
	}
	if _, err = solved("update_values", problem{a: lent(a), factor: r.made.factor, parameters: []byte(`{"shift": -4.5}`)}); err != nil {
		t.Error(err)
	}
	r = must.Get(solved("eigsh", problem{a: lent(a), parameters: []byte(`{"low": 1.0001, "high": 1.3}`)}))(t)
	want := []float64{}
	for j := 1; j <= n; j++ {
		if v := value(j); v > 1.0001 && v < 1.3 {
			want = append(want, v)
		}
	}
	got := r.made.arrays["eigenvalues"].numbers
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for j, v := range got {
		if math.Abs(v-want[j]) > 1e-9 {
			t.Errorf("value %d is %g, want %g", j, v, want[j])
		}
	}
	if r, err = solved("eigsh", problem{a: lent(a), count: 3, parameters: []byte(`{"sigma": 2.2}`)}); err != nil || math.Abs(r.made.arrays["eigenvalues"].numbers[1]-2.2) > 0.02 {
		t.Error(err)
	}
}

// A graph without its last edge falls in two.
func TestGraphsOfC(t *testing.T) {
	g := &sparse.CSR{Rows: 4, Cols: 4, Ptr: []int{0, 1, 2, 2, 2}, Col: []int32{1, 2}, Val: []float64{2, 0.5}}
	r, err := solved("shortest_paths", problem{a: lent(g), sources: []int64{2}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.made.arrays["lengths"]; !slices.Equal(got.numbers, []float64{2.5, 0.5, 0, math.Inf(1)}) || got.rows != 1 {
		t.Error(got)
	}
	if r, err = solved("shortest_paths", problem{a: lent(g)}); err != nil || r.made.arrays["lengths"].rows != 4 {
		t.Error(r, err)
	}
	r, err = solved("connected_components", problem{a: lent(g)})
	if err != nil || !slices.Equal(r.made.arrays["labels"].integers, []int64{0, 0, 0, 1}) || !slices.Equal(r.made.arrays["sizes"].integers, []int64{3, 1}) || r.made.numbers["components"] != 2 {
		t.Error(r, err)
	}
}

// The start has a row for each vertex, and reports the components.
func TestSpectralInitOfC(t *testing.T) {
	g := beads(60)
	for p := range g.Val {
		g.Val[p] = 1
	}
	r := must.Get(solved("spectral_init", problem{a: lent(g), count: 2, parameters: []byte(`{"scale": "umap", "threads": 1}`)}))(t)
	want := must.Get(engine.SpectralInit(t.Context(), g, 2, engine.SpectralInitOptions{Scale: "umap"}))(t)
	if !slices.Equal(r.made.arrays["embedding"].numbers, want.Y.RawMatrix().Data) || r.made.numbers["components"] != 1 || !slices.Equal(r.made.arrays["sizes"].integers, []int64{60}) {
		t.Errorf("another start than Go's: %v, want %v", r.made.arrays["embedding"].numbers[:6], want.Y.RawMatrix().Data[:6])
	}
}

// An error is one line that names the solver, the place and the remedy.
func TestProblemsRefused(t *testing.T) {
	a := beads(30)
	lopsided, infinite, negative := *a, *a, *a
	lopsided.Val, infinite.Val, negative.Val = slices.Clone(a.Val), slices.Clone(a.Val), slices.Clone(a.Val)
	lopsided.Val[1], infinite.Val[4], negative.Val[3] = 7, math.NaN(), -5
	positive := *a
	positive.Val = slices.Repeat([]float64{1}, len(a.Val))
	ends := byProducts(a)
	tight := fmt.Appendf(nil, `{"memory": %d}`, memory.Process(lent(a).held()+lent(a).bytes())) // of which the matrix takes all
	ends.multiply = func(bool, int, []float64, []float64) int { return 3 }
	for _, c := range []struct {
		task string
		q    problem
		want status
		says string
	}{
		{"eigsh", problem{count: 2}, statusInvalid, "eigsh: the problem is without the matrix A"},
		{"eigsh", problem{count: 2, a: lent(a), dense: lentDense(waves(2, 2), 2, 2)}, statusInvalid, "eigsh: the problem has the matrix A in 2 forms; give one of them"},
		{"eigsh", problem{count: 0, a: lent(a)}, statusInvalid, "eigsh: the number asked for is 0"},
		{"eigsh", problem{count: 30, a: lent(a)}, statusInvalid, "eigsh: 30 eigenpairs requested of a matrix of order 30"},
		{"eigsh", problem{count: 2, a: lent(&lopsided)}, statusInvalid, "eigsh: A: the matrix is not symmetric: the entry in row 0, column 1"},
		{"eigsh", problem{count: 2, a: lent(&infinite)}, statusInvalid, "eigsh: A: the entry in row 1, column 2 (counting from 0) is NaN"},
		{"eigsh", problem{count: 2, dense: lentDense(waves(30, 4), 30, 4)}, statusInvalid, "eigsh: A is 30 × 4; give a symmetric matrix"},
		{"eigsh", problem{count: 2, a: lent(a), m: lent(&lopsided)}, statusInvalid, "eigsh: M: the matrix is not symmetric"},
		{"eigsh", problem{count: 2, a: lent(a), mDense: lentDense(waves(7, 1), 7, 1)}, statusInvalid, "eigsh: the diagonal M has 7 entries where A is of order 30"},
		{"eigsh", problem{count: 2, a: lent(a), mDense: lentDense(make([]float64, 30), 30, 1)}, statusInvalid, "eigsh: M is not positive definite: diagonal entry 0 in row 0"},
		{"eigsh", problem{count: 2, a: lent(a), nullVectors: lentDense(waves(5, 1), 5, 1)}, statusInvalid, "eigsh: null: it is 5 × 1 for a matrix of order 30"},
		{"eigsh", problem{count: 2, a: lent(a), nullVectors: lentDense(waves(30, 1), 30, 1)}, statusInvalid, "eigsh: vector 0 (counting from 0) is not a null vector of A"},
		{"eigsh", problem{count: 2, a: lent(a), parameters: []byte(`{"sigma": 1, "certified": true}`)}, statusInvalid, "below sigma = 1"},
		{"eigsh", problem{a: lent(a), parameters: []byte(`{"low": 1}`)}, statusInvalid, "low is given without high"},
		{"eigsh", problem{a: lent(a), parameters: []byte(`{"low": 2, "high": 1}`)}, statusInvalid, "the interval goes from 2 to 1"},
		{"eigsh", problem{products: byProducts(a), parameters: []byte(`{"low": 1, "high": 2}`)}, statusInvalid, "the pairs of an interval need a factorisation"},
		{"eigsh", problem{count: 2, a: lent(a), parameters: []byte(`{"sigma": "low"}`)}, statusInvalid, `eigsh: sigma is "low"; give a number`},
		{"eigsh", problem{count: 2, a: lent(a), parameters: []byte(`{"sigmma": 1}`)}, statusInvalid, `did you mean "sigma"`},
		{"eigsh", problem{count: 2, a: lent(a), parameters: []byte(`{"memory": 1000}`)}, statusNoMemory, "eigsh: A: its entries need about"},
		{"eigsh", problem{count: 2, a: lent(a), parameters: tight}, statusNoMemory, "eigsh: the solver needs about"},
		{"eigsh", problem{count: 2, products: ends}, statusCanceled, "returned 3"},
		{"eigsh", problem{count: 2, products: &operator{rows: 3, cols: 3}}, statusInvalid, "the function is NULL"},
		{"eigsh", problem{count: 2, products: &operator{rows: 3, cols: 4, multiply: ends.multiply}}, statusInvalid, "products: the matrix is 3 × 4; give a symmetric one"},
		{"largest", problem{count: 2, a: lent(&lopsided)}, statusInvalid, "largest: A: the matrix is not symmetric"},
		{"largest", problem{count: 31, a: lent(a)}, statusInvalid, "largest: 31 eigenpairs requested"},
		{"svds", problem{count: 31, a: lent(a)}, statusInvalid, "svds: 31 singular triplets requested of a 30 × 30 matrix"},
		{"cholesky", problem{a: lent(&negative)}, statusNotDefinite, "in row and column 1 (counting from 0): the matrix is not positive definite"},
		{"cholesky", problem{a: lent(&lopsided)}, statusInvalid, "cholesky: the matrix is not symmetric"},
		{"cholesky", problem{a: lent(a), parameters: tight}, statusNoMemory, "the Cholesky factor needs"},
		{"shortest_paths", problem{a: lent(a)}, statusInvalid, "shortest_paths: the edge from 0 to 1 (counting from 0) has length -1"},
		{"shortest_paths", problem{a: lent(&positive), sources: []int64{0, 30}}, statusInvalid, "source 1 (counting from 0) is vertex 30 of a graph of 30"},
		{"shortest_paths", problem{a: lent(&positive), parameters: tight}, statusNoMemory, "give fewer sources"},
		{"spectral_init", problem{a: lent(a), count: 2}, statusInvalid, "spectral_init: the weight in row 0, column 1 (counting from 0) is -1"},
		{"spectral_init", problem{a: lent(&positive), count: 30}, statusInvalid, "spectral_init: 30 coordinates requested of 30 vertices"},
		{"spectral_init", problem{a: lent(&positive), count: 2, parameters: []byte(`{"components": "all"}`)}, statusInvalid, `spectral_init: components is "all"; give each or error or joint`},
		{"spectral_init", problem{a: lent(&positive), count: 2, parameters: tight}, statusNoMemory, "spectral_init: the graph needs"},
		{"connected_components", problem{a: lent(a.RowRange(0, 3))}, statusInvalid, "the graph is 3 × 30"},
	} {
		r, err := solved(c.task, c.q)
		if err == nil || statusOf(err) != c.want || !strings.Contains(err.Error(), c.says) || r != nil && r.made != nil {
			t.Errorf("%s: %v (status %d) does not say %q (status %d)", c.task, err, statusOf(err), c.says, c.want)
		}
	}
	r := must.Get(solved("connected_components", problem{a: lent(a)}))(t)
	must.Refuse(t, "has no factor")(r.factorOf())
}

// A cancelled solver ends as one.
func TestProblemsAreCancelled(t *testing.T) {
	w := must.Get(prepareProblem(problemNamed("eigsh"), problem{count: 3, a: lent(beads(3000))}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w(ctx, func(engine.Progress) {}); statusOf(err) != statusCanceled {
		t.Error(err)
	}
}
