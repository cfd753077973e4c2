package bench

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Suite is a named set of cases, what they are to show, and how the report
// shows it. A suite is a package of bench/suites and one line in its list; listing,
// running, resuming and reporting follow from that.
type Suite struct {
	Name  string // one lower-case word
	Title string
	About string // what is measured and compared with what, with its caveats; plain text, paragraphs separated by an empty line
	// Cases lists what to run, in order. It must depend on the environment alone, so
	// that a resumed run and a fresh process find the same cases again.
	Cases func(e *Env) []Case
	// Speed marks a suite whose figures are seconds: each of its cases declares an error
	// (see [Accuracy]), without which its figures are not printed.
	Speed bool
	// Claims are judged by the records, in the report and in docs/reproduction.md.
	Claims []Claim
	// Versus lists what the report sets side by side at its beginning, the most telling first; nil: nothing.
	Versus func() []Versus
	// Sections makes the suite's part of the report from its records.
	Sections func(r *Records) []Section
}

// Case is one thing to measure.
type Case struct {
	Name  string // unique in its suite, such as "roll-hole/neml/gamma=1e-3"
	Group string // cases of one group run interleaved (A B A B …), so that their ratios hold; empty: on its own

	// What the record says was run.
	Data    string         // a file of the data folder, or a generator's name
	N, M    int            // samples and columns, where known beforehand; the outcome may fill them in
	Method  string         // or operation, or peer
	Params  map[string]any // all that matters to the result
	Threads int            // 0: one
	Backend string         // empty: the automatic choice

	// Accuracy lists the errors that are shown with the seconds. A case that does not
	// measure what it declares here fails.
	Accuracy []Accuracy

	Repeats int      // 0: 3, and 1 with --quick
	Fresh   bool     // in a process of its own, where memory or start-up matters
	Env     []string // "NAME=value", added to the environment of that process
	Full    bool     // left out by --quick
	Needs   []string // what has to be there: "data:usps.X.npy", "peer:sklearn", "peer:tapkee", "backend:openblas", "memory:8GiB", "method:smrmf", "isa:avx512"

	Run func(ctx context.Context, e *Env, c *Case) (*Outcome, error)

	number int // of the repeat under way, from 1
}

// Outcome is what one repeat of a case measured. The harness adds processor
// time, wall time and peak memory of the whole where the case leaves them empty.
type Outcome struct {
	Seconds    engine.Seconds // wall time, total and by phase
	CPUSeconds engine.Seconds // processor time, the same
	PeakBytes  int64          // of the process; only meaningful in a fresh one (see [Case].Fresh)

	Samples, Features int
	DataHash          string // see [HashMatrix]
	Backend           string
	ISA               string               // instruction level, where it differs from this program's
	Quality           map[string]float64   // such as dev, nn-error, gflops, recall
	Series            map[string][]float64 // curves, such as the error by iteration
	Pictures          map[string]*Picture  // embeddings to look at, kept next to the records
	Note              string

	aside Cost // of looking at the result: no part of the case
}

// Picture is an embedding with what colours it, or images that a [Figure] with a Height
// shows side by side.
type Picture struct {
	Points *mat.Dense // n × 1, 2 or more; the first two columns are drawn
	Color  []float64  // a value a point, or nil
	Labels []int64    // a class a point, or nil
	Images *mat.Dense // in place of all these: an image a row, its pixels column by column
}

// Suites is a list of suites, in the order in which they are run and shown.
type Suites []Suite

// Find returns the suite of that name. The error suggests the nearest one.
func (list Suites) Find(name string) (*Suite, error) {
	var known []string
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		known = append(known, list[i].Name)
	}
	return nil, fmt.Errorf("unknown suite %q%s; the suites are %s", name, suggest.Hint(name, known), strings.Join(known, ", "))
}

// Pick returns the suites by their names; "all" means every one, and
// SUITE/CASE one case of a suite.
func (list Suites) Pick(names []string, e *Env) (Suites, error) {
	var picked Suites
	at := map[string]int{}
	for _, name := range names {
		if name == "all" {
			return list, nil
		}
		of, one, single := strings.Cut(name, "/")
		s, err := list.Find(of)
		if err != nil {
			return nil, err
		}
		var c *Case
		if single {
			if c, err = s.find(e, one); err != nil {
				return nil, err
			}
		}
		i, seen := at[of]
		switch {
		case !seen:
			at[of] = len(picked)
			picked = append(picked, *s)
			if single {
				picked[len(picked)-1].Cases = func(*Env) []Case { return []Case{*c} }
			}
		case !single:
			picked[i].Cases = s.Cases
		default:
			before := picked[i].Cases
			picked[i].Cases = func(e *Env) []Case { return AddCase(before(e), *c) }
		}
	}
	return picked, nil
}

// AddCase adds a case to a list that may have it.
func AddCase(list []Case, c Case) []Case {
	for _, one := range list {
		if one.Name == c.Name {
			return list
		}
	}
	return append(list, c)
}

// find returns the case of that name.
func (s *Suite) find(e *Env, name string) (*Case, error) {
	var known []string
	cases := s.Cases(e)
	for i := range cases {
		if cases[i].Name == name {
			return &cases[i], nil
		}
		known = append(known, cases[i].Name)
	}
	return nil, fmt.Errorf("suite %s has no case %q%s; \"orthant-bench list --cases\" names them", s.Name, name, suggest.Hint(name, known))
}

// Planned returns the cases of the suite that a run in this environment takes,
// and how many --quick leaves out.
func (s *Suite) Planned(e *Env) (cases []Case, leftOut int) {
	for _, c := range s.Cases(e) {
		if e.Quick && c.Full {
			leftOut++
			continue
		}
		cases = append(cases, c)
	}
	return cases, leftOut
}

// groups splits cases into those that run interleaved, in the order of the
// first case of each.
func groups(cases []Case) [][]Case {
	var list [][]Case
	at := map[string]int{}
	for _, c := range cases {
		if i, found := at[c.Group]; found && c.Group != "" {
			list[i] = append(list[i], c)
			continue
		}
		at[c.Group] = len(list)
		list = append(list, []Case{c})
	}
	return list
}

// repeats is how often a case is run.
func (c *Case) repeats(e *Env) int {
	switch {
	case c.Repeats > 0:
		return c.Repeats
	case e.Quick:
		return 1
	}
	return 3
}
