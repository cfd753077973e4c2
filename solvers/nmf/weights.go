package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/sparse"
)

// Weights say how much each entry of n × m data counts. With the weights vᵢⱼ ≥ 0 the losses
// become
//
//	squared error, HALS        Σᵢⱼ vᵢⱼ (x − x̂)²ᵢⱼ
//	Kullback–Leibler           Σᵢⱼ vᵢⱼ (x log(x/x̂) − x + x̂)ᵢⱼ
//	L2,1                       Σᵢ (Σⱼ vᵢⱼ (x − x̂)²ᵢⱼ)^½
//
// for x̂ = WH, and the residual is ‖√V∘(X − WH)‖_F/‖√V∘X‖_F. An entry of weight 0 is
// missing: whatever the data hold there, be it NaN, has no effect.
//
// At most one field is set. With none every entry has weight 1.
type Weights struct {
	// Dense are n·m numbers ≥ 0, row by row. With them sparse data are made dense.
	Dense []float64
	// Sparse is n × m. Entries that it does not store have weight 0, so that work and memory grow with
	// the stored entries, also for dense data.
	Sparse *sparse.CSR
	// Less is n × m with numbers from 0 to 1. An entry has weight 1 minus the stored number, so that a
	// few entries of sparse data can be left out.
	Less *sparse.CSR
}

// Present reports whether there are weights.
func (v Weights) Present() bool { return v.Dense != nil || v.Sparse != nil || v.Less != nil }

// stored are the weights in compressed rows; nil: they are not.
func (v Weights) stored() *sparse.CSR {
	if v.Sparse != nil {
		return v.Sparse
	}
	return v.Less
}

