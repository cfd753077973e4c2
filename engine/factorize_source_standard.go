package engine

import (
	"errors"
	"io"
	"math"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// standardizedSource standardises the rows of a source as they come, in no memory of their
// own.
type standardizedSource struct {
	nmf.Source
	samples.Standard
	method string
	row    int // the next one
}

// standardizedSource returns a source as the options say. minmax reads all rows once for
// their ends.
func (b *begun) standardizedSource(src nmf.Source) (nmf.Source, error) {
	how := b.options.Standardize
	switch {
	case how == "none":
		return src, nil
	case src.Sparse() && samples.ByColumns(how):
		return nil, wording.Errorf("%s: ‹standardize=%s› takes something off every column, which fills the zeros of sparse data; take unit or log1p, which keep them", b.Method(), how)
	case samples.Signed(how):
		return nil, wording.Errorf("%s: ‹standardize=%s› makes negative entries, and the method takes none; take minmax (each column from 0 to 1) or unit (each row of length 1)", b.Method(), how)
	}
	s := samples.Standard{How: how}
	if how == "minmax" {
		var err error
		if s.Center, s.Spread, err = b.endsOf(src); err != nil {
			return nil, err
		}
	}
	b.standard = &s
	b.Explain("data: standardised (%s), batch by batch", how)
	return &standardizedSource{Source: src, Standard: s, method: b.Method()}, nil
}

// endsOf reads all rows of a source for the least value and the range of every column.
func (b *begun) endsOf(src nmf.Source) (least, width []float64, err error) {
	m := src.Cols()
	low, high := make([]float64, m), make([]float64, m)
	for j := range m {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	if err := src.Seek(0); err != nil {
		return nil, nil, err
	}
	block := make([]float64, m*max(1, streamBytes/(8*m)))
	for {
		n, err := src.Next(block)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = b.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		for at, v := range block[:n*m] {
			low[at%m], high[at%m] = min(low[at%m], v), max(high[at%m], v)
		}
	}
	both := samples.OfRows(2, m, append(low, high...))
	s, err := both.StandardOf(b.Context(), 1, "minmax")
	if err != nil {
		return nil, nil, err
	}
	return s.Center, s.Spread, src.Seek(0)
}

// Seek goes to a row.
func (s *standardizedSource) Seek(row int) error {
	s.row = row
	return s.Source.Seek(row)
}

// Next reads rows and standardises them.
func (s *standardizedSource) Next(dst []float64) (int, error) {
	n, err := s.Source.Next(dst)
	m := s.Cols()
	for i := range n {
		row := dst[i*m : (i+1)*m]
		if err := s.check(row, func(q int) int { return q }); err != nil {
			return 0, err
		}
		s.Scale(row)
		s.row++
	}
	return n, err
}

// Append is Next for compressed rows.
func (s *standardizedSource) Append(to *sparse.CSR, most int) (int, error) {
	n, err := s.Source.Append(to, most)
	for i := to.Rows - n; i < to.Rows; i++ {
		cols, vals := to.Row(i)
		if err := s.check(vals, func(q int) int { return int(cols[q]) }); err != nil {
			return 0, err
		}
		s.Scale(vals)
		s.row++
	}
	return n, err
}

// check refuses what has no logarithm.
func (s *standardizedSource) check(vals []float64, column func(q int) int) error {
	if s.How != "log1p" {
		return nil
	}
	for q, v := range vals {
		if v <= -1 {
			return belowLog(s.method, s.row, column(q), v)
		}
	}
	return nil
}
