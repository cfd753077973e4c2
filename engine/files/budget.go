package files

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// budget is the memory that reading may take at its peak: the matrix, and everything
// held in addition.
type budget struct {
	limit int64 // the limit in messages; 0: none
	taken int64 // in use before reading begins
}

func (o Options) budget() budget { return budget{o.MaxBytes, o.Taken} }

// free is the size of buffers that are not counted.
const free = 1 << 20

func (b budget) bounded() bool { return b.limit > 0 }

// left returns the remaining memory, if it is bounded.
func (b budget) left() float64 { return max(0, float64(b.limit)-float64(b.taken)) }

// fits reports whether the numbers and the additional bytes fit.
func (b budget) fits(numbers, extra float64) bool {
	return !b.bounded() || numbers+max(0, extra-free) <= b.left()
}

// check returns an error for data that do not fit. what names them, as the subject of a sentence in
// the singular.
func (b budget) check(what string, numbers, extra float64) error {
	if b.fits(numbers, extra) {
		return nil
	}
	return b.exceeded(what, numbers+max(0, extra-free))
}

// checkMatrix returns an error for a dense matrix that does not fit together with the additional bytes.
func (b budget) checkMatrix(rows, cols int, extra float64) error {
	return b.check(fmt.Sprintf("the %d × %d matrix", rows, cols), 8*float64(rows)*float64(cols), extra)
}

func (b budget) exceeded(what string, need float64) error {
	return &tooLarge{fmt.Sprintf("%s takes %s to read, and %s: raise it, or give fewer samples", what, byteCount(need), b.said())}
}

// said describes the limit, and the remaining memory if that is less.
func (b budget) said() string {
	text := "the memory limit is " + byteCount(float64(b.limit))
	if b.taken > 0 {
		text += ", of which " + byteCount(b.left()) + " are left"
	}
	return text
}

// tooLarge is the error of an input beyond the budget.
type tooLarge struct{ problem string }

func (e *tooLarge) Error() string { return e.problem }

// IsTooLarge reports whether an error is about an input that needs more memory than
// [Options] allow.
func IsTooLarge(err error) bool {
	_, is := errors.AsType[*tooLarge](err)
	return is
}

// Memory is the memory that reading a table may take. The reader requests the memory that it holds in addition to
// the matrix, and returns what it frees. A nil *Memory has no limit.
type Memory struct {
	budget  budget
	numbers float64 // of the matrix
	held    float64 // in addition to it
	given   float64 // returned, and not collected yet
}

// Take requests the given bytes. what names them in the error, which
// the reader returns, as the subject of a sentence in the singular.
func (m *Memory) Take(what string, bytes int) error {
	if m == nil {
		return nil
	}
	m.held += float64(bytes)
	return m.check(what)
}

// check refuses bytes that do not fit. Returned memory stays in use until the garbage collector has
// run, which is started if memory is short.
func (m *Memory) check(what string) error {
	if !m.budget.fits(m.numbers, m.held) {
		return m.budget.exceeded(what, m.numbers+m.held)
	}
	if m.given > free && !m.budget.fits(m.numbers, m.held+m.given) {
		debug.FreeOSMemory()
		m.given = 0
	}
	return nil
}

// Bounded reports whether there is a limit.
func (m *Memory) Bounded() bool { return m != nil && m.budget.bounded() }

// Give returns the given bytes.
func (m *Memory) Give(bytes int) {
	if m != nil {
		m.held -= float64(bytes)
		m.given += float64(bytes)
	}
}

// Grow returns b with capacity for n bytes, and requests the difference. The content is lost if b moves.
// New memory is aligned for 64-bit numbers.
func (m *Memory) Grow(what string, b []byte, n int) ([]byte, error) {
	if n < 0 {
		return nil, errors.New("a negative length: the file is damaged")
	}
	if cap(b) < n {
		size := (max(n, 16) + 7) / 8 * 8
		if err := m.Take(what, size-cap(b)); err != nil {
			return nil, err
		}
		if m != nil {
			m.given += float64(cap(b))
		}
		b = make([]byte, size)
	}
	return b[:n], nil
}

// holds accounts for all numbers of the matrix, and for those held in addition.
func (m *Memory) holds(rows, cols int, extra float64) error {
	m.numbers = 8 * float64(rows) * float64(cols)
	if err := m.budget.checkMatrix(rows, cols, m.held+extra); err != nil {
		return err
	}
	return m.check("the matrix")
}
