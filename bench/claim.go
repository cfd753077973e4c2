package bench

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Claim is a statement of a paper, or of this project, that records can judge.
type Claim struct {
	Name      string // unique in its suite
	Source    string // paper and figure, table or section; "orthant" for our own
	Statement string
	Paper     string // the paper's figure as printed, or what it shows
	Took      string // what the paper's run took and on which machine, as printed; empty where it does not say
	Check     func(r *Records) Finding
}

// Finding is what the records say of a claim.
type Finding struct {
	Verdict Verdict
	Ours    string   // our figure
	Why     string   // where the verdict needs a reason; always where nothing can be checked
	Cases   []string // the cases that the figure was read from
}

// Verdict is the outcome of checking a claim.
type Verdict string

// The verdicts.
const (
	Reproduces    Verdict = "reproduces"
	DoesNot       Verdict = "does not reproduce"
	CannotCheck   Verdict = "cannot be checked"
	NotRun        Verdict = "not run" // the records it needs are not there
	PartlyHolds   Verdict = "reproduces in part"
	TargetReached Verdict = "reached" // of a target of our own
	TargetMissed  Verdict = "missed"
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
	if f.Verdict == "" || f.Verdict == CannotCheck && records.lacks(f.Cases) {
		f.Verdict = NotRun
	}
	return f
}

// lacks reports whether one of the cases was not run because data, a program or a build is not here.
func (r *Records) lacks(cases []string) bool {
	return slices.ContainsFunc(cases, func(name string) bool {
		one := r.Lookup(name)
		return one != nil && one.Missing != ""
	})
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

// figure is a number of the README: 3.6e-6, 20 000, 0.26.
var figure = regexp.MustCompile(`\d+( \d{3})*(\.\d+)?(e-?\d+)?`)

// Figures reads the numbers of a text in their order. A claim whose name begins with
// "readme/" has as its Paper the words of the README, or of docs/figures.md which continues it,
// that it judges: so each figure is in one place, and a test checks the words against both.
func Figures(text string) []float64 {
	var list []float64
	for _, word := range figure.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(word, " ", ""), 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// FigureTolerance is by how much a measured figure may be worse than the README's: a tenth.
const FigureTolerance = 0.1
