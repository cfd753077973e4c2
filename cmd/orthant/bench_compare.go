//go:build bench

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/suggest"
	"github.com/orthant-go/orthant/internal/visible"
)

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
