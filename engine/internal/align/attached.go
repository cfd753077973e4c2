package align

import (
	"cmp"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// loose are samples whose row of Φ is zero: no equation says where they are, and the
// unit vector of each is an eigenvector of eigenvalue 0.
type loose struct{ rows []int }

// looseRows finds the rows whose entries are together at most a share of the largest
// row's. O(entries).
func looseRows(phi *sparse.CSR, share float64) loose {
	var found loose
	level := share * phi.RowSumNorm()
	for i := range phi.Rows {
		_, vals := phi.Row(i)
		var sum float64
		for _, v := range vals {
			sum += math.Abs(v)
		}
		if sum <= level {
			found.rows = append(found.rows, i)
		}
	}
	return found
}

// atRounding is the share of the largest row under which the eigensolver takes a row for zero.
const atRounding = solvers.RoundingLevel

// named says how many there are and which is the first.
func (l loose) named(x samples.Samples) string { return named(len(l.rows), x.Number(l.rows[0])) }

func named(count, first int) string {
	if count == 1 {
		return fmt.Sprintf("sample %d (counting from 1)", first)
	}
	return fmt.Sprintf("%d samples (the first is sample %d, counting from 1)", count, first)
}

// attached refuses rows of zero: an eigensolver would give each such sample a coordinate
// of its own, and the others none.
func attached(in Input, phi *sparse.CSR, share float64) error {
	l := looseRows(phi, share)
	if len(l.rows) == 0 {
		return nil
	}
	return Unplaced(in.Method(), in.Patch, len(l.rows), in.X.Number(l.rows[0]), held(in, l.rows[0]))
}

// Unplaced is the error about so many samples without an equation, of which the first has
// that number, from 1. It says why that one has none, and what mends it. held: a patch has it
// in its set.
func Unplaced(method string, rule patch.Rule, count, first int, held bool) error {
	const mend = "take more neighbours, or leave them out"
	cause := cmp.Or(rule.Vanishing, "their patches are zero, or at the rounding of the others; "+mend)
	if !held {
		cause = cmp.Or(rule.Unheld, "they are in nobody's neighbourhood; "+mend)
	}
	return wording.Errorf("%s: no equation places %s: %s", method, named(count, first), cause)
}

// held tells whether a patch has the sample in its set.
func held(in Input, sample int) bool {
	var index []int32
	if in.Patch.Edges == nil {
		_, index = patch.Listed(in.Patch.Sets(in.Graph))
	} else if e, err := in.Patch.Edges(in.Local); err == nil {
		if index = e.Index; e.Ptr[sample] < e.Ptr[sample+1] {
			return true
		}
	}
	for _, j := range index {
		if int(j) == sample {
			return true
		}
	}
	return false
}

// warnOfLoose warns of samples that take no part in what is made of Φ, where they are placed
// all the same.
func warnOfLoose(in Input, phi *sparse.CSR, made string) {
	if l := looseRows(phi, 0); len(l.rows) > 0 && len(l.rows) < phi.Rows {
		in.Warn("no edge of positive weight leads to %s: %s is made without", l.named(in.X), made)
	}
}
