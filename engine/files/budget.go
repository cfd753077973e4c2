package files

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// budget is the memory that reading may take at its peak: the matrix, and what is
// held in addition on the way.
type budget struct {
	limit int64 // that messages name; 0: none
	taken int64 // of it, before reading begins
}

func (o Options) budget() budget { return budget{o.MaxBytes, o.Taken} }

// free is what buffers of fixed size may take without being counted.
const free = 1 << 20

func (b budget) bounded() bool { return b.limit > 0 }

// left is what there is, where it is bounded.
func (b budget) left() float64 { return max(0, float64(b.limit)-float64(b.taken)) }

// fits reports whether there is room for the bytes of the numbers and of what is held with them.
func (b budget) fits(numbers, beside float64) bool {
	return !b.bounded() || numbers+max(0, beside-free) <= b.left()
}

// check refuses what does not fit. what names it, as the subject of a sentence in
// the singular.
func (b budget) check(what string, numbers, beside float64) error {
	if b.fits(numbers, beside) {
		return nil
	}
	return b.exceeded(what, numbers+max(0, beside-free))
}

// checkMatrix refuses a dense matrix that does not fit together with the bytes of beside.
func (b budget) checkMatrix(rows, cols int, beside float64) error {
	return b.check(fmt.Sprintf("the %d × %d matrix", rows, cols), 8*float64(rows)*float64(cols), beside)
}

func (b budget) exceeded(what string, need float64) error {
	return &tooLarge{fmt.Sprintf("%s takes %s to read, and %s: raise it, or give fewer samples", what, byteCount(need), b.said())}
}

// said names the limit, and what of it is left where that is less.
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

// IsTooLarge reports whether an error is the refusal of an input that takes more memory
// than [Options] allow.
func IsTooLarge(err error) bool {
	_, is := errors.AsType[*tooLarge](err)
	return is
}

// Memory is what reading a table may take. The reader takes what it holds in addition to the
// matrix, and gives back what it frees. A nil *Memory has no limit.
type Memory struct {
	budget  budget
	numbers float64 // of the matrix
	held    float64 // in addition to it
	given   float64 // back, and not collected yet
}

// Take accounts for the given bytes. what names them in the error of too many, which
// the reader returns, as the subject of a sentence in the singular.
func (m *Memory) Take(what string, bytes int) error {
	if m == nil {
		return nil
	}
	m.held += float64(bytes)
	return m.check(what)
}

// check refuses what is too much. What was given back is there until the collector has
// run, which has to be asked for where room is short.
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

// Bounded says whether there is an end of it.
func (m *Memory) Bounded() bool { return m != nil && m.budget.bounded() }

// Give lets the given bytes go.
func (m *Memory) Give(bytes int) {
	if m != nil {
		m.held -= float64(bytes)
		m.given += float64(bytes)
	}
}

// Grow returns b with room for n bytes, of which the content is lost where it moves,
// and accounts for the difference. New memory lies where numbers of 64 bits may.
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
func (m *Memory) holds(rows, cols int, beside float64) error {
	m.numbers = 8 * float64(rows) * float64(cols)
	if err := m.budget.checkMatrix(rows, cols, m.held+beside); err != nil {
		return err
	}
	return m.check("the matrix")
}
