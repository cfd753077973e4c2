package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// selftestReport is the JSON of "orthant selftest".
type selftestReport struct {
	Version string  `json:"version"`
	Machine machine `json:"machine"`
	Passed  bool    `json:"passed"`
	// DifferentBits names checks of native whose results differ between instruction levels.
	DifferentBits []string `json:"different_bits"`
	Tested        []tested `json:"tested"`
	Seconds       float64  `json:"seconds"`
}

// report prints what came of the checks; a check that failed is an error.
func (s *selfTest) report(all []tested, seconds float64) error {
	different := differentBits(all)
	failed := failures(all)
	if len(different) > 0 {
		failed = append(failed, "other bits at another instruction level: "+strings.Join(different, ", "))
	}
	if s.json {
		r := selftestReport{versionText(), s.machine(), len(failed) == 0, list(different), all, seconds}
		if err := s.printJSON(r); err != nil {
			return err
		}
	} else if err := s.write([]byte(selftestTable(all))); err != nil {
		return err
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; ") + " (please report this, with the output of \"orthant selftest --json\")")
	}
	if len(all) > 1 {
		line(s.say(), "passed", "%s with %s, in %s", counted(len(all[0].Checks), "check"), counted(len(all), "backend and instruction level"), duration(seconds))
		line(s.say(), "bits", "of native the same at every level")
	} else {
		line(s.say(), "passed", "%s, in %s", counted(len(all[0].Checks), "check"), duration(seconds))
	}
	return nil
}

// failures says which checks failed, and where.
func failures(all []tested) []string {
	var failed []string
	for _, t := range all {
		where := t.Backend + " at " + t.ISA
		if t.Error != "" {
			failed = append(failed, where+": "+t.Error)
		}
		for _, c := range t.Checks {
			switch {
			case c.Error != "":
				failed = append(failed, fmt.Sprintf("%s: %s: %s", where, c.Name, c.Error))
			case !c.Passed:
				failed = append(failed, fmt.Sprintf("%s: %s: ratio %s, threshold %g", where, c.Name, ratioText(c.Ratio), c.Threshold))
			}
		}
	}
	return failed
}

// selftestTable lays the ratios out, a line a check.
func selftestTable(all []tested) string {
	var b strings.Builder
	names, width := []string{}, 0
	row := map[string][]string{}
	for at, t := range all {
		for _, c := range t.Checks {
			if _, is := row[c.Name]; !is {
				names = append(names, c.Name)
				row[c.Name] = []string{fmt.Sprintf("%g", c.Threshold)}
				width = max(width, len(c.Name))
			}
			for len(row[c.Name]) <= at {
				row[c.Name] = append(row[c.Name], "–")
			}
			text := ratioText(c.Ratio)
			if !c.Passed {
				text += " !"
			}
			row[c.Name] = append(row[c.Name], text)
		}
	}
	fmt.Fprintf(&b, "%-*s  at most", width, "largest ratios")
	columns := make([]int, len(all))
	for at, t := range all {
		heading := t.Backend
		if t.Backend == "auto" || t.Backend == "native" {
			heading += "/" + t.ISA
		}
		columns[at] = max(len(heading), 7)
		fmt.Fprintf(&b, "  %*s", columns[at], heading)
	}
	b.WriteByte('\n')
	for _, name := range names {
		fmt.Fprintf(&b, "%-*s  %7s", width, name, row[name][0])
		for at, text := range row[name][1:] {
			fmt.Fprintf(&b, "  %*s", columns[at], text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ratioText prints a ratio with three digits.
func ratioText(ratio float64) string {
	switch {
	case ratio == math.MaxFloat64:
		return "NaN"
	case ratio == 0:
		return "0"
	case ratio < 0.001 || ratio >= 1000:
		return fmt.Sprintf("%.1e", ratio)
	}
	return fmt.Sprintf("%.3g", ratio)
}
