package library

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// solving holds the parameters of a solver, without its input.
type solving struct {
	eigen.Options
	task    string
	backend string // as requested
	limit   int64  // of the process; 0: none
	held    int64  // by the caller, and converted
	count   int
	clock   *engine.Clock
}

// begin reads the parameters that the eigensolvers share; more reads the others.
func (q problem) begin(more func(p *parameters) error) (*solving, error) {
	p, err := readParameters(q.task, q.parameters)
	if err != nil {
		return nil, err
	}
	s := &solving{task: q.task, held: q.held() + q.converted()}
	if s.Options, s.backend, s.limit, err = q.running(p); err != nil {
		return nil, err
	}
	if err := more(p); err != nil {
		return nil, err
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	if q.products != nil {
		if err := q.products.check(); err != nil {
			return nil, err
		}
	}
	s.count, err = small(q.count, q.task+": the number asked for")
	return s, err
}

func nothing(*parameters) error { return nil }

// under wraps the work of a solver with its progress and its memory limit.
func (s *solving) under(solve func(ctx context.Context) (*made, error)) work {
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		s.clock = engine.NewClock()
		s.Progress = func(done float64) { progress(engine.Progress{Phase: "solve", Done: done}) }
		defer bounded(s.limit)()
		m, err := solve(ctx)
		return m, s.roomFor(err)
	}
}

// roomFor words the refusal of work beyond the limit: it states the memory that the process would take.
func (s *solving) roomFor(err error) error {
	if e, is := errors.AsType[*eigen.IntervalError](err); is {
		return &failure{statusNoMemory, fmt.Sprintf("%s: the interval holds %d eigenvalues, whose pairs need about %s where the limit is %s; take a shorter interval, or raise the limit",
			s.task, e.Count, limits.FormatBytes(memory.Process(s.held+e.Need)), limits.FormatBytes(s.limit))}
	}
	what, need, remedy := "the solver", int64(0), "ask for less, or raise the limit"
	if e, is := errors.AsType[*eigen.MemoryError](err); is {
		need = e.Need
	} else if e, is := errors.AsType[*sparse.MemoryError](err); is {
		what, need, remedy = e.What, e.Need, e.Remedy
	} else {
		return err
	}
	return &failure{statusNoMemory, fmt.Sprintf("%s: %s needs about %s where the limit is %s; %s", s.task, what,
		limits.FormatBytes(memory.Process(s.held+need)), limits.FormatBytes(s.limit), remedy)}
}

// eigsh finds the smallest eigenpairs of a pencil.
func (q problem) eigsh() (work, error) {
	var p eigen.Pencil
	certified := false
	var low, high float64
	interval, asked := false, q.count
	q.count = max(q.count, 1) // an interval determines the count
	s, err := q.begin(func(of *parameters) (err error) {
		if p.Sigma, err = of.real("sigma"); err != nil {
			return err
		}
		if p.Tolerance, err = of.real("tolerance"); err != nil {
			return err
		}
		if certified, err = of.truthOf("certified"); err != nil {
			return err
		}
		low, high, interval, err = of.interval()
		return err
	})
	if err != nil {
		return nil, err
	}
	if !interval {
		if _, err := small(asked, q.task+": the number asked for"); err != nil {
			return nil, err
		}
	} else if q.products != nil {
		return nil, fmt.Errorf("%s: the pairs of an interval need a factorisation, and of an operator only products are known; give the matrix", q.task)
	}
	s.Certified = certified
	n := 0
	if q.products != nil {
		if err := q.products.square(); err != nil {
			return nil, err
		}
		n = int(q.products.rows)
	} else {
		a, err := q.matrix("A", s.limit)
		if err != nil {
			return nil, err
		}
		p.A = withoutZeros(a)
		n, _ = a.Dims()
	}
	if p.M, err = q.mass(n, s.limit); err != nil {
		return nil, err
	}
	if p.Null, err = vectors(q.nullVectors, n, "null"); err != nil {
		return nil, err
	}
	if p.Start, err = vectors(q.start, n, "start"); err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		var e *eigen.Eigen
		if interval {
			e, err := p.Between(ctx, low, high, s.Options)
			return s.madeOfPairs(n, e, err)
		}
		if q.products == nil {
			e, err := p.Pairs(ctx, s.count, s.Options)
			return s.madeOfPairs(n, e, err)
		}
		err := q.products.by(ctx, func(ctx context.Context, a eigen.Rectangular) (err error) {
			p := p
			p.Operator = &eigen.Operator{Order: n, Multiply: a.Multiply}
			e, err = p.Smallest(ctx, s.count, s.Options)
			return err
		})
		return s.madeOfPairs(n, e, err)
	}), nil
}

