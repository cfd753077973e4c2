//go:build bench

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/suggest"
	"github.com/orthant-go/orthant/internal/visible"
)

// benchReport is one "orthant-bench report".
type benchReport struct {
	*invocation
	dir          string
	out          []string
	reproduction string
}

func newBenchReport(inv *invocation) *cobra.Command {
	b := &benchReport{invocation: inv}
	cmd := &cobra.Command{
		Use:   "report DIR [flags]",
		Short: "Write what a run found as a page",
		Long: `Report reads the records that "orthant-bench run --out DIR" wrote to a folder. It
writes DIR/report.html, a single self-contained page, and DIR/report.md. Both have
every claim with the paper's figure, our figure and a verdict; the tables, plots and
pictures of each suite; and all records, to which the figures are linked.`,
		Example: `  orthant-bench report report
  orthant-bench report report --out claims.html --reproduction docs/reproduction.md`,
		Args:        oneFolder,
		Annotations: map[string]string{argumentKey: "the records", withinKey: bench.RecordsFile},
		RunE: func(cmd *cobra.Command, args []string) error {
			b.dir = args[0]
			return b.run(cmd)
		},
	}
	addGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringArrayVarP(&b.out, "out", "o", nil, "write `FILE`, .html or .md, in place of the two files; may be repeated")
		f.StringVar(&b.reproduction, "reproduction", "", "also write the claims, one by one, to `FILE`, such as docs/reproduction.md")
	})
	writes(cmd, "out", "reproduction")
	return cmd
}

func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return wrong("give one folder, the --out of \"orthant-bench run\"; %d were given", len(args))
	}
	return nil
}

func (b *benchReport) run(cmd *cobra.Command) error {
	type target struct {
		path  string
		write func(r *bench.Report, w io.Writer) error
		file  *files.Output
	}
	if len(b.out) == 0 {
		b.out = []string{filepath.Join(b.dir, "report.html"), filepath.Join(b.dir, "report.md")}
	}
	var targets []*target
	for _, path := range b.out {
		t := &target{path: path, write: (*bench.Report).WriteHTML}
		switch ext := strings.ToLower(filepath.Ext(path)); ext {
		case ".html", ".htm":
		case ".md":
			t.write = (*bench.Report).WriteMarkdown
		default:
			return wrong("--out is %q; give a file that ends in .html or .md", path)
		}
		targets = append(targets, t)
	}
	if b.reproduction != "" {
		targets = append(targets, &target{path: b.reproduction, write: (*bench.Report).WriteReproduction})
	}
	folder, err := bench.ReadFolder(b.dir, suites.All(), b.reading())
	if err != nil {
		return &inputError{Err: err}
	}
	for _, t := range targets {
		if t.file, err = b.createRaw(t.path); err != nil {
			return err
		}
	}
	for _, text := range folder.Warnings {
		b.warn("%s", text)
	}
	report := bench.NewReport(folder, papers.All()...)
	var written []string
	for _, t := range targets {
		var text bytes.Buffer
		if err := t.write(report, &text); err != nil {
			return err
		}
		if _, err := t.file.Write(text.Bytes()); err != nil {
			return err
		}
		written = append(written, t.path)
	}
	if err := b.commit(); err != nil {
		return err
	}
	return b.print(report, written)
}

// claimOutcome is a claim as --json prints it.
type claimOutcome struct {
	Suite   string        `json:"suite"`
	Claim   string        `json:"claim"`
	Source  string        `json:"source"`
	Verdict bench.Verdict `json:"verdict"`
	Paper   string        `json:"paper"`
	Took    string        `json:"took"` // of the paper's run
	Ours    string        `json:"ours"`
	Seconds float64       `json:"cpu_seconds"` // of the cases
	Why     string        `json:"why"`
	Cases   []string      `json:"cases"`
}

// claimsReport is what --json prints of a report and its claims.
type claimsReport struct {
	Files    []string              `json:"files"`
	Verdicts map[bench.Verdict]int `json:"verdicts"`
	Claims   []claimOutcome        `json:"claims"`
	Warnings []string              `json:"warnings"`
}

