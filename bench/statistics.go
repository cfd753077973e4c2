package bench

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Summarize returns the statistics of the repeats of one measurement. Quartiles
// are interpolated between the sorted values, as is the median, so that two
// values have a spread of a quarter of their difference over their mean.
func Summarize(values []float64) Statistics {
	s := Statistics{Values: slices.Clone(values)}
	if len(values) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(values))
	s.Median = quantile(sorted, 0.5)
	if half := (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2; half > 0 && s.Median != 0 {
		s.Spread = half / math.Abs(s.Median)
	}
	return s
}

// quantile interpolates in sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// maxExact is the number of values up to which [UTest] counts the arrangements.
const maxExact = 60

// UTest returns the two-sided p-value of the Mann–Whitney U test that x and y
// come from one distribution (Mann and Whitney, Ann. Math. Statist. 18, 1947).
// Up to 60 values together it is exact, ties included: the rank sum of x is
// compared with the rank sum of every choice of len(x) of the pooled mid-ranks, and the
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
	if n+m > maxExact {
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

// Exponent is the power of a size that a cost grows with.
type Exponent struct {
	Slope  float64 // of least squares in log–log
	Half   float64 // half the width of its confidence interval of 95 % (Student's t)
	Points int     // that it was fitted to
}

// confidence is the level of the interval on both sides of a slope.
const confidence = 0.95

// FitExponent fits the exponent of y to the last points of x, which ascends; values of y
// that are not positive are left out. It is not ok where fewer points are left, or fewer
// than the three that a deviation needs.
func FitExponent(x, y []float64, points int) (e Exponent, ok bool) {
	var u, v []float64
	for i := range x {
		if y[i] > 0 {
			u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
		}
	}
	if len(u) < points || points < 3 {
		return e, false
	}
	u, v = u[len(u)-points:], v[len(v)-points:]
	n := float64(points)
	var mu, mv, suv, suu, rest float64
	for i := range u {
		mu, mv = mu+u[i]/n, mv+v[i]/n
	}
	for i := range u {
		suv, suu = suv+(u[i]-mu)*(v[i]-mv), suu+(u[i]-mu)*(u[i]-mu)
	}
	e = Exponent{Slope: suv / suu, Points: points}
	for i := range u {
		d := v[i] - mv - e.Slope*(u[i]-mu)
		rest += d * d
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 2}.Quantile((1 + confidence) / 2)
	e.Half = t * math.Sqrt(rest/(n-2)/suu)
	return e, true
}

// High is the upper end of the confidence interval.
func (e Exponent) High() float64 { return e.Slope + e.Half }

// String writes the exponent with its interval.
func (e Exponent) String() string {
	return fmt.Sprintf("%.2f ± %.2f of %d sizes", e.Slope, e.Half, e.Points)
}
