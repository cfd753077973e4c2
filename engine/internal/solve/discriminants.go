package solve

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Discriminants solves S_b v = λ S_w v for the d largest λ, with VᵀS_wV = I: with
// v = S_w^−½u it is the eigenproblem of the scatter of the whitened means.
func Discriminants(dim int) Rule[*align.Scatter, *Projected] {
	return func(in Input, s *align.Scatter) (*Projected, error) {
		r := s.Within.Order
		between := align.GramOf(in.Run, s.Means, s.Count, r, true)
		// The means span classes − 1 directions: there are no further eigenvalues.
		pairs := min(dim+1, s.Count-1, r)
		values, vectors := make([]float64, pairs), make([]float64, pairs*r)
		work := append([]float64(nil), between...)
		if err := in.Kernels().SymEigRange(r, r-pairs, r, work, r, values, vectors, r, new(blas.Work)); err != nil {
			return nil, err
		}
		found := newProjected()
		norm := rowSumNorm(between, r)
		chosen := make([]float64, 0, dim*r)
		for j := range dim {
			u := vectors[(pairs-1-j)*r : (pairs-j)*r] // ascending so far
			found.add(in.Kernels(), between, r, u, values[pairs-1-j], norm)
			s.Within.Unwhiten(u)
			chosen = append(chosen, u...)
		}
		if pairs > dim {
			found.Next = max(values[0], 0)
		}
		total := blas.Dot(s.Means, s.Means) // tr(S_w⁻¹S_b)
		shares := make([]float64, dim)
		for j, v := range found.Values {
			if total > 0 {
				shares[j] = min(v/total, 1)
			}
		}
		in.Note("explained_variance_ratio", shares)
		in.Note("objective", vector.Sum(found.Values))
		if !found.Converged {
			in.Warn("some eigenpairs missed their residual: the projection is the best found")
		}
		return found, found.project(in, s.Mean, s.Within.Lift(in.Kernels(), chosen, dim, in.X.M()))
	}
}
