package patch

import (
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// stackedPatches is the number of patches whose factors are made at a time.
const stackedPatches = 256

// Stacked is Bᵀ with Φ = BBᵀ from the factors of a rule, a row for each row of each Mᵢ. By
// it eigenvalues below the rounding of Φ itself are still found. It is far larger than Φ:
// the factors of a few patches are made at a time, anew whenever they are asked for.
func Stacked(in Local, rule Rule) (*solvers.RowBlocks, error) {
	rows, worker, err := rule.Factor(in)
	if err != nil {
		return nil, err
	}
	sets := rule.Sets(in.Graph)
	n := sets.Len()
	return &solvers.RowBlocks{Blocks: (n + stackedPatches - 1) / stackedPatches, Worker: func() func(int) *sparse.CSR {
		factor, b := worker(), &sparse.CSR{Cols: in.X.N()}
		var set []int32
		return func(block int) *sparse.CSR {
			b.Ptr, b.Col, b.Val = append(b.Ptr[:0], 0), b.Col[:0], b.Val[:0]
			for i := block * stackedPatches; i < min((block+1)*stackedPatches, n); i++ {
				set = sets.Of(i, set[:0])
				count, at := rows(i), len(b.Val)
				for range count {
					b.Col = append(b.Col, set...)
					b.Ptr = append(b.Ptr, len(b.Col))
				}
				b.Val = append(b.Val, make([]float64, count*len(set))...)
				factor(i, b.Val[at:])
			}
			b.Rows = len(b.Ptr) - 1
			return b
		}
	}}, nil
}
