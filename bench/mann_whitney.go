package bench

import (
	"math"
	"slices"
)

// mostExact is the number of values up to which [UTest] counts the arrangements.
const mostExact = 60

// UTest returns the two-sided p-value of the Mann–Whitney U test that x and y
// come from one distribution (Mann and Whitney, Ann. Math. Statist. 18, 1947).
// Up to 60 values together it is exact, ties included: the rank sum of x is
// compared with that of every choice of len(x) of the pooled mid-ranks, and the
// smaller tail is doubled. Beyond, it is the normal approximation with the
// corrections for ties and for continuity. NaN where either is empty or holds
// NaN.
func UTest(x, y []float64) float64 {
	n, m := len(x), len(y)
	pooled := append(slices.Clone(x), y...)
	if n == 0 || m == 0 || slices.ContainsFunc(pooled, math.IsNaN) {
		return math.NaN()
	}
	ranks := doubledRanks(pooled)
	sum := 0
	for _, r := range ranks[:n] {
		sum += r
	}
	if n+m > mostExact {
		return normalP(ranks, n, m, sum)
	}
	below, above := tails(ranks, n, sum)
	return min(1, 2*min(below, above))
}

// doubledRanks returns twice the mid-rank of each value, which is a whole number.
func doubledRanks(values []float64) []int {
	sorted := slices.Sorted(slices.Values(values))
	ranks := make([]int, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last+1 < len(sorted) && sorted[last+1] == v {
			last++
		}
		ranks[i] = first + last + 2 // (first+1) + (last+1)
	}
	return ranks
}

// tails returns the shares of all choices of n ranks whose sum is at most, and at
// least, the given one.
func tails(ranks []int, n, sum int) (below, above float64) {
	total := 0
	for _, r := range ranks {
		total += r
	}
	// ways[c][s] counts the choices of c ranks with the sum s; below 2⁵³ the counts
	// are exact, and beyond (60 values have up to 10¹⁷ choices) good to 10⁻¹⁵.
	ways := make([][]float64, n+1)
	for c := range ways {
		ways[c] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for c := min(i+1, n); c >= 1; c-- {
			for s := total; s >= r; s-- {
				ways[c][s] += ways[c-1][s-r]
			}
		}
	}
	all := 0.0
	for s, w := range ways[n] {
		all += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return below / all, above / all
}

// normalP is the normal approximation of the p-value.
func normalP(ranks []int, n, m, sum int) float64 {
	size := float64(n + m)
	mean := float64(n) * (size + 1) / 2
	ties := 0.0
	counts := map[int]float64{}
	for _, r := range ranks {
		counts[r]++
	}
	for _, t := range counts {
		ties += t*t*t - t
	}
	variance := float64(n) * float64(m) / 12 * (size + 1 - ties/(size*(size-1)))
	if variance == 0 {
		return 1
	}
	z := max(math.Abs(float64(sum)/2-mean)-0.5, 0) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}
