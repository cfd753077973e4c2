package measures

import (
	"math"
	"slices"
)

// AdjustedRand returns the Rand index of two labellings of the same samples, the share of pairs on which they agree, adjusted
// for chance (Hubert and Arabie 1985): 1 for labellings that are equal up to names, 0 in the mean for
// random ones of the same sizes; it may be below 0.
//
// Labels are arbitrary integers; −1 is a cluster as any other ([WithoutNoise] leaves it out). Errors are those of [Accuracy]. O(n log n).
func AdjustedRand(truth, predicted []int64) (float64, error) {
	c, err := contingencyOf("ari", truth, predicted)
	if err != nil {
		return 0, err
	}
	pairs := func(sizes []int) (sum float64) {
		for _, s := range sizes {
			sum += float64(s) * float64(s-1) / 2
		}
		return sum
	}
	class, cluster := c.margins()
	both, rows, cols, all := pairs(c.counts), pairs(class), pairs(cluster), pairs([]int{c.n})
	if all == 0 || rows == cols && (rows == all || rows == 0) {
		return 1, nil // one sample, one cluster of all, or one for each
	}
	expected := rows / all * cols
	return (both - expected) / ((rows+cols)/2 - expected), nil
}

// AMI returns the mutual information of two labellings adjusted for chance (Vinh, Epps and Bailey 2010), (I − E) / (H − E), with E the
// expected information of random labellings with the same sizes and H the max, min, geometric or arithmetic mean of the
// entropies ("" means arithmetic): 1 for labellings that are equal up to names, 0 in the mean for random ones, and where random
// ones have all of H.
//
// −1 is a cluster as any other. Errors are those of [NMI]. O(n log n), and the sum over pairs of different sizes of a class and
// a cluster of the smaller one, at most O(n√n).
func AMI(truth, predicted []int64, normalise string) (float64, error) {
	if normalise == "" {
		normalise = "arithmetic"
	}
	c, err := contingencyOf("ami", truth, predicted)
	if err != nil {
		return 0, err
	}
	class, cluster := c.margins()
	over, err := meanEntropy("ami", normalise, entropy(class, c.n), entropy(cluster, c.n))
	if err != nil {
		return 0, err
	}
	if c.classes == c.clusters && (c.classes == 1 || c.classes == c.n) {
		return 1, nil
	}
	expected := expectedInformation(class, cluster, c.n)
	above, below := c.information(class, cluster)-expected, over-expected
	if below <= 1e-12*over {
		return 0, nil
	}
	return min(above/below, 1), nil
}

// expectedInformation returns the mean mutual information over all tables with the given margins, in which an entry has
// the hypergeometric distribution.
func expectedInformation(class, cluster []int, n int) float64 {
	logFactorial := make([]float64, n+1)
	for i := 1; i <= n; i++ {
		logFactorial[i], _ = math.Lgamma(float64(i) + 1)
	}
	sum, total := 0.0, float64(n)
	for _, a := range counted(class) {
		for _, b := range counted(cluster) {
			fixed := logFactorial[a.size] + logFactorial[b.size] + logFactorial[n-a.size] + logFactorial[n-b.size] - logFactorial[n]
			part := 0.0
			for v := max(1, a.size+b.size-n); v <= min(a.size, b.size); v++ {
				p := math.Exp(fixed - logFactorial[v] - logFactorial[a.size-v] - logFactorial[b.size-v] - logFactorial[n-a.size-b.size+v])
				part += float64(p * (float64(v) / total * math.Log(total*float64(v)/(float64(a.size)*float64(b.size)))))
			}
			sum += float64(float64(a.times)*float64(b.times)) * part
		}
	}
	return sum
}

// sizeCount is a size and how many clusters have it.
type sizeCount struct{ size, times int }

// counted lists the different sizes, ascending.
func counted(sizes []int) (list []sizeCount) {
	ascending := slices.Sorted(slices.Values(sizes))
	for _, s := range ascending {
		if len(list) == 0 || list[len(list)-1].size != s {
			list = append(list, sizeCount{size: s})
		}
		list[len(list)-1].times++
	}
	return list
}
