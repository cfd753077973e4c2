package bench

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/internal/draw"
)

//go:embed report.html
var pageText string

//go:embed report.css
var pageStyle string

// page is parsed when a report is written, not at the start of every command.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"style":      func() template.CSS { return template.CSS(pageStyle) },
		"command":    commandHTML,
		"verdict":    verdictClass,
		"paragraphs": paragraphs,
		"mark":       markClass,
		"placed":     placed,
		"spent":      func() string { return spentNote },
	}).Parse(pageText))
})

// pageData is what the template is given.
type pageData struct {
	Overview pageOverview
	Answer   answer
	Facts    []fact
	Counts   []pageCount
	Trouble  string // in a sentence; empty where there is none
	Warnings []string
	Troubles []trouble
	Judged   string      // how many claims there are, and how many were judged
	Papers   []pagePaper // the claims of the suites with records
	NotRun   []Suite
	Sets     []UserSet // the real data sets, and where they come from
	Suites   []pageSuite
}

type pageCount struct {
	Verdict Verdict
	Count   int
}

type pageClaim struct {
	Judged
	Anchor string // of the claim in its suite
	Cases  []traced
}

type pageSuite struct {
	*suiteView
	Claims   []pageClaim
	Sections []pageSection
}

type pageSection struct {
	Section
	Tables  []pageTable
	Absent  string      // which peers are not here
	Panels  []pagePanel // of the plot
	Figures []drawnFigure
}

// pageTable is a table, or a part of one, that fits the page.
type pageTable struct {
	Same    []pageSame // columns that are the same in all rows
	Columns []string
	Numeric []bool
	Rows    [][]pageCell
}

type pageSame struct {
	Name string
	Cell pageCell
}

// pageOverview is what the page begins with.
type pageOverview struct {
	Picture      template.HTML
	Tables, More []pageTable
	Count        int // of the rows in More
	Absent, Note string
}

// pageTables lays a table out for the page; link leads from a row's cell to its record.
func (t *Table) pageTables(link func(row int, c Cell) string) []pageTable {
	var list []pageTable
	for _, part := range t.laidOut() {
		p := pageTable{Columns: part.Columns, Numeric: part.numeric()}
		for _, s := range part.Same {
			p.Same = append(p.Same, pageSame{s.Name, pageCell{s.Cell, link(0, s.Cell)}})
		}
		for i, row := range part.Rows {
			cells := make([]pageCell, len(row))
			for j, c := range row {
				cells[j] = pageCell{c, link(i, c)}
			}
			p.Rows = append(p.Rows, cells)
		}
		list = append(list, p)
	}
	return list
}

// pageOverview lays the overview out.
func (o *overview) page() pageOverview {
	lay := func(rows []versusRow) []pageTable {
		if len(rows) == 0 {
			return nil
		}
		return versusTable(rows).pageTables(func(i int, c Cell) string { return rows[i].suite.link(c.Case) })
	}
	return pageOverview{Picture: o.picture(), Tables: lay(o.Rows), More: lay(o.More), Count: len(o.More), Absent: absentText(o.Absent), Note: o.Note}
}

// pagePanel is a diagram of some of a plot's curves, few enough for colours to distinguish.
type pagePanel struct {
	Wide   template.HTML // on a wide page
	Narrow template.HTML // and on a phone
	Key    []pageKey
}

type pageCell struct {
	Cell
	Link string
}

// pageKey is an entry of a plot's key.
type pageKey struct {
	Name   string
	Class  string
	Dashed bool
	Link   string
}

// WriteHTML writes the report as one page that needs nothing besides itself.
func (r *Report) WriteHTML(w io.Writer) error {
	o := r.overview()
	d := pageData{Overview: o.page(), Answer: r.answer(o), Facts: r.facts(), Judged: r.judgedText(), Warnings: r.Folder.Warnings, Troubles: r.troubles(), NotRun: r.notRun(), Sets: UserSets()}
	d.Trouble = troubleText(d)
	counts := r.Counts()
	for _, v := range Verdicts {
		if counts[v] > 0 {
			d.Counts = append(d.Counts, pageCount{v, counts[v]})
		}
	}
	anchors := map[[2]string]string{}
	var shown []Judged
	for _, v := range r.suites {
		s := pageSuite{suiteView: v}
		for i, j := range v.Claims {
			c := pageClaim{Judged: j, Anchor: fmt.Sprintf("c-%s-%d", v.Name, i+1)}
			anchors[[2]string{j.Suite, j.Claim.Name}] = c.Anchor
			for _, name := range j.Finding.Cases {
				c.Cases = append(c.Cases, traced{name, v.link(name)})
			}
			s.Claims = append(s.Claims, c)
		}
		for _, one := range v.Sections {
			s.Sections = append(s.Sections, v.pageSection(one))
		}
		shown = append(shown, v.Claims...)
		d.Suites = append(d.Suites, s)
	}
	d.Papers = r.pagePapers(shown, anchors)
	return page().Execute(w, d)
}

