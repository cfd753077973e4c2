package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"math"
	"os"
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

// A comparison has what the commands alone give, for each method and number of neighbours, and
// goes on where an earlier one stopped.
func TestCompare(t *testing.T) {
	inFolder(t, "150")
	write(t, "labels.csv", strings.Repeat("0\n1\n2\n", 50))
	line := strings.Fields("compare --in x.npy --methods pca,isomap,ltsa --neighbors 7,10 --labels labels.csv --out all --plot grid.png --json -q")
	rows, skipped := comparedRows(t, must(t, line...))
	if len(rows) != 5 || skipped != 0 || rows[0].Method != "pca" || rows[0].Neighbors != 0 || rows[4].Neighbors != 10 {
		t.Fatalf("%d skipped, %+v", skipped, rows)
	}
	for _, row := range rows {
		if row.Status != jobDone || row.Dim != 2 || row.Seconds <= 0 || row.Memory <= 0 || len(row.Values) != 6 || row.Values["nn-error"] <= 0 {
			t.Errorf("%+v", row)
		}
	}
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--neighbors", "10", "--out", "alone.npy", "-q")
	if !bytes.Equal(read(t, "alone.npy"), read(t, "all/ltsa-k10.npy")) {
		t.Error("by the shared search ltsa gives other bits than alone")
	}
	var alone struct{ Values map[string]number }
	text := must(t, "evaluate", "--in", "x.npy", "--embedding", "alone.npy", "--json", "-q").out
	if err := json.Unmarshal([]byte(text), &alone); err != nil {
		t.Fatal(err)
	}
	for name, v := range alone.Values {
		if rows[4].Values[name] != v {
			t.Errorf("%s: %v compared, %v alone", name, rows[4].Values[name], v)
		}
	}
	picture, err := png.Decode(bytes.NewReader(read(t, "grid.png")))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X < 1000 || size.Y < 1200 { // two panels by three
		t.Errorf("%v pixels", size)
	}

	if again := orthant(t, line...); again.status != exitUsage || !strings.Contains(again.err, "--resume") {
		t.Errorf("%d, %s", again.status, again.err)
	}
	if err := os.Remove("all/isomap-k7.npy"); err != nil {
		t.Fatal(err)
	}
	second, skipped := comparedRows(t, must(t, append(line, "--resume")...))
	if skipped != 10 { // of 12, but for the embedding that is gone and its metrics
		t.Errorf("%d jobs were kept", skipped)
	}
	for i, row := range second {
		if row.Values["trustworthiness"] != rows[i].Values["trustworthiness"] {
			t.Errorf("%+v, before %+v", row, rows[i])
		}
	}
}

// The table marks the best of each column; what fails has a line that says why, and the rest is
// there.
func TestCompareTable(t *testing.T) {
	inFolder(t, "")
	twoClouds(t)
	o := orthant(t, strings.Fields("compare --in clouds.csv --methods pca,lle --neighbors 6 --plot grid.svg --set components=error")...)
	if o.status != exitFailed || !strings.Contains(o.err, "1 of 2 failed") {
		t.Fatalf("%d, %s", o.status, o.err)
	}
	table := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(table) != 3 || strings.Count(table[1], "*") != 5 || !strings.Contains(table[2], "failed: the neighbour graph has 2 components") {
		t.Errorf("%s", o.out)
	}
	if svg := string(read(t, "grid.svg")); !strings.Contains(svg, ">failed: the neighbour graph") {
		t.Error("the picture does not tell of the failure")
	}
}

