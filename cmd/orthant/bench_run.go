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
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
)

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
