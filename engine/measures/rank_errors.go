package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MRRE is the mean relative rank error of an embedding y of the data x over the
// neighbours that the embedding shows (Lee and Verleysen 2007, section 6; 2009). With
// r(i, j) the rank of j among the points by distance from i in the data, and s(i, j) that
// in the embedding,
//
//	(1/C) · Σ_i Σ_{j: s(i, j) ≤ k} |r(i, j) − s(i, j)| / s(i, j),   C = n · Σ_{t=1…k} |n − 2t|/t
//
// so that 0 is best, and 1 is what reversed ranks give: the largest value for
// k ≤ (n + 1)/3, while a larger k may see a little more. Ranks are those of
// [Trustworthiness], which penalises the same points and counts only ranks beyond k; here
// the order among the nearest counts, too, the first ones most.
//
// x is n × m and y n × d. Errors are about different numbers of rows, values
// that are not finite, fewer than 3 samples, k outside 1 ≤ k < n, and a cancelled context.
// Time is O(n²(m + d)) over the threads, mostly in matrix products, and O(nk log k).
func MRRE(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return rankError(ctx, o, x, y, k, false)
}

// MRREOfData is the same over the neighbours in the data: [MRRE] with the roles of the two
// exchanged, with the same errors and cost. It stands to MRRE as [Continuity] to
// [Trustworthiness].
func MRREOfData(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return rankError(ctx, o, x, y, k, true)
}

// rankError computes either: the k nearest by one of the matrices, ranked by both.
func rankError(ctx context.Context, o Options, x, y mat.Matrix, k int, swap bool) (float64, error) {
	data, err := readPoints("mrre", "data", x)
	if err != nil {
		return 0, err
	}
	shown, err := readPoints("mrre", "embedding", y)
	if err != nil {
		return 0, err
	}
	if err := sameSamples("mrre", data, shown); err != nil {
		return 0, err
	}
	n := data.N
	if n < 3 {
		return 0, fmt.Errorf("mrre: %d samples have no ranks to compare; give at least 3", n)
	}
	if k < 1 || k >= n {
		return 0, fmt.Errorf("mrre: %d neighbours asked of %d samples; give a number from 1 to %d", k, n, n-1)
	}
	if o, err = o.withDefaults("mrre"); err != nil {
		return 0, err
	}
	if swap {
		data, shown = shown, data
	}
	sum, err := overChosen(ctx, o.Threads, newDistances(tame(data)[0], o.Kernels), newDistances(tame(shown)[0], o.Kernels), k,
		func(c candidate, rank int) float64 {
			own := float64(c.place)
			return math.Abs(float64(rank)-own) / own
		})
	if err != nil {
		return 0, err
	}
	most := 0.0
	for t := 1; t <= k; t++ {
		most += math.Abs(float64(n-2*t)) / float64(t)
	}
	return sum / (float64(n) * most), nil
}
