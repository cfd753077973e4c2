package engine

import "github.com/orthant-go/orthant/blas"

// discriminants solves S_b v = λ S_w v for the d largest λ, with VᵀS_wV = I: with
// v = S_w^−½u the eigenproblem of the scatter of the whitened means.
func discriminants(dim int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		s := a.scatter
		r := s.within.order
		between := p.gramOf(s.means, s.count, r, true)
		// The means differ in classes − 1 directions: there is no eigenvalue behind those.
		pairs := min(dim+1, s.count-1, r)
		values, vectors := make([]float64, pairs), make([]float64, pairs*r)
		work := append([]float64(nil), between...)
		if err := p.kernels.SymEigRange(r, r-pairs, r, work, r, values, vectors, r, new(blas.Work)); err != nil {
			return nil, err
		}
		found := newProjected()
		norm := rowSumNorm(between, r)
		chosen := make([]float64, 0, dim*r)
		for j := range dim {
			u := vectors[(pairs-1-j)*r : (pairs-j)*r] // ascending so far
			found.add(p.kernels, between, r, u, values[pairs-1-j], norm)
			s.within.unwhiten(u)
			chosen = append(chosen, u...)
		}
		if pairs > dim {
			found.next = max(values[0], 0)
		}
		total := blas.Dot(s.means, s.means) // tr(S_w⁻¹S_b)
		shares := make([]float64, dim)
		for j, v := range found.values {
			if total > 0 {
				shares[j] = min(v/total, 1)
			}
		}
		p.details["explained_variance_ratio"], p.details["objective"] = shares, sum(found.values)
		if !found.converged {
			p.warn("some eigenpairs missed their residual: the projection is the best found")
		}
		return found, found.project(p, s.mean, s.within.lift(p.kernels, chosen, dim, p.x.M))
	}
}
