package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// planted is a graph of groups of this many vertices, with random weights: each vertex draws a number of partners within its group, and between groups that are joined.
func planted(t *testing.T, groups, each, within, between int, seed uint64, joined func(a, b int) bool) *sparse.CSR {
	t.Helper()
	random := blas.NewStream(seed)
	n := groups * each
	var entries []sparse.Triplet
	add := func(i, j int) {
		if i != j {
			v := 0.5 + random.Uniform()
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v}, sparse.Triplet{Row: j, Col: i, Val: v})
		}
	}
	for i := range n {
		group := i % groups
		for range within {
			add(i, random.Below(each)*groups+group)
		}
		for range between {
			if j := random.Below(n); joined(group, j%groups) {
				add(i, j)
			}
		}
	}
	return must.Get(sparse.FromTriplets(n, n, entries))(t)
}

func anyGroups(a, b int) bool { return true }

// normalizedLaplacian is I − D^−½WD^−½ with the roots of the degrees, made entry by entry.
func normalizedLaplacian(t *testing.T, w *sparse.CSR) (*sparse.CSR, []float64) {
	t.Helper()
	root := make([]float64, w.Rows)
	for i := range root {
		_, vals := w.Row(i)
		for _, v := range vals {
			root[i] += v
		}
		root[i] = math.Sqrt(root[i])
	}
	var entries []sparse.Triplet
	for i := range root {
		cols, vals := w.Row(i)
		if root[i] > 0 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 1})
		}
		for q, j := range cols {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: -vals[q] / (root[i] * root[j])})
		}
	}
	return must.Get(sparse.FromTriplets(w.Rows, w.Rows, entries))(t), root
}

// checkSketched recomputes the residuals, and compares products of the vectors with each other and with D^½1 on all vertices.
func checkSketched(t *testing.T, w *sparse.CSR, e *Eigen, known ...[]float64) {
	t.Helper()
	l, root := normalizedLaplacian(t, w)
	y := make([]float64, w.Rows)
	for j, x := range e.Vectors {
		l.MulVec(1, x, y)
		var square float64
		for i, v := range y {
			d := v - e.Values[j]*x[i]
			square += d * d
		}
		if got := math.Sqrt(square); math.Abs(got-e.Residuals[j]) > 1e-12+1e-6*got {
			t.Errorf("pair %d: the residual is %.6g, not %.6g", j, got, e.Residuals[j])
		}
		for _, k := range append([][]float64{root}, known...) {
			if dot := blas.Dot(x, k); math.Abs(dot) > 1e-9*math.Sqrt(blas.Dot(k, k)) {
				t.Errorf("vector %d has %.2g along a null vector", j, dot)
			}
		}
		for i := range j + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if dot := blas.Dot(x, e.Vectors[i]); math.Abs(dot-want) > 1e-9 {
				t.Errorf("vectors %d and %d have the product %.3g", i, j, dot)
			}
		}
	}
}

// Where there is a gap behind the pairs, the sketch spans what the exact solver finds.
func TestSketchFindsTheSpaceOfTheExactSolver(t *testing.T) {
	const groups, count = 6, 5
	w := planted(t, groups, 400, 7, 3, 1, anyGroups)
	e := must.Get(Sketch(t.Context(), w, count, Options{Seed: 3}))(t)
	checkSketched(t, w, e)
	if !e.Converged || slices.Max(e.Residuals) > SketchAim || e.Plan.Solver != "block krylov sketch" {
		t.Errorf("converged %v, residuals %v, plan %+v", e.Converged, e.Residuals, e.Plan)
	}
	l, root := normalizedLaplacian(t, w)
	blas.Scale(1/math.Sqrt(blas.Dot(root, root)), root)
	want := must.Get(Smallest(t.Context(), l, [][]float64{root}, count, Options{}))(t)
	for j, v := range want.Values {
		if math.Abs(e.Values[j]-v) > e.Errors[j] || e.Errors[j] > 1e-6 {
			t.Errorf("value %d is %.10g, and not %.10g within %.2g", j, e.Values[j], v, e.Errors[j])
		}
	}
	if !(math.Abs(e.Next-want.Next) < 0.02) {
		t.Errorf("the next value is %.4g, the exact one %.4g", e.Next, want.Next)
	}
	for j, x := range want.Vectors {
		left := slices.Clone(x)
		blas.Orthogonalize(e.Vectors, left)
		if sine := math.Sqrt(blas.Dot(left, left)); sine > 2*e.Angle+1e-9 {
			t.Errorf("eigenvector %d is off the span by %.2g, where the estimated angle is %.2g", j, sine, e.Angle)
		}
	}
}

// Null vectors of components come first, exactly, and the rest is orthogonal to them.
func TestSketchKnowsComponents(t *testing.T) {
	const groups, each = 4, 300
	half := func(a, b int) bool { return a%2 == b%2 }
	w := planted(t, groups, each, 6, 3, 2, half)
	n := groups * each
	// A further vertex without edges.
	w = &sparse.CSR{Rows: n + 1, Cols: n + 1, Ptr: append(slices.Clone(w.Ptr), len(w.Col)), Col: w.Col, Val: w.Val}
	even, odd, alone := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	alone[n] = 1
	_, root := normalizedLaplacian(t, w)
	for i, v := range root[:n] {
		if i%2 == 0 {
			even[i] = v
		} else {
			odd[i] = v
		}
	}
	e := must.Get(Sketch(t.Context(), w, 4, Options{}))(t)
	l, _ := normalizedLaplacian(t, w)
	y := make([]float64, n+1)
	for j, x := range e.Vectors[:2] {
		l.MulVec(1, x, y)
		if size := math.Sqrt(blas.Dot(y, y)); e.Values[j] != 0 || e.Residuals[j] != 0 || size > 1e-12 {
			t.Errorf("null pair %d: %g, residual %g, in truth %g", j, e.Values[j], e.Residuals[j], size)
		}
	}
	checkSketched(t, w, &Eigen{Values: e.Values[2:], Vectors: e.Vectors[2:], Residuals: e.Residuals[2:]}, even, odd, alone)
	if !e.Converged || !(e.Values[2] > 0.1 && e.Next > e.Values[3]) {
		t.Errorf("values %v, then %v", e.Values, e.Next)
	}
	only := must.Get(Sketch(t.Context(), w, 1, Options{}))(t)
	if only.Values[0] != 0 || only.Next != 0 || only.Plan.Solver != "components" {
		t.Errorf("%+v", only)
	}
}

