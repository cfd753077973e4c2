package solve

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
)

// SquaredLengths gives the eigenvalues of the Gram matrix, the squared lengths of the
// columns of Y, in place of the variances along them.
func SquaredLengths(rule Rule[*align.Gram, *Projected]) Rule[*align.Gram, *Projected] {
	return func(in Input, a *align.Gram) (*Projected, error) {
		s, err := rule(in, a)
		if err == nil {
			blas.Scale(float64(in.X.N()-1), s.Values)
			s.Next *= float64(in.X.N() - 1)
		}
		return s, err
	}
}
