package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/internal/draw"
)

// Accuracy names the error that is shown with a case's seconds, and how large it may
// be for a claim of speed to rest on them. Where it names both a limit and another
// case, meeting one of the two is enough.
type Accuracy struct {
	Quality string   `json:"quality"`          // the key of [Outcome.Quality]
	Share   bool     `json:"share,omitempty"`  // the quality is a share of what is right, such as recall: its error is 1 − quality
	Limit   *float64 `json:"limit,omitempty"`  // the largest error; nil: none
	Other   string   `json:"beside,omitempty"` // a case of the same suite, whose error times Factor is the largest; empty: none
	Factor  float64  `json:"factor,omitempty"`
}

// MaxErrorRatio is how many times another program's error ours may be for a comparison of
// their speeds to hold: the chance difference of two equal methods is less.
const MaxErrorRatio = 1.2

// Reported is an error that is printed and has no limit, such as the error of another program.
func Reported(quality string) Accuracy { return Accuracy{Quality: quality} }

// AtMost is an error with a limit.
func AtMost(quality string, limit float64) Accuracy { return Accuracy{Quality: quality, Limit: &limit} }

// AtLeast is a share of what is right, with the least that it may be.
func AtLeast(quality string, least float64) Accuracy {
	limit := 1 - least
	return Accuracy{Quality: quality, Share: true, Limit: &limit}
}

// ReportedShare is a share of what is right, such as trustworthiness, without a limit.
func ReportedShare(quality string) Accuracy { return Accuracy{Quality: quality, Share: true} }

// Against is the same error, also compared with the error of another case.
func (a Accuracy) Against(other string, factor float64) Accuracy {
	a.Other, a.Factor = other, factor
	return a
}

// WithoutLimit is the same error without any limit.
func (a Accuracy) WithoutLimit() Accuracy {
	a.Limit, a.Other, a.Factor = nil, "", 0
	return a
}

// bounded says whether the error has a limit of any kind.
func (a Accuracy) bounded() bool { return a.Limit != nil || a.Other != "" }

// of returns the error that a record measured.
func (a Accuracy) of(r *Record) (value float64, found bool) {
	s, found := r.Quality[a.Quality]
	if a.Share {
		return 1 - s.Median, found
	}
	return s.Median, found
}

// text writes a measured quality with its name.
func (a Accuracy) text(r *Record) string {
	return a.Quality + " " + ErrorText(r.Quality[a.Quality].Median)
}

// ErrorText writes an error with three digits.
func ErrorText(v float64) string {
	if v != 0 && math.Abs(v) < 1e-3 {
		return fmt.Sprintf("%.1e", v)
	}
	return draw.Number(v, 3)
}

// shortOf says how a record falls short of its limit; "" where it does not. alone says why there is nothing to
// hold it to: the case that it is compared with did not run, or measured no such error, and its own limit alone does not decide.
func (a Accuracy) shortOf(records *Records, r *Record) (short, alone string) {
	v, found := a.of(r)
	if !found {
		return r.Case + " has no " + a.Quality, ""
	}
	if !a.bounded() || a.Limit != nil && v <= *a.Limit*(1+1e-12) {
		return "", ""
	}
	var wanted []string
	if a.Limit != nil {
		if a.Share {
			wanted = append(wanted, "at least "+draw.Number(1-*a.Limit, 4))
		} else {
			wanted = append(wanted, "at most "+draw.Number(*a.Limit, 3))
		}
	}
	if a.Other != "" {
		other := records.Get(a.Other)
		if other == nil {
			return "", records.whyAlone(a)
		}
		its, measured := a.of(other)
		if !measured {
			return "", records.whyAlone(a)
		}
		if v <= a.Factor*its {
			return "", ""
		}
		wanted = append(wanted, fmt.Sprintf("at most %g times the error of %s, which has %s", a.Factor, a.Other, a.text(other)))
	}
	return fmt.Sprintf("%s has %s, want %s", r.Case, a.text(r), strings.Join(wanted, " or ")), ""
}

