package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/internal/draw"
)

// WriteMarkdown writes the report as Markdown: what the page says, with tables of
// points in place of plots and the files' names in place of pictures.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# What was claimed, and what was measured\n\n")
	r.markdownOverview(&b)
	for _, f := range r.facts() {
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, inline(strings.Join(f.Texts, "; ")))
	}
	fmt.Fprintf(&b, "- claims: %s: %s\n\n", r.judgedText(), countsText(r.Counts()))
	r.markdownTroubles(&b)
	var shown []Judged
	for _, v := range r.suites {
		shown = append(shown, v.Claims...)
	}
	if len(shown) > 0 {
		b.WriteString("## Claims by paper\n\n" + spentNote + "\n\n")
		for _, g := range r.byPaper(shown) {
			g.markdown(&b)
		}
	}
	for _, v := range r.suites {
		v.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownOverview writes what the report begins with: speed with its error.
func (r *Report) markdownOverview(b *strings.Builder) {
	o := r.overview()
	b.WriteString("## Speed with its error\n\n")
	said := r.answer(o)
	fmt.Fprintf(b, "**Is it fast?** %s **Is it right?** %s\n\n", said.Fast, said.Right)
	if rows := slices.Concat(o.Rows, o.More); len(rows) > 0 {
		b.WriteString("Processor seconds, medians of the repeats. A speed counts only with the error next to it.\n\n")
		markdownLaid(b, versusTable(rows))
	}
	if o.Note != "" {
		b.WriteString(o.Note + " `orthant-bench run peers --out DIR` makes some.\n\n")
	}
	if text := absentText(o.Absent); text != "" {
		b.WriteString(inline(text) + "\n\n")
	}
}

// markdownLaid writes a table as it is laid out for a page.
func markdownLaid(b *strings.Builder, t *Table) {
	for _, part := range t.laidOut() {
		var same []string
		for _, s := range part.Same {
			same = append(same, inline(s.text()))
		}
		if len(same) > 0 {
			b.WriteString("In all rows: " + strings.Join(same, "; ") + ".\n\n")
		}
		rows := [][]string{part.Columns}
		for _, row := range part.Rows {
			var cells []string
			for _, c := range row {
				cells = append(cells, markdownMark(c))
			}
			rows = append(rows, cells)
		}
		markdownTable(b, rows, part.numeric())
	}
}

// countsText counts the verdicts in words.
func countsText(counts map[Verdict]int) string {
	var list []string
	for _, v := range Verdicts {
		if counts[v] > 0 {
			list = append(list, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (r *Report) markdownTroubles(b *strings.Builder) {
	troubles, notRun := r.troubles(), r.notRun()
	if len(r.Folder.Warnings)+len(troubles)+len(notRun) == 0 {
		return
	}
	b.WriteString("## Not here, failed or disturbed\n\n")
	for _, text := range r.Folder.Warnings {
		fmt.Fprintf(b, "- **warning** %s\n", inline(text))
	}
	for _, t := range troubles {
		var names []string
		for _, c := range t.Cases {
			names = append(names, inline(c.Text))
		}
		fmt.Fprintf(b, "- **%s** %s (%s: %s)\n", t.Kind, inline(t.Reason), t.Suite, strings.Join(names, ", "))
	}
	for _, s := range notRun {
		fmt.Fprintf(b, "- **not run** suite %s: `orthant-bench run %s`\n", s.Name, s.Name)
	}
	b.WriteString("\n")
}

// markdown writes the claims of a paper as a table. A column that would be empty is
// left out.
func (g paperClaims) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", inline(g.Title), g.Counts)
	rows := [][]string{{g.PlaceName, "claim", g.FigureName, "ours, or why not", "verdict", "the paper's time and machine", "our time", "command"}}
	for _, c := range g.Claims {
		rows = append(rows, []string{cmp.Or(c.Place, "–"), c.Claim.Statement, c.Claim.Paper, c.Found(), string(c.Finding.Verdict), c.Claim.Took, c.Spent(), "`" + c.Command + "`"})
	}
	for j := len(rows[0]) - 1; j >= 0; j-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[j] != "" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], j, j+1)
		}
	}
	markdownTable(b, rows, nil)
}

func markdownClaims(b *strings.Builder, list []Judged) {
	rows := [][]string{{"verdict", "claim", "source", "paper, or target", "ours", "why", "command"}}
	for _, j := range list {
		rows = append(rows, []string{"**" + string(j.Finding.Verdict) + "**", j.Claim.Statement, j.Claim.Source, j.Claim.Paper, j.Finding.Ours, j.Finding.Why, "`" + j.Command + "`"})
	}
	markdownTable(b, rows, nil)
}

