package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"

	"gonum.org/v1/gonum/mat"
)

// seconds are the statistics of made-up repeats.
func seconds(values ...float64) map[string]Statistics {
	sorted := slices.Sorted(slices.Values(values))
	return map[string]Statistics{"total": {Median: sorted[len(sorted)/2], Values: values, Spread: 0.01}}
}

// record makes up a record that was measured.
func record(suite, name string, values ...float64) Record {
	return Record{
		Suite: suite, Case: name, Command: "orthant-bench run " + suite + "/" + name, Method: "neml", Params: map[string]any{"neighbors": 15.0},
		Data: "swiss-roll", Samples: 1500, Features: 3, Threads: 1, Machine: Machine{CPU: "a CPU", Cores: 2, Memory: 8 << 30}, Version: "v1",
		Started: "2026-01-02T03:04:05Z", Repeats: len(values), Seconds: seconds(values...), CPUSeconds: seconds(values...), PeakBytes: 40 << 20,
	}
}

// writeRecords fills the folder of a run.
func writeRecords(t *testing.T, dir string, records ...Record) {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		must.Do(t, json.NewEncoder(&b).Encode(r))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, recordsFile), b.Bytes(), 0o666))
}

// nasty is text that no part of a page or of a table may take for its own.
const nasty = `<script>alert("x")</script> | a & b`

// fake is a suite with something of everything.
func fake() Suite {
	judge := func(v Verdict, cases ...string) func(*Records) Finding {
		return func(r *Records) Finding {
			return Finding{Verdict: v, Ours: "0.026", Why: "because " + nasty, Cases: cases}
		}
	}
	return Suite{
		Name: "fake", Title: "A suite <b>made up</b>", About: "First.\n\nSecond " + nasty,
		Cases: func(*Env) []Case { return []Case{{Name: "neml/roll"}, {Name: "lle/roll <2>"}} },
		Claims: []Claim{
			{Name: "holds", Source: "Wang, Zhang 2010, fig. 4", Statement: "It holds | always.", Paper: "0.03", Took: "9 s on a slow machine", Check: judge(Reproduces, "neml/roll", "lle/roll <2>")},
			{Name: "fails", Source: "orthant", Statement: "It fails.", Paper: "2", Check: judge(DoesNot, "neml/roll")},
			{Name: "panics", Source: "orthant", Statement: "Nobody knows.", Check: func(*Records) Finding { panic("no such thing") }},
			{Name: "empty", Source: "orthant", Statement: "Nothing is said.", Check: func(*Records) Finding { return Finding{} }},
		},
		Sections: func(*Records) []Section {
			return []Section{
				{Title: "Table", Text: nasty, Table: &Table{Columns: []string{"method", "dev | x"}, Rows: [][]Cell{
					{{Text: "neml"}, {Text: "0.026", Case: "neml/roll", Mark: Better}},
					{{Text: "lle"}, {Text: "0.18", Case: "lle/roll <2>"}},
					{{Text: "paper | " + nasty}, {Text: "0.2286", Mark: Paper}},
					{{Text: "faces"}, {Text: "not run", Case: "never recorded", Mark: Absent}},
				}}},
				{Title: "Plot", Plot: &Plot{XLabel: "N", YLabel: "s < t", LogX: true, LogY: true, Curves: []Curve{
					{Name: "neml <i>", X: []float64{10, 100, 1000}, Y: []float64{1, 0, 3}, Cases: []string{"neml/roll", "neml/roll", "lle/roll <2>"}},
					{Name: "neml <i>, paper", X: []float64{10, 100}, Y: []float64{2, 4}, Dashed: true},
				}}},
				{Title: "Nothing yet", Plot: &Plot{XLabel: "N", YLabel: "s", Curves: []Curve{{Name: "none"}}}},
				{Title: "Pictures", Pictures: []Figure{{Case: "neml/roll", Picture: "embedding", Caption: "NEML"}, {Case: "lle/roll <2>", Picture: "embedding", Caption: "LLE"}, {Case: "gone", Picture: "embedding", Caption: "Gone"}}},
			}
		},
	}
}

