package bench

import (
	"fmt"
	"strings"
)

// Unready says why a claim cannot be judged by the records: a case that it needs
// was not run, lacked something, or failed. ready is true where nothing is in the
// way, and f then names the cases.
func (r *Records) Unready(cases ...string) (f Finding, ready bool) {
	f = Finding{Verdict: CannotCheck, Cases: cases}
	var said, absent []string
	for _, name := range cases {
		switch one := r.any(name); {
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

// any returns the record of a case, whether it ran or not, or nil.
func (r *Records) any(name string) *Record {
	for _, one := range r.List {
		if one.Case == name {
			return one
		}
	}
	return nil
}

// cellOf is a cell with a figure of a case, or what was in its way.
func (r *Records) cellOf(name string, text func(*Record) string) Cell {
	one := r.any(name)
	switch {
	case one == nil:
		return Cell{Text: "not run", Case: name, Mark: Absent}
	case one.Missing != "":
		return Cell{Text: "missing", Case: name, Mark: Absent}
	case one.Error != "":
		return Cell{Text: "failed", Case: name, Mark: Absent}
	}
	shown := text(one)
	if shown == "" {
		return Cell{Text: "–", Case: name, Mark: Absent}
	}
	return Cell{Text: shown, Case: name}
}

// The figures of a record as text, "" where there is none.

func cpuText(phase string) func(*Record) string {
	return func(r *Record) string { return threeDigits(r.CPUSeconds[phase]) }
}

func wallText(phase string) func(*Record) string {
	return func(r *Record) string { return threeDigits(r.Seconds[phase]) }
}

func qualityText(key string) func(*Record) string {
	return func(r *Record) string {
		s, found := r.Quality[key]
		if !found {
			return ""
		}
		return fmt.Sprintf("%.4f", s.Median)
	}
}

func peakText(r *Record) string {
	if r.PeakBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f MiB", float64(r.PeakBytes)/(1<<20))
}

// threeDigits writes seconds.
func threeDigits(s Statistics) string {
	switch v := s.Median; {
	case len(s.Values) == 0:
		return ""
	case v < 1e-3:
		return fmt.Sprintf("%.3g µs", v*1e6)
	case v < 1:
		return fmt.Sprintf("%.3g ms", v*1e3)
	case v < 1000:
		return fmt.Sprintf("%.3g s", v)
	default:
		return fmt.Sprintf("%.0f s", v)
	}
}
