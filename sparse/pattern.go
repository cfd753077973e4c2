package sparse

import "fmt"

// checkSymmetric returns an error unless a is square, well formed and has with
// every entry (i, j) an entry (j, i). O(nnz).
func checkSymmetric(a *CSR) error {
	n := a.Rows
	if a.Cols != n {
		return fmt.Errorf("sparse: a %d × %d matrix has no symmetric factorisation; it must be square", a.Rows, a.Cols)
	}
	if len(a.Ptr) != n+1 || a.Ptr[0] != 0 || a.Ptr[n] != len(a.Col) {
		return fmt.Errorf("sparse: row pointers do not fit %d rows of %d entries together", n, len(a.Col))
	}
	for i := range n {
		if a.Ptr[i] > a.Ptr[i+1] {
			return fmt.Errorf("sparse: row pointers decrease after row %d", i)
		}
	}
	// Rows are visited in order, so the entries of row j must be met in order too
	// when they are looked for as the mirrors of entries in column j.
	met := make([]int, n)
	copy(met, a.Ptr[:n])
	for i := range n {
		before := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= before || int(j) >= n {
				return fmt.Errorf("sparse: column %d in row %d is out of order or outside a matrix of order %d", j, i, n)
			}
			before = j
			p := met[j]
			if p == a.Ptr[j+1] || int(a.Col[p]) != i {
				return fmt.Errorf("sparse: the pattern is not symmetric: entries (%d, %d) and (%d, %d) are not both there", i, j, j, i)
			}
			met[j]++
		}
	}
	return nil
}