func TestCompareRefuses(t *testing.T) {
	inFolder(t, "60")
	for flags, phrase := range map[string]string{
		"":                                      "--in is missing",
		"--in x.npy":                            "--methods is missing",
		"--in x.npy --methods lle,umap":         `unknown method "umap"; take le,`,
		"--in x.npy --methods nmf":              "factorize",
		"--in x.npy --methods lle,lle":          "names lle twice",
		"--in x.npy --methods lle --resume":     "--resume needs --out",
		"--in x.npy --methods lda":              "--labels is missing",
		"--in x.npy --methods lle -k 8,x":       `--neighbors has "x"`,
		"--in x.npy --methods pca --set foo=1":  `has a parameter "foo"`,
		"--in x.npy --methods pca --plot y.bmp": "--plot",
	} {
		o := orthant(t, append([]string{"compare"}, strings.Fields(flags)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, phrase) {
			t.Errorf("%s: %d, %s", flags, o.status, o.err)
		}
	}
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
	if o := orthant(t, strings.Fields("compare --in t.csv --methods pca --missing weight")...); o.status != exitUsage || !strings.Contains(o.err, "--missing weight") {
		t.Errorf("%d %s", o.status, o.err)
	}
	// Without scaling, the search is shared as before, and reads the same columns.
	shared, _ := comparedRows(t, must(t, strings.Fields("compare --in t.csv --columns height,noise --methods le,lle -k 8 --json -q")...))
	if len(shared) != 2 || shared[0].Error+shared[1].Error != "" {
		t.Errorf("%+v", shared)
	}
}

// What every run warns of is told once, and doubts that differ in their figures alone are told together.
func TestCompareTellsOnce(t *testing.T) {
	missing := "1 missing value of x.csv filled in"
	rows := []*comparedRow{
		{Verdict: "doubtful", Sentence: "uneven by 0.5", Warnings: []string{missing, "uneven by 0.5", "another"}, run: &compared{method: "lle", k: 8}},
		{Verdict: "doubtful", Sentence: "bent", Warnings: []string{missing, "bent"}, run: &compared{method: "le", k: 8}},
		{Warnings: []string{missing}, Left: 3, run: &compared{method: "pca"}},
		{Verdict: "doubtful", Sentence: "uneven by 0.25", Warnings: []string{missing, "uneven by 0.25"}, run: &compared{method: "lle", k: 12}},
	}
	var told, warned bytes.Buffer
	c := &comparison{invocation: newInvocation(streams{out: &told, err: &warned})}
	c.remark(&told, rows)
	if got := warned.String(); got != "warning: "+missing+"\n" {
		t.Errorf("warned %q", got)
	}
	lines := strings.Split(strings.TrimSpace(told.String()), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "pca: 3 samples without coordinates (components=largest)") ||
		!strings.HasSuffix(lines[1], "lle, k = 8: uneven by 0.5; the same, with other figures, for lle, k = 12") || !strings.HasSuffix(lines[2], "le, k = 8: bent") {
		t.Errorf("told %q", lines)
	}
	rows[2].Sentence = missing // a doubt is shown as one
	if list := common(rows); len(list) > 0 {
		t.Errorf("%q is of every run", list)
	}
}

// With the true coordinates dev comes first, in the table and after the names of the picture: LLE
// with the paper's γ, whose neighbours are as good as any, is seen to be wrong.
func TestCompareWithTheTruth(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "swiss-roll-hole", "--samples", "1500", "--out", "roll.npy", "--out-params", "t.npy", "-q")
	line := strings.Fields("compare --methods neml,lle --neighbors 15 --set gamma=0.001 --in roll.npy --truth t.npy --plot roll.svg -q --out o")
	if o := must(t, line...); !strings.Contains(o.out, "   d            dev            kept     trustworthy") || strings.Index(o.out, "*") > strings.Index(o.out, "lle") {
		t.Errorf("the table is\n%s", o.out)
	}
	if text := string(read(t, "roll.svg")); !strings.Contains(text, "dev after each name") {
		t.Error("the picture does not say what follows the names")
	}
	rows, _ := comparedRows(t, must(t, append(line, "--json", "--resume")...))
	for _, row := range rows {
		v := strings.TrimSpace(must(t, "evaluate", "--metric", "dev", "--truth", "t.npy", "--embedding", "o/"+row.Method+"-k15.npy").out)
		if got := fmt.Sprintf("%.17g", float64(row.Values["dev"])); got != v {
			t.Errorf("%s: dev %s compared, %s alone", row.Method, got, v)
		}
	}
	if float64(rows[1].Values["dev"]) < 3*float64(rows[0].Values["dev"]) {
		t.Errorf("dev %v of neml, %v of lle", rows[0].Values["dev"], rows[1].Values["dev"])
	}
}
