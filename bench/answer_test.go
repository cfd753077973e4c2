package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// The first screen answers whether ours is fast and right, draws both sides, and calls a peer that is not here not run.
func TestReportAnswersFirst(t *testing.T) {
	_, f := raced(t)
	r := NewReport(f)
	o := r.overview()
	a := r.answer(o)
	if a.Fast != "Faster in 1 of 2 comparisons, in the median 29.0 times. In 1 more the peer was not run." || !strings.HasPrefix(a.Right, "The error is within its limit in 3 of 3 timed results.") {
		t.Errorf("%+v", a)
	}
	drawn := string(o.picture())
	for part, times := range map[string]int{`<circle class="ours"`: 4, `<circle class="peer"`: 3, "peer not run": 1, `class="between"`: 2} { // one of each in the key
		if strings.Count(drawn, part) != times {
			t.Errorf("%s is there %d times, want %d: %s", part, strings.Count(drawn, part), times, drawn)
		}
	}
	page := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteHTML(b) }, r)
	if answer, picture, table := strings.Index(page, "Is it fast?"), strings.Index(page, `<svg class="race"`), strings.Index(page, "<table"); answer < 0 || answer > picture || picture > table {
		t.Errorf("answer, picture and table are at %d, %d, %d", answer, picture, table)
	}
}

// Claims whose data or programs are not here are not run: neither red nor missed. Every verdict that stands on a page is explained there.
func TestMissingIsNotRun(t *testing.T) {
	dir := t.TempDir()
	failed := record("lacking", "failed", 1)
	failed.Error = "it broke"
	writeRecords(t, dir, Record{Suite: "lacking", Case: "data", Missing: "data faces.npy is not at hand"}, failed)
	needs := func(name string) func(*Records) Finding {
		return func(r *Records) Finding { f, _ := r.Unready(name); return f }
	}
	s := Suite{Name: "lacking", Title: "Lacking", Cases: func(*Env) []Case { return nil }, Claims: []Claim{
		{Name: "data", Statement: "Needs data.", Check: needs("data")}, {Name: "failed", Statement: "Failed.", Check: needs("failed")}}}
	r := NewReport(must.Get(ReadFolder(dir, Suites{s}, files.Options{}))(t))
	if got := r.Judged[0].Finding; got.Verdict != NotRun || !strings.Contains(got.Why, "not at hand") {
		t.Errorf("without its data: %+v", got)
	}
	if got := r.Judged[1].Finding; got.Verdict != CannotCheck {
		t.Errorf("failed: %+v", got)
	}
	page := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteHTML(b) }, r)
	for _, v := range []Verdict{NotRun, CannotCheck} {
		if !strings.Contains(page, string(v)+"<small>"+v.Meaning()+"</small>") {
			t.Errorf("%q is not explained", v)
		}
	}
	for _, v := range Verdicts {
		if v.Meaning() == "" {
			t.Errorf("%q has no meaning", v)
		}
	}
}
