package bench

import (
	"slices"
	"strings"
)

// Qualities returns a quality of several cases, in their order, those that did not
// run left out.
func (r *Records) Qualities(key string, names ...string) (values []float64, found []string) {
	for _, name := range names {
		if v, ok := r.Quality(name, key); ok {
			values, found = append(values, v), append(found, name)
		}
	}
	return values, found
}

// FindingWithout is the finding of a claim whose cases did not run: it cannot be
// checked where one of them lacked something or failed, and is not run otherwise.
func (r *Records) FindingWithout(names ...string) Finding {
	for _, one := range r.List {
		if slices.Contains(names, one.Case) && !one.Done() {
			return Finding{Verdict: CannotCheck, Why: one.Missing + one.Error, Cases: names}
		}
	}
	return Finding{Verdict: NotRun, Why: "the cases it needs have not been run", Cases: names}
}

// ReproducesIf is Reproduces or DoesNot.
func ReproducesIf(holds bool) Verdict {
	if holds {
		return Reproduces
	}
	return DoesNot
}

// TargetFinding is the finding on a target of our own.
func TargetFinding(reached bool, ours string, cases []string) Finding {
	f := Finding{Verdict: TargetMissed, Ours: ours, Cases: cases}
	if reached {
		f.Verdict = TargetReached
	}
	return f
}

// Unready says why a claim cannot be judged by the records: a case that it needs
// was not run, lacked something, or failed. ready is true where nothing is in the
// way, and f then names the cases.
func (r *Records) Unready(cases ...string) (f Finding, ready bool) {
	f = Finding{Verdict: CannotCheck, Cases: cases}
	var said, absent []string
	for _, name := range cases {
		switch one := r.Lookup(name); {
		case one == nil:
			absent = append(absent, name)
		case one.Done():
		case one.Missing != "":
			said = appendNew(said, one.Missing)
		default:
			said = appendNew(said, name+" failed: "+one.Error)
		}
	}
	switch {
	case len(said) > 0:
		f.Why = strings.Join(said, "; ")
	case len(absent) > 0:
		f.Verdict, f.Why = NotRun, "not run: "+strings.Join(absent, ", ")
	default:
		return Finding{Cases: cases}, true
	}
	return f, false
}

func appendNew(list []string, text string) []string {
	for _, one := range list {
		if one == text {
			return list
		}
	}
	return append(list, text)
}
