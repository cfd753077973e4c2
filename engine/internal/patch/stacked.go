package patch

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Stacked computes Bᵀ with Φ = BBᵀ from the factors of a rule, a row for each row of
// each Mᵢ. By it eigenvalues below the rounding of Φ itself are still found.
func Stacked(in Local, rule Rule) (*sparse.CSR, error) {
	rows, worker, err := rule.Factor(in)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.Sets(in.Graph)
	n := len(ptr) - 1
	first := make([]int, n+1) // row of Bᵀ at which Mᵢ begins
	entries := 0
	b := &sparse.CSR{Cols: in.X.N(), Ptr: []int{0}}
	for i := range n {
		first[i+1] = first[i] + rows(i)
		for range rows(i) {
			entries += ptr[i+1] - ptr[i]
			b.Ptr = append(b.Ptr, entries)
		}
	}
	b.Rows, b.Col, b.Val = first[n], make([]int32, entries), make([]float64, entries)
	funcs := make([]FactorFunc, blas.Threads(in.Threads()))
	err = blas.For(in.Context(), in.Threads(), n, blockPatches, func(w, lo, hi int) {
		if funcs[w] == nil {
			funcs[w] = worker()
		}
		for i := lo; i < hi; i++ {
			set := index[ptr[i]:ptr[i+1]]
			funcs[w](i, b.Val[b.Ptr[first[i]]:b.Ptr[first[i+1]]])
			for r := first[i]; r < first[i+1]; r++ {
				copy(b.Col[b.Ptr[r]:], set)
			}
		}
	})
	return b, err
}
