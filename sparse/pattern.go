package sparse

import "fmt"

// checkRows returns an error unless a is square, its row pointers divide its
// entries, and these lie within it. O(nnz), but light.
func checkRows(a *CSR) error {
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
	for _, j := range a.Col {
		if uint32(j) >= uint32(n) {
			return fmt.Errorf("sparse: column %d is outside a matrix of order %d", j, n)
		}
	}
	return nil
}

// checkSymmetric returns an error unless a is square, well formed and has with
// every entry (i, j) an entry (j, i). O(nnz).
func checkSymmetric(a *CSR) error {
	if err := checkRows(a); err != nil {
		return err
	}
	n := a.Rows
	// Rows are visited in order, so the entries of row j must be met in order too
	// when they are looked for as the mirrors of entries in column j.
	met := make([]int, n)
	copy(met, a.Ptr[:n])
	for i := range n {
		before := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= before {
				return fmt.Errorf("sparse: columns %d and %d in row %d are not in ascending order", before, j, i)
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
