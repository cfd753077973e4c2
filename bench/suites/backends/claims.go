package backends

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// The targets of the suite.
const (
	asFast  = 0.9
	several = 2
)

var claims = []bench.Claim{
	{
		Name: "as-fast-as-openblas", Source: "orthant", Paper: fmt.Sprintf("at least %.1f of OpenBLAS's rate", asFast),
		Statement: "The products of the pure-Go build (Gemm, Syrk, Gemv) are as fast as OpenBLAS's, in the geometric mean over their sizes.",
		Check:     func(r *bench.Records) bench.Finding { return compareProducts(r, "openblas", asFast) },
	},
	{
		Name: "faster-than-gonum", Source: "orthant", Paper: fmt.Sprintf("at least %d times gonum's rate", several),
		Statement: "The products of the pure-Go build are several times faster than gonum's, in the geometric mean over their sizes.",
		Check:     func(r *bench.Records) bench.Finding { return compareProducts(r, "gonum", several) },
	},
}

// compareProducts judges native's products by another backend's.
func compareProducts(r *bench.Records, other string, atLeast float64) bench.Finding {
	sum := 0.0
	ratios := map[string]float64{}
	for _, op := range operations[:3] {
		for _, n := range op.sizes {
			name := operationName(op.name, n, other)
			ours, ok := r.Quality(operationName(op.name, n, "native"), "gflops")
			theirs, both := r.Quality(name, "gflops")
			if ok && both && theirs > 0 {
				sum += math.Log(ours / theirs)
				ratios[fmt.Sprintf("%s %d", op.name, n)] = ours / theirs
				continue
			}
			for _, one := range r.List {
				if one.Case == name && one.Missing != "" {
					return bench.Finding{Verdict: bench.CannotCheck, Why: one.Missing, Cases: []string{name}}
				}
			}
		}
	}
	if len(ratios) == 0 {
		return bench.Finding{Verdict: bench.NotRun, Why: "no product was measured by both backends"}
	}
	var cases []string
	for _, op := range operations[:3] {
		for _, n := range op.sizes {
			for _, b := range []string{"native", other} {
				if name := operationName(op.name, n, b); r.Get(name) != nil {
					cases = append(cases, name)
				}
			}
		}
	}
	residuals, _ := r.Qualities("residual", cases...)
	worst := slices.Max(append(residuals, 0))
	mean := math.Exp(sum / float64(len(ratios)))
	f := r.SpeedFinding(mean >= atLeast, fmt.Sprintf("%.1f times %s's rate, residuals of %s at most", mean, other, bench.ErrorText(worst)), cases)
	slowest := slices.MinFunc(slices.Sorted(maps.Keys(ratios)), func(a, b string) int {
		if ratios[a] < ratios[b] {
			return -1
		}
		return 1
	})
	if f.Verdict == bench.CannotCheck {
		return f
	}
	f.Why = strings.TrimSpace(fmt.Sprintf("at least %.1f (%s). ", ratios[slowest], slowest) + f.Why)
	return f
}
