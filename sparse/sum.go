package sparse

import "fmt"

// Add returns αA + βB, with an entry wherever A or B has one. Both must be valid (see
// [CSR.Validate]) and of one shape. O(nnz).
func Add(alpha float64, a *CSR, beta float64, b *CSR) (*CSR, error) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return nil, fmt.Errorf("sparse: a %d × %d matrix and one of %d × %d have no sum; give two of one shape", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	sum := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, a.Rows+1)}
	room := 0
	eachPlace(a, b, 0, func(int, int32, float64, float64) { room++ })
	sum.Col, sum.Val = make([]int32, 0, room), make([]float64, 0, room)
	eachPlace(a, b, 0, func(i int, j int32, v, w float64) {
		sum.Col, sum.Val = append(sum.Col, j), append(sum.Val, alpha*v+beta*w)
		sum.Ptr[i+1] = len(sum.Col)
	})
	for i := range sum.Rows {
		sum.Ptr[i+1] = max(sum.Ptr[i], sum.Ptr[i+1])
	}
	return sum, nil
}

// eachPlace visits the places at which one of two matrices has an entry, in order, with
// absent for the value of one that has none.
func eachPlace(a, b *CSR, absent float64, visit func(i int, j int32, v, w float64)) {
	for i := range a.Rows {
		acols, avals := a.Row(i)
		bcols, bvals := b.Row(i)
		for len(acols) > 0 || len(bcols) > 0 {
			switch {
			case len(bcols) == 0 || len(acols) > 0 && acols[0] < bcols[0]:
				visit(i, acols[0], avals[0], absent)
				acols, avals = acols[1:], avals[1:]
			case len(acols) == 0 || bcols[0] < acols[0]:
				visit(i, bcols[0], absent, bvals[0])
				bcols, bvals = bcols[1:], bvals[1:]
			default:
				visit(i, acols[0], avals[0], bvals[0])
				acols, avals, bcols, bvals = acols[1:], avals[1:], bcols[1:], bvals[1:]
			}
		}
	}
}
