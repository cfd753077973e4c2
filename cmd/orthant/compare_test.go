package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
)

// compared are the rows that --json prints.
func comparedRows(t *testing.T, o outcome) (rows []comparedRow, skipped int) {
	t.Helper()
	var report struct {
		Rows    []comparedRow
		Skipped int
	}
	if err := json.Unmarshal([]byte(o.out), &report); err != nil {
		t.Fatalf("%v: %s", err, o.out)
	}
	return report.Rows, report.Skipped
}

// The flags of tables count for every job: what a table with names, classes, gaps and a column
// of noise gives is what the plain numbers give.
func TestCompareReadsTables(t *testing.T) {
	inFolder(t, "")
	var table, plain, labels strings.Builder
	table.WriteString("plant;height;noise;width;species\n")
	for i := range 60 {
		a, b := float64(i)+math.Sin(float64(3*i)), math.Cos(float64(i)/7)
		width := strings.Replace(fmt.Sprintf("%.6f", b), ".", ",", 1)
		if i == 17 {
			width = "NA"
		}
		fmt.Fprintf(&table, "p%d;%s;%d;%s;%s\n", i, strings.Replace(fmt.Sprintf("%.6f", a), ".", ",", 1), i*i%7000, width, []string{"setosa", "virginica"}[i/30])
		if i != 17 {
			fmt.Fprintf(&plain, "%.6f,%.6f\n", a, b)
			fmt.Fprintf(&labels, "%d\n", i/30)
		}
	}
	write(t, "t.csv", table.String())
	write(t, "x.csv", plain.String())
	write(t, "l.csv", labels.String())
	flags := strings.Fields("--methods pca,le,lda -k 8 --set dim=1 --scale standard --json -q")
	got, _ := comparedRows(t, must(t, append(append([]string{"compare", "--in", "t.csv"}, strings.Fields("--labels :species --id plant --drop noise --missing drop --plot p.html")...), flags...)...))
	want, _ := comparedRows(t, must(t, append([]string{"compare", "--in", "x.csv", "--labels", "l.csv"}, flags...)...))
	if len(got) != 3 || len(want) != 3 {
		t.Fatalf("%d and %d rows", len(got), len(want))
	}
	for i := range got {
		if got[i].Error != "" || len(got[i].Values) < 5 || !maps.Equal(got[i].Values, want[i].Values) {
			t.Errorf("%s: %v %s, of plain numbers %v", got[i].Method, got[i].Values, got[i].Error, want[i].Values)
		}
	}
	if page := string(read(t, "p.html")); !strings.Contains(page, "p18") || strings.Contains(page, "p17\"") {
		t.Error("the page does not name the plants that are left")
	}
	// Without scaling, the search is shared as before, and reads the same columns.
	shared, _ := comparedRows(t, must(t, strings.Fields("compare --in t.csv --columns height,noise --methods le,lle -k 8 --json -q")...))
	if len(shared) != 2 || shared[0].Error+shared[1].Error != "" {
		t.Errorf("%+v", shared)
	}
}

// A warning common to all runs is printed once, and doubts that differ only in their figures are printed together.
func TestCompareReportsOnce(t *testing.T) {
	missing := "1 missing value of x.csv filled in"
	rows := []*comparedRow{
		{Verdict: "doubtful", Sentence: "uneven by 0.5", Warnings: []string{missing, "uneven by 0.5", "another"}, run: &compared{method: "lle", k: 8}},
		{Verdict: "doubtful", Sentence: "bent", Warnings: []string{missing, "bent"}, run: &compared{method: "le", k: 8}},
		{Warnings: []string{missing}, Left: 3, run: &compared{method: "pca"}},
		{Verdict: "doubtful", Sentence: "uneven by 0.25", Warnings: []string{missing, "uneven by 0.25"}, run: &compared{method: "lle", k: 12}},
	}
	var reported, warned bytes.Buffer
	c := &comparison{invocation: newInvocation(streams{out: &reported, err: &warned})}
	c.remark(&reported, rows)
	if got := warned.String(); got != "warning: "+missing+"\n" {
		t.Errorf("warned %q", got)
	}
	lines := strings.Split(strings.TrimSpace(reported.String()), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "pca: 3 samples without coordinates (components=largest)") ||
		!strings.HasSuffix(lines[1], "lle, k = 8: uneven by 0.5; the same, with other figures, for lle, k = 12") || !strings.HasSuffix(lines[2], "le, k = 8: bent") {
		t.Errorf("reported %q", lines)
	}
	rows[2].Sentence = missing // a doubt is shown as one
	if list := common(rows); len(list) > 0 {
		t.Errorf("%q is of every run", list)
	}
}
