package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orthant-go/orthant/blas/limits"
)

// Report is what the records of a folder say: every claim judged, and each suite
// as it wants to be shown. It is written as a page, as Markdown, and as the list
// of claims in docs/reproduction.md.
type Report struct {
	Folder *Folder
	Judged []Judged // of all suites known, in their order

	papers []Publication
	suites []*suiteView
}

// NewReport judges the claims of the suites that the folder was read with by its
// records, and lays the suites out. Claims are grouped by the papers, in their order.
func NewReport(f *Folder, papers ...Publication) *Report {
	r := &Report{Folder: f, papers: papers}
	for _, s := range f.known {
		r.Judged = append(r.Judged, judge(s, f.Of(s.Name))...)
	}
	for _, records := range f.Suites {
		r.suites = append(r.suites, r.view(records))
	}
	return r
}

// Counts counts the verdicts.
func (r *Report) Counts() map[Verdict]int {
	counts := map[Verdict]int{}
	for _, j := range r.Judged {
		counts[j.Finding.Verdict]++
	}
	return counts
}

// suiteView is a suite with its records, ready to be laid out.
type suiteView struct {
	Name, Title string
	About       []string
	Claims      []Judged
	Sections    []Section
	Rows        []recordRow
	Trouble     string // in laying the sections out

	dir     string
	records *Records
	versus  []Versus
	speed   bool
	anchors map[string]string
}

func (r *Report) view(records *Records) *suiteView {
	v := &suiteView{
		Name: records.Suite, Title: records.Suite, dir: r.Folder.Dir, records: records,
		About: []string{"This version has no suite of that name: only its records are shown."},
	}
	v.name()
	for _, s := range r.Folder.known {
		if s.Name == records.Suite {
			v.Title, v.About = cmp.Or(s.Title, s.Name), paragraphs(s.About)
			v.sections(s)
			if v.speed = s.Speed; s.Versus != nil {
				v.versus = s.Versus()
			}
		}
	}
	for _, j := range r.Judged {
		if j.Suite == records.Suite {
			v.Claims = append(v.Claims, j)
		}
	}
	for _, one := range records.List {
		v.Rows = append(v.Rows, newRecordRow(one, v.anchors[one.Case]))
	}
	return v
}

// sections asks the suite for its part of the report.
func (v *suiteView) sections(s Suite) {
	defer func() {
		if p := recover(); p != nil {
			v.Trouble = fmt.Sprintf("Laying out the sections of this suite failed: %v", p)
		}
	}()
	if s.Sections != nil {
		v.Sections = s.Sections(v.records)
	}
}

// name gives every record an anchor that does not change from run to run.
func (v *suiteView) name() {
	v.anchors = map[string]string{}
	taken := map[string]bool{}
	for _, r := range v.records.List {
		slug := strings.Map(func(c rune) rune {
			if c < 128 && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.ContainsRune("=._-", c)) {
				return c
			}
			return '-'
		}, r.Case)
		anchor := "r-" + r.Suite + "-" + slug
		for i := 2; taken[anchor]; i++ {
			anchor = fmt.Sprintf("r-%s-%s-%d", r.Suite, slug, i)
		}
		taken[anchor], v.anchors[r.Case] = true, anchor
	}
}

// link leads to the record of a case; empty where there is none.
func (v *suiteView) link(name string) string {
	if anchor := v.anchors[name]; anchor != "" {
		return "#" + anchor
	}
	return ""
}