// print reports the files written and the verdicts.
func (b *benchReport) print(report *bench.Report, written []string) error {
	counts := report.Counts()
	if b.json {
		claims := []claimOutcome{}
		for _, j := range report.Judged {
			claims = append(claims, claimOutcome{j.Suite, j.Claim.Name, j.Claim.Source, j.Finding.Verdict, j.Claim.Paper, j.Claim.Took, j.Finding.Ours, j.Seconds, j.Finding.Why, list(j.Finding.Cases)})
		}
		return b.printJSON(claimsReport{written, counts, claims, list(b.warnings)})
	}
	var said []string
	for _, v := range bench.Verdicts {
		if counts[v] > 0 {
			said = append(said, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	if len(said) > 0 {
		line(b.say(), "claims", "%s", strings.Join(said, ", "))
	}
	line(b.say(), "written", "%s", strings.Join(written, ", "))
	return nil
}

// benchCompare is one "orthant-bench compare".
type benchCompare struct {
	*invocation
	metric    string
	fail      bool
	threshold float64 // per cent
}

func newBenchCompare(inv *invocation) *cobra.Command {
	b := &benchCompare{invocation: inv}
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [flags]",
		Short: "Tell what became faster or slower from one run to another",
		Long: `Compare prints the cases that two runs have in common, with both medians and their
ratio. A change counts if the Mann–Whitney U test finds one at the level 0.05, which
needs at least 4 repeats on each side; otherwise the table prints "~". The last line
is the geometric mean of all ratios.`,
		Example: `  orthant-bench run timing --repeats 6 --out new
  orthant-bench compare old new --fail-on-regression --threshold 10`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return wrong("give two folders, of the old run and of the new one; %d were given", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return b.run(args[0], args[1]) },
	}
	addGroup(cmd, "What to compare", func(f *pflag.FlagSet) {
		f.StringVarP(&b.metric, "metric", "m", "cpu", "compare `WHAT`: "+strings.Join(bench.Metrics, ", "))
		f.BoolVar(&b.fail, "fail-on-regression", false, "exit with 1 if anything became significantly worse")
		f.Float64Var(&b.threshold, "threshold", 5, "count changes of this many per `CENT` or more as a regression")
	})
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(bench.Metrics, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (b *benchCompare) run(before, after string) error {
	if !slices.Contains(bench.Metrics, b.metric) {
		return wrong("--metric is %q%s; give one of %s", b.metric, suggest.Hint(b.metric, bench.Metrics), strings.Join(bench.Metrics, ", "))
	}
	if !(b.threshold >= 0) || math.IsInf(b.threshold, 0) {
		return wrong("--threshold is %v; give a number of per cent, 0 or more", b.threshold)
	}
	old, err := bench.ReadFolder(before, suites.All(), b.reading())
	if err != nil {
		return &inputError{Err: err}
	}
	latest, err := bench.ReadFolder(after, suites.All(), b.reading())
	if err != nil {
		return &inputError{Err: err}
	}
	c, err := bench.Compare(old, latest, b.metric, b.threshold/100)
	if err != nil {
		return &inputError{Err: err}
	}
	for _, text := range c.Warnings {
		b.warn("%s", text)
	}
	if b.json {
		err = b.printJSON(c)
	} else {
		err = b.write([]byte(b.table(c)))
	}
	if err == nil && b.fail && c.Regressions > 0 {
		err = fmt.Errorf("%s became significantly worse in %s, by more than %g %%", counted(c.Regressions, "case"), b.metric, b.threshold)
	}
	return err
}

// table lays the changes out, a line a case.
func (b *benchCompare) table(c *bench.Comparison) string {
	rows := [][]string{{"case", "old", "", "new", "", "change", ""}}
	notes := map[string]int{}
	for _, ch := range c.Changes {
		change, why := "~", fmt.Sprintf("(p=%.3f n=%d+%d)", ch.P, ch.OldRepeats, ch.NewRepeats)
		if ch.Significant {
			change = fmt.Sprintf("%+.2f%%", 100*(ch.Ratio-1))
			if ch.Regression {
				why += "  worse"
			}
		}
		if ch.Note != "" {
			why = "(" + ch.Note + ")"
			notes[ch.Note]++
		}
		rows = append(rows, []string{visible.Text(ch.Suite + " " + ch.Case), b.figure(ch.Old), percent(ch.OldSpread), b.figure(ch.New), percent(ch.NewSpread), change, why})
	}
	if c.GeoMean > 0 {
		rows = append(rows, []string{"geometric mean", "", "", "", "", fmt.Sprintf("%+.2f%%", 100*(c.GeoMean-1)), ""})
	}
	text := aligned(rows)
	if len(c.Changes) == 0 {
		text = "no case is in both runs with a figure for " + b.metric + "\n"
	}
	for _, only := range []struct {
		where string
		cases []string
	}{{"old", c.OnlyOld}, {"new", c.OnlyNew}} {
		if len(only.cases) > 0 {
			text += fmt.Sprintf("only in the %s run: %s\n", only.where, visible.Text(strings.Join(only.cases, ", ")))
		}
	}
	return text
}

func (b *benchCompare) figure(v float64) string {
	if b.metric == "memory" {
		return limits.FormatBytes(int64(v))
	}
	return duration(v)
}

func percent(spread float64) string {
	if spread == 0 {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", 100*spread)
}

// aligned sets rows in columns: the first and the last to the left, figures to
// the right.
func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, text := range row {
			widths[j] = max(widths[j], len([]rune(text)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var out strings.Builder
		for j, text := range row {
			space := strings.Repeat(" ", widths[j]-len([]rune(text)))
			switch j {
			case 0, len(row) - 1:
				out.WriteString(text + space)
			default:
				out.WriteString(space + text)
			}
			out.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
	}
	return b.String()
}
