package engine

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Of data that the factors or the centres fit to rounding, rounding is no doubt: the objective of
// constant samples may rise from 0 to 1e-27.
func TestRoundingIsNoDoubt(t *testing.T) {
	constant, line := mat.NewDense(60, 5, nil), mat.NewDense(60, 5, nil)
	for i := range 60 {
		for j := range 5 {
			constant.Set(i, j, 0.1)
			line.Set(i, j, float64(1+i)*float64(1+j)/7)
		}
	}
	says := func(name string, v *Verdict, warnings []string) {
		if text := v.Sentence + strings.Join(warnings, "; "); strings.Contains(text, "rises from") || strings.Contains(text, "do not improve") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for name, x := range map[string]*mat.Dense{"constant": constant, "of rank 1": line} {
		runs := 0
		for _, e := range Methods() {
			m := named(t, e.Name)
			labels := make([]int64, 60)
			for i := range labels {
				labels[i] = int64(i % 2)
			}
			if r, err := Factorize(t.Context(), x, m, FactorizeOptions{Rank: 2, Options: Options{Labels: labels}}); err == nil {
				says(e.Name+" of "+name+" data", r.Quality, r.Warnings)
				runs++
			}
			if r, err := Cluster(t.Context(), x, m, ClusterOptions{Clusters: 2}); err == nil {
				says(e.Name+", clusters of "+name+" data", r.Quality, r.Warnings)
				runs++
			}
		}
		if runs < 10 {
			t.Errorf("%s: %d runs", name, runs)
		}
	}
}
