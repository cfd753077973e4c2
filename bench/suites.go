package bench

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/internal/suggest"
)

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

// Pick returns the suites by their names; "all" stands for every one, and
// SUITE/CASE for one case of a suite.
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

// groups splits cases into those that run interleaved, in the order in which the
// first of each stands.
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
