package solvers

import (
	"context"
	"slices"
)

// pairs finds the wanted largest eigenpairs, descending, of the operator on the
// complement of the null vectors: run after run of [krylov.largest], each
// orthogonal to what the ones before it have found. counted says that the caller knows how many there are, and asks again
// where one was missed.
func (k *krylov) pairs(ctx context.Context, wanted int, counted bool) (theta []float64, vectors [][]float64, converged bool, err error) {
	converged = true
	search := func(more int) (largest float64, err error) {
		k.deflated = append(append([][]float64{}, k.null...), vectors...)
		t, x, ok, err := k.largest(ctx, more)
		if err != nil {
			return 0, err
		}
		converged = converged && ok
		for j := range t {
			theta, vectors = insertPair(theta, vectors, t[j], x[j], k.sizeOf)
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
	for !counted && converged && clustered(theta[:wanted], k.block, k.sizeOf) && len(k.null)+len(theta) < k.n {
		last := k.sizeOf(theta[wanted-1])
		if k.signed && last <= clusterTolerance*theta[0] {
			break // the tolerance does not tell these from each other
		}
		found, err := search(1)
		if err != nil {
			return nil, nil, false, err
		}
		if k.sizeOf(found) <= last*(1+clusterTolerance) {
			break
		}
	}
	wanted = min(wanted, len(theta))
	return theta[:wanted], vectors[:wanted], converged, nil
}

// clustered tells whether b neighbouring values agree to clusterTolerance.
func clustered(theta []float64, b int, sizeOf func(float64) float64) bool {
	for j := b - 1; j < len(theta); j++ {
		first, last := sizeOf(theta[j-b+1]), sizeOf(theta[j])
		if first-last <= clusterTolerance*last {
			return true
		}
	}
	return false
}

// insertPair puts a pair into its place in a descending list.
func insertPair(theta []float64, x [][]float64, t float64, v []float64, sizeOf func(float64) float64) ([]float64, [][]float64) {
	at := len(theta)
	for at > 0 && sizeOf(theta[at-1]) < sizeOf(t) {
		at--
	}
	return slices.Insert(theta, at, t), slices.Insert(x, at, v)
}
