package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// factor is a factorisation that a result holds.
type factor interface {
	Order() int
	Entries() int64
	Bytes() int64
	Ordering() string
	UpdateValues(ctx context.Context, a mat.Matrix, shift float64) error
	solve(x []float64, sides int) error
	logDet() (float64, error)
	// report adds the facts that only this factorisation has.
	report(numbers map[string]float64, report map[string]any) error
}

type definite struct{ *sparse.Cholesky }

func (f definite) solve(x []float64, sides int) error              { return f.Solve(x, sides) }
func (f definite) logDet() (float64, error)                        { return f.LogDet() }
func (f definite) report(map[string]float64, map[string]any) error { return nil }

type indefinite struct{ *sparse.LDLT }

func (f indefinite) solve(x []float64, sides int) error {
	_, err := f.Solve(x, sides)
	return err
}

func (f indefinite) logDet() (float64, error) {
	_, logarithm, err := f.LogDet()
	return logarithm, err
}

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
		if err := q.factor.UpdateValues(ctx, a, shift); err != nil {
			return nil, err
		}
		m, err := s.madeOfFactor(q.factor)
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

// solveIn replaces the columns of the caller's buffer by solutions.
func solveIn(f factor, v view) error {
	if err := v.check("x", typeFloat64, typeFloat32); err != nil {
		return err
	}
	if v.rows != int64(f.Order()) {
		return fmt.Errorf("x: it is %d × %d where the factor is of order %d; give a right-hand side a column, n × count", v.rows, v.cols, f.Order())
	}
	q := problem{task: "solve"}
	x, shared := v.dense()
	if shared && v.stride == v.cols {
		return q.worded(f.solve(x.RawMatrix().Data, int(v.cols)))
	}
	packed := mat.DenseCopyOf(x).RawMatrix().Data
	if err := f.solve(packed, int(v.cols)); err != nil {
		return q.worded(err)
	}
	return array{rows: int(v.rows), cols: int(v.cols), numbers: packed}.copyTo(v, "x")
}