// interval reads both ends of an interval, or neither.
func (p *parameters) interval() (low, high float64, given bool, err error) {
	if _, first := p.values["low"]; !first {
		if _, second := p.values["high"]; !second {
			p.known = append(p.known, "low", "high")
			return 0, 0, false, nil
		}
		return 0, 0, false, fmt.Errorf("%s: high is given without low; give both ends of the interval", p.owner)
	}
	if _, second := p.values["high"]; !second {
		return 0, 0, false, fmt.Errorf("%s: low is given without high; give both ends of the interval", p.owner)
	}
	if low, err = p.real("low"); err == nil {
		high, err = p.real("high")
	}
	return low, high, true, err
}

// mass returns M, nil if there is none: compressed, full, or a column that holds its diagonal.
func (q problem) mass(n int, limit int64) (mat.Matrix, error) {
	switch {
	case q.m != nil && q.mDense != nil:
		return nil, oneForm("the matrix M", true, true)
	case q.m != nil:
		return q.m.within("M", limit)
	case q.mDense == nil:
		return nil, nil
	}
	if err := q.mDense.check("M", typeFloat64, typeFloat32, typeUint8); err != nil {
		return nil, err
	}
	if q.mDense.cols == 1 && n > 1 {
		if q.mDense.rows != int64(n) {
			return nil, fmt.Errorf("the diagonal M has %d entries where A is of order %d; give one for each row", q.mDense.rows, n)
		}
		return diagonal(q.mDense), nil
	}
	x, _ := q.mDense.dense()
	return withoutZeros(x), nil
}

// largest finds the largest eigenpairs.
func (q problem) largest() (work, error) {
	s, err := q.begin(nothing)
	if err != nil {
		return nil, err
	}
	if q.products != nil {
		if err := q.products.square(); err != nil {
			return nil, err
		}
		n := int(q.products.rows)
		return s.under(func(ctx context.Context) (*made, error) {
			var e *eigen.Eigen
			err := q.products.by(ctx, func(ctx context.Context, a eigen.Rectangular) (err error) {
				e, err = eigen.Largest(ctx, eigen.Operator{Order: n, Multiply: a.Multiply}, s.count, s.Options)
				return err
			})
			return s.madeOfPairs(n, e, err)
		}), nil
	}
	a, err := q.matrix("A", s.limit)
	if err != nil {
		return nil, err
	}
	n, _ := a.Dims()
	return s.under(func(ctx context.Context) (*made, error) {
		e, err := eigen.LargestOf(ctx, a, s.count, s.Options)
		return s.madeOfPairs(n, e, err)
	}), nil
}

// svds finds the largest singular triplets.
func (q problem) svds() (work, error) {
	s, err := q.begin(nothing)
	if err != nil {
		return nil, err
	}
	if q.products != nil {
		return s.under(func(ctx context.Context) (*made, error) {
			var found *eigen.Singular
			err := q.products.by(ctx, func(ctx context.Context, a eigen.Rectangular) (err error) {
				found, err = a.SVD(ctx, s.count, s.Options)
				return err
			})
			return s.madeOfTriplets(int(q.products.rows), int(q.products.cols), found, err)
		}), nil
	}
	a, err := q.matrix("A", s.limit)
	if err != nil {
		return nil, err
	}
	rows, cols := a.Dims()
	return s.under(func(ctx context.Context) (*made, error) {
		found, err := eigen.SVD(ctx, a, s.count, s.Options)
		return s.madeOfTriplets(rows, cols, found, err)
	}), nil
}

func (s *solving) madeOfPairs(n int, e *eigen.Eigen, err error) (*made, error) {
	if err != nil {
		return nil, err
	}
	m := s.made(n, n, e.Converged).measured(e.Residuals, e.Plan, e.Products)
	m.arrays = map[string]array{"eigenvalues": column(e.Values), "vectors": columnsOf(e.Vectors, n), "residuals": column(e.Residuals)}
	m.arrays["errors"] = column(e.Errors)
	m.numbers["next_eigenvalue"] = e.Next
	m.addWarnings(e.Certificate, e.Warnings()...)
	before := m.report
	m.report = func() map[string]any {
		report := before()
		report["digits"] = e.Digits()
		if e.Infinite > 0 {
			report["infinite_eigenvalues"] = e.Infinite
		}
		return report
	}
	return m, nil
}

