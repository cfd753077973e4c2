package eigen

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// maxFurther bounds the searches for eigenvalues that a count shows to be missing.
const maxFurther = 8

// certified counts the eigenvalues below a shift after the last eigenvalue, where that is requested, and
// searches for missing ones, orthogonal to what is known.
func (p *problem) certified(ctx context.Context, e *Eigen) (*Eigen, error) {
	if !p.Certified {
		return e, nil
	}
	claim := sparse.Claim{A: p.a, Null: len(p.null), Analysis: p.analysis, Residual: slices.Max(e.Residuals) * p.norm}
	return p.certify(ctx, e, claim, func(q *problem, known [][]float64) (*Eigen, error) {
		q.null = slices.Concat(p.null, known)
		more, err := q.solve(ctx)
		if err == nil {
			q.finish(more)
			err = q.above(more)
		}
		return more, err
	})
}

// certified is the certificate of a pencil.
func (s *pencil) certified(ctx context.Context, e *Eigen) (*Eigen, error) {
	if !s.Certified {
		return e, nil
	}
	claim := sparse.Claim{A: s.given, Null: len(s.known), Residual: slices.Max(e.Residuals) * (s.size + math.Abs(e.Values[len(e.Values)-1])*s.mass.norm)}
	switch {
	case s.mass.matrix != nil:
		claim.M, claim.Analysis = s.mass.matrix, s.analysis
	case s.mass.diagonal != nil:
		claim.M = diagonalMatrix(s.mass.diagonal)
	default:
		claim.Analysis = s.analysis
	}
	return s.certify(ctx, e, claim, func(q *problem, known [][]float64) (*Eigen, error) {
		t := *s
		t.problem, t.known = q, slices.Concat(s.known, known)
		t.Start = nil
		return t.pairs(ctx)
	})
}

// certify counts by the claim, and goes on by further searches, each for this many pairs orthogonal to those known.
func (p *problem) certify(ctx context.Context, e *Eigen, claim sparse.Claim, further func(q *problem, known [][]float64) (*Eigen, error)) (*Eigen, error) {
	claim.Values, claim.Next = e.Values, e.Next
	found, err := claim.Certify(ctx, sparse.CholeskyOptions{Kernels: p.Kernels, Threads: p.Threads, Memory: p.Memory})
	if need, is := errors.AsType[*sparse.MemoryError](err); is {
		err = &MemoryError{Need: need.Need, Limit: need.Limit}
	}
	if err != nil {
		return nil, err
	}
	e.Certificate = found
	for range maxFurther {
		missing := min(found.Below-found.Known, p.n-len(e.Values)-claim.Null)
		if missing <= 0 {
			break
		}
		q := *p
		q.count, q.wanted, q.start = missing, min(missing+1, p.n-len(e.Values)-claim.Null), nil
		q.Seed += uint64(len(e.Values)) // what was found may be along the vectors of the same stream
		q.Factored, q.Storage, q.Planned = nil, nil, func(Plan) {}
		more, err := further(&q, e.Vectors)
		if err != nil {
			return nil, err
		}
		e.join(more)
		before := found.Known
		if claim.Values = e.Values; more.Values[0] >= found.Shift {
			break // what the count adds is within rounding of the shift
		}
		claim.Recount(found)
		found.Missed += found.Known - before
	}
	if len(e.Values) > p.count {
		if !(e.Next < e.Values[p.count]) {
			e.Next = e.Values[p.count]
		}
		e.Values, e.Vectors, e.Residuals = e.Values[:p.count], e.Vectors[:p.count], e.Residuals[:p.count]
		e.Angle = math.NaN() // the angle of another span
	}
	found.Pairs = min(found.Pairs, p.count)
	return e, nil
}

// join puts the pairs of another search, orthogonal to these, in their places.
func (e *Eigen) join(more *Eigen) {
	for j, v := range more.Values {
		at, _ := slices.BinarySearch(e.Values, v)
		e.Values = slices.Insert(e.Values, at, v)
		e.Vectors = slices.Insert(e.Vectors, at, more.Vectors[j])
		e.Residuals = slices.Insert(e.Residuals, at, more.Residuals[j])
	}
	if more.Next < e.Next {
		e.Next = more.Next
	}
	e.Converged = e.Converged && more.Converged
	e.Solves, e.Products = e.Solves+more.Solves, e.Products+more.Products
}

// diagonalMatrix is the sparse matrix with that diagonal.
func diagonalMatrix(d []float64) *sparse.CSR {
	a := &sparse.CSR{Rows: len(d), Cols: len(d), Ptr: make([]int, len(d)+1), Col: make([]int32, len(d)), Val: d}
	for i := range d {
		a.Ptr[i+1], a.Col[i] = i+1, int32(i)
	}
	return a
}