// Check refuses weights that do not belong to n × m data, are negative, or are not finite.
func (v Weights) Check(n, m int) error {
	given := 0
	for _, there := range []bool{v.Dense != nil, v.Sparse != nil, v.Less != nil} {
		if there {
			given++
		}
	}
	switch a := v.stored(); {
	case given > 1:
		return fmt.Errorf("nmf: the weights of the entries are given in %d forms; give one", given)
	case a != nil && (a.Rows != n || a.Cols != m):
		return fmt.Errorf("nmf: the weights are %d × %d for %d × %d data; give one for each entry", a.Rows, a.Cols, n, m)
	case a == nil && len(v.Dense) != n*m:
		return fmt.Errorf("nmf: %d weights for %d × %d data; give one for each entry", len(v.Dense), n, m)
	}
	if a := v.stored(); a != nil {
		for i := range n {
			cols, vals := a.Row(i)
			for p, w := range vals {
				if err := v.checkOne(i, int(cols[p]), w); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for at, w := range v.Dense {
		if err := v.checkOne(at/m, at%m, w); err != nil {
			return err
		}
	}
	return nil
}

// checkOne refuses a number that is not a weight.
func (v Weights) checkOne(row, col int, w float64) error {
	most, numbers := math.MaxFloat64, "finite numbers ≥ 0"
	if v.Less != nil {
		most, numbers = 1, "numbers from 0 to 1"
	}
	if w >= 0 && w <= most {
		return nil
	}
	return fmt.Errorf("nmf: row %d, column %d (counting from 1) of the weights is %v; give %s", row+1, col+1, w, numbers)
}

// checkKnown refuses weights that leave a row of the data, or of a fit a column, without an
// entry.
func (v Weights) checkKnown(n, m int, columns bool) error {
	rows, cols := make([]int, n), make([]int, m) // entries of each that are known, or of Less those that are not
	count := func(i, j int, w float64) {
		if v.Less == nil && w > 0 || v.Less != nil && w == 1 {
			rows[i]++
			cols[j]++
		}
	}
	if a := v.stored(); a != nil {
		for i := range n {
			at, vals := a.Row(i)
			for p, j := range at {
				count(i, int(j), vals[p])
			}
		}
	}
	for at, w := range v.Dense {
		count(at/m, at%m, w)
	}
	if v.Less != nil {
		for i := range rows {
			rows[i] = m - rows[i]
		}
		for j := range cols {
			cols[j] = n - cols[j]
		}
	}
	for i, k := range rows {
		if k == 0 {
			return fmt.Errorf("nmf: row %d (counting from 1) has no entry that is known: all have weight 0; leave the row out", i+1)
		}
	}
	if columns {
		for j, k := range cols {
			if k == 0 {
				return fmt.Errorf("nmf: column %d (counting from 1) has no entry that is known: all have weight 0; leave the column out", j+1)
			}
		}
	}
	return nil
}

// Row reads the weights of a row of m entries, in ascending columns.
func (v Weights) Row(i, m int) func(j int) float64 {
	switch {
	case v.Dense != nil:
		return func(j int) float64 { return v.Dense[i*m+j] }
	case v.Sparse != nil:
		return rowReader(v.Sparse, i)
	case v.Less != nil:
		less := rowReader(v.Less, i)
		return func(j int) float64 { return 1 - less(j) }
	}
	return func(int) float64 { return 1 }
}

// rowReader reads the entries of a row, in ascending columns.
func rowReader(a *sparse.CSR, i int) func(j int) float64 {
	cols, vals := a.Row(i)
	p := 0
	return func(j int) float64 {
		for p < len(cols) && int(cols[p]) < j {
			p++
		}
		if p < len(cols) && int(cols[p]) == j {
			return vals[p]
		}
		return 0
	}
}

// Stored are the weights with 0 where a matrix stores nothing.
func (v Weights) Stored(a *sparse.CSR) Weights {
	kept := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: make([]float64, a.NNZ())}
	for i := range a.Rows {
		cols, vals := kept.Row(i)
		at := v.Row(i, a.Cols)
		for p, j := range cols {
			vals[p] = at(int(j))
		}
	}
	return Weights{Sparse: kept}
}

// MissingShare is the share of the entries of n × m data that have weight 0.
func (v Weights) MissingShare(n, m int) float64 {
	missing := 0
	for i := range n {
		at := v.Row(i, m)
		for j := range m {
			if at(j) == 0 {
				missing++
			}
		}
	}
	return float64(missing) / (float64(n) * float64(m))
}

// Bytes is the memory of the weights.
func (v Weights) Bytes() int64 {
	if a := v.stored(); a != nil {
		return a.Bytes()
	}
	return 8 * int64(len(v.Dense))
}

// eachStored calls f with the places that a matrix stores.
func eachStored(a *sparse.CSR, f func(i, j int)) {
	for i := range a.Rows {
		cols, _ := a.Row(i)
		for _, j := range cols {
			f(i, int(j))
		}
	}
}

// withoutStored is a less the entries that a pattern stores.
func withoutStored(a, pattern *sparse.CSR) *sparse.CSR {
	left := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		others, _ := pattern.Row(i)
		q := 0
		for p, j := range cols {
			for q < len(others) && others[q] < j {
				q++
			}
			if q == len(others) || others[q] != j {
				left.Col, left.Val = append(left.Col, j), append(left.Val, vals[p])
			}
		}
		left.Ptr = append(left.Ptr, len(left.Col))
	}
	return left
}

// lessOf is the amount subtracted from the weights 1: 1 where the pattern stores an entry,
// otherwise the entry of less (nil: 0).
func lessOf(less, pattern *sparse.CSR) *sparse.CSR {
	if less == nil {
		less = &sparse.CSR{Rows: pattern.Rows, Cols: pattern.Cols, Ptr: make([]int, pattern.Rows+1)}
	}
	most := less.NNZ() + pattern.NNZ()
	both := &sparse.CSR{Rows: less.Rows, Cols: less.Cols, Ptr: make([]int, 1, less.Rows+1), Col: make([]int32, 0, most), Val: make([]float64, 0, most)}
	for i := range less.Rows {
		cols, vals := less.Row(i)
		others, _ := pattern.Row(i)
		p, q := 0, 0
		for p < len(cols) || q < len(others) {
			if q == len(others) || p < len(cols) && cols[p] < others[q] {
				both.Col, both.Val = append(both.Col, cols[p]), append(both.Val, vals[p])
				p++
				continue
			}
			if p < len(cols) && cols[p] == others[q] {
				p++
			}
			both.Col, both.Val = append(both.Col, others[q]), append(both.Val, 1)
			q++
		}
		both.Ptr = append(both.Ptr, len(both.Col))
	}
	return both
}
