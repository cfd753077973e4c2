package bench

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// raced is a suite of running times with a peer that was measured, one that lost, and one that is not here.
func raced(t *testing.T) (Suite, *Folder) {
	t.Helper()
	timed := func(name string, seconds, dev float64, a Accuracy) Record {
		r := record("raced", name, seconds)
		r.Quality, r.Accuracy = map[string]Statistics{"dev": {Median: dev, Values: []float64{dev}}}, []Accuracy{a}
		return r
	}
	shown := Reported("dev")
	s := Suite{
		Name: "raced", Title: "Raced", Speed: true, Cases: func(*Env) []Case { return nil },
		Versus: func() []Versus {
			return []Versus{
				{"alone", "Tapkee", "alone/orthant", "alone/tapkee"},
				{"won", "scikit-learn", "won/orthant", "won/scikit-learn"},
				{"lost", "scikit-learn", "lost/orthant", "lost/scikit-learn"},
				{"gone", "scikit-learn", "gone/orthant", "gone/scikit-learn"},
			}
		},
		Sections: func(r *Records) []Section {
			table := &Table{Columns: []string{"what", "orthant", "Tapkee", "times faster"}}
			for _, name := range []string{"alone", "won"} {
				table.Rows = append(table.Rows, []Cell{PlainCell(name), r.TimedCell(name+"/orthant", "total"), r.TimedCell(name+"/tapkee", "total"), r.TimesFaster(name+"/orthant", name+"/tapkee")})
			}
			return []Section{{Title: "Races", Table: table}}
		},
	}
	dir := t.TempDir()
	missing := Record{Suite: "raced", Case: "alone/tapkee", Missing: checkPeer(&Env{}, "tapkee")}
	writeRecords(t, dir,
		timed("alone/orthant", 0.25, 0.002, shown.Against("alone/tapkee", MaxErrorRatio)), missing,
		timed("won/orthant", 0.0431, 0.001, shown.Against("won/scikit-learn", MaxErrorRatio)), timed("won/scikit-learn", 1.25, 0.002, shown),
		timed("lost/orthant", 3, 0.001, shown), timed("lost/scikit-learn", 1.5, 0.002, shown))
	f := must.Get(ReadFolder(dir, Suites{s}, files.Options{}))(t)
	return s, f
}

// rowOf is the row of a page that begins with a word.
func rowOf(t *testing.T, page, word string) string {
	t.Helper()
	row := regexp.MustCompile(`<tr><td class="">` + word + `</td>.*</tr>`).FindString(page)
	if row == "" {
		t.Fatalf("no row %s", word)
	}
	return row
}

// TestPageBeginsWithSpeedAndItsError holds what stands on the first screen, and in which order.
func TestPageBeginsWithSpeedAndItsError(t *testing.T) {
	_, f := raced(t)
	page := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteHTML(b) }, NewReport(f))
	last := -1
	for _, part := range []string{"<h1>", `<section id="speed">`, "<table", `<dl class="facts">`, `<ul class="counts">`, `<section class="suite"`} {
		at := strings.Index(page, part)
		if at <= last {
			t.Errorf("%s is at %d, behind what is to come after it", part, at)
		}
		last = at
	}
	first := page[strings.Index(page, `<section id="speed">`):strings.Index(page, `<dl class="facts">`)]
	for _, head := range versusHeads {
		if !strings.Contains(first, ">"+head+"</th>") {
			t.Errorf("no column %q: %s", head, first)
		}
	}
	for word, cells := range map[string][]string{
		"won":   {"0.0431", "1.25", `<td class="better number"><a href="#r-raced-won-orthant">29.0</a>`, "dev 0.001", "dev 0.002"},
		"lost":  {"3.00", "1.50", `<td class="worse number"><a href="#r-raced-lost-orthant">0.500</a>`},
		"alone": {"0.250", `<td class="absent number"><a href="#r-raced-alone-tapkee">no peer here</a>`, "dev 0.002"},
	} {
		row := rowOf(t, first, word)
		for _, cell := range cells {
			if !strings.Contains(row, cell) {
				t.Errorf("%s lacks %q: %s", word, cell, row)
			}
		}
	}
	if strings.Contains(first, ">gone<") {
		t.Error("a comparison that neither side ran has a row")
	}
	if won, alone := strings.Index(first, ">won<"), strings.Index(first, ">alone<"); won > alone {
		t.Error("a comparison without the peer stands before one with it")
	}
	// The peer that is not here is no fault of ours, there and in the suite's own table, and how to get it is said.
	for _, part := range []string{first, page[strings.Index(page, "<h3>Races"):strings.Index(page, "<details class=\"records")]} {
		if row := rowOf(t, part, "alone"); strings.Contains(row, "worse") || strings.Contains(row, "bad") || !strings.Contains(row, noPeer) {
			t.Errorf("a peer that is not here: %s", row)
		}
		if !strings.Contains(part, "No peer here: Tapkee: its command is not at hand; give --tapkee PATH") {
			t.Errorf("nothing says how to get the peer: %s", part)
		}
	}
	text := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteMarkdown(b) }, NewReport(f))
	if !strings.HasPrefix(text, "# What was claimed, and what was measured\n\n## Speed with its error\n") || !strings.Contains(text, "| won | scikit-learn | 0.0431 | 1.25 | **29.0** | dev 0.001 | dev 0.002 |") {
		t.Errorf("the Markdown begins with %.600s", text)
	}
	checkTables(t, text)
}

// TestOverviewWithoutAPeer holds that reports without a comparison have the table too.
func TestOverviewWithoutAPeer(t *testing.T) {
	s, f := raced(t)
	s.Versus = nil
	f.known = Suites{s}
	o := NewReport(f).overview()
	if len(o.Rows) != 5 || o.Note != "" || o.Rows[0].Cells[0].Text != "0.250" || o.Rows[0].Cells[3].Text != "dev 0.002" {
		t.Errorf("%+v", o)
	}
	s.Speed = false
	f.known = Suites{s}
	if o := NewReport(f).overview(); len(o.Rows) > 0 || o.Note == "" {
		t.Errorf("without running times: %+v", o)
	}
}

// TestFirstScreenIsBounded holds that many comparisons do not push all else off the first screen.
func TestFirstScreenIsBounded(t *testing.T) {
	s, f := raced(t)
	s.Versus = func() []Versus {
		var list []Versus
		for range 2*firstRows + 1 {
			list = append(list, Versus{"won", "scikit-learn", "won/orthant", "won/scikit-learn"})
		}
		return list
	}
	f.known = Suites{s}
	if o := NewReport(f).overview(); len(o.Rows) != firstRows || len(o.More) != firstRows+1 {
		t.Errorf("%d rows, %d more", len(o.Rows), len(o.More))
	}
}
