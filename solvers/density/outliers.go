package density

import "math"

// Outliers returns the outlier score of each sample from its surroundings in the hierarchy (GLOSH, Campello et al. 2015): 1 − λ/λmax, where the sample leaves at λ
// and the densest sample of the same component leaves at λmax. 0 is as dense as any, 1 far from all.
func (t *Condensed) Outliers() []float64 {
	densest := append([]float64(nil), t.Death...)
	for c := len(densest) - 1; c > 0; c-- {
		up := t.Parent[c]
		densest[up] = max(densest[up], densest[c])
	}
	scores := make([]float64, len(t.Of))
	for i, c := range t.Of {
		lambda, most := t.Lambda[i], densest[c]
		switch {
		case most == 0 || math.IsInf(lambda, 1):
		case math.IsInf(most, 1):
			scores[i] = 1
		default:
			scores[i] = (most - lambda) / most
		}
	}
	return scores
}
