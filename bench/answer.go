package bench

import (
	"fmt"
	"slices"
	"strings"
)

// answer is what a report says first: whether ours is fast, and whether it is right.
type answer struct{ Fast, Right string }

// answer counts the comparisons of the overview and the verdicts.
func (r *Report) answer(o overview) answer {
	var a answer
	var times []float64
	faster, held, rows := 0, 0, 0
	for _, row := range slices.Concat(o.Rows, o.More) {
		if row.seconds[0] > 0 {
			rows++
			if !row.short {
				held++
			}
		}
		if row.both() && row.seconds[0] > 0 && row.seconds[1] > 0 {
			times = append(times, row.seconds[1]/row.seconds[0])
			if row.seconds[1] > row.seconds[0] {
				faster++
			}
		}
	}
	switch {
	case len(times) > 0:
		slices.Sort(times)
		a.Fast = fmt.Sprintf("Faster in %d of %s, in the median %s times.", faster, counted(len(times), "comparison"), plainNumber(times[len(times)/2]))
		if waiting := rows - len(times); waiting > 0 {
			a.Fast += fmt.Sprintf(" In %d more the peer was not run.", waiting)
		}
	case rows > 0:
		a.Fast = "Not known: no peer was run."
	default:
		a.Fast = "Not known: nothing was timed."
	}
	counts := r.Counts()
	var claims []string
	for _, one := range []struct {
		verdicts []Verdict
		words    string
	}{{[]Verdict{Reproduces, TargetReached}, "confirmed"}, {[]Verdict{PartlyHolds}, "confirmed in part"}, {[]Verdict{DoesNot, TargetMissed}, "not confirmed"}} {
		n := 0
		for _, v := range one.verdicts {
			n += counts[v]
		}
		if n > 0 {
			claims = append(claims, fmt.Sprintf("%d %s", n, one.words))
		}
	}
	if rows > 0 {
		a.Right = fmt.Sprintf("The error is within its limit in %d of %s.", held, counted(rows, "timed result"))
	}
	if judged := len(r.Judged) - counts[CannotCheck] - counts[NotRun]; judged > 0 {
		a.Right = strings.TrimSpace(fmt.Sprintf("%s Of %s measured, %s.", a.Right, counted(judged, "claim"), strings.Join(claims, ", ")))
	} else if a.Right == "" {
		a.Right = "Not known: no claim was measured."
	}
	return a
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// meanings explain the verdicts where they first stand.
var meanings = map[Verdict]string{
	Reproduces:    "measured, and the paper's claim holds",
	TargetReached: "measured, and a target of our own is met",
	PartlyHolds:   "measured, and the claim holds for some of its cases",
	DoesNot:       "measured, and the paper's claim does not hold",
	TargetMissed:  "measured, and a target of our own is not met",
	CannotCheck:   "what was measured decides nothing; the reason is given",
	NotRun:        "not measured: data, a program or a run is missing",
}

// Meaning explains a verdict in a few words.
func (v Verdict) Meaning() string { return meanings[v] }
