package library

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// factor is what solves systems with one matrix, which a result holds.
type factor interface {
	Order() int
	Entries() int64
	Bytes() int64
	Ordering() string
	solve(x []float64, sides int) error
	// report adds the facts that only this factorisation has.
	report(numbers map[string]float64, report map[string]any) error
}

// factorisation is a factor whose parts are known.
type factorisation interface {
	factor
	UpdateValues(ctx context.Context, a mat.Matrix, shift float64) error
	Apply(x []float64, sides int, parts ...sparse.Part) error
	Parts() (*sparse.Parts, error)
	InverseDiagonal(ctx context.Context) ([]float64, error)
	InverseEntries(ctx context.Context, pattern mat.Matrix) (*sparse.CSR, error)
	updateRank(ctx context.Context, w mat.Matrix, subtract bool) error
	logDet() (sign, logarithm float64, err error)
}

type definite struct{ *sparse.Cholesky }

func (f definite) solve(x []float64, sides int) error { return f.Solve(x, sides) }

func (f definite) updateRank(ctx context.Context, w mat.Matrix, subtract bool) error {
	return f.UpdateRank(ctx, w, subtract)
}

func (f definite) logDet() (sign, logarithm float64, err error) {
	logarithm, err = f.LogDet()
	return 1, logarithm, err
}

func (f definite) report(numbers map[string]float64, report map[string]any) error {
	numbers["sign"], report["sign"] = 1, 1
	return nil
}

type indefinite struct{ *sparse.LDLT }

func (f indefinite) solve(x []float64, sides int) error {
	_, err := f.Solve(x, sides)
	return err
}

func (f indefinite) updateRank(context.Context, mat.Matrix, bool) error {
	return errors.New("a factor LDLᵀ takes no vectors; give the sum as new values, with zeros stored at its further places in the first matrix, or factorise a definite matrix by Cholesky")
}

func (f indefinite) logDet() (sign, logarithm float64, err error) { return f.LogDet() }

func (f indefinite) report(numbers map[string]float64, report map[string]any) error {
	in, err := f.Inertia()
	if err != nil {
		return err
	}
	sign, _, err := f.LogDet()
	numbers["positive"], numbers["negative"], numbers["zero"] = float64(in.Positive), float64(in.Negative), float64(in.Zero)
	numbers["bound"], numbers["sign"] = in.Bound, sign
	report["inertia"], report["sign"] = in, sign
	if text := in.Doubt(); text != "" {
		numbers["warnings"], report["warnings"] = 1, []string{text}
	}
	numbers["certain"] = truth(in.Certain)
	return err
}

// readFactor reads the matrix and the parameters of a factorisation.
func (q problem) readFactor() (s *solving, shift float64, a *sparse.CSR, err error) {
	q.count = 1 // there is nothing to count
	s, err = q.begin(func(p *parameters) (err error) {
		shift, err = p.real("shift")
		return err
	})
	if err != nil {
		return nil, 0, nil, err
	}
	given, err := q.matrix("A", s.limit)
	if err != nil {
		return nil, 0, nil, err
	}
	return s, shift, withoutZeros(given), nil
}

// cholesky factorises a matrix; the result holds the factor.
func (q problem) cholesky() (work, error) {
	s, shift, a, err := q.readFactor()
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		f, err := sparse.NewCholesky(ctx, a, shift, sparse.CholeskyOptions{Kernels: s.Kernels, Threads: s.Threads, Memory: s.Memory})
		if err != nil {
			return nil, err
		}
		return s.madeOfFactor(definite{f})
	}), nil
}

// ldlt factorises a matrix that may be indefinite; the result holds the factor.
func (q problem) ldlt() (work, error) {
	s, shift, a, err := q.readFactor()
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		f, err := sparse.NewLDLT(ctx, a, shift, sparse.CholeskyOptions{Kernels: s.Kernels, Threads: s.Threads, Memory: s.Memory})
		if err != nil {
			return nil, err
		}
		return s.madeOfFactor(indefinite{f})
	}), nil
}

// updateValues factorises another matrix of the same pattern, which replaces the first.
func (q problem) updateValues() (work, error) {
	s, shift, a, err := q.readFactor()
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		f, err := q.factorisation()
		if err == nil {
			err = f.UpdateValues(ctx, a, shift)
		}
		if err != nil {
			return nil, err
		}
		m, err := s.madeOfFactor(f)
		if err == nil {
			m.factor = nil // the first result had its factor
		}
		return m, err
	}), nil
}

func (s *solving) madeOfFactor(f factor) (*made, error) {
	m := s.made(f.Order(), f.Order(), true)
	report := m.report()
	report["factor_entries"], report["bytes"], report["ordering"] = f.Entries(), f.Bytes(), f.Ordering()
	m.arrays, m.factor = map[string]array{}, f
	return m, f.report(m.numbers, report)
}

// factorOf returns the factor of a result.
func (r *result) factorOf() (factor, error) {
	m, err := r.get()
	if err != nil {
		return nil, err
	}
	if m.factor == nil {
		return nil, fmt.Errorf("the result has no factor; give one of orthant_cholesky or orthant_ldlt")
	}
	return m.factor, nil
}

// factorisation returns the factorisation that the problem is about.
func (q problem) factorisation() (factorisation, error) { return factorisationOf(q.factor) }

