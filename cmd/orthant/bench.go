//go:build bench

package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
)

// benchCommands make the subcommands of orthant-bench, in the order in which they are shown.
var benchCommands = []func(inv *invocation) *cobra.Command{newBenchList, newBenchData, newBenchRun, newBenchReport, newBenchCompare, newBenchCase}

// suitesElsewhere is empty: they are here.
var suitesElsewhere []subcommand

const benchHelp = `Orthant-bench measures what the papers and this project claim. It runs the suites of
cases, and reports what they found with the figure of each paper and a verdict.`

const benchExample = `  orthant-bench list
  orthant-bench run timing --quick --out report
  orthant-bench report report`

// program returns the command of this build for a command line: the suites', or, for what they
// measure as a process, the command that users have.
func program(inv *invocation, args []string) (*cobra.Command, []string) {
	if len(args) > 0 && args[0] == bench.UsersCommand {
		return rootFor(inv, args[1:]), args[1:]
	}
	root := rootOf(inv, benchCommands...)
	root.Use, root.Short, root.Long, root.Example = "orthant-bench", "Check the papers' claims and our own, by measurement", benchHelp, benchExample
	root.SetHelpCommand(newHelp(root))
	return root, args
}

// environment holds the flags that describe the data and the programs of a benchmark run.
type environment struct {
	data, tapkee string
	quick        bool
}

func (s *environment) flags(f *pflag.FlagSet) {
	f.StringVar(&s.data, "data", "", "`FOLDER` of the real data sets (default: $ORTHANT_DATA, else the one next to the repository)")
	f.StringVar(&s.tapkee, "tapkee", "", "`PATH` of Tapkee's command (default: $ORTHANT_TAPKEE)")
	f.BoolVar(&s.quick, "quick", false, "the small version of everything: about 7 minutes in all on two cores")
}

// env makes the environment of the suites.
func (s *environment) env(inv *invocation) (*bench.Env, error) {
	e := &bench.Env{Quick: s.quick, Tapkee: s.tapkee, Memory: int64(inv.memory)}
	if e.Tapkee == "" {
		e.Tapkee = os.Getenv("ORTHANT_TAPKEE")
	}
	e.Data = os.Getenv("ORTHANT_DATA")
	switch {
	case e.Data == "":
		e.Data = s.data
	case s.data != "" && filepath.Clean(s.data) != filepath.Clean(e.Data):
		inv.warn("$ORTHANT_DATA is set: --data %s is not used", s.data)
	}
	if e.Data == "" {
		e.Data = dataNearby()
		return e, nil
	}
	if info, err := os.Stat(e.Data); err != nil || !info.IsDir() {
		return nil, wrong("data folder %s is not there; give another by --data or ORTHANT_DATA, or neither to leave out what needs it", e.Data)
	}
	return e, nil
}

// dataNearby finds shared/data next to the repository that the working folder, or
// this program, lies in, or next to the working folder; "" where there is none.
func dataNearby() string {
	var places []string
	if here, err := os.Getwd(); err == nil {
		places = append(places, repositoryOf(here), here)
	}
	if self, err := os.Executable(); err == nil {
		places = append(places, repositoryOf(filepath.Dir(self)))
	}
	for _, place := range places {
		if place == "" {
			continue
		}
		folder := filepath.Join(place, "..", "shared", "data")
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
	}
	return ""
}

// repositoryOf returns the nearest folder with a go.mod, from dir upwards; ""
// where there is none.
func repositoryOf(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// benchIdentity says which program measured: the version, and for one that no
// release names also the beginning of the binary's own hash, so that the figures
// of two builds are never put together.
func benchIdentity() string {
	text := versionText()
	if version != "" && !strings.HasSuffix(version, "-dirty") && version != "unknown" {
		return text
	}
	if self, err := os.Executable(); err == nil {
		if digest := fileDigest(self); digest != "" {
			text += ", build " + digest
		}
	}
	return text
}
