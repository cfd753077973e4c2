package solving

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// pairClaims: so many times as fast as a peer on every problem that both take, in less
// memory.
func pairClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		peer, program string
		factor        float64
	}{{"arpack", "SciPy's eigsh", 5}, {"slepc", "SLEPc with MUMPS", 1.5}} {
		list = append(list, bench.Claim{
			Name: "pairs/" + c.peer, Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast, in less memory", c.factor),
			Statement: fmt.Sprintf("The 50 smallest eigenpairs of every matrix that both take need at most 1/%g of the processor time of %s, and less memory, with residuals of 1e-9 at most.", c.factor, c.program),
			Check: func(r *bench.Records) bench.Finding {
				return faster(r, both(c.peer, (*problem).pairGroup, func(p *problem) bool { return p.takenBy(c.peer) }), c.factor, true)
			},
		})
	}
	return list
}

// insideClaims are the same of pairs inside the spectrum, and of the LDLᵀ factor.
func insideClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		peer, program string
		factor        float64
	}{{"arpack", "SciPy's eigsh", 4}, {"slepc", "SLEPc with MUMPS", 1.2}} {
		list = append(list, bench.Claim{
			Name: "inside/" + c.peer, Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast", c.factor),
			Statement: fmt.Sprintf("The 50 eigenpairs nearest to a shift inside the spectrum need at most 1/%g of the processor time of %s, with residuals of 1e-11 at most.", c.factor, c.program),
			Check: func(r *bench.Records) bench.Finding {
				return faster(r, both(c.peer, (*problem).insideGroup, (*problem).asked), c.factor, false)
			},
		})
	}
	return append(list, bench.Claim{
		Name: "indefinite/mumps", Source: "orthant", Paper: "at least as fast",
		Statement: "The LDLᵀ factorisation of a matrix shifted into its spectrum, a refined solution and a factorisation of the same pattern need no more processor time than by MUMPS, with backward errors of 1e-13 at most.",
		Check: func(r *bench.Records) bench.Finding {
			return faster(r, both("mumps", (*problem).indefiniteGroup, (*problem).single), 1, false)
		},
	})
}

// both are the names of our case and the peer's of every problem that is taken.
func both(peer string, group func(*problem) string, taken func(*problem) bool) []string {
	var all []string
	for i := range problems {
		if p := &problems[i]; taken(p) {
			all = append(all, group(p)+ours, group(p)+"/"+peer)
		}
	}
	return all
}

// faster compares pairs of cases, ours first.
func faster(r *bench.Records, all []string, factor float64, less bool) bench.Finding {
	var text, why []string
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := 0; i < len(all); i += 2 {
		name := strings.Split(all[i], "/")[1]
		a, _ := r.CPU(all[i])
		b, _ := r.CPU(all[i+1])
		text = append(text, fmt.Sprintf("%s %.3g times, %s to %s; %s to %s", name, b/a, r.AccuracyCell(all[i]).Text, r.AccuracyCell(all[i+1]).Text, bench.PeakText(r.Get(all[i])), bench.PeakText(r.Get(all[i+1]))))
		if b < factor*a {
			why = append(why, fmt.Sprintf("%s %.2f times", name, b/a))
		}
		if less && r.Get(all[i]).PeakBytes > r.Get(all[i+1]).PeakBytes {
			why = append(why, name+" takes more memory")
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(text, "; "), all, why...)
}

// factorClaims: on one thread within a fifth of CHOLMOD, on two ahead of it by the clock.
func factorClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		threads int
		most    float64
		words   string
	}{{1, 1.2, "at most 1.2 times that of CHOLMOD"}, {2, 1, "no more than that of CHOLMOD"}} {
		list = append(list, bench.Claim{
			Name: fmt.Sprintf("factor/cholmod/threads=%d", c.threads), Source: "orthant", Paper: c.words,
			Statement: fmt.Sprintf("The Cholesky factorisation of every matrix, a solution and a factorisation of the same pattern take on %d thread(s) a time by the clock of %s, with backward errors of 1e-14 at most.", c.threads, c.words),
			Check:     func(r *bench.Records) bench.Finding { return noSlower(r, c.threads, c.most) },
		})
	}
	return list
}

func noSlower(r *bench.Records, threads int, most float64) bench.Finding {
	var all, text, why []string
	for i := range problems {
		if p := &problems[i]; !p.alone {
			all = append(all, p.factorGroup(threads)+ours, p.factorGroup(threads)+"/cholmod")
		}
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := 0; i < len(all); i += 2 {
		name := strings.Split(all[i], "/")[1]
		a, b := r.Get(all[i]).Seconds["total"].Median, r.Get(all[i+1]).Seconds["total"].Median
		text = append(text, fmt.Sprintf("%s %.2f of the time, %s to %s", name, a/b, r.AccuracyCell(all[i]).Text, r.AccuracyCell(all[i+1]).Text))
		if a > most*b {
			why = append(why, fmt.Sprintf("%s %.2f", name, a/b))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(text, "; "), all, why...)
}
