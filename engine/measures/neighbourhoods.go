package measures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Trustworthiness tells whether the neighbours that an embedding shows are
// neighbours in the data (Venna and Kaski 2001). With r(i, j) the rank of j
// among the points by distance from i in the data x, and U the points that are
// among the k nearest of i in the embedding y but not in the data,
//
//	1 − 2/(n·k·(2n − 3k − 1)) · Σ_i Σ_{j∈U_i} (r(i, j) − k)
//
// which lies between 0 and 1. Ranks begin at 1, go by exact Euclidean
// distances, and of equally distant points the lower index comes first.
//
// x is n × m and y n × d. Errors are about different numbers of rows, values
// that are not finite, k outside 1 ≤ k < n/2, and a cancelled context. Time is
// O(n²(m + d)) over the threads, mostly in matrix products; memory is a copy of each wide matrix and
// O(k) a thread.
func Trustworthiness(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "trustworthiness", x, y, k, false)
}

// Continuity tells whether neighbours in the data stay neighbours in the
// embedding: [Trustworthiness] with the roles of the two exchanged, with the
// same errors and cost.
func Continuity(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "continuity", x, y, k, true)
}

// intrusion computes either measure: the k nearest by one of the matrices,
// ranked by the other.
func intrusion(ctx context.Context, o Options, measure string, x, y mat.Matrix, k int, swap bool) (float64, error) {
	data, err := readPoints(measure, "data", x)
	if err != nil {
		return 0, err
	}
	shown, err := readPoints(measure, "embedding", y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if err := sameSamples(measure, data, shown); err != nil {
		return 0, err
	}
	if k < 1 || 2*k >= n {
		return 0, fmt.Errorf("%s: %d neighbours asked of %d samples, want at least 1 and fewer than half of the samples", measure, k, n)
	}
	if o, err = o.withDefaults(measure); err != nil {
		return 0, err
	}
	if swap {
		data, shown = shown, data
	}
	over, err := penalty(ctx, o.Threads, newDistances(tame(data)[0], o.Kernels), newDistances(tame(shown)[0], o.Kernels), k)
	return 1 - over, err
}

// sameSamples refuses data and an embedding of different numbers of rows.
func sameSamples(measure string, data, shown blas.Rows) error {
	if data.N != shown.N {
		return fmt.Errorf("%s: the data has %d rows and the embedding %d; they have to be the same samples", measure, data.N, shown.N)
	}
	return nil
}

// penalty returns the sum of r − k over all points of U, over its largest
// possible value: r by the distances of rank, U by those of choice.
func penalty(ctx context.Context, threads int, rank, choice *distances, k int) (float64, error) {
	n := rank.N
	sum, err := overChosen(ctx, threads, rank, choice, k, func(_ candidate, r int) float64 { return float64(max(r-k, 0)) })
	return 2 * sum / (float64(n) * float64(k) * float64(2*n-3*k-1)), err
}
