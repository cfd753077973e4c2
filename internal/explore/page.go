package explore

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
	"github.com/orthant-go/orthant/internal/visible"
)

// style is that of the sections.
//
//go:embed page.css
var style string

// Report is what the page shows.
type Report struct {
	Title  string
	Map    *picture.Scatter // its colours are the groups
	Cards  []Card           // the answer in short
	Groups []Group
	Heat   *Heat   // nil: none
	Agree  *Agree  // nil: no classes were given
	Steps  []Step  // what was done, and why
	Redo   []Typed // the same by hand
	Notes  []string
}

// Card is one finding.
type Card struct{ Of, Word, Text string }

// Group is a row of the table of groups.
type Group struct {
	Name    string
	Class   int // of the colours of the map
	Size    int
	Share   float64
	Columns []Shown
	Mostly  string // the class that most of its samples have; empty: unknown
}

// Shown is a column that distinguishes a group.
type Shown struct {
	Name    string
	Lower   bool
	In, Out float64 // means in the group and outside
}

// Heat has for each group and column the mean of the group, less that of all samples, in standard deviations.
type Heat struct {
	Columns []string
	Values  [][]float64 // a row for each group
}

// Agree compares the groups with given classes.
type Agree struct {
	Measures []Measured
	Classes  []string
	Counts   [][]int // groups × classes
}

// Measured is a measure with its value.
type Measured struct {
	Name, Title string
	Value       float64
}

// Step is one decision.
type Step struct{ What, Flag, Reason string }

// Typed is a command line that repeats a step.
type Typed struct{ What, Line string }

// Write writes the page: one file of HTML that reads no other.
func (r *Report) Write(w io.Writer) error {
	page := &picture.Page{Title: r.Title, Panels: []picture.Panel{r.Map}, Sections: r.sections(), Style: style}
	return page.Write(w, ".html")
}

// text is a text for HTML.
func text(s string) string { return html.EscapeString(visible.Text(s)) }

func (r *Report) sections() string {
	var b strings.Builder
	section := func(title string, inside func()) {
		fmt.Fprintf(&b, "<section>\n<h2>%s</h2>\n", text(title))
		inside()
		b.WriteString("</section>\n")
	}
	section("In short", func() {
		b.WriteString("<div class=\"cards\">\n")
		for _, c := range r.Cards {
			fmt.Fprintf(&b, "<div class=\"card\"><h3>%s</h3><b>%s</b>", text(c.Of), text(c.Word))
			if c.Text != "" {
				fmt.Fprintf(&b, "<p>%s</p>", text(c.Text))
			}
			b.WriteString("</div>\n")
		}
		b.WriteString("</div>\n")
	})
	section("Groups", func() { r.groups(&b) })
	if r.Heat != nil {
		section("Profile", func() { r.heat(&b) })
	}
	if r.Agree != nil {
		section("Groups and given classes", func() { r.agree(&b) })
	}
	section("What was done", func() {
		b.WriteString("<ul class=\"steps\">\n")
		for _, s := range r.Steps {
			fmt.Fprintf(&b, "<li><b>%s</b> ", text(s.What))
			if s.Flag != "" {
				fmt.Fprintf(&b, "<code>%s</code> ", text(s.Flag))
			}
			fmt.Fprintf(&b, "%s</li>\n", text(s.Reason))
		}
		b.WriteString("</ul>\n")
		for _, note := range r.Notes {
			fmt.Fprintf(&b, "<p>%s</p>\n", text(note))
		}
	})
	section("The same by hand", func() {
		b.WriteString("<p>These commands repeat each step, with the same numbers. Change one of them and go on from there.</p>\n")
		for _, c := range r.Redo {
			fmt.Fprintf(&b, "<div class=\"command\"><p>%s</p><pre><code>%s</code></pre></div>\n", text(c.What), text(c.Line))
		}
	})
	return b.String()
}

