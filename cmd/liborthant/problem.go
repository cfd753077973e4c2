package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// problem is what a solver takes, as C hands it over: an orthant_problem with the
// arguments of the call.
type problem struct {
	task       string
	count      int64 // pairs, triplets or coordinates
	parameters []byte
	factor     factor // of update_values

	a           *csrView  // one of the three: sparse,
	dense       *view     // full,
	products    *operator // by products
	m           *csrView  // at most one of the two
	mDense      *view
	null, start *view
	sources     []int64 // nil: all
}

// problems prepare the work of each solver of the header, as tasks do. Another solver is
// another row, its function in orthant.h and shim.c, and its name in liborthant.map.
var problems = []struct {
	name    string
	prepare func(q problem) (work, error)
}{
	{"eigsh", problem.eigsh},
	{"largest", problem.largest},
	{"svds", problem.svds},
	{"cholesky", problem.cholesky},
	{"update_values", problem.updateValues},
	{"shortest_paths", problem.shortestPaths},
	{"connected_components", problem.connectedComponents},
	{"spectral_init", problem.spectralInit},
	{"lloyd", problem.lloyd},
	{"nearest", problem.nearest},
	{"ldlt", problem.ldlt},
}

// prepareProblem checks what all solvers take, and names the solver in its errors.
func prepareProblem(task int, q problem) (work, error) {
	q.task = problems[task].name
	given := 0
	for _, there := range []bool{q.a != nil, q.dense != nil, q.products != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		return nil, fmt.Errorf("%s: the problem has %d of a, dense and products; give one of them", q.task, given)
	}
	w, err := problems[task].prepare(q)
	if err != nil {
		return nil, q.worded(err)
	}
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		m, err := w(ctx, progress)
		return m, q.worded(err)
	}, nil
}

// worded names the task in an error instead of the package, and the remedies that a
// caller of a solver has.
func (q problem) worded(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	text := wording.Error(err, wording.Arguments)
	for _, prefix := range []string{"solvers: ", "sparse: ", "Cholesky factorisation: ", "LDLᵀ factorisation: ", "factorisation: ", "shortest paths: ", "components: ", "spectral init: ", "neighbors: ", q.task + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = q.task + ": " + text
	if _, is := errors.AsType[*sparse.NotPositiveDefiniteError](err); is {
		return &failure{statusNotDefinite, text}
	}
	return &failure{statusOf(err), text}
}

// running reads how to run. The limit is that of the process; the options have what it
// leaves beside what the caller holds.
func (q problem) running(p *parameters) (o eigen.Options, backend string, limit int64, err error) {
	var run engine.Options
	if err := p.running(&run); err != nil {
		return o, "", 0, err
	}
	if o.Kernels, err = blas.Select(run.Backend); err != nil {
		return o, "", 0, err
	}
	o.Threads, o.Seed = run.Threads, max(run.Seed, 1)
	held := q.held()
	if limit = run.Memory; q.large() {
		if free := available(); free > 0 {
			free += memory.Process(held)
			if limit == 0 || limit > free {
				limit = free
			}
		}
	}
	if limit > 0 {
		o.Memory = max(memory.Live(limit)-held-q.converted(), 1)
	}
	return o, run.Backend, limit, nil
}

// large reports whether a problem is worth asking the machine for its limit, which costs as
// much as a small one: a result may have the square of its order.
func (q problem) large() bool {
	const many, bytes = 2000, 4 << 20
	order := int64(0)
	switch {
	case q.a != nil:
		order = max(q.a.rows, q.a.cols)
	case q.dense != nil:
		order = max(q.dense.rows, q.dense.cols)
	case q.products != nil:
		order = max(q.products.rows, q.products.cols)
	}
	return order >= many || q.held() >= bytes
}

// held are the bytes of the caller that count as the engine's own.
func (q problem) held() int64 {
	var held int64
	for _, a := range []*csrView{q.a, q.m} {
		if a != nil {
			held += a.held()
		}
	}
	for _, x := range []*view{q.dense, q.mDense, q.null, q.start} {
		if x != nil {
			held += 8 * x.rows * x.cols
		}
	}
	return held
}

// converted are the bytes of the copies in the engine's types, at most.
func (q problem) converted() int64 {
	var bytes int64
	for _, a := range []*csrView{q.a, q.m} {
		if a != nil {
			bytes += a.bytes()
		}
	}
	for _, x := range []*view{q.dense, q.mDense} {
		if x != nil {
			bytes += 12 * x.rows * x.cols // without its zeros
		}
	}
	for _, x := range []*view{q.null, q.start} {
		if x != nil {
			bytes += 8 * x.rows * x.cols
		}
	}
	return bytes
}

// real takes a number.
func (p *parameters) real(key string) (float64, error) {
	text, given, err := p.number(key)
	if !given || err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s is %q; give a number", p.owner, key, text)
	}
	return v, nil
}

// only refuses inputs that a solver does not take.
func (q problem) only(takes ...string) error {
	has := map[string]bool{
		"dense": q.dense != nil, "products": q.products != nil, "m": q.m != nil || q.mDense != nil,
		"null": q.null != nil, "start": q.start != nil, "sources": q.sources != nil}
	for _, name := range takes {
		delete(has, name)
	}
	for _, name := range []string{"dense", "products", "m", "null", "start", "sources"} {
		if has[name] {
			return fmt.Errorf("%s: the problem has %s, which it does not take; leave it out", q.task, name)
		}
	}
	return nil
}

// matrix returns A, compressed or full, where the limit leaves room for what has to be
// converted.
func (q problem) matrix(what string, limit int64) (mat.Matrix, error) {
	if q.a != nil {
		return q.a.within(what, limit)
	}
	if err := q.dense.check(what, typeFloat64, typeFloat32, typeUint8); err != nil {
		return nil, err
	}
	x, _ := q.dense.dense()
	return x, nil
}

// withoutZeros returns a full matrix without its zeros.
func withoutZeros(x mat.Matrix) *sparse.CSR {
	if a, is := x.(*sparse.CSR); is {
		return a
	}
	dense := x.(*mat.Dense)
	rows, cols := dense.Dims()
	a := &sparse.CSR{Rows: rows, Cols: cols, Ptr: make([]int, 1, rows+1)}
	for i := range rows {
		for j, v := range dense.RawRowView(i) {
			if v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// vectors returns the columns of a matrix of n rows, nil where there is none.
func vectors(v *view, n int, what string) ([][]float64, error) {
	if v == nil {
		return nil, nil
	}
	if err := v.check(what, typeFloat64, typeFloat32, typeUint8); err != nil {
		return nil, err
	}
	if v.rows != int64(n) {
		return nil, fmt.Errorf("%s: it is %d × %d for a matrix of order %d; give a vector a column, n × count", what, v.rows, v.cols, n)
	}
	x, _ := v.dense()
	columns := make([][]float64, v.cols)
	for j := range columns {
		columns[j] = mat.Col(nil, j, x)
	}
	return columns, nil
}

// columnsOf is an array of vectors of n entries, one a column.
func columnsOf(vectors [][]float64, n int) array {
	return array{rows: n, cols: len(vectors), columns: vectors}
}
