package steptest

import (
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// Whole joins the blocks of a matrix.
func Whole(b *solvers.RowBlocks) *sparse.CSR {
	whole := &sparse.CSR{Ptr: []int{0}}
	block := b.Worker()
	for i := range b.Blocks {
		part := block(i)
		for _, end := range part.Ptr[1:] {
			whole.Ptr = append(whole.Ptr, len(whole.Col)+end)
		}
		whole.Col, whole.Val = append(whole.Col, part.Col...), append(whole.Val, part.Val...)
		whole.Rows, whole.Cols = whole.Rows+part.Rows, part.Cols
	}
	return whole
}
