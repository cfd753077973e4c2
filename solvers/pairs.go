package solvers

import (
	"context"
	"slices"
)

// pairs finds the wanted largest eigenpairs, descending, of the operator on the
// complement of the null vectors: run after run of [krylov.largest], each
// orthogonal to what the ones before it have found.
func (k *krylov) pairs(ctx context.Context, wanted int) (theta []float64, vectors [][]float64, converged bool, err error) {
	converged = true
	search := func(more int) (largest float64, err error) {
		k.deflated = append(append([][]float64{}, k.null...), vectors...)
		t, x, ok, err := k.largest(ctx, more)
		if err != nil {
			return 0, err
		}
		converged = converged && ok
		for j := range t {
			theta, vectors = insertPair(theta, vectors, t[j], x[j])
		}
		return t[0], nil
	}
	for len(theta) < wanted && converged {
		if _, err := search(wanted - len(theta)); err != nil {
			return nil, nil, false, err
		}
	}
	// A Krylov space from b vectors holds at most b copies of an eigenvalue. Where
	// so many were found alike, look for more until one falls behind the last.
	for converged && clustered(theta[:wanted], k.block) && len(k.null)+len(theta) < k.n {
		last := theta[wanted-1]
		if k.signed && last <= clusterTolerance*theta[0] {
			break // the tolerance does not tell these from each other
		}
		found, err := search(1)
		if err != nil {
			return nil, nil, false, err
		}
		if found <= last*(1+clusterTolerance) {
			break
		}
	}
	wanted = min(wanted, len(theta))
	return theta[:wanted], vectors[:wanted], converged, nil
}

// clustered tells whether b neighbouring values agree to clusterTolerance.
func clustered(theta []float64, b int) bool {
	for j := b - 1; j < len(theta); j++ {
		if theta[j-b+1]-theta[j] <= clusterTolerance*theta[j] {
			return true
		}
	}
	return false
}

// insertPair puts a pair into its place in a descending list.
func insertPair(theta []float64, x [][]float64, t float64, v []float64) ([]float64, [][]float64) {
	at := len(theta)
	for at > 0 && theta[at-1] < t {
		at--
	}
	return slices.Insert(theta, at, t), slices.Insert(x, at, v)
}
