package sparse

import (
	"fmt"
	"math"
)

// Validate returns an error unless the row pointers divide the entries, the columns of
// every row ascend within the matrix, and all values are finite. It names the first
// entry that is not so. O(nnz).
func (a *CSR) Validate() error {
	if err := a.validateStructure(); err != nil {
		return err
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("sparse matrix: the entry in row %d, column %d (counting from 0) is %v; give finite numbers", i, cols[p], v)
			}
		}
	}
	return nil
}

// ValidatePointers is Validate of the row pointers alone: they divide the entries. O(rows).
func (a *CSR) ValidatePointers() error {
	if a.Rows < 0 || a.Cols < 0 || len(a.Ptr) != a.Rows+1 || a.Ptr[0] != 0 {
		return fmt.Errorf("sparse matrix: %d row pointers for %d rows; give one more than rows, the first of them 0", len(a.Ptr), a.Rows)
	}
	if last := a.Ptr[a.Rows]; last != len(a.Col) || last != len(a.Val) {
		return fmt.Errorf("sparse matrix: row pointers to %d entries where there are %d columns and %d values; give as many of each", last, len(a.Col), len(a.Val))
	}
	for i := range a.Rows {
		if a.Ptr[i] > a.Ptr[i+1] || a.Ptr[i+1] > len(a.Col) {
			return fmt.Errorf("sparse matrix: the pointers of row %d are %d and %d, of %d entries; let them ascend", i, a.Ptr[i], a.Ptr[i+1], len(a.Col))
		}
	}
	return nil
}

// validateStructure is Validate without the values.
func (a *CSR) validateStructure() error {
	if err := a.ValidatePointers(); err != nil {
		return err
	}
	for i := range a.Rows {
		cols, _ := a.Row(i)
		before := int32(-1)
		for _, j := range cols {
			if j < 0 || int(j) >= a.Cols {
				return fmt.Errorf("sparse matrix: row %d has an entry in column %d of a %d × %d matrix (counting from 0); correct its indices", i, j, a.Rows, a.Cols)
			}
			if j <= before {
				return fmt.Errorf("sparse matrix: row %d (counting from 0) has column %d behind column %d; sort the columns of a row and add what is at one place", i, j, before)
			}
			before = j
		}
	}
	return nil
}
