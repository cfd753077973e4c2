//go:build bench

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
)

func newBenchList(inv *invocation) *cobra.Command {
	var around environment
	var cases bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the suites",
		Long: `List names the suites, what they measure, and how many cases and claims they
have; --json and --cases list the cases, too.`,
		Example: `  orthant-bench list
  orthant-bench list --quick --cases`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			e, err := around.env(inv)
			if err != nil {
				return err
			}
			if inv.json {
				return inv.printJSON(suitesReport{describedSuites(e)})
			}
			var b strings.Builder
			for _, s := range suites.All() {
				writeSuite(&b, &s, e, cases)
			}
			return inv.write([]byte(b.String()))
		},
	}
	addGroup(cmd, "What to list", around.flags)
	cmd.Flags().BoolVar(&cases, "cases", false, "list the cases of every suite, too")
	cmd.Flags().Lookup("cases").Annotations = map[string][]string{headingKey: {"What to list"}}
	return cmd
}

// writeSuite describes a suite on a few lines.
func writeSuite(b *strings.Builder, s *bench.Suite, e *bench.Env, withCases bool) {
	cases, leftOut := s.Planned(e)
	fmt.Fprintf(b, "%-13s%s (%s, %s)\n", s.Name, s.Title, counted(len(cases), "case"), counted(len(s.Claims), "claim"))
	if !withCases {
		return
	}
	for _, c := range cases {
		fmt.Fprintf(b, "  %s/%s", s.Name, c.Name)
		if len(c.Needs) > 0 {
			fmt.Fprintf(b, "  (needs %s)", strings.Join(c.Needs, ", "))
		}
		b.WriteByte('\n')
	}
	if leftOut > 0 {
		fmt.Fprintf(b, "  %s left out by --quick\n", counted(leftOut, "case"))
	}
}

// suitesReport is what --json prints of the suites.
type suitesReport struct {
	Suites []describedSuite `json:"suites"`
}

type (
	describedCase struct {
		Name    string         `json:"name"`
		Group   string         `json:"group,omitempty"`
		Data    string         `json:"data"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
		Threads int            `json:"threads"`
		Fresh   bool           `json:"fresh,omitempty"`
		Needs   []string       `json:"needs"`
	}
	describedSuite struct {
		Name   string          `json:"name"`
		Title  string          `json:"title"`
		About  string          `json:"about"`
		Cases  []describedCase `json:"cases"`
		Claims []string        `json:"claims"`
	}
)

// describedSuites is the list in JSON.
func describedSuites(e *bench.Env) []describedSuite {
	listed := []describedSuite{}
	for _, s := range suites.All() {
		d := describedSuite{Name: s.Name, Title: s.Title, About: s.About, Cases: []describedCase{}, Claims: []string{}}
		cases, _ := s.Planned(e)
		for _, c := range cases {
			d.Cases = append(d.Cases, describedCase{c.Name, c.Group, c.Data, c.Method, finite(c.Params), max(1, c.Threads), c.Fresh, list(c.Needs)})
		}
		for _, claim := range s.Claims {
			d.Claims = append(d.Claims, claim.Name)
		}
		listed = append(listed, d)
	}
	return listed
}

func newBenchData(inv *invocation) *cobra.Command {
	var around environment
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List the real data sets that suites read, and which are there",
		Long: `Data lists the real data sets that the suites read from the data folder: name, shape,
content, source, licence, the suites that use them, and whether their files are there.
WDBC comes with this program, the others do not. A set is a file NAME.X.npy, one
sample a row, and next to it NAME.y.npy with the classes from 0, or NAME.params.npy. A
case whose set is missing is left out, and its claim is not checked.`,
		Example: `  orthant-bench data --data FOLDER
  orthant-bench data --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			e, err := around.env(inv)
			if err != nil {
				return err
			}
			listed := describedSets(e)
			if inv.json {
				return inv.printJSON(setsReport{e.Data, listed})
			}
			var b strings.Builder
			folder := "there is none; give --data FOLDER or set ORTHANT_DATA"
			if e.Data != "" {
				folder = e.Data
			}
			fmt.Fprintf(&b, "data folder: %s\n", folder)
			for _, s := range listed {
				s.write(&b)
			}
			return inv.write([]byte(b.String()))
		},
	}
	addGroup(cmd, "What to list", around.flags)
	return cmd
}

// setsReport is what --json prints of the sets.
type setsReport struct {
	Folder string         `json:"folder"`
	Sets   []describedSet `json:"sets"`
}

// describedSet is a set of the list.
type describedSet struct {
	Name     string   `json:"name"`
	Also     []string `json:"also"`
	Samples  int      `json:"samples"`
	Features int      `json:"features"`
	Classes  int      `json:"classes"`
	What     string   `json:"what"`
	Source   string   `json:"source"`
	Licence  string   `json:"licence"`
	Suites   []string `json:"suites"`
	Files    []string `json:"files"`
	Absent   []string `json:"absent"`
	Found    bool     `json:"found"`
	Shape    []int    `json:"shape_found"` // empty: not found
}

func describedSets(e *bench.Env) []describedSet {
	var listed []describedSet
	readBy := bench.SuitesBySet(suites.All())
	for _, s := range bench.UserSets() {
		absent, samples, features := s.Found(e.Data)
		d := describedSet{
			Name: s.Name, Also: list(s.Also), Samples: s.Samples, Features: s.Features, Classes: s.Classes, What: s.What, Source: s.Source,
			Licence: s.Licence, Suites: list(readBy[s.Name]), Files: s.Files(), Absent: list(absent), Found: len(absent) == 0, Shape: []int{},
		}
		if samples > 0 {
			d.Shape = []int{samples, features}
		}
		listed = append(listed, d)
	}
	return listed
}

func (s *describedSet) write(b *strings.Builder) {
	names := strings.Join(append([]string{s.Name}, s.Also...), ", ")
	fmt.Fprintf(b, "%s: %d × %d", names, s.Samples, s.Features)
	if s.Classes > 0 {
		fmt.Fprintf(b, ", %d classes", s.Classes)
	}
	fmt.Fprintf(b, "\n  %s\n  source: %s; licence: %s\n  used by %s; ", s.What, s.Source, s.Licence, strings.Join(s.Suites, ", "))
	switch {
	case !s.Found:
		fmt.Fprintf(b, "not found: %s\n", strings.Join(s.Absent, ", "))
	case len(s.Shape) == 2 && (s.Shape[0] != s.Samples || s.Shape[1] != s.Features):
		fmt.Fprintf(b, "found, but it is %d × %d\n", s.Shape[0], s.Shape[1])
	default:
		b.WriteString("found\n")
	}
}
