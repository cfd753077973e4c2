package measures

import (
	"fmt"
	"math"
	"sort"
)

// Curve is a receiver operating characteristic: as the threshold falls through
// the distinct scores, the shares of negatives and of positives at or above it.
type Curve struct {
	FPR, TPR   []float64 // from (0, 0) to (1, 1), one more than distinct scores
	Thresholds []float64 // at the same indices; the first is +Inf
	AUC        float64   // area under the curve
}

// RankAUC returns max(AUC, 1−AUC): the area for scores without a sign, such as
// a coordinate of an embedding.
func (c Curve) RankAUC() float64 { return math.Max(c.AUC, 1-c.AUC) }

// ROC returns the curve of scores that should be larger for positives. Its area
// by trapezoids is the Mann–Whitney statistic with ties counted half:
// the probability that a positive scores above a negative. It is computed from
// integers, so it is exact up to the final division.
//
// It returns an error for lengths that differ, scores that are NaN (infinities are
// allowed) and samples of only one class. Time is O(n log n).
func ROC(scores []float64, positive []bool) (Curve, error) {
	if len(scores) != len(positive) {
		return Curve{}, fmt.Errorf("roc-auc: %d scores for %d labels", len(scores), len(positive))
	}
	order := make([]int, len(scores))
	positives := 0
	for i, s := range scores {
		if math.IsNaN(s) {
			return Curve{}, fmt.Errorf("roc-auc: score %d (counting from 1) is NaN; leave such samples out", i+1)
		}
		order[i] = i
		if positive[i] {
			positives++
		}
	}
	negatives := len(scores) - positives
	if positives == 0 || negatives == 0 {
		return Curve{}, fmt.Errorf("roc-auc: %d positives and %d negatives, want at least one of each", positives, negatives)
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })

	c := Curve{FPR: []float64{0}, TPR: []float64{0}, Thresholds: []float64{math.Inf(1)}}
	p, n, twice := float64(positives), float64(negatives), 0.0
	tp, fp := 0.0, 0.0
	for lo := 0; lo < len(order); {
		score, tpBefore, fpBefore := scores[order[lo]], tp, fp
		for ; lo < len(order) && scores[order[lo]] == score; lo++ {
			if positive[order[lo]] {
				tp++
			} else {
				fp++
			}
		}
		twice += (fp - fpBefore) * (tp + tpBefore)
		c.FPR, c.TPR = append(c.FPR, fp/n), append(c.TPR, tp/p)
		c.Thresholds = append(c.Thresholds, score)
	}
	c.AUC = twice / (2 * p * n)
	return c, nil
}
