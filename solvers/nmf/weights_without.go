package nmf

import "github.com/orthant-go/orthant/sparse"

// Without are data of which some more entries are missing: those that a pattern stores,
// whatever its numbers. The pattern is n × m.
func (d Data) Without(pattern *sparse.CSR) Data {
	switch v := d.Weights; {
	case v.Dense != nil:
		d.Weights.Dense = append([]float64(nil), v.Dense...)
		eachStored(pattern, func(i, j int) { d.Weights.Dense[i*d.Cols+j] = 0 })
	case v.Sparse != nil:
		d.Weights.Sparse = withoutStored(v.Sparse, pattern)
	case d.Sparse == nil:
		d.Weights.Dense = make([]float64, d.Rows*d.Cols)
		for at := range d.Weights.Dense {
			d.Weights.Dense[at] = 1
		}
		if v.Less != nil {
			for i := range d.Rows {
				cols, vals := v.Less.Row(i)
				for p, j := range cols {
					d.Weights.Dense[i*d.Cols+int(j)] -= vals[p]
				}
			}
			d.Weights.Less = nil
		}
		eachStored(pattern, func(i, j int) { d.Weights.Dense[i*d.Cols+j] = 0 })
	default:
		d.Weights.Less = lessOf(v.Less, pattern)
	}
	return d
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

// lessOf is what is taken off the weights 1: 1 where the pattern stores something, else
// what less stores (nil: nothing).
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