// paragraphs splits plain text at its empty lines.
func paragraphs(text string) []string {
	var list []string
	for _, p := range strings.Split(text, "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// fact is a line of the report's head.
type fact struct {
	Name  string
	Texts []string
}

// facts says where and when the records were made.
func (r *Report) facts() []fact {
	var machines, versions, isa []string
	var first, last time.Time
	count, quick := 0, 0
	add := func(list []string, text string) []string {
		if text == "" || slices.Contains(list, text) {
			return list
		}
		return append(list, text)
	}
	for _, s := range r.Folder.Suites {
		for _, one := range s.List {
			count++
			if one.Quick {
				quick++
			}
			machines, versions = add(machines, machineText(one.Machine)), add(versions, one.Version)
			isa = add(isa, one.ISA)
			if at, err := time.Parse(time.RFC3339, one.Started); err == nil {
				if first.IsZero() || at.Before(first) {
					first = at
				}
				if at.After(last) {
					last = at
				}
			}
		}
	}
	records := fmt.Sprintf("%s, of %s", counted(count, "case"), counted(len(r.Folder.Suites), "suite"))
	if quick > 0 {
		records += fmt.Sprintf("; %d of them from the quick version", quick)
	}
	facts := []fact{{"machine", machines}, {"instructions", isa}, {"version", versions}}
	if !first.IsZero() {
		facts = append(facts, fact{"measured", []string{when(first, last)}})
	}
	facts = append(facts, fact{"records", []string{records}})
	return slices.DeleteFunc(facts, func(f fact) bool { return len(f.Texts) == 0 })
}

func when(first, last time.Time) string {
	first, last = first.UTC(), last.UTC()
	text := first.Format("2 January 2006, 15:04")
	switch {
	case last.Truncate(24 * time.Hour).After(first):
		text += " to " + last.Format("2 January 2006, 15:04")
	case last.Format("15:04") != first.Format("15:04"):
		text += " to " + last.Format("15:04")
	}
	return text + " UTC"
}

func machineText(m Machine) string {
	var parts []string
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	if m.Cores > 0 {
		parts = append(parts, fmt.Sprintf("%d cores", m.Cores))
	}
	if m.Memory > 0 {
		parts = append(parts, limits.FormatBytes(m.Memory))
	}
	if m.OS != "" {
		parts = append(parts, m.OS)
	}
	return strings.Join(parts, " · ")
}

// notRun lists the suites without a record.
func (r *Report) notRun() Suites {
	var list Suites
	for _, s := range r.Folder.known {
		if len(r.Folder.Of(s.Name).List) == 0 {
			list = append(list, s)
		}
	}
	return list
}

// trouble is something that the reader has to know before the figures: cases
// that did not run, failed, or were disturbed, by reason.
type trouble struct {
	Kind   string // "missing", "failed" or "noisy"
	Reason string
	Suite  string
	Cases  []traced
}

// traced is a case with the place of its record.
type traced struct{ Text, Link string }

func (r *Report) troubles() []trouble {
	var list []trouble
	for _, kind := range []string{"missing", "failed", "noisy"} {
		for _, v := range r.suites {
			byReason := map[string][]traced{}
			for _, one := range v.records.List {
				reason := map[string]string{"missing": one.Missing, "failed": one.Error}[kind]
				if kind == "noisy" && one.Noise != "" {
					reason = "their figures may be off; each record says why" // no two are disturbed in the same way
				}
				if reason != "" {
					byReason[reason] = append(byReason[reason], traced{one.Case, v.link(one.Case)})
				}
			}
			for _, reason := range slices.Sorted(maps.Keys(byReason)) {
				list = append(list, trouble{kind, reason, v.Name, byReason[reason]})
			}
		}
	}
	return list
}

// troubleText counts what the reader has to know, in a sentence.
func troubleText(d pageData) string {
	cases := map[string]int{}
	for _, t := range d.Troubles {
		cases[t.Kind] += len(t.Cases)
	}
	var parts []string
	add := func(count int, one, more string) {
		if count == 1 {
			parts = append(parts, "1 "+one)
		} else if count > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", count, more))
		}
	}
	add(cases["missing"], "case lacks what it needs", "cases lack what they need")
	add(cases["failed"], "failed", "failed")
	add(cases["noisy"], "was disturbed", "were disturbed")
	add(len(d.NotRun), "suite was not run", "suites were not run")
	add(len(d.Warnings), "warning", "warnings")
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": see the list below the claims."
}
