package measures

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/internal/must"
)

// TestROCIsMannWhitney compares the area with the count over all pairs, on
// scores with many ties.
func TestROCIsMannWhitney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		scores, positive := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i] = float64(rapid.IntRange(-4, 4).Draw(t, "score"))
			positive[i] = rapid.Bool().Draw(t, "positive")
		}
		positive[0], positive[1] = true, false
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case scores[i] > scores[j]:
						wins++
					case scores[i] == scores[j]:
						wins += 0.5
					}
				}
			}
		}
		c := must.Get(ROC(scores, positive))(t)
		if c.AUC != wins/pairs { // both are exact until one division
			t.Fatalf("area %v, want %v", c.AUC, wins/pairs)
		}
		last := len(c.FPR) - 1
		if len(c.TPR) != last+1 || len(c.Thresholds) != last+1 {
			t.Fatalf("%d, %d and %d points of a curve", last+1, len(c.TPR), len(c.Thresholds))
		}
		if c.FPR[0] != 0 || c.TPR[0] != 0 {
			t.Fatalf("the curve begins at (%g, %g)", c.FPR[0], c.TPR[0])
		}
		if c.FPR[last] != 1 || c.TPR[last] != 1 {
			t.Fatalf("the curve ends at (%g, %g)", c.FPR[last], c.TPR[last])
		}
		for p := 1; p <= last; p++ {
			if c.FPR[p] < c.FPR[p-1] || c.TPR[p] < c.TPR[p-1] || c.Thresholds[p] >= c.Thresholds[p-1] {
				t.Fatalf("curve %+v turns back at %d", c, p)
			}
		}
		for i := range scores {
			scores[i] = -scores[i]
		}
		mirror, err := ROC(scores, positive)
		if err != nil || math.Abs(mirror.AUC+c.AUC-1) > 1e-15 || mirror.RankAUC() < 0.5 {
			t.Fatalf("with the sign turned: %v and %v (%v)", c.AUC, mirror.AUC, err)
		}
	})
}

func TestROCInfiniteScores(t *testing.T) {
	c, err := ROC([]float64{math.Inf(1), 0, math.Inf(-1)}, []bool{true, false, false})
	if err != nil || c.AUC != 1 || len(c.FPR) != 4 {
		t.Errorf("%+v (%v)", c, err)
	}
}

func TestROCErrors(t *testing.T) {
	_, err := ROC([]float64{1, 2}, []bool{true})
	refuses(t, err, "2 scores for 1 labels")
	_, err = ROC([]float64{1, 2}, []bool{true, true})
	refuses(t, err, "2 positives and 0 negatives")
	_, err = ROC(nil, nil)
	refuses(t, err, "0 positives and 0 negatives")
	_, err = ROC([]float64{1, math.NaN()}, []bool{true, false})
	refuses(t, err, "score 2 (counting from 1) is NaN")
}
