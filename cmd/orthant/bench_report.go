//go:build bench

package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine/files"
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
