package factor

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// nonnegative returns the samples without negative entries, shifted as the method was
// told to, and what was taken off each column (nil: nothing), or refuses the first
// negative entry.
func (w Work) nonnegative(how string) (x samples.Samples, shift []float64, err error) {
	row, col, value := w.X.FirstNegative()
	switch {
	case row < 0:
		return w.X, nil, nil
	case how == "none":
		return x, nil, wording.Errorf("%s: row %d, column %d (counting from 1) is %v; give entries ≥ 0, shift the data (‹shift=columns› takes the least entry of a column off it where that is negative, ‹shift=global› the least of all), or take a method whose components have any sign: rmnmf, dsmf",
			w.Method(), row+1, col+1, value)
	case w.X.Compressed() != nil:
		return x, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; sparse data cannot be shifted, as that would fill them: give entries ≥ 0, or dense data, or take a method whose components have any sign: rmnmf, dsmf", w.Method(), row+1, col+1, value)
	}
	x, shift = w.X.Shifted(how)
	return x, shift, nil
}
