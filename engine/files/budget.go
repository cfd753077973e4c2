package files

import (
	"errors"
	"fmt"
)

// budget is the memory that reading may take at its peak: the matrix, and what is
// held beside it on the way.
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

// fits says whether there is room for so many bytes of numbers and those beside them.
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

// checkMatrix refuses a dense matrix that takes so many bytes beside its numbers.
func (b budget) checkMatrix(rows, cols int, beside float64) error {
	return b.check(fmt.Sprintf("the %d × %d matrix", rows, cols), 8*float64(rows)*float64(cols), beside)
}

func (b budget) exceeded(what string, need float64) error {
	return &tooLarge{fmt.Sprintf("%s takes %s to read, and %s: raise it, or give fewer samples", what, byteCount(need), b.said())}
}

// said tells the limit, and what of it is left where that is less.
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

// IsTooLarge tells whether an error is the refusal of an input that takes more memory
// than [Options] allow.
func IsTooLarge(err error) bool {
	_, is := errors.AsType[*tooLarge](err)
	return is
}
