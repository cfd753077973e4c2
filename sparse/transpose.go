package sparse

// Transposed returns the transpose in compressed rows, a copy. O(nnz + rows + columns).
func (a *CSR) Transposed() *CSR {
	t := &CSR{Rows: a.Cols, Cols: a.Rows, Ptr: make([]int, a.Cols+1), Col: make([]int32, len(a.Col)), Val: make([]float64, len(a.Val))}
	for _, j := range a.Col {
		t.Ptr[j+1]++
	}
	for j := range a.Cols {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := append([]int(nil), t.Ptr[:a.Cols]...)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			t.Col[next[j]], t.Val[next[j]] = int32(i), vals[p]
			next[j]++
		}
	}
	return t
}
