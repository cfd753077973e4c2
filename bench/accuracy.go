package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench/draw"
)

// Accuracy names the error that stands beside a case's seconds, and how large it may
// be for a claim of speed to rest on them. Where it names both a limit and another
// case, meeting one of the two is enough.
type Accuracy struct {
	Quality string   `json:"quality"`          // the key of [Outcome.Quality]
	Share   bool     `json:"share,omitempty"`  // the quality is a share of what is right, such as recall: its error is 1 − quality
	Limit   *float64 `json:"limit,omitempty"`  // the largest error; nil: none
	Beside  string   `json:"beside,omitempty"` // a case of the same suite, whose error times Factor is the largest; empty: none
	Factor  float64  `json:"factor,omitempty"`
}

// AsGood is how many times another program's error ours may be for a comparison of
// their speeds to stand: what chance makes of two equal methods is less.
const AsGood = 1.2

// Shown is an error that is printed and has no limit, such as that of another program.
func Shown(quality string) Accuracy { return Accuracy{Quality: quality} }

// AtMost is an error with a limit.
func AtMost(quality string, limit float64) Accuracy { return Accuracy{Quality: quality, Limit: &limit} }

// AtLeast is a share of what is right, with the least that it may be.
func AtLeast(quality string, least float64) Accuracy {
	limit := 1 - least
	return Accuracy{Quality: quality, Share: true, Limit: &limit}
}

// ShownShare is a share of what is right, such as trustworthiness, without a limit.
func ShownShare(quality string) Accuracy { return Accuracy{Quality: quality, Share: true} }

// Against is the same error, held to that of another case besides.
func (a Accuracy) Against(other string, factor float64) Accuracy {
	a.Beside, a.Factor = other, factor
	return a
}

// WithoutLimit is the same error without any limit.
func (a Accuracy) WithoutLimit() Accuracy {
	a.Limit, a.Beside, a.Factor = nil, "", 0
	return a
}

// bounded says whether the error has a limit of any kind.
func (a Accuracy) bounded() bool { return a.Limit != nil || a.Beside != "" }

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

// shortOf says how a record falls short of its limit; "" where it does not.
func (a Accuracy) shortOf(records *Records, r *Record) string {
	v, found := a.of(r)
	if !found {
		return r.Case + " has no " + a.Quality
	}
	if !a.bounded() || a.Limit != nil && v <= *a.Limit*(1+1e-12) {
		return ""
	}
	var wanted []string
	if a.Limit != nil {
		if a.Share {
			wanted = append(wanted, "at least "+draw.Number(1-*a.Limit, 4))
		} else {
			wanted = append(wanted, "at most "+draw.Number(*a.Limit, 3))
		}
	}
	if a.Beside != "" {
		other := records.Get(a.Beside)
		if other == nil {
			return a.Beside + " has no " + a.Quality + " to compare with"
		}
		its, measured := a.of(other)
		if !measured {
			return a.Beside + " has no " + a.Quality + " to compare with"
		}
		if v <= a.Factor*its {
			return ""
		}
		wanted = append(wanted, fmt.Sprintf("at most %g times the error of %s, which has %s", a.Factor, a.Beside, a.text(other)))
	}
	return fmt.Sprintf("%s has %s, want %s", r.Case, a.text(r), strings.Join(wanted, " or "))
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
			return Finding{Verdict: CannotCheck, Why: name + " declares no error beside its seconds", Cases: cases}, false
		}
	}
	return f, true
}

// Shortfalls says which of the cases miss the limits of their errors, in their order.
func (r *Records) Shortfalls(cases ...string) []string {
	var short []string
	for _, name := range cases {
		one := r.Get(name)
		if one == nil {
			continue
		}
		for _, a := range one.Accuracy {
			if what := a.shortOf(r, one); what != "" && !slices.Contains(short, what) {
				short = append(short, what)
			}
		}
	}
	return short
}

// SpeedFinding is the finding on a target of speed: reached only where the errors of
// its cases are within their limits too. why says what was missed besides.
func (r *Records) SpeedFinding(reached bool, ours string, cases []string, why ...string) Finding {
	f, ready := r.Sound(cases...)
	if !ready {
		return f
	}
	short := append(slices.Clone(why), r.Shortfalls(cases...)...)
	f = TargetFinding(reached && len(short) == 0, ours, cases)
	f.Why = strings.Join(short, "; ")
	return f
}

// TimedCell is a cell with the processor seconds of a case and its errors: the one is
// not printed without the other. One that misses a limit is marked.
func (r *Records) TimedCell(name, phase string) Cell {
	c := r.Cell(name, func(one *Record) string {
		seconds := MedianText(one.CPUSeconds[phase])
		if seconds == "" || len(one.Accuracy) == 0 {
			return ""
		}
		text := []string{seconds}
		for _, a := range one.Accuracy {
			text = append(text, a.text(one))
		}
		return strings.Join(text, ", ")
	})
	if c.Mark == Plain && len(r.Shortfalls(name)) > 0 {
		c.Mark = Worse
	}
	return c
}

// AccuracyCell is a cell with the errors of a case alone.
func (r *Records) AccuracyCell(name string) Cell {
	c := r.Cell(name, func(one *Record) string {
		var text []string
		for _, a := range one.Accuracy {
			text = append(text, a.text(one))
		}
		return strings.Join(text, ", ")
	})
	if c.Mark == Plain && len(r.Shortfalls(name)) > 0 {
		c.Mark = Worse
	}
	return c
}
