//go:build bench

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
)

func newBenchData(inv *invocation) *cobra.Command {
	var around surroundings
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List the real data sets that suites read, and which are there",
		Long: `Data lists the real data sets that the suites read from the data folder: name, shape,
content, source, licence, the suites that use them, and whether their files are there.
WDBC comes with this program, the others do not. A set is a file NAME.X.npy, one
sample a row, and beside it NAME.y.npy with the classes from 0, or NAME.params.npy. A
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
