//go:build bench

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
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

// benchRun is one "orthant-bench run".
type benchRun struct {
	*invocation
	environment
	out   string
	asked bool // --threads was given
	again bool
}

func newBenchRun(inv *invocation) *cobra.Command {
	b := &benchRun{invocation: inv}
	cmd := &cobra.Command{
		Use:   "run SUITE...|all [flags]",
		Short: "Measure suites, and record every case",
		Long: `Run measures the cases of suites, or of all, and writes one JSON line for each to
records.jsonl in a folder. SUITE/CASE stands for one case of a suite.

If a run is interrupted, call it again: it goes on where it stopped. Records are kept
as long as the case, the data, the version and --quick are the same. If something is
missing for a case (a data set, a peer, a backend), that is recorded.`,
		Example: `  orthant-bench run all --out report --quick
  orthant-bench run peers --out report --tapkee ./tapkee`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b.asked = cmd.Flags().Changed("threads")
			return b.run(cmd.Context(), args)
		},
	}
	addGroup(cmd, "What to run", func(f *pflag.FlagSet) {
		f.StringVarP(&b.out, "out", "o", "report", "`FOLDER` of the records")
		b.flags(f)
		f.BoolVar(&b.again, "again", false, "measure everything anew, also what is recorded")
	})
	return cmd
}

func (b *benchRun) run(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return wrong("which suites? \"orthant-bench list\" lists them; \"all\" runs every one")
	}
	e, err := b.env(b.invocation)
	if err != nil {
		return err
	}
	picked, err := suites.All().Pick(names, e)
	if err != nil {
		return &inputError{Err: err}
	}
	if b.asked {
		b.warn("--threads does nothing: every case says on how many it runs")
	}
	if b.backend != "" {
		// What a case does not say for itself, it and its processes take from here.
		if err := os.Setenv("ORTHANT_BLAS", b.backend); err != nil {
			return err
		}
	}
	o := bench.Options{Out: b.out, Version: benchIdentity(), Again: b.again}
	if !b.quiet {
		o.Say = func(text string) { printLine(b.err, text) }
	}
	summary, err := bench.Run(ctx, picked, e, o)
	if err != nil {
		if pathError, ok := errors.AsType[*os.PathError](err); ok && summary == nil {
			return wrong("--out %s cannot be used: %v", b.out, pathError.Err)
		}
		return err
	}
	return b.conclude(summary)
}

// casesReport is what --json prints of a run of cases.
type casesReport struct {
	Out string `json:"out"`
	bench.Summary
}

// conclude says how the run went, and fails where a case did.
func (b *benchRun) conclude(s *bench.Summary) error {
	if b.json {
		if err := b.printJSON(casesReport{b.out, *s}); err != nil {
			return err
		}
	}
	line(b.say(), "cases", "%d: %d measured, %d recorded before, %d missing something, %d failed", s.Cases, s.Measured, s.Kept, len(s.Missing), len(s.Failed))
	if s.LeftOut > 0 {
		line(b.say(), "left out", "%s by --quick", counted(s.LeftOut, "case"))
	}
	if s.Measured > 0 {
		line(b.say(), "took", "%s, processor %s", bench.SecondsText(s.Took.Wall), bench.SecondsText(s.Took.CPU))
	}
	line(b.say(), "records", "%s/%s", strings.TrimSuffix(b.out, "/"), bench.RecordsFile)
	if len(s.Failed) > 0 {
		return fmt.Errorf("%s of %d failed, the first %s", counted(len(s.Failed), "case"), s.Cases, s.Failed[0])
	}
	return nil
}

// newBenchCase is the hidden command by which a run measures a case in a fresh
// process.
func newBenchCase(inv *invocation) *cobra.Command {
	var around environment
	number := 1
	cmd := &cobra.Command{
		Use: "case SUITE CASE", Short: "Measure one repeat of a case", Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return wrong("give the name of a suite and the name of its case")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := around.env(inv)
			if err != nil {
				return err
			}
			return bench.RunCase(cmd.Context(), suites.All(), args[0], args[1], number, e, inv.out)
		},
	}
	addGroup(cmd, "What to run", func(f *pflag.FlagSet) {
		around.flags(f)
		f.IntVar(&number, "repeat", 1, "the `NUMBER` of the repeat")
	})
	return cmd
}

// fileDigest returns the first eight hex digits of a file's SHA-256; "" where it
// cannot be read.
func fileDigest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}
