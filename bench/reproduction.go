package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

const reproductionHead = `# What reproduces, and what does not

Every claim of the papers and of this project that a suite of ` + "`orthant-bench`" + ` judges: the paper's figure, ours, the
verdict, and the command that judges it again. This page is written by

    make reproduction DATA=FOLDER

which runs all suites; do not edit it. «orthant» as a source marks a claim or a target of this project. A claim that
cannot be checked says why, and what was not run is said to be so.

`

// WriteReproduction writes the claims, one by one, with their verdicts. The same
// records give the same text, and so do other records with the same findings and
// times on the same machine: it says nothing of dates and versions.
func (r *Report) WriteReproduction(w io.Writer) error {
	var b strings.Builder
	b.WriteString(reproductionHead)
	var machines []string
	for _, s := range r.Folder.Suites {
		for _, one := range s.List {
			m := one.Machine
			m.OS = "" // kernels come and go
			if text := machineText(m); text != "" && !slices.Contains(machines, text) {
				machines = append(machines, text)
			}
		}
	}
	slices.Sort(machines)
	if len(machines) > 0 {
		fmt.Fprintf(&b, "Measured on: %s.\n\n", inline(strings.Join(machines, "; ")))
	}
	fmt.Fprintf(&b, "%s: %s.\n\n## Claims by paper\n\n%s\n\n", r.judgedText(), countsText(r.Counts()), spentNote)
	var tables strings.Builder
	for _, g := range r.byPaper(r.Judged) {
		for i := range g.Claims {
			g.Claims[i].Command = runCommand(g.Claims[i].Suite)
		}
		g.markdown(&tables)
	}
	b.WriteString(strings.TrimSuffix(tables.String(), "\n"))
	for _, s := range r.Folder.known {
		if len(s.Claims) > 0 {
			fmt.Fprintf(&b, "\n## Suite %s: %s\n", s.Name, inline(s.Title))
		}
		for _, j := range r.Judged {
			if j.Suite == s.Name {
				j.write(&b)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// figureName says what a claim's printed figure is: a paper's, or a target.
func (j Judged) figureName() string {
	if j.Claim.own() {
		return "target"
	}
	return "paper"
}

// write writes one claim. Empty parts are left out.
func (j Judged) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", inline(j.Claim.Name), inline(j.Claim.Statement))
	for _, part := range []struct{ name, text string }{
		{"source", j.Claim.Source}, {j.figureName(), j.Claim.Paper}, {"the paper's time and machine", j.Claim.Took}, {"ours", j.Finding.Ours}, {"our time", j.Spent()},
		{"verdict", "**" + string(j.Finding.Verdict) + "**"}, {"why", j.Finding.Why},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "- %s: %s\n", part.name, inline(part.text))
		}
	}
	fmt.Fprintf(b, "- command: `%s`\n", runCommand(j.Suite))
}
