package solvers

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

const (
	// A shift is moved to nearerSpread of the values found below the smallest of them, and
	// one of nearerLeast of |A| at least ...
	nearerSpread = 1e-3
	// ... where that leaves this share of its distance at most.
	nearerShare = 0.25
)

// The second is for values that the first has found to all digits, but not their vectors.
var nearerLeast = [...]float64{1e-6, 1e-9}

// nearer repeats a search that has not converged with a shift just below the smallest
// value found, from the vectors found. Far below the spectrum all 1/(λ − σ) are
// alike, and those of a multiple eigenvalue come up one after the other. Ritz values are
// not below the eigenvalue that they stand for, but another may be below them all: then the
// factorisation fails, and the first result stays.
func (s *pencil) nearer(ctx context.Context, e *Eigen, o Options) (*Eigen, error) {
	sigma, solves := s.Sigma, e.Solves
	for _, least := range nearerLeast {
		first, last := e.Values[0], e.Values[len(e.Values)-1]
		below := max(nearerSpread*(last-first), least*s.norm)
		if s.given == nil || e.Converged || !(below <= nearerShare*(first-sigma)) {
			break
		}
		p := s.scaling.of
		p.Sigma, p.Start = s.scaling.outside(first-below), s.scaling.from(e.Vectors)
		if !s.scaling.copied {
			p.A = s.given
		}
		_, again, err := p.search(ctx, s.n, s.count, o)
		var lower *BelowSigmaError
		if errors.As(err, &lower) {
			break
		}
		if err != nil {
			return nil, err
		}
		solves += again.Solves
		if slices.Max(again.Residuals) < slices.Max(e.Residuals) {
			e, sigma = again, s.scaling.inside(p.Sigma)
		}
	}
	if e.Solves = solves; sigma != s.Sigma {
		e.Plan.Reason += fmt.Sprintf(", the shift moved from %g to %g", s.scaling.of.Sigma, s.scaling.outside(sigma))
	}
	return e, nil
}