// fakeRun fills a folder with records of the fake suite, and reads it with the
// suites that are known.
func fakeRun(t *testing.T, known ...Suite) *Folder {
	t.Helper()
	dir := t.TempDir()
	small := &Picture{Points: mat.NewDense(40, 2, nil), Labels: make([]int64, 40)}
	large := &Picture{Points: mat.NewDense(svgPoints+1, 1, nil), Color: make([]float64, svgPoints+1)}
	for i := range 40 {
		small.Points.Set(i, 0, float64(i))
		small.Labels[i] = int64(i % 3)
	}
	for i := range large.Color {
		large.Points.Set(i, 0, float64(i*i))
		large.Color[i] = float64(i) / 2
	}
	a, b := record("fake", "neml/roll", 0.03, 0.031, 0.032), record("fake", "lle/roll <2>", 0.02)
	for name, p := range map[*Record]*Picture{&a: small, &b: large} {
		file := must.Get(SavePicture(dir, "fake "+name.Case, p))(t)
		name.Pictures = map[string]string{"embedding": file}
	}
	a.Quality = map[string]Statistics{"dev": {Median: 0.0264, Values: []float64{0.0264}}}
	b.Noise = "stolen time " + nasty
	missing := Record{Suite: "fake", Case: "faces", Missing: "data faces.npy " + nasty}
	failed := Record{Suite: "fake", Case: "hands", Error: "3 components " + nasty}
	writeRecords(t, dir, failed, b, a, missing, record("unknown", "x", 1))
	f := must.Get(ReadFolder(dir, known, files.Options{}))(t)
	return f
}

func render(t *testing.T, write func(*Report, *bytes.Buffer) error, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, write(r, &b))
	return b.String()
}

func TestReportPage(t *testing.T) {
	r := NewReport(fakeRun(t, fake(), Suite{Name: "idle", Title: "Not run", Claims: []Claim{{Name: "c", Statement: "Unseen."}}}))
	text := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteHTML(b) }, r)
	if !strings.HasPrefix(text, "<!DOCTYPE html>") {
		t.Errorf("the page begins with %.40q", text)
	}
	// Nothing is fetched, and nothing that was said became markup.
	for _, m := range regexp.MustCompile(`(?i)(?:src|href|url|@import)\s*[=(]?\s*["']?([^"'\s>)]+)`).FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[1], "data:image/png;base64,") {
			continue
		}
		if strings.Contains(m[1], "//") || strings.HasPrefix(strings.ToLower(m[1]), "http") {
			t.Errorf("the page leads outside: %.100s", m[0])
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	for _, word := range []string{"<b>made up", "<i>", "<2>"} {
		if strings.Contains(text, word) {
			t.Errorf("%q is not escaped", word)
		}
	}
	// Every link leads somewhere, and every place is there once.
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("two elements with the id %s", m[1])
		}
	}
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(text, -1)
	for _, m := range links {
		if ids[m[1]] == 0 {
			t.Errorf("a link to %s leads nowhere", m[1])
		}
	}
	// The cells of the table and the points of the plot lead to their records, and
	// the records name command and line.
	for _, want := range []string{
		`<a href="#r-fake-neml-roll">0.026</a>`, `<a href="#r-fake-lle-roll--2-">0.18</a>`, `>not run</td>`,
		`<a href="#r-fake-neml-roll"><circle`, `records.jsonl, line 3`, `records.jsonl, line 2`, `<span>orthant-bench</span> <span>run</span> <span>fake/neml/roll</span>`,
		`<tr id="r-fake-neml-roll">`, `31 ms`, `40.0 MiB`, `dev <b>0.0264</b>`, `neighbors=15`,
		`<b class="kind missing">missing</b><span>data faces.npy`, `<a href="#r-fake-faces">faces</a>`, `<b class="kind failed">failed</b><span>3 components`, `<b class="kind noisy">noisy</b>`,
		`<b class="kind idle">not run</b><span>suite idle, with 1 claim`, `1 case lacks what it needs, 1 failed, 1 was disturbed, 1 suite was not run: see`, `judging it failed: no such thing`, `No point to draw yet.`,
		`class="curve dashed"`, `data:image/png;base64,`, `<svg class="scatter"`, `not drawn: the case gone did not run`,
		`@media (max-width`, `prefers-color-scheme: dark`, `overflow-x: auto`, `name="viewport"`, `This version has no suite of that name`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "NaN") {
		t.Error("the page holds what a template refused, or NaN")
	}
}

