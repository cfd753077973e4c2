package factor

import (
	"errors"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// refused words what the solver refuses: zeros in the words of the parameters.
func (w Work) refused(err error, shifted bool) error {
	var zero *nmf.ZeroError
	if !errors.As(err, &zero) {
		return w.Solver(err)
	}
	after := ""
	if shifted {
		after = " once the data are shifted"
	}
	return wording.Errorf("%s: row %d, column %d (counting from 1) is 0%s, where the divergence with ‹beta=%v› is infinite; choose a ‹beta› above 0, or add a small number to all entries",
		w.Method(), zero.Row+1, zero.Col+1, after, zero.Beta)
}