func (v *suiteView) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "## %s (`%s`)\n\n", inline(v.Title), v.Name)
	for _, p := range v.About {
		b.WriteString(inline(p) + "\n\n")
	}
	if v.Trouble != "" {
		b.WriteString("**" + inline(v.Trouble) + "**\n\n")
	}
	if len(v.Claims) > 0 {
		markdownClaims(b, v.Claims)
	}
	for _, s := range v.Sections {
		v.markdownSection(b, s)
	}
	rows := [][]string{{"case, line of records.jsonl", "method, setting", "parameters", "CPU, median", "wall", "peak memory", "measured", "notes", "command"}}
	for _, r := range v.Rows {
		var measured, notes []string
		for _, q := range r.Quality {
			measured = append(measured, q.Name+" "+q.Text)
		}
		for _, n := range r.Notes {
			notes = append(notes, n.Kind+": "+n.Text)
		}
		rows = append(rows, []string{fmt.Sprintf("%s, %d", r.Case, r.Line), r.Method + ", " + r.Setting, r.Params, strings.TrimSpace(r.CPU + " " + r.Spread), r.Wall, r.Memory,
			strings.Join(measured, "; "), strings.Join(notes, "; "), "`" + r.Command + "`"})
	}
	fmt.Fprintf(b, "### All records of %s\n\n", v.Name)
	markdownTable(b, rows, []bool{3: true, 4: true, 5: true})
}

func (v *suiteView) markdownSection(b *strings.Builder, s Section) {
	fmt.Fprintf(b, "### %s\n\n", inline(s.Title))
	for _, p := range paragraphs(s.Text) {
		b.WriteString(inline(p) + "\n\n")
	}
	if s.Table != nil {
		markdownLaid(b, s.Table)
		if text := absentText(v.records.absentPeers(s.Table)); text != "" {
			b.WriteString(inline(text) + "\n\n")
		}
	}
	if s.Plot != nil {
		markdownPlot(b, s.Plot)
	}
	for _, f := range s.Pictures {
		file := "not drawn"
		if r := v.records.Get(f.Case); r != nil && r.Pictures[f.Picture] != "" {
			file = "`" + r.Pictures[f.Picture] + "`"
		}
		fmt.Fprintf(b, "- picture: %s (%s), %s\n", inline(f.Caption), inline(f.Case), file)
	}
	if len(s.Pictures) > 0 {
		b.WriteString("\n")
	}
}

// markdownMark sets a paper's figures in italics and better ones in bold.
func markdownMark(c Cell) string {
	switch {
	case c.Text == "":
		return ""
	case c.Mark == Paper:
		return "*" + c.String() + "*"
	case c.Mark == Better:
		return "**" + c.String() + "**"
	}
	return c.String()
}

// maxPoints bounds the points of a curve in Markdown.
const maxPoints = 25

// markdownPlot writes the points of a plot: a column a curve.
func markdownPlot(b *strings.Builder, p *Plot) {
	var xs []float64
	for _, c := range p.Curves {
		xs = append(xs, c.X[:min(len(c.X), len(c.Y))]...)
	}
	xs = slices.DeleteFunc(xs, notFinite)
	slices.Sort(xs)
	xs = slices.Compact(xs)
	fmt.Fprintf(b, "%s against %s:\n\n", inline(p.YLabel), inline(p.XLabel))
	table := &Table{Columns: []string{p.XLabel}}
	for _, c := range p.Curves {
		table.Columns = append(table.Columns, c.Name)
	}
	every := 1 + (len(xs)-1)/maxPoints
	for i := 0; i < len(xs); i += every {
		row := []Cell{PlainCell(draw.Number(xs[i], 4))}
		for _, c := range p.Curves {
			text := ""
			if at := slices.Index(c.X, xs[i]); at >= 0 && at < len(c.Y) {
				text = draw.Number(c.Y[at], 4)
			}
			row = append(row, PlainCell(text))
		}
		table.Rows = append(table.Rows, row)
	}
	markdownLaid(b, table)
}

// markdownTable writes rows of which the first is the head. Columns that hold
// figures are aligned to the right.
func markdownTable(b *strings.Builder, rows [][]string, numeric []bool) {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	for i, row := range rows {
		b.WriteString("|")
		for j := range columns {
			text := ""
			if j < len(row) {
				text = row[j]
			}
			b.WriteString(" " + inline(text) + " |")
		}
		b.WriteString("\n")
		if i > 0 {
			continue
		}
		b.WriteString("|")
		for j := range columns {
			if j < len(numeric) && numeric[j] {
				b.WriteString(" ---: |")
			} else {
				b.WriteString(" --- |")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// inline makes text fit for one line of Markdown and for a cell of a table: no
// line breaks, pipes and angle brackets escaped.
func inline(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
	return strings.NewReplacer("|", `\|`, "<", `&lt;`).Replace(text)
}

const reproductionHead = `# What reproduces, and what does not

Every claim of the papers and of this project that a suite of ` + "`orthant-bench`" + ` judges: the paper's figure, ours, the
verdict, and the command that judges it again. This page is written by

    make reproduction DATA=FOLDER

which runs all suites; do not edit it. "orthant" as a source marks a claim or a target of this project. A claim that
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