func TestReportCounts(t *testing.T) {
	r := NewReport(fakeRun(t, fake(), Suite{Name: "idle", Claims: []Claim{{Name: "c", Statement: "Unseen."}}}))
	counts := r.Counts()
	for v, want := range map[Verdict]int{Reproduces: 1, DoesNot: 1, CannotCheck: 1, NotRun: 2, TargetReached: 0} {
		if counts[v] != want {
			t.Errorf("%d claims with %q, want %d", counts[v], v, want)
		}
	}
	if j := r.Judged[1]; j.Command != "orthant-bench run fake/neml/roll" {
		t.Errorf("a claim read from one case has the command %q", j.Command)
	}
	if j := r.Judged[0]; j.Command != runCommand("fake") {
		t.Errorf("a claim read from two cases has the command %q", j.Command)
	}
}

func TestReportMarkdown(t *testing.T) {
	text := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteMarkdown(b) }, NewReport(fakeRun(t, fake())))
	checkTables(t, text)
	for _, want := range []string{`paper \| &lt;script>`, "| neml | **0.026** |", "| N | neml &lt;i> | neml &lt;i>, paper |", "- **missing** data faces.npy", "picture: NEML (neml/roll), `fake-neml-roll-"} {
		if !strings.Contains(text, want) {
			t.Errorf("the Markdown lacks %q", want)
		}
	}
}

// checkTables checks that all rows of each table have as many cells as its head.
func checkTables(t *testing.T, text string) {
	t.Helper()
	columns := 0
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1
		if columns == 0 {
			columns = cells
		}
		if cells != columns {
			t.Errorf("a row of %d cells in a table of %d: %s", cells, columns, line)
		}
	}
}

