package patch

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// refinedVectors is the number of vectors that a refinement by the factor holds at a time,
// for a few eigenpairs.
const refinedVectors = 80

// Stacked computes Bᵀ with Φ = BBᵀ from the factors of a rule, a row for each row of
// each Mᵢ. By it eigenvalues below the rounding of Φ itself are still found. Where there
// is no room for it and for the vectors that it refines, it is nil, with a warning.
func Stacked(in Local, rule Rule) (*sparse.CSR, error) {
	rows, worker, err := rule.Factor(in)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.Sets(in.Graph)
	n := len(ptr) - 1
	first := make([]int, n+1) // row of Bᵀ at which Mᵢ begins
	entries := 0
	for i := range n {
		first[i+1] = first[i] + rows(i)
		entries += rows(i) * (ptr[i+1] - ptr[i])
	}
	need := 12*int64(entries) + 8*int64(first[n]) + refinedVectors*8*int64(in.X.N())
	if in.Exceeds(need) {
		in.Warn("the smallest eigenvalues are at rounding level, and refining them needs about %s in all where the limit is %s: the first coordinates may mix; raise the limit",
			solvers.FormatBytes(in.Whole(need)), solvers.FormatBytes(in.Memory()))
		return nil, nil
	}
	entries = 0
	b := &sparse.CSR{Cols: in.X.N(), Ptr: make([]int, 1, first[n]+1)}
	for i := range n {
		for range rows(i) {
			entries += ptr[i+1] - ptr[i]
			b.Ptr = append(b.Ptr, entries)
		}
	}
	b.Rows, b.Col, b.Val = first[n], pages.Make[int32](entries), pages.Make[float64](entries)
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
