package lnp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// timesOf makes records of a set's times, each with the same trustworthiness.
func timesOf(q timedSet, seconds func(x chooser, k int) float64) *bench.Records {
	r := &bench.Records{Suite: "lnp"}
	for _, k := range q.sizes() {
		for _, x := range timedMethods {
			if v := seconds(x, k); v > 0 {
				one := bench.Statistics{Median: v, Values: []float64{v}}
				r.List = append(r.List, &bench.Record{
					Case: q.name(x, k), CPUSeconds: map[string]bench.Statistics{"representation": one, "total": one},
					Accuracy: []bench.Accuracy{bench.ReportedShare("trustworthiness")}, Quality: map[string]bench.Statistics{"trustworthiness": {Median: 0.9}},
				})
			}
		}
	}
	return r
}

// setTrust gives a method another trustworthiness.
func setTrust(r *bench.Records, x chooser, kept float64) {
	for _, one := range r.List {
		if strings.HasSuffix(one.Case, "/"+x.key) {
			one.Quality["trustworthiness"] = bench.Statistics{Median: kept}
		}
	}
}

func TestLeastOfFour(t *testing.T) {
	q := timedSets[1]
	last := q.sizes()[len(q.sizes())-1]
	for _, c := range []struct {
		name            string
		lnp, printed    float64 // at every K, where the others have 2
		slowFrom        int     // the K from which LNP in either form takes 3; 0: none
		trustOfPrinted  float64
		want            bench.Verdict
		ours, why, past string
	}{
		{"least", 1, 1, 0, 0.9, bench.Reproduces, "least at 8 of 8 K (2–100) as printed", "", ""},
		{"slow", 3, 3, 0, 0.9, bench.DoesNot, "least at no K as printed", "LLE takes less at 8 K, LE takes less at 8 K", "loses"},
		{"slow at large K", 1, 1, 80, 0.9, bench.PartlyHolds, "least at 6 of 8 K (2–60) as printed", "takes less at 2 K", "loses"},
		{"with the cap alone", 1, 3, 0, 0.9, bench.PartlyHolds, "least at no K as printed, at 8 of 8 K (2–100) with the cap", "with the cap nothing is in the way", ""},
		{"worth less", 1, 1, 0, 0.87, bench.PartlyHolds, "least at 8 of 8 K", "as printed it loses more than 1.2 times the trust that LLE, LE, SMCE, 50 candidates loses", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := timesOf(q, func(x chooser, k int) float64 {
				switch {
				case x.method != "lnp":
					return 2
				case c.slowFrom > 0 && k >= c.slowFrom:
					return 3
				case x.key == byPrinted.key:
					return c.printed
				}
				return c.lnp
			})
			setTrust(r, byPrinted, c.trustOfPrinted)
			f := minOfFour(q).Check(r)
			if f.Verdict != c.want || !strings.Contains(f.Ours, c.ours) || !strings.Contains(f.Why, c.why) || c.past != "" && strings.Contains(f.Why, c.past) {
				t.Errorf("%+v", f)
			}
			if !strings.Contains(f.Ours, fmt.Sprintf("at K = %d: LNP, no cap", last)) {
				t.Errorf("no times in %q", f.Ours)
			}
		})
	}
	// Seconds without an error are no ground.
	r := timesOf(q, func(chooser, int) float64 { return 1 })
	for _, one := range r.List {
		one.Accuracy = nil
	}
	if f := minOfFour(q).Check(r); f.Verdict != bench.CannotCheck {
		t.Errorf("without an error: %+v", f)
	}
}

func TestFastOnDuck(t *testing.T) {
	q := timedSets[2]
	for want, printed := range map[bench.Verdict]func(k int) float64{
		bench.Reproduces:  func(int) float64 { return 1.9 },
		bench.DoesNot:     func(int) float64 { return 2.1 },
		bench.PartlyHolds: func(k int) float64 { return 1 + float64(k)/20 },
	} {
		f := fastOnDuck(q).Check(timesOf(q, func(x chooser, k int) float64 {
			if x.key == byPrinted.key {
				return printed(k)
			}
			return 1
		}))
		if f.Verdict != want || !strings.Contains(f.Ours, "1.0 times with the cap") || (want == bench.Reproduces) != (f.Why == "") {
			t.Errorf("%s: %+v", want, f)
		}
	}
}

func TestTenTimesSMCE(t *testing.T) {
	q := timedSets[1]
	for _, c := range []struct {
		lnp, smce, admm float64
		target          bench.Verdict
		why             string
	}{
		{1, 11, 200, bench.TargetReached, ""},
		{1, 3, 200, bench.TargetMissed, "is reached"},
		{2, 3, 4, bench.TargetMissed, "would be missed"},
	} {
		r := timesOf(q, func(x chooser, k int) float64 {
			switch {
			case x.key == byLNP.key:
				return c.lnp
			case x.key == bySMCE.key:
				return c.smce
			case x.key == byADMM.key && k <= 20:
				return c.admm
			}
			return 0
		})
		f := tenTimesSMCE.Check(r)
		if f.Verdict != c.target || !strings.Contains(f.Why, c.why) {
			t.Errorf("%+v: %+v", c, f)
		}
		both := fmt.Sprintf("%.1f times by the exact active set (%.1f to %.1f by K), %.0f times by the published ADMM", c.smce/c.lnp, c.smce/c.lnp, c.smce/c.lnp, c.admm/c.lnp)
		if !strings.Contains(f.Ours, both) {
			t.Errorf("%q does not say %q", f.Ours, both)
		}
	}
}
