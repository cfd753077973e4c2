package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Trustworthiness measures whether the neighbours that an embedding shows are
// neighbours in the data (Venna and Kaski 2001). With r(i, j) the rank of j
// among the points by distance from i in the data x, and U_i the points that are
// among the k nearest of i in the embedding y but not in the data, it is
//
//	1 − 2/(n·k·(2n − 3k − 1)) · Σ_i Σ_{j∈U_i} (r(i, j) − k)
//
// which lies between 0 and 1. Ranks begin at 1 and follow exact Euclidean
// distances, ties by lower index.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values
// that are not finite, k outside 1 ≤ k < n/2, and a cancelled context. Time is
// O(n²(m + d)), divided over the threads, mostly in matrix products; memory is a copy of each wide matrix and
// O(k) for each thread.
func Trustworthiness(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "trustworthiness", x, y, k, false)
}

// Continuity measures whether neighbours in the data stay neighbours in the
// embedding: [Trustworthiness] with the roles of the two exchanged, with the
// same errors and cost.
func Continuity(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "continuity", x, y, k, true)
}

// intrusion computes either measure: the k nearest by one of the matrices,
// ranked by the other.
func intrusion(ctx context.Context, o Options, measure string, x, y mat.Matrix, k int, swap bool) (float64, error) {
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if k < 1 || 2*k >= n {
		return 0, fmt.Errorf("%s: %d neighbours requested of %d samples, want at least 1 and fewer than half of the samples", measure, k, n)
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

// penalty returns the sum of r − k over all points of all U_i, divided by its largest
// possible value: r by the distances of rank, U_i by the distances of choice.
func penalty(ctx context.Context, threads int, rank, choice *distances, k int) (float64, error) {
	n := rank.N
	sum, err := overChosen(ctx, threads, rank, choice, k, func(_ candidate, r int) float64 { return float64(max(r-k, 0)) })
	return 2 * sum / (float64(n) * float64(k) * float64(2*n-3*k-1)), err
}

// LCMC returns the local continuity meta-criterion of an embedding y of the data x (Chen and
// Buja 2009): the share of a sample's k nearest neighbours that are preserved, minus the share expected by chance,
//
//	(1/(nk)) · Σ_i |N_k(i in x) ∩ N_k(i in y)| − k/(n − 1)
//
// The best value is 1 − k/(n − 1), a random order gives 0, and k = n − 1 is uninformative.
// Ties in distance go to the lower index.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values
// that are not finite, k outside 1 ≤ k < n, and a cancelled context. It costs two exact
// searches (see [neighbors.Exact]).
func LCMC(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	data, shown, err := readMap("lcmc", x, y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if n < 2 || k < 1 || k >= n {
		return 0, fmt.Errorf("lcmc: %d neighbours requested of %d samples; give a number from 1 to %d", k, n, n-1)
	}
	if o, err = o.withDefaults("lcmc"); err != nil {
		return 0, err
	}
	var lists [2]*neighbors.Graph
	for i, p := range []blas.Rows{data, shown} {
		if lists[i], err = neighbors.Exact(ctx, neighbors.Points(tame(p)[0]), k, neighbors.Options{Kernels: o.Kernels, Threads: o.Threads}); err != nil {
			return 0, err
		}
	}
	kept, near := 0, make([]bool, n)
	for i := range n {
		for _, j := range lists[0].Of(i) {
			near[j] = true
		}
		for _, j := range lists[1].Of(i) {
			if near[j] {
				kept++
			}
		}
		for _, j := range lists[0].Of(i) {
			near[j] = false
		}
	}
	return float64(kept)/(float64(n)*float64(k)) - float64(k)/float64(n-1), nil
}

// MRRE returns the mean relative rank error of an embedding y of the data x over the
// neighbours that the embedding shows (Lee and Verleysen 2007, section 6; 2009). With
// r(i, j) the rank of j among the points by distance from i in the data, and s(i, j) its rank
// in the embedding, it is
//
//	(1/C) · Σ_i Σ_{j: s(i, j) ≤ k} |r(i, j) − s(i, j)| / s(i, j),   C = n · Σ_{t=1…k} |n − 2t|/t
//
// The best value is 0. Reversed ranks give 1, the largest value for
// k ≤ (n + 1)/3; for larger k it may be exceeded slightly. Ranks are the same as in
// [Trustworthiness], which penalises the same points but counts only ranks beyond k. Here
// the order among the nearest counts too, the first ones most.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values
// that are not finite, fewer than 3 samples, k outside 1 ≤ k < n, and a cancelled context.
// Time is O(n²(m + d)), divided over the threads, mostly in matrix products, and O(nk log k).
func MRRE(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return rankError(ctx, o, x, y, k, false)
}

// MRREOfData is the mean relative rank error over the neighbours in the data: [MRRE] with the roles of the two
// exchanged, with the same errors and cost. It is related to MRRE as [Continuity] is to
// [Trustworthiness].
func MRREOfData(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return rankError(ctx, o, x, y, k, true)
}

// rankError computes either: the k nearest by one of the matrices, ranked by both.
func rankError(ctx context.Context, o Options, x, y mat.Matrix, k int, swap bool) (float64, error) {
	data, shown, err := readMap("mrre", x, y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if n < 3 {
		return 0, fmt.Errorf("mrre: %d samples have no ranks to compare; give at least 3", n)
	}
	if k < 1 || k >= n {
		return 0, fmt.Errorf("mrre: %d neighbours requested of %d samples; give a number from 1 to %d", k, n, n-1)
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

// Nalac compares the neighbour lists that a method chose in the data (first)
// and in the embedding (second), rank by rank (Chen, Lv and Yi 2014). With s
// and t the lengths of the two lists of a point, it is the mean over all points of
//
//	(1/min(s, t)) · #{j ≤ min(s, t): the j-th neighbours agree}
//
// Lists are ordered by increasing distance. A point with an empty list contributes 0.
// It returns an error if the numbers of lists differ, or for a list with an index outside
// 0…n−1 or a repeated index. Time is linear in the lists.
func Nalac(first, second [][]int) (float64, error) {
	return meanOverLists("nalac", first, second, func(a, b []int, _ []bool) float64 {
		short := min(len(a), len(b))
		agree := 0
		for j := range short {
			if a[j] == b[j] {
				agree++
			}
		}
		return float64(agree) / float64(short)
	})
}

// SoftNalac compares the same lists as sets: the mean over all points of
// |first ∩ second| / max(s, t). For lists of the k nearest neighbours it is also called
// neighbor preservation or kNN recall. It has the errors of [Nalac]. It tends to 1
// as lists of k nearest neighbours grow towards all points: compare at small k.
func SoftNalac(first, second [][]int) (float64, error) {
	return meanOverLists("soft-nalac", first, second, func(a, b []int, firstHas []bool) float64 {
		common := 0
		for _, j := range b {
			if firstHas[j] {
				common++
			}
		}
		return float64(common) / float64(max(len(a), len(b)))
	})
}

// meanOverLists checks the lists and averages score over the points; firstHas
// marks the indices in the first list.
func meanOverLists(measure string, first, second [][]int, score func(a, b []int, firstHas []bool) float64) (float64, error) {
	n := len(first)
	if n == 0 || n != len(second) {
		return 0, fmt.Errorf("%s: %d lists of neighbours in the data and %d in the embedding, want one of each for every point", measure, n, len(second))
	}
	firstHas, secondHas := make([]bool, n), make([]bool, n)
	sum := 0.0
	for i := range first {
		if err := mark(first[i], firstHas); err != nil {
			return 0, fmt.Errorf("%s: neighbours of point %d in the data: %w", measure, i, err)
		}
		if err := mark(second[i], secondHas); err != nil {
			return 0, fmt.Errorf("%s: neighbours of point %d in the embedding: %w", measure, i, err)
		}
		if len(first[i]) > 0 && len(second[i]) > 0 {
			sum += score(first[i], second[i], firstHas)
		}
		for _, j := range first[i] {
			firstHas[j] = false
		}
		for _, j := range second[i] {
			secondHas[j] = false
		}
	}
	return sum / float64(n), nil
}

// mark sets the entries of a list in has. It returns an error if one is out of range or already set.
func mark(list []int, has []bool) error {
	for _, j := range list {
		if j < 0 || j >= len(has) {
			return fmt.Errorf("index %d of %d points", j, len(has))
		}
		if has[j] {
			return fmt.Errorf("index %d is listed twice", j)
		}
		has[j] = true
	}
	return nil
}