// A ring has no gap: the residuals say that the pairs are not found to the aim, and each value is within its residual of an eigenvalue.
func TestSketchTellsWhatItMissed(t *testing.T) {
	const n = 3000
	var entries []sparse.Triplet
	for i := range n {
		j := (i + 1) % n
		entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: 1}, sparse.Triplet{Row: j, Col: i, Val: 1})
	}
	w := must.Get(sparse.FromTriplets(n, n, entries))(t)
	e := must.Get(Sketch(t.Context(), w, 4, Options{}))(t)
	checkSketched(t, w, e)
	if e.Converged || e.Residuals[0] < 0.01*e.Values[0] || e.Products > (sketchProducts+mostDegree)*sketchLanes+4*sketchProducts {
		t.Errorf("converged %v, values %v, residuals %v, %d products", e.Converged, e.Values, e.Residuals, e.Products)
	}
	for j, v := range e.Values {
		nearest := math.Inf(1)
		for k := range n {
			nearest = min(nearest, math.Abs(v-1+math.Cos(2*math.Pi*float64(k)/n)))
		}
		if nearest > e.Residuals[j]+1e-14 {
			t.Errorf("value %d, %g, is %g from an eigenvalue, its residual %g", j, v, nearest, e.Residuals[j])
		}
	}
}

// The bits do not depend on the number of threads, and a small graph is solved exactly.
func TestSketchOnThreads(t *testing.T) {
	w := planted(t, 3, 3000, 5, 2, 5, func(a, b int) bool { return a+b < 3 })
	for _, graph := range []*sparse.CSR{w, planted(t, 3, 30, 5, 2, 5, anyGroups)} {
		one := must.Get(Sketch(t.Context(), graph, 3, Options{Threads: 1, Seed: 7}))(t)
		more := must.Get(Sketch(t.Context(), graph, 3, Options{Threads: 3, Seed: 7}))(t)
		if !slices.Equal(one.Values, more.Values) || !slices.Equal(one.Residuals, more.Residuals) {
			t.Errorf("values %v and %v", one.Values, more.Values)
		}
		for j := range one.Vectors {
			if !slices.Equal(one.Vectors[j], more.Vectors[j]) {
				t.Errorf("%d vertices: vector %d differs", graph.Rows, j)
			}
		}
		checkSketched(t, graph, &Eigen{Values: one.Values, Vectors: one.Vectors, Residuals: one.Residuals})
	}
	if small := must.Get(Sketch(t.Context(), planted(t, 3, 30, 5, 2, 5, anyGroups), 3, Options{}))(t); small.Plan.Solver != "dense" || slices.Max(small.Residuals) > 1e-14 {
		t.Errorf("%+v", small.Plan)
	}
}

func TestSketchWithinMemory(t *testing.T) {
	w := planted(t, 5, 500, 6, 2, 6, anyGroups)
	var plan Plan
	whole := must.Get(Sketch(t.Context(), w, 4, Options{Planned: func(p Plan) { plan = p }}))(t)
	less := must.Get(Sketch(t.Context(), w, 4, Options{Memory: plan.Bytes - 1}))(t)
	if !less.Converged || less.Plan.Bytes >= plan.Bytes || math.Abs(less.Values[0]-whole.Values[0]) > 1e-8 {
		t.Errorf("%+v, then %+v", plan, less.Plan)
	}
	_, err := Sketch(t.Context(), w, 4, Options{Memory: plan.Bytes / 3})
	if of, is := errors.AsType[*MemoryError](err); !is || of.Need < plan.Bytes/3 {
		t.Errorf("%v", err)
	}
}

func TestSketchRefuses(t *testing.T) {
	edge := func(v, w float64) *sparse.CSR {
		return must.Get(sparse.FromTriplets(3, 3, []sparse.Triplet{{Row: 0, Col: 1, Val: v}, {Row: 1, Col: 0, Val: w}, {Row: 1, Col: 2, Val: 1}, {Row: 2, Col: 1, Val: 1}}))(t)
	}
	must.Refuse(t, "give a number from 1 to 2")(Sketch(t.Context(), edge(1, 1), 3, Options{}))
	must.Refuse(t, "row 0, column 1 (counting from 0) is -1; give weights ≥ 0")(Sketch(t.Context(), edge(-1, -1), 1, Options{}))
	must.Refuse(t, "not symmetric")(Sketch(t.Context(), edge(1, 2), 1, Options{}))
	must.Refuse(t, "give finite numbers")(Sketch(t.Context(), edge(math.NaN(), 1), 1, Options{}))
	must.Refuse(t, "3 × 2")(Sketch(t.Context(), &sparse.CSR{Rows: 3, Cols: 2, Ptr: make([]int, 4)}, 1, Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	w := planted(t, 3, 400, 5, 2, 5, anyGroups)
	_, err := Sketch(ctx, w, 2, Options{Progress: func(float64) { cancel() }})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	cancel()
	if _, err := Sketch(ctx, w, 2, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it begins: %v", err)
	}
}
