package sparse

import "slices"

// Permuted returns PAPᵀ of a square matrix: row and column k of the result are row and
// column perm[k] of A, where perm holds every number below n once.
func (a *CSR) Permuted(perm []int32) *CSR {
	place := make([]int32, len(perm))
	for k, i := range perm {
		place[i] = int32(k)
	}
	b := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	var keys []int64 // of the row at hand: the column, and the place of its entry
	for _, i := range perm {
		cols, vals := a.Row(int(i))
		keys = keys[:0]
		for q, j := range cols {
			keys = append(keys, int64(place[j])<<32|int64(q))
		}
		slices.Sort(keys)
		for _, key := range keys {
			b.Col, b.Val = append(b.Col, int32(key>>32)), append(b.Val, vals[key&0xffffffff])
		}
		b.Ptr = append(b.Ptr, len(b.Col))
	}
	return b
}
