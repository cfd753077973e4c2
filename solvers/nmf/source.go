package nmf

import (
	"io"

	"github.com/orthant-go/orthant/sparse"
)

// Source gives the rows of a matrix X that need not be in memory. It is read many times.
// One goroutine uses it at a time.
type Source interface {
	Rows() int // −1: not known before the end
	Cols() int
	// Sparse tells whether the rows are compressed: Append gives them then, else Next.
	Sparse() bool
	// Starts are the rows, ascending from 0, at which reading can begin; nil: at every
	// row. They cut the matrix into pieces.
	Starts() []int
	// Seek goes to a row at which reading can begin.
	Seek(row int) error
	// Next fills dst with as many of the following rows as it likes, at least one, and
	// returns their number. The end is io.EOF with 0.
	Next(dst []float64) (rows int, err error)
	// Append is Next for compressed rows: it appends at least one and at most so many to
	// the matrix.
	Append(to *sparse.CSR, most int) (rows int, err error)
}

// Memory is the source of data that are in memory.
func Memory(d Data) Source { return &memorySource{data: d} }

type memorySource struct {
	data Data
	at   int // the next row
}

func (s *memorySource) Rows() int     { return s.data.Rows }
func (s *memorySource) Cols() int     { return s.data.Cols }
func (s *memorySource) Sparse() bool  { return s.data.Sparse != nil }
func (s *memorySource) Starts() []int { return nil }

func (s *memorySource) Seek(row int) error {
	s.at = row
	return nil
}

func (s *memorySource) Next(dst []float64) (int, error) {
	m := s.data.Cols
	n := min(len(dst)/m, s.data.Rows-s.at)
	if n <= 0 {
		return 0, io.EOF
	}
	if s.data.Single != nil {
		widened(s.data.Single[s.at*m:(s.at+n)*m], dst)
	} else {
		copy(dst, s.data.Dense[s.at*m:(s.at+n)*m])
	}
	s.at += n
	return n, nil
}

func (s *memorySource) Append(to *sparse.CSR, most int) (int, error) {
	n := min(most, s.data.Rows-s.at)
	if n <= 0 {
		return 0, io.EOF
	}
	for i := s.at; i < s.at+n; i++ {
		cols, vals := s.data.Sparse.Row(i)
		to.Col, to.Val = append(to.Col, cols...), append(to.Val, vals...)
		to.Ptr = append(to.Ptr, len(to.Col))
	}
	to.Rows += n
	s.at += n
	return n, nil
}