// whyAlone says why the case it is compared with has no error to compare with.
func (r *Records) whyAlone(a Accuracy) string {
	text := a.Other + " has no " + a.Quality + " to compare with"
	if one := r.Lookup(a.Other); one != nil && one.Missing+one.Error != "" {
		text += ": " + one.Missing + one.Error
	}
	return text
}

// errorMissing says which of the errors that a case declares were not measured; ""
// where all were.
func errorMissing(declared []Accuracy, has func(quality string) bool) string {
	for _, a := range declared {
		if !has(a.Quality) {
			return fmt.Sprintf("it measured no %s, without which its seconds say nothing", a.Quality)
		}
	}
	return ""
}

// Sound says whether a claim of speed can be judged by these cases: each was run and
// declares an error. ready is false where one does not, and f then is the finding.
func (r *Records) Sound(cases ...string) (f Finding, ready bool) {
	f, ready = r.Unready(cases...)
	if !ready {
		return f, false
	}
	for _, name := range cases {
		one := r.Get(name)
		if len(one.Accuracy) == 0 {
			return Finding{Verdict: CannotCheck, Why: name + " declares no error for its seconds", Cases: cases}, false
		}
	}
	return f, true
}

// Shortfalls says which of the cases miss the limits of their errors, in their order. One whose peer did
// not run misses nothing: see [Records.SpeedFinding].
func (r *Records) Shortfalls(cases ...string) []string {
	short, _ := r.held(cases)
	return short
}

// held holds the cases to the limits of their errors: which fall short, and which have nothing to be held to.
func (r *Records) held(cases []string) (short, alone []string) {
	for _, name := range cases {
		one := r.Get(name)
		if one == nil {
			continue
		}
		for _, a := range one.Accuracy {
			what, why := a.shortOf(r, one)
			if what != "" {
				short = appendNew(short, what)
			}
			if why != "" {
				alone = appendNew(alone, why)
			}
		}
	}
	return short, alone
}

// SpeedFinding is the finding on a target of speed: reached only where the errors of
// its cases are within their limits too. why says what was missed besides. Where an error
// can be held to nothing, as its peer did not run, a speed that would do cannot be checked.
func (r *Records) SpeedFinding(reached bool, ours string, cases []string, why ...string) Finding {
	f, ready := r.Sound(cases...)
	if !ready {
		return f
	}
	short, alone := r.held(cases)
	short = append(slices.Clone(why), short...)
	if reached && len(short) == 0 && len(alone) > 0 {
		return Finding{Verdict: CannotCheck, Ours: ours, Why: strings.Join(alone, "; "), Cases: cases}
	}
	f = TargetFinding(reached && len(short) == 0, ours, cases)
	f.Why = strings.Join(append(short, alone...), "; ")
	return f
}

// TimedCell is a cell with the processor seconds of a case and its errors: the one is
// not printed without the other. One that misses a limit is marked.
func (r *Records) TimedCell(name, phase string) Cell {
	return r.CellWithError(name, CPUText(phase))
}

// CellWithError is a cell with a figure of a case and its errors: where it declares
// none, the figure is not printed. One that misses a limit is marked.
func (r *Records) CellWithError(name string, figure func(*Record) string) Cell {
	c := r.Cell(name, func(one *Record) string {
		if len(one.Accuracy) == 0 {
			return ""
		}
		return figure(one)
	})
	if c.Mark == Plain {
		c.Error = r.Get(name).errorsText()
		if len(r.Shortfalls(name)) > 0 {
			c.Mark = Worse
		}
	}
	return c
}

// AccuracyCell is a cell with the errors of a case alone.
func (r *Records) AccuracyCell(name string) Cell {
	c := r.Cell(name, (*Record).errorsText)
	if c.Mark == Plain && len(r.Shortfalls(name)) > 0 {
		c.Mark = Worse
	}
	return c
}

// errorsText writes the errors that a record declares.
func (r *Record) errorsText() string {
	var text []string
	for _, a := range r.Accuracy {
		text = append(text, a.text(r))
	}
	return strings.Join(text, ", ")
}
