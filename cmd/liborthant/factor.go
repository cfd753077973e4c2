package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// readFactor reads the matrix and the parameters of a factorisation.
func (q problem) readFactor() (s *solving, shift float64, a *sparse.CSR, err error) {
	if err := q.only("dense"); err != nil {
		return nil, 0, nil, err
	}
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
		m := s.madeOfFactor(f)
		m.factor = f
		return m, nil
	}), nil
}

// updateValues factorises another matrix of the same pattern in the place of the first.
func (q problem) updateValues() (work, error) {
	s, shift, a, err := q.readFactor()
	if err != nil {
		return nil, err
	}
	return s.under(func(ctx context.Context) (*made, error) {
		if err := q.factor.UpdateValues(ctx, a, shift); err != nil {
			return nil, err
		}
		return s.madeOfFactor(q.factor), nil
	}), nil
}

func (s *solving) madeOfFactor(f *sparse.Cholesky) *made {
	m := s.made(f.Order(), f.Order(), true)
	report := m.report()
	report["factor_entries"], report["bytes"], report["ordering"] = f.Entries(), f.Bytes(), f.Ordering()
	m.arrays = map[string]array{}
	return m
}

// factorOf returns the factor of a result.
func (r *result) factorOf() (*sparse.Cholesky, error) {
	m, err := r.get()
	if err != nil {
		return nil, err
	}
	if m.factor == nil {
		return nil, fmt.Errorf("the result has no factor; give one of orthant_cholesky")
	}
	return m.factor, nil
}

// solveIn replaces the columns of the caller's buffer by solutions.
func solveIn(f *sparse.Cholesky, v view) error {
	if err := v.check("x", typeFloat64, typeFloat32); err != nil {
		return err
	}
	if v.rows != int64(f.Order()) {
		return fmt.Errorf("x: it is %d × %d where the factor is of order %d; give a right-hand side a column, n × count", v.rows, v.cols, f.Order())
	}
	q := problem{task: "solve"}
	x, shared := v.dense()
	if shared && v.stride == v.cols {
		return q.worded(f.Solve(x.RawMatrix().Data, int(v.cols)))
	}
	packed := mat.DenseCopyOf(x).RawMatrix().Data
	if err := f.Solve(packed, int(v.cols)); err != nil {
		return q.worded(err)
	}
	return array{rows: int(v.rows), cols: int(v.cols), numbers: packed}.copyTo(v, "x")
}
