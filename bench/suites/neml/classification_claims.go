package neml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// newsPrinted is what survives of Table 1: the raw errors and the column d = 9.
var newsPrinted = map[string]map[string][2]float64{
	"nn":  {"raw": {35.21, 0.54}, "lle": {45.7, 1.0}, "le": {39.4, 0.1}, "neml": {29.8, 1.7}},
	"nfl": {"raw": {23.96, 0.31}, "lle": {44.0, 1.6}, "le": {33.6, 0.8}, "neml": {27.6, 1.5}},
}

// newsClaim compares one printed error with ours: it is reproduced where both
// agree within twice the deviation of the splits, theirs and ours together, and
// one point.
func newsClaim(classifier, method string) bench.Claim {
	want, of := newsPrinted[classifier][method], classifierNames[classifier]
	statement := fmt.Sprintf("20newsgroups, 9 dimensions of %s for new samples: the %s is wrong in %.1f %% of the cases.", strings.ToUpper(method), of, want[0])
	name := newsTrials(&bench.Env{}).name(method, 9)
	if method == "raw" {
		statement, name = fmt.Sprintf("20newsgroups as they are: the %s is wrong in %.2f %% of the cases.", of, want[0]), newsTrials(&bench.Env{}).rawName()
	}
	return bench.Claim{
		Name: "20news-" + classifier + "-" + method, Source: papers.NEML + ", Table 1", Statement: statement, Paper: fmt.Sprintf("%v ± %v %%", want[0], want[1]),
		Check: func(r *bench.Records) bench.Finding {
			mean, found := r.Quality(name, classifier+"-error")
			if !found {
				f := r.FindingWithout(name)
				if r.Get(name) != nil {
					f.Why = "feature lines are left out of the quick run"
				}
				return f
			}
			sd, _ := r.Quality(name, classifier+"-sd")
			f := bench.Finding{Verdict: bench.ReproducesIf(agrees(mean, sd, want[0], want[1])), Ours: fmt.Sprintf("%.1f ± %.1f %%", mean, sd), Cases: []string{name}}
			if f.Verdict == bench.DoesNot && mean < want[0] {
				f.Why = "Ours is lower than the paper's."
			}
			return f
		},
	}
}

var newsClaims = func() []bench.Claim {
	claims := []bench.Claim{{
		Name: "20news-order", Source: papers.NEML + ", Table 1", Statement: "NEML separates the newsgroups best of the three methods, LLE worst (d = 9, nearest point).", Paper: "29.8 < 39.4 < 45.7 %",
		Check: func(r *bench.Records) bench.Finding {
			q := newsTrials(&bench.Env{})
			names := []string{q.name("neml", 9), q.name("le", 9), q.name("lle", 9)}
			e, found := r.Qualities("nn-error", names...)
			if len(found) < 3 {
				return r.FindingWithout(names...)
			}
			return bench.Finding{Verdict: bench.ReproducesIf(e[0] < e[1] && e[1] < e[2]), Ours: fmt.Sprintf("%.1f < %.1f < %.1f %%", e[0], e[1], e[2]), Cases: names}
		},
	}}
	for _, classifier := range []string{"nn", "nfl"} {
		for _, method := range []string{"raw", "lle", "le", "neml"} {
			claims = append(claims, newsClaim(classifier, method))
		}
	}
	for _, v := range newsLone {
		claims = append(claims, v.claim())
	}
	return claims
}()

var digitClaims = []bench.Claim{
	{
		Name: "usps-below-lle", Source: papers.NEML + ", Fig. 7", Statement: "The error of NEML is below that of LLE for almost every d.", Paper: "curves",
		Check: func(r *bench.Records) bench.Finding { return digitsBelow(r, "lle", 3) },
	},
	{
		Name: "usps-below-le", Source: papers.NEML + ", Fig. 7", Statement: "The error of NEML is below that of Laplacian eigenmaps as d comes near k.", Paper: "curves",
		Check: func(r *bench.Records) bench.Finding { return digitsBelow(r, "le", 10) },
	},
}

// digitsBelow says for which d NEML errs less than another method; the claim is
// about those from the given one on.
func digitsBelow(r *bench.Records, other string, from int) bench.Finding {
	q := digitTrials(&bench.Env{})
	var cases, ours []string
	var below, about int
	for _, classifier := range []string{"nn", "nfl"} {
		var where []string
		for _, d := range q.dims {
			e, found := r.Qualities(classifier+"-error", q.name("neml", d), q.name(other, d))
			if len(found) < 2 {
				continue
			}
			if classifier == "nn" {
				cases = append(cases, found...)
			}
			if d >= from {
				about++
			}
			if e[0] < e[1] {
				where = append(where, fmt.Sprint(d))
				if d >= from {
					below++
				}
			}
		}
		ours = append(ours, fmt.Sprintf("%s: below at d = %s", strings.ToUpper(classifier), strings.Join(where, ", ")))
	}
	if about == 0 {
		return r.FindingWithout(q.name("neml", 9), q.name(other, 9))
	}
	f := bench.Finding{Verdict: bench.DoesNot, Ours: strings.Join(ours, "; "), Cases: slices.Compact(cases)}
	switch share := float64(below) / float64(about); {
	case share >= 0.8: // «almost every»
		f.Verdict = bench.Reproduces
	case share > 0.5:
		f.Verdict = bench.PartlyHolds
	}
	if below < about {
		f.Why = fmt.Sprintf("It is not so at %d of %d measured points; which samples the paper took is not known.", about-below, about)
	}
	return f
}