// Sizes of a plot: its words keep their size, so a phone gets one of its own.
const (
	wideWidth, wideHeight     = 780, 420
	narrowWidth, narrowHeight = 360, 330
)

func (v *suiteView) pageSection(s Section) pageSection {
	p := pageSection{Section: s}
	if s.Table != nil {
		p.Tables = s.Table.pageTables(func(_ int, c Cell) string { return v.link(c.Case) })
		p.Absent = absentText(v.records.absentPeers(s.Table))
	}
	if s.Plot != nil {
		for _, lines := range v.lines(s.Plot).Panels(draw.Colors) {
			p.Panels = append(p.Panels, v.panel(lines, s.Plot))
		}
	}
	for _, f := range s.Pictures {
		p.Figures = append(p.Figures, v.drawFigure(f))
	}
	return p
}

// panel draws some of the curves of a plot.
func (v *suiteView) panel(lines *draw.Lines, of *Plot) pagePanel {
	p := pagePanel{
		Wide:   template.HTML(lines.SVG(wideWidth, wideHeight, true)), // its words are escaped there
		Narrow: template.HTML(lines.SVG(narrowWidth, narrowHeight, false)),
	}
	colors := lines.ColorOf()
	for i, c := range lines.Curves {
		key := pageKey{Name: c.Name, Class: fmt.Sprintf("c%d", colors[i]), Dashed: c.Dashed}
		at := slices.IndexFunc(of.Curves, func(one Curve) bool { return one.Name == c.Name })
		if at >= 0 && len(of.Curves[at].Cases) > 0 {
			key.Link = v.link(of.Curves[at].Cases[0])
		}
		p.Key = append(p.Key, key)
	}
	return p
}

// lines turns a plot into what is drawn. Where a curve has a case a point, each
// point leads to its record.
func (v *suiteView) lines(p *Plot) *draw.Lines {
	l := &draw.Lines{XLabel: p.XLabel, YLabel: p.YLabel, LogX: p.LogX, LogY: p.LogY}
	for _, c := range p.Curves {
		curve := draw.Curve{Name: c.Name, X: c.X, Y: c.Y, Dashed: c.Dashed}
		if len(c.Cases) == len(c.X) {
			for _, name := range c.Cases {
				curve.Links = append(curve.Links, v.link(name))
			}
		}
		l.Curves = append(l.Curves, curve)
	}
	return l
}

// numeric reports for each column whether its cells are figures, which are aligned
// to the right.
func (t *Table) numeric() []bool {
	is := make([]bool, len(t.Columns))
	for j := range is {
		is[j] = !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return j < len(row) && row[j].words() })
	}
	return is
}

// words reports whether a cell holds anything but a figure, or the lack of one.
func (c Cell) words() bool {
	if c.Mark == Absent || c.Text == "" {
		return false
	}
	for _, start := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "-", "−", "–", "<", ">", "+", "±", "≈", "×"} {
		if strings.HasPrefix(c.Text, start) {
			return false
		}
	}
	return true
}

// commandHTML sets a command so that it breaks between its words only: a browser
// would break "--out" after its first dash.
func commandHTML(text string) template.HTML {
	var b strings.Builder
	b.WriteString("<code>")
	for i, word := range strings.Fields(text) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("<span>" + template.HTMLEscapeString(word) + "</span>")
	}
	b.WriteString("</code>")
	return template.HTML(b.String())
}

func verdictClass(v Verdict) string {
	switch v {
	case Reproduces, TargetReached:
		return "good"
	case PartlyHolds:
		return "part"
	case DoesNot, TargetMissed:
		return "bad"
	case CannotCheck:
		return "unknown"
	}
	return "idle"
}

func markClass(m Mark) string {
	names := []string{Plain: "", Paper: "paper", Better: "better", Worse: "worse", Absent: "absent"}
	if int(m) < 0 || int(m) >= len(names) {
		return ""
	}
	return names[m]
}

// HasPaper reports whether a table prints a paper's figures, which wants saying.
func (p pageSection) HasPaper() bool {
	return p.Table != nil && slices.ContainsFunc(p.Table.Rows, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return c.Mark == Paper })
	})
}
