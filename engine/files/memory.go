package files

import (
	"errors"
	"runtime/debug"
)

// Memory is what reading a table may take. The reader takes what it holds beside the
// matrix, and gives back what it lets go. A nil *Memory has no end.
type Memory struct {
	budget  budget
	numbers float64 // of the matrix
	held    float64 // beside it
	given   float64 // back, and not collected yet
}

// Take accounts for so many bytes more. what names them in the error of too many, which
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

// Give accounts for so many bytes less.
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

// holds accounts for the numbers of the matrix, all in all, and those beside it.
func (m *Memory) holds(rows, cols int, beside float64) error {
	m.numbers = 8 * float64(rows) * float64(cols)
	if err := m.budget.checkMatrix(rows, cols, m.held+beside); err != nil {
		return err
	}
	return m.check("the matrix")
}
