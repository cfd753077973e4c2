package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// problem holds the inputs of a solver as C passes them: the struct of that solver and the
// arguments of the call.
type problem struct {
	task       string
	count      int64 // pairs, triplets or coordinates
	parameters []byte
	factor     factor // that the problem is about

	// The matrix, the graph or the samples, in one form: sparse, full or by products.
	a        *csrView
	dense    *view
	products *operator

	m                       *csrView // eigsh: M, in at most one form
	mDense                  *view
	nullVectors, start      *view
	weights, centers, draws *view    // lloyd
	queries                 *csrView // nearest: in one form
	queriesDense            *view
	sources                 []int64 // shortest_paths; nil: all
}

// sparse are the matrices in compressed rows, full the others; matrices that are not given are nil.
func (q problem) sparse() []*csrView { return []*csrView{q.a, q.m, q.queries} }
func (q problem) full() []*view {
	return []*view{q.dense, q.mDense, q.queriesDense, q.nullVectors, q.start, q.weights, q.centers, q.draws}
}

// solver is one solver of the header.
type solver struct {
	name, of string // of: what has to be given; empty: nothing
	prepare  func(q problem) (work, error)
	ofFactor bool // it is about a factor
}

// problems prepare the work of each solver of the header, as tasks do. To add a solver, add a row, and its function in solvers.go.
var problems = []solver{
	{name: "eigsh", of: "the matrix A", prepare: problem.eigsh},
	{name: "largest", of: "the matrix A", prepare: problem.largest},
	{name: "svds", of: "the matrix A", prepare: problem.svds},
	{name: "cholesky", of: "the matrix A", prepare: problem.cholesky},
	{name: "update_values", of: "the matrix A", prepare: problem.updateValues, ofFactor: true},
	{name: "shortest_paths", of: "the graph", prepare: problem.shortestPaths},
	{name: "connected_components", of: "the graph", prepare: problem.connectedComponents},
	{name: "spectral_init", of: "the graph", prepare: problem.spectralInit},
	{name: "lloyd", of: "the samples", prepare: problem.lloyd},
	{name: "nearest", of: "the samples", prepare: problem.nearest},
	{name: "ldlt", of: "the matrix A", prepare: problem.ldlt},
	{name: "laplacian", of: "the matrix A", prepare: problem.laplacian},
	{name: "update_rank", of: "the vectors W", prepare: problem.updateRank, ofFactor: true},
	{name: "inverse", prepare: problem.inverse, ofFactor: true},
	{name: "parts", prepare: problem.parts, ofFactor: true},
}

// problemNumber is the row of a solver.
func problemNumber(name string) int {
	return slices.IndexFunc(problems, func(s solver) bool { return s.name == name })
}

// prepareProblem checks the inputs that all solvers share, and names the solver in its errors.
func prepareProblem(task int, q problem) (work, error) {
	q.task = problems[task].name
	if of := problems[task].of; of != "" {
		if err := oneForm(of, q.a != nil, q.dense != nil, q.products != nil); err != nil {
			return nil, q.worded(err)
		}
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

// oneForm refuses a matrix that is given in several forms, or in none.
func oneForm(what string, forms ...bool) error {
	given := 0
	for _, there := range forms {
		if there {
			given++
		}
	}
	switch given {
	case 0:
		return fmt.Errorf("the problem is without %s", what)
	case 1:
		return nil
	}
	return fmt.Errorf("the problem has %s in %d forms; give one of them", what, given)
}

// worded rewrites an error: it names the task instead of the package, and the remedies that a
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

// running reads the parameters that say how to run. The limit is for the process; the options
// receive what remains of it after the caller's memory.
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

// large reports whether a problem is large enough to ask the machine for its limit. Asking costs as
// much as a small problem; a result may have as many entries as the square of the order.
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

// held are the caller's bytes that count as the engine's own.
func (q problem) held() int64 {
	var held int64
	for _, a := range q.sparse() {
		if a != nil {
			held += a.held()
		}
	}
	for _, x := range q.full() {
		if x != nil {
			held += 8 * x.rows * x.cols
		}
	}
	return held
}

// converted are the bytes of the copies in the engine's types, an upper bound.
func (q problem) converted() int64 {
	var bytes int64
	for _, a := range q.sparse() {
		if a != nil {
			bytes += a.bytes()
		}
	}
	for _, x := range []*view{q.dense, q.mDense, q.queriesDense, q.weights} {
		if x != nil {
			bytes += 12 * x.rows * x.cols // it is stored without its zeros
		}
	}
	for _, x := range []*view{q.nullVectors, q.start, q.centers, q.draws} {
		if x != nil {
			bytes += 8 * x.rows * x.cols
		}
	}
	return bytes
}

// real reads a number.
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

// matrix returns A, compressed or full, if the limit leaves room for the parts that have to be
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

// ownType is [problem.matrix] of which a full one stays in its type.
func (q problem) ownType(what string, limit int64) (mat.Matrix, error) {
	if q.a != nil {
		return q.a.within(what, limit)
	}
	if err := q.dense.check(what, searched...); err != nil {
		return nil, err
	}
	return q.dense.stored(), nil
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

// vectors returns the columns of a matrix of n rows, nil if there is no matrix.
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
