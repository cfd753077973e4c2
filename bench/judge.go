package bench

import (
	"cmp"
	"fmt"
	"slices"
)

// Judged is a claim with what the records say of it.
type Judged struct {
	Suite   string
	Claim   Claim
	Finding Finding
	Command string  // what makes the records that the claim is judged by
	Seconds float64 // of processor time: the medians of the finding's cases, added up
	Timed   int     // how many cases these are of
}

// Verdicts lists all verdicts in the order in which they are counted.
var Verdicts = []Verdict{Reproduces, TargetReached, PartlyHolds, DoesNot, TargetMissed, CannotCheck, NotRun}

// judge judges the claims of a suite.
func judge(s Suite, records *Records) []Judged {
	list := make([]Judged, len(s.Claims))
	for i, c := range s.Claims {
		j := Judged{Suite: s.Name, Claim: c, Command: runCommand(s.Name)}
		if len(records.List) == 0 {
			j.Finding = Finding{Verdict: NotRun, Why: "the suite has not been run"}
		} else {
			j.Finding = check(c, records)
			if one := commandOf(j.Finding.Cases, records); one != "" {
				j.Command = one
			}
			if j.Finding.Verdict != CannotCheck && j.Finding.Verdict != NotRun {
				j.Seconds, j.Timed = records.spent(j.Finding.Cases)
			}
		}
		list[i] = j
	}
	return list
}

// runCommand makes all records of a suite.
func runCommand(suite string) string {
	return "orthant-bench run " + suite + " --data DATA --out report"
}

// check calls a claim's own judgement. A mistake in it costs its own verdict, not
// the report.
func check(c Claim, records *Records) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Finding{Verdict: CannotCheck, Why: fmt.Sprintf("judging it failed: %v", p)}
		}
	}()
	if c.Check == nil {
		return Finding{Verdict: CannotCheck, Why: "there is nothing to measure"}
	}
	f = c.Check(records)
	if f.Verdict == "" {
		f.Verdict = NotRun
	}
	return f
}

// commandOf returns the command of a finding that was read from one case.
func commandOf(cases []string, records *Records) string {
	if len(cases) == 1 {
		for _, r := range records.List {
			if r.Case == cases[0] {
				return r.Command
			}
		}
	}
	return ""
}

// spent adds up the median processor seconds of cases, and counts those that have any.
func (r *Records) spent(cases []string) (seconds float64, timed int) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(cases))) {
		if one, found := r.CPU(name); found {
			seconds, timed = seconds+one, timed+1
		}
	}
	return seconds, timed
}

// Spent says what the cases took that a claim was judged by; "" where nothing was timed.
func (j Judged) Spent() string {
	switch j.Timed {
	case 0:
		return ""
	case 1:
		return secondsText(j.Seconds, 2)
	}
	return fmt.Sprintf("%s, %d cases", secondsText(j.Seconds, 2), j.Timed)
}

// Found is our figure, or the reason why there is none.
func (j Judged) Found() string { return cmp.Or(j.Finding.Ours, j.Finding.Why) }
