package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
)

// readArray reads the entries of a dense matrix, column by column; of a
// symmetric one the lower triangle, of a skew-symmetric one the strict lower.
func (p *marketParser) readArray() (*mat.Dense, error) {
	rows, cols, _, err := p.sizes(2)
	if err != nil {
		return nil, err
	}
	if rows == 0 || cols == 0 {
		return nil, p.fail("the matrix is empty: %d × %d", rows, cols)
	}
	if err := p.within(fmt.Sprintf("the %d × %d matrix", rows, cols), MarketArrayBytes(rows, cols)); err != nil {
		return nil, err
	}
	want := uint64(rows) * uint64(cols) // both below 2³¹
	switch p.symmetry {
	case "symmetric":
		want = uint64(rows) * (uint64(rows) + 1) / 2
	case "skew-symmetric":
		want = uint64(rows) * (uint64(rows) - 1) / 2
	}
	// What a limit lets pass gets its memory at once, other files as their numbers come.
	var vals []float64
	var m *unfolding
	if p.limit > 0 {
		m = newUnfolding(rows, cols, p.symmetry)
	}
	count := uint64(0)
	for {
		text, err := p.data()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for w := range bytes.FieldsSeq(text) {
			if count == want {
				return nil, p.fail("more than the %d entries of a %d × %d %s matrix", want, rows, cols, p.symmetry)
			}
			v, err := p.value(w)
			if err != nil {
				return nil, err
			}
			if count++; m != nil {
				m.put(v)
			} else {
				vals = append(vals, v)
			}
		}
	}
	if count < want {
		return nil, &MarketError{Problem: fmt.Sprintf(
			"the file ends after %d of the %d entries of a %d × %d %s matrix (truncated?)", count, want, rows, cols, p.symmetry)}
	}
	if m == nil {
		// With all entries present the full matrix is at most twice their number,
		// a single skew-symmetric row apart.
		m = newUnfolding(rows, cols, p.symmetry)
		for _, v := range vals {
			m.put(v)
		}
	}
	return m.Dense, nil
}

// MarketArrayBytes is what reading an array within a limit takes at its peak.
func MarketArrayBytes(rows, cols int) float64 { return 8 * float64(rows) * float64(cols) }

// unfolding turns entries listed by columns into a full row-major matrix.
type unfolding struct {
	*mat.Dense
	data       []float64
	rows, cols int
	symmetry   string
	i, j       int // of the next entry
}

func newUnfolding(rows, cols int, symmetry string) *unfolding {
	u := &unfolding{data: make([]float64, rows*cols), rows: rows, cols: cols, symmetry: symmetry}
	u.Dense = mat.NewDense(rows, cols, u.data)
	u.i = u.first()
	return u
}

// first is the first row that a column lists.
func (u *unfolding) first() int {
	switch u.symmetry {
	case "symmetric":
		return u.j
	case "skew-symmetric":
		return u.j + 1
	}
	return 0
}

func (u *unfolding) put(v float64) {
	u.data[u.i*u.cols+u.j] = v
	switch u.symmetry {
	case "symmetric":
		u.data[u.j*u.cols+u.i] = v
	case "skew-symmetric":
		u.data[u.j*u.cols+u.i] = -v
	}
	if u.i++; u.i == u.rows {
		u.j++
		u.i = u.first()
	}
}
