package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestClaimsByPaper(t *testing.T) {
	one, two := Publication{Name: "One", Source: "Ann, 2001"}, Publication{Name: "Two", Source: "Ann, 2001b"}
	var claims []Claim
	for _, source := range []string{"orthant, after Ann, 2001", "Ann, 2001, Table II", "Bob, 1999", "Ann, 2001b, section 3", "orthant", "Ann, 2001", "Ann, 2001, Figs 10 and 11", "Ann, 2001, Fig. 2(b)"} {
		claims = append(claims, Claim{Name: source, Source: source, Statement: "So it is.", Check: func(*Records) Finding {
			return Finding{Verdict: Reproduces, Ours: "1", Cases: []string{"neml/roll", "lle/roll <2>", "neml/roll", "gone"}}
		}})
	}
	s := fake()
	s.Claims = claims
	r := NewReport(fakeRun(t, s), one, two)
	var got []string
	for _, g := range r.byPaper(r.Judged) {
		got = append(got, g.Title+" ("+g.Counts+")")
		for _, c := range g.Claims {
			got = append(got, c.Place)
		}
	}
	want := []string{
		"One: Ann, 2001 (4 claims: 4 reproduces)", "Fig. 2(b)", "Figs 10 and 11", "Table II", "",
		"Two: Ann, 2001b (1 claim: 1 reproduces)", "section 3",
		"Other sources (1 claim: 1 reproduces)", "Bob, 1999",
		"This project's own (2 claims: 2 reproduces)", "fake", "fake",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the claims by paper are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if spent := r.Judged[0].Spent(); spent != "51 ms, 2 cases" { // a case counts once, and only where it ran
		t.Errorf("the claim took %q", spent)
	}
	for _, j := range judge(Suite{Name: "fake", Claims: []Claim{{Check: func(*Records) Finding { return Finding{Verdict: NotRun, Cases: []string{"neml/roll"}} }}}}, r.Folder.Of("fake")) {
		if j.Timed > 0 {
			t.Errorf("a claim that was not judged took %q", j.Spent())
		}
	}
	page := render(t, func(r *Report, b *bytes.Buffer) error { return r.WriteHTML(b) }, r)
	for _, want := range []string{`<h3 id="p-1">One: Ann, 2001</h3>`, `<a href="#p-own">Our own</a>`, `<a href="#c-fake-8">So it is.</a>`, `time: 51 ms, 2 cases`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestTableOfPaperLeavesEmptyColumnsOut holds that the papers' times have a column where
// a claim of the table has one, and that a claim without a figure gives its reason.
func TestTableOfPaperLeavesEmptyColumnsOut(t *testing.T) {
	g := paperClaims{Title: "One", PlaceName: "in the paper", FigureName: "paper", Claims: []placedClaim{
		{Judged{Claim: Claim{Statement: "S.", Paper: "2"}, Finding: Finding{Verdict: CannotCheck, Why: "no data"}, Command: "run"}, "Fig. 1"},
	}}
	table := func() string {
		var b strings.Builder
		g.markdown(&b)
		checkTables(t, b.String())
		return b.String()
	}
	if text := table(); !strings.Contains(text, "| Fig. 1 | S. | 2 | no data | cannot be checked | `run` |") {
		t.Errorf("without times:\n%s", text)
	}
	g.Claims[0].Claim.Took = "9 s"
	if text := table(); !strings.Contains(text, "| cannot be checked | 9 s | `run` |") {
		t.Errorf("with the paper's time:\n%s", text)
	}
}

func TestPlaces(t *testing.T) {
	want := []string{"Fig. 2", "Figs 3 and 4", "Fig. 5(a)", "Fig. 14", "Table I", "Table IV", "Tables 6 and 7", "Table IX", "Theorem 3.1", "Theorem 6.1", "section 7.2", "eq. 7", "eqs 16 and 17", "Experiments", ""}
	places := slices.Clone(want)
	slices.Reverse(places[:13]) // the last two have no number, and stay as they are
	if slices.SortStableFunc(places, comparePlaces); !slices.Equal(places, want) {
		t.Errorf("the places are in the order %q", places)
	}
}
