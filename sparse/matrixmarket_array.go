package sparse

import (
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
	want := uint64(rows) * uint64(cols) // both below 2³¹
	if p.limit > 0 && want > uint64(p.limit)/8 {
		return nil, p.fail("the %d × %d matrix takes more than the memory limit of %d bytes", rows, cols, p.limit)
	}
	switch p.symmetry {
	case "symmetric":
		want = uint64(rows) * (uint64(rows) + 1) / 2
	case "skew-symmetric":
		want = uint64(rows) * (uint64(rows) - 1) / 2
	}
	var vals []float64
	for {
		words, err := p.data()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			if uint64(len(vals)) == want {
				return nil, p.fail("more than the %d entries of a %d × %d %s matrix", want, rows, cols, p.symmetry)
			}
			v, err := p.value(w)
			if err != nil {
				return nil, err
			}
			vals = append(vals, v)
		}
	}
	if uint64(len(vals)) < want {
		return nil, &MarketError{Problem: fmt.Sprintf(
			"the file ends after %d of the %d entries of a %d × %d %s matrix (truncated?)", len(vals), want, rows, cols, p.symmetry)}
	}
	// With all entries present the full matrix is at most twice their number,
	// a single skew-symmetric row apart.
	return unfold(rows, cols, vals, p.symmetry), nil
}

// unfold turns entries listed by columns into a full row-major matrix.
func unfold(rows, cols int, vals []float64, symmetry string) *mat.Dense {
	data := make([]float64, rows*cols)
	for j := range cols {
		first := 0
		switch symmetry {
		case "symmetric":
			first = j
		case "skew-symmetric":
			first = j + 1
		}
		for i := first; i < rows; i++ {
			v := vals[0]
			vals = vals[1:]
			data[i*cols+j] = v
			switch {
			case symmetry == "symmetric":
				data[j*cols+i] = v
			case symmetry == "skew-symmetric":
				data[j*cols+i] = -v
			}
		}
	}
	return mat.NewDense(rows, cols, data)
}