// addWarnings adds the warnings of a solver and the count of eigenvalues, if there is one, to the report.
func (m *made) addWarnings(certificate *sparse.Certificate, warnings ...string) {
	before := m.report
	m.numbers["warnings"] = float64(len(warnings))
	m.report = func() map[string]any {
		report := before()
		report["warnings"] = listed(warnings)
		if certificate != nil {
			report["certificate"] = certificate
		}
		return report
	}
}

func (s *solving) madeOfTriplets(rows, cols int, found *eigen.Singular, err error) (*made, error) {
	if err != nil {
		return nil, err
	}
	m := s.made(rows, cols, found.Converged).measured(found.Residuals, found.Plan, found.Products)
	m.arrays = map[string]array{
		"u": columnsOf(found.Left, rows), "v": columnsOf(found.Right, cols),
		"singular_values": column(found.Values), "residuals": column(found.Residuals), "errors": column(found.Errors)}
	m.addWarnings(nil, found.Warnings()...)
	m.numbers["next_singular_value"] = found.Next
	return m, nil
}

// measured adds the report of an eigensolver.
func (m *made) measured(residuals []float64, plan eigen.Plan, products int) *made {
	before := m.report
	m.report = func() map[string]any {
		report := before()
		report["residuals"], report["plan"], report["products"] = numbersOf(residuals), plan, products
		return report
	}
	return m
}

// made is a result without arrays.
func (s *solving) made(rows, cols int, converged bool) *made {
	seconds, cpu := s.clock.Seconds()
	report := map[string]any{
		"task": s.task, "rows": rows, "columns": cols, "converged": converged,
		"backend": s.Kernels.Name(), "threads": s.Threads, "seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}}
	m := &made{
		numbers: map[string]float64{"converged": truth(converged), "warnings": 0, "seconds": seconds["total"]},
		report:  func() map[string]any { return report },
	}
	if !converged {
		m.missed = &failure{statusNotConverged, fmt.Sprintf("%s: not every residual reached the tolerance; the result is the best found (see its residuals)", s.task)}
	}
	return m
}

// operator is an orthant_operator: a matrix that the caller gives by its products.
type operator struct {
	rows, cols int64
	// multiply computes Y = A·X, or Aᵀ·X; a result other than 0 ends the task.
	multiply func(transposed bool, width int, x, y []float64) int

	ended atomic.Int64 // what multiply returned when it ended the task
}

func (o *operator) check() error {
	const most = 1<<31 - 1
	switch {
	case o.multiply == nil:
		return fmt.Errorf("products: the function is NULL; give one that multiplies")
	case o.rows < 1 || o.cols < 1 || o.rows > most || o.cols > most:
		return fmt.Errorf("products: the matrix is %d × %d; give its numbers of rows and columns, fewer than 2³¹", o.rows, o.cols)
	}
	return nil
}

// product is one of the two products. When the caller ends the task, the context is cancelled, and
// the rest of the work receives zeros.
func (o *operator) product(transposed bool, cancel func()) func(width int, x, y []float64) {
	in, out := o.cols, o.rows
	if transposed {
		in, out = out, in
	}
	return func(width int, x, y []float64) {
		x, y = x[:int(in)*width], y[:int(out)*width]
		if o.ended.Load() != 0 {
			clear(y)
			return
		}
		if code := o.multiply(transposed, width, x, y); code != 0 {
			o.ended.Store(int64(code))
			clear(y)
			cancel()
		}
	}
}

// by runs a solver with the operator, and reports whether the caller ended it.
func (o *operator) by(ctx context.Context, solve func(ctx context.Context, a eigen.Rectangular) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := solve(ctx, eigen.Rectangular{
		Rows: int(o.rows), Cols: int(o.cols),
		Multiply: o.product(false, cancel), MultiplyTransposed: o.product(true, cancel),
	})
	if code := o.ended.Load(); code != 0 {
		return &failure{statusCanceled, fmt.Sprintf("the function that multiplies returned %d, which ended the task", code)}
	}
	return err
}

// square refuses an operator of another shape.
func (o *operator) square() error {
	if o.rows != o.cols {
		return fmt.Errorf("products: the matrix is %d × %d; give a symmetric one", o.rows, o.cols)
	}
	return nil
}

// diagonal is the diagonal of M, given as a column.
func diagonal(v *view) mat.Matrix {
	x, _ := v.dense()
	return mat.NewVecDense(int(v.rows), mat.Col(nil, 0, x))
}
