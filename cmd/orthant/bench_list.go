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
	var around surroundings
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
