package rnpa

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// settled is the first iteration from which on the relative error stays within one
// per cent of its whole change from its last value.
func settled(r *bench.Records, name string) (iteration float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	at, e := one.Series["iteration"], one.Series["residual"]
	if len(e) == 0 || len(at) != len(e) {
		return 0, false
	}
	i := len(e) - 1
	for near := math.Abs(e[0]-e[i]) / 100; i > 0 && math.Abs(e[i-1]-e[len(e)-1]) <= near; {
		i--
	}
	return at[i], true
}

// convergence is the claim of Fig. 14 on one of the sets.
func convergence(name string, set imageSet, noises []noise) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.RNPA + ", Fig. 14", Statement: fmt.Sprintf("LP-RNA converges slightly slower than GNMF and faster than CIM-NMF (%s).", set.title), Paper: "curves",
		Check: func(r *bench.Records) bench.Finding { return checkConvergence(r, set, noises) },
	}
}

func checkConvergence(r *bench.Records, set imageSet, noises []noise) bench.Finding {
	coders := []coder{gnmfCoder, printedRNA, cimLong}
	f := bench.Finding{}
	var parts []string
	held := 0
	for _, q := range noises {
		var t [3]float64
		for i, c := range coders {
			name := clustering{set: set, noise: q, coder: c}.name()
			if missing, ready := r.Unready(name); !ready {
				return missing
			}
			var found bool
			if t[i], found = settled(r, name); !found {
				return bench.Finding{Verdict: bench.CannotCheck, Why: name + " has no trace", Cases: []string{name}}
			}
			f.Cases = append(f.Cases, name)
		}
		if t[0] <= t[1] && t[1] < t[2] {
			held++
		}
		parts = append(parts, fmt.Sprintf("%s: %.0f, %.0f and %.0f", q.title, t[0], t[1], t[2]))
	}
	f.Ours = "iterations of GNMF, LP-RNA and CIM-NMF until the relative error stays within 1 % of its whole change; " + set.title + ", " + strings.Join(parts, "; ")
	switch {
	case held == len(noises):
		f.Verdict = bench.Reproduces
	case held > 0:
		f.Verdict = bench.PartlyHolds
	default:
		f.Verdict = bench.DoesNot
	}
	if f.Verdict != bench.Reproduces {
		f.Why = "The objectives are of different losses, and that of the correntropy methods changes with σ; hence the relative error."
	}
	return f
}