// dot is the colour of a group on the map.
func (r *Report) dot(class int) string {
	if r.Map.Colors == nil {
		return ""
	}
	c := draw.ClassColor(r.Map.Colors.Style(class))
	return fmt.Sprintf("<span class=\"dot\" style=\"background:#%02x%02x%02x\"></span>", c.R, c.G, c.B)
}

func (r *Report) groups(b *strings.Builder) {
	mostly := r.Agree != nil
	b.WriteString("<div class=\"wide\"><table class=\"groups\">\n<thead><tr><th>group</th><th class=\"n\">samples</th><th class=\"n\">share</th>")
	if mostly {
		b.WriteString("<th>mostly</th>")
	}
	b.WriteString("<th>what distinguishes it</th></tr></thead>\n<tbody>\n")
	for _, g := range r.Groups {
		fmt.Fprintf(b, "<tr><td class=\"name\">%s%s</td><td class=\"n\">%d</td><td class=\"n\">%.1f %%</td>", r.dot(g.Class), text(g.Name), g.Size, 100*g.Share)
		if mostly {
			fmt.Fprintf(b, "<td class=\"mostly\">%s</td>", text(g.Mostly))
		}
		b.WriteString("<td class=\"columns\">")
		for _, c := range g.Columns {
			class, than := "up", "higher"
			if c.Lower {
				class, than = "down", "lower"
			}
			fmt.Fprintf(b, "<span class=\"%s\" title=\"%s: mean %.4g in the group, %.4g outside\">%s</span>", class, than, c.In, c.Out, text(c.Name))
		}
		b.WriteString("</td></tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

// fullHeat is the difference in standard deviations that has the full colour.
const fullHeat = 2

func (r *Report) heat(b *strings.Builder) {
	b.WriteString("<p>The mean of each group, less the mean of all samples, in standard deviations of the column as it was scaled: red is higher, blue is lower.</p>\n")
	b.WriteString("<div class=\"wide\"><table class=\"heat\">\n<thead><tr><th></th>")
	for _, name := range r.Heat.Columns {
		fmt.Fprintf(b, "<th scope=\"col\"><span title=\"%s\">%s</span></th>", text(name), text(name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for at, row := range r.Heat.Values {
		g := r.Groups[at]
		fmt.Fprintf(b, "<tr><th scope=\"row\">%s%s</th>", r.dot(g.Class), text(g.Name))
		for _, v := range row {
			v = math.Round(10*v)/10 + 0 // no −0.0
			part := math.Min(math.Abs(v)/fullHeat, 1)
			of := "194,84,58"
			if v < 0 {
				of = "58,120,194"
			}
			fmt.Fprintf(b, "<td style=\"background:rgba(%s,%.2f)\">%.1f</td>", of, 0.75*part, v)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

func (r *Report) agree(b *strings.Builder) {
	b.WriteString("<div class=\"cards\">\n")
	for _, m := range r.Agree.Measures {
		fmt.Fprintf(b, "<div class=\"card\"><h3>%s</h3><b>%.3f</b><p>%s</p></div>\n", text(m.Name), m.Value, text(m.Title))
	}
	b.WriteString("</div>\n")
	if r.Agree.Counts == nil {
		fmt.Fprintf(b, "<p>%d classes are too many for a table.</p>\n", len(r.Agree.Classes))
		return
	}
	b.WriteString("<p>Samples of each class in each group:</p>\n<div class=\"wide\"><table>\n<thead><tr><th>group</th>")
	for _, name := range r.Agree.Classes {
		fmt.Fprintf(b, "<th class=\"n\">%s</th>", text(name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for at, row := range r.Agree.Counts {
		fmt.Fprintf(b, "<tr><td class=\"name\">%s%s</td>", r.dot(r.Groups[at].Class), text(r.Groups[at].Name))
		for _, count := range row {
			part := float64(count) / math.Max(float64(r.Groups[at].Size), 1)
			fmt.Fprintf(b, "<td class=\"n\" style=\"background:rgba(120,120,120,%.2f)\">%d</td>", 0.45*part, count)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}