func factorisationOf(f factor) (factorisation, error) {
	if f, is := f.(factorisation); is {
		return f, nil
	}
	return nil, errors.New("a solver of Laplacians has no factor; give one of orthant_cholesky_of or orthant_ldlt_of")
}

// updateRank adds vectors to the matrix of a factor, or subtracts them.
func (q problem) updateRank() (work, error) {
	q.count = 1 // there is nothing to count
	subtract := false
	s, err := q.begin(func(p *parameters) (err error) {
		subtract, err = p.truthOf("subtract")
		return err
	})
	if err != nil {
		return nil, err
	}
	w, err := q.matrix("W", s.limit)
	if err != nil {
		return nil, err
	}
	f, err := q.factorisation()
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		if err := f.updateRank(ctx, w, subtract); err != nil {
			return nil, err
		}
		_, cols := w.Dims()
		return s.made(f.Order(), cols, true), nil
	}), nil
}

// inverse computes entries of the inverse: its diagonal, those at the places of a pattern, or all at places of the factor.
func (q problem) inverse() (work, error) {
	q.count = 1 // there is nothing to count
	const diagonal, all = "diagonal", "factor"
	which := ""
	s, err := q.begin(func(p *parameters) (err error) {
		which, err = p.word("entries", diagonal, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	f, err := q.factorisation()
	if err != nil {
		return nil, err
	}
	var pattern mat.Matrix
	if q.a != nil {
		if which != diagonal {
			return nil, fmt.Errorf("\"entries\" is %q where there is a pattern; give one of them", which)
		}
		if pattern, err = q.matrix("the pattern", s.limit); err != nil {
			return nil, err
		}
	}
	return s.under(func(ctx context.Context) (*made, error) {
		m := s.made(f.Order(), f.Order(), true)
		if pattern == nil && which != all {
			d, err := f.InverseDiagonal(ctx)
			m.arrays = map[string]array{"diagonal": column(d)}
			return m, err
		}
		z, err := f.InverseEntries(ctx, pattern)
		if err != nil {
			return nil, err
		}
		m.arrays = compressedArrays(nil, "", z)
		return m, nil
	}), nil
}

// parts copies the parts of a factor.
func (q problem) parts() (work, error) {
	q.count = 1 // there is nothing to count
	s, err := q.begin(nothing)
	if err != nil {
		return nil, err
	}
	f, err := q.factorisation()
	if err != nil {
		return nil, err
	}
	return s.under(func(context.Context) (*made, error) {
		p, err := f.Parts()
		if err != nil {
			return nil, err
		}
		m := s.made(f.Order(), f.Order(), true)
		m.arrays = compressedArrays(map[string]array{"order": columnOf(p.Order)}, "l_", p.L)
		if p.D != nil {
			m.arrays = compressedArrays(m.arrays, "d_", p.D)
		}
		return m, nil
	}), nil
}

// compressedArrays adds a sparse matrix to the arrays of a result.
func compressedArrays(to map[string]array, prefix string, a *sparse.CSR) map[string]array {
	if to == nil {
		to = map[string]array{}
	}
	to[prefix+"data"], to[prefix+"indices"], to[prefix+"indptr"] = column(a.Val), columnOf(a.Col), columnOf(a.Ptr)
	return to
}

// askedOf is what is asked of a factor, without a task of its own.
type askedOf int

const (
	askSolve askedOf = iota
	askMeasured
	askApply
	askLogDet
)

// ask answers a question to a factor. Solutions and products replace x; what else there is to say goes to found: the iterations and the residual, or the
// sign and the logarithm of the determinant.
func (r *result) ask(what askedOf, parts string, x *view) (found []float64, err error) {
	f, err := r.factorOf()
	if err != nil {
		return nil, err
	}
	if x == nil && what != askLogDet {
		return nil, errors.New("x is NULL")
	}
	switch what {
	case askSolve:
		return nil, replace(f, *x, "solve", f.solve)
	case askMeasured:
		return solveMeasured(f, *x)
	}
	known, err := factorisationOf(f)
	if err != nil {
		return nil, err
	}
	if what == askLogDet {
		sign, logarithm, err := known.logDet()
		return []float64{sign, logarithm}, problem{task: "log_det"}.worded(err)
	}
	var list []sparse.Part
	for _, name := range strings.Fields(parts) {
		list = append(list, sparse.Part(name))
	}
	return nil, replace(f, *x, "apply", func(x []float64, sides int) error { return known.Apply(x, sides, list...) })
}

// replace replaces the columns of the caller's buffer by what is made of them.
func replace(f factor, v view, task string, do func(x []float64, sides int) error) error {
	if err := v.check("x", typeFloat64, typeFloat32); err != nil {
		return err
	}
	if v.rows != int64(f.Order()) {
		return fmt.Errorf("x: it is %d × %d where the factor is of order %d; give a right-hand side a column, n × count", v.rows, v.cols, f.Order())
	}
	q := problem{task: task}
	x, shared := v.dense()
	if shared && v.stride == v.cols {
		return q.worded(do(x.RawMatrix().Data, int(v.cols)))
	}
	packed := mat.DenseCopyOf(x).RawMatrix().Data
	if err := do(packed, int(v.cols)); err != nil {
		return q.worded(err)
	}
	return array{rows: int(v.rows), cols: int(v.cols), numbers: packed}.copyTo(v, "x")
}