func TestReproductionIsStable(t *testing.T) {
	f := fakeRun(t, fake(), Suite{Name: "idle", Title: "Idle", Claims: []Claim{{Name: "c", Source: "orthant", Statement: "Unseen."}}})
	write := func(r *Report, b *bytes.Buffer) error { return r.WriteReproduction(b) }
	first := render(t, write, NewReport(f))
	for _, s := range f.Suites {
		for _, r := range s.List {
			r.Version, r.Started, r.Machine.OS, r.Seconds = "v2", "2027-05-06T07:08:09Z", "another kernel", seconds(7)
		}
	}
	if second := render(t, write, NewReport(f)); second != first {
		t.Errorf("another run with the same findings changed the text:\n%s\n%s", first, second)
	}
	checkTables(t, first)
	for _, want := range []string{"5 claims, 2 of them judged: 1 reproduces, 1 does not reproduce, 1 cannot be checked, 2 not run.", "### holds\n\nIt holds \\| always.\n\n- source: Wang, Zhang 2010, fig. 4\n- paper: 0.03\n- the paper's time and machine: 9 s on a slow machine\n- ours: 0.026\n- our time: 51 ms, 2 cases\n- verdict: **reproduces**\n- why: because",
		"- target: 2\n", "- command: `orthant-bench run fake --data DATA --out report`", "- why: the suite has not been run"} {
		if !strings.Contains(first, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
}

func TestReadFolder(t *testing.T) {
	known := Suites{{Name: "second"}, fake()}
	line := func(suite, name, version string) string {
		return `{"suite":"` + suite + `","case":"` + name + `","version":"` + version + `"}` + "\n"
	}
	for _, c := range []struct {
		name, text, want, err string
	}{
		{"order", line("fake", "zz", "1") + line("fake", "lle/roll <2>", "1") + line("fake", "neml/roll", "1") + line("aa", "x", "1") + line("second", "y", "1"),
			"second:y=1@5 fake:neml/roll=1@3,lle/roll <2>=1@2,zz=1@1 aa:x=1@4", ""},
		{"the later line", line("aa", "x", "1") + "\n" + line("aa", "x", "2"), "aa:x=2@3", ""},
		{"torn", line("aa", "x", "1") + `{"suite":"aa","ca`, "aa:x=1@1 torn", ""},
		{"damaged", line("aa", "x", "1") + "{nonsense}\n" + line("aa", "y", "1"), "", "line 2"},
		{"damaged at the end", line("aa", "x", "1") + "{nonsense}\n", "", "line 2"},
		{"no suite", "{}\n", "", "without suite"},
		{"empty", "", "", "no record"},
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, recordsFile), []byte(c.text), 0o666))
		f, err := ReadFolder(dir, known, files.Options{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: error %v, want one with %q and the file", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var parts []string
		for _, s := range f.Suites {
			var names []string
			for _, r := range s.List {
				names = append(names, r.Case+"="+r.Version+"@"+string(rune('0'+r.Line)))
			}
			parts = append(parts, s.Suite+":"+strings.Join(names, ","))
		}
		if len(f.Warnings) > 0 {
			parts = append(parts, "torn")
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	must.Refuse(t, "bench run --out")(ReadFolder(t.TempDir(), known, files.Options{}))
}

// TestRecordsAreReadWithinTheMemory holds that a folder's records are read line by line: a file that is larger than
// the limit is, and a line that no memory is left for is an error that names file and line.
func TestRecordsAreReadWithinTheMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordsFile)
	line := `{"suite":"a","case":"x","note":"` + strings.Repeat("y", 1000) + `"}` + "\n"
	const limit = 1 << 20
	must.Do(t, os.WriteFile(path, []byte(strings.Repeat(line, 2*limit/len(line))), 0o666))
	f, err := ReadFolder(dir, nil, files.Options{MaxBytes: limit})
	if err != nil || f.Of("a").Get("x") == nil {
		t.Errorf("many short lines: %v", err)
	}
	var many strings.Builder
	for i := range limit / len(line) {
		many.WriteString(strings.Replace(line, `"x"`, fmt.Sprintf(`"x%d"`, i), 1))
	}
	must.Do(t, os.WriteFile(path, []byte(many.String()), 0o666))
	if _, err = ReadFolder(dir, nil, files.Options{MaxBytes: limit}); err == nil || !strings.Contains(err.Error(), "more than the memory limit leaves") || !strings.Contains(err.Error(), path) {
		t.Errorf("more records than there is memory for: %v", err)
	}
	must.Do(t, os.WriteFile(path, []byte(line+`{"suite":"a","case":"`+strings.Repeat("z", limit)), 0o666))
	if _, err = ReadFolder(dir, nil, files.Options{MaxBytes: limit}); err == nil || !files.IsTooLarge(err) || !strings.Contains(err.Error(), "line 2 is longer than") || !strings.Contains(err.Error(), path) {
		t.Errorf("a line beyond the memory: %v", err)
	}
}

func TestPictureStaysInItsFolder(t *testing.T) {
	r := record("fake", "neml/roll", 1)
	r.Pictures = map[string]string{"embedding": "../secret.npy"}
	v := &suiteView{dir: t.TempDir(), records: &Records{List: []*Record{&r}}, anchors: map[string]string{}}
	if f := v.drawFigure(Figure{Case: "neml/roll", Picture: "embedding"}); !strings.Contains(f.Absent, "outside the folder") {
		t.Errorf("a picture from elsewhere: %+v", f)
	}
}

func TestSavePictureRefuses(t *testing.T) {
	for _, p := range []*Picture{nil, {}, {Points: mat.NewDense(3, 2, nil), Color: []float64{1}}, {Points: mat.NewDense(3, 2, nil), Labels: []int64{1}}} {
		if _, err := SavePicture(t.TempDir(), "x", p); err == nil {
			t.Errorf("%+v was saved", p)
		}
	}
	if a, b := fileName("neml a/b"), fileName("neml a:b"); a == b || strings.ContainsAny(a, " /:") {
		t.Errorf("file names %s and %s", a, b)
	}
}
