package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// trouble is something that the reader has to know before the figures: cases
// that did not run, failed, or were disturbed, by reason.
type trouble struct {
	Kind   string // "missing", "failed" or "noisy"
	Reason string
	Suite  string
	Cases  []traced
}

// traced is a case with the place of its record.
type traced struct{ Text, Link string }

func (r *Report) troubles() []trouble {
	var list []trouble
	for _, kind := range []string{"missing", "failed", "noisy"} {
		for _, v := range r.suites {
			byReason := map[string][]traced{}
			for _, one := range v.records.List {
				reason := map[string]string{"missing": one.Missing, "failed": one.Error}[kind]
				if kind == "noisy" && one.Noise != "" {
					reason = "their figures may be off; each record says why" // no two are disturbed alike
				}
				if reason != "" {
					byReason[reason] = append(byReason[reason], traced{one.Case, v.link(one.Case)})
				}
			}
			for _, reason := range slices.Sorted(maps.Keys(byReason)) {
				list = append(list, trouble{kind, reason, v.Name, byReason[reason]})
			}
		}
	}
	return list
}

// troubleText counts what the reader has to know, in a sentence.
func troubleText(d pageData) string {
	cases := map[string]int{}
	for _, t := range d.Troubles {
		cases[t.Kind] += len(t.Cases)
	}
	var parts []string
	add := func(count int, one, more string) {
		if count == 1 {
			parts = append(parts, "1 "+one)
		} else if count > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", count, more))
		}
	}
	add(cases["missing"], "case lacks what it needs", "cases lack what they need")
	add(cases["failed"], "failed", "failed")
	add(cases["noisy"], "was disturbed", "were disturbed")
	add(len(d.NotRun), "suite was not run", "suites were not run")
	add(len(d.Warnings), "warning", "warnings")
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": see the list below the claims."
}
