package suites

import (
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/internal/must"
)

// maxHeads is how many columns fit on a page of 1280 pixels.
const maxHeads = 9

// TestNoTableIsWiderThanThePage counts the columns of all tables of each suite's report, as a page and as Markdown.
func TestNoTableIsWiderThanThePage(t *testing.T) {
	head := regexp.MustCompile(`(?s)<thead>.*?</thead>`)
	rule := regexp.MustCompile(`(?m)^\|(?: -+:? \|)+$`)
	for _, s := range All() {
		report := madeUp(t, s, func(*bench.Case, bench.Accuracy) (float64, bool) { return 1e-7, true })
		var page, text strings.Builder
		must.Do(t, report.WriteHTML(&page))
		must.Do(t, report.WriteMarkdown(&text))
		for _, one := range head.FindAllString(page.String(), -1) {
			if n := strings.Count(one, "<th"); n-1 > maxHeads { // and <thead>
				t.Errorf("suite %s: a table of %d columns: %s", s.Name, n-1, one)
			}
		}
		for _, one := range rule.FindAllString(text.String(), -1) {
			if n := strings.Count(one, "|") - 1; n > maxHeads {
				t.Errorf("suite %s: a table of %d columns in the Markdown", s.Name, n)
			}
		}
	}
}

// TestComparisonsAreOfCases holds that what the report begins with are cases of the suite, and that each has an
// error on both sides.
func TestComparisonsAreOfCases(t *testing.T) {
	for _, s := range All() {
		if s.Versus == nil {
			continue
		}
		cases := map[string]bench.Case{}
		for _, c := range s.Cases(&bench.Env{}) {
			cases[c.Name] = c
		}
		for _, v := range s.Versus() {
			for _, name := range []string{v.Ours, v.Theirs} {
				if c, known := cases[name]; !known || len(c.Accuracy) == 0 {
					t.Errorf("suite %s: %s against %s: there is no case %q with an error", s.Name, v.What, v.Program, name)
				}
			}
			if cases[v.Ours].Data != cases[v.Theirs].Data || cases[v.Ours].N != cases[v.Theirs].N {
				t.Errorf("suite %s: %s and %s are of other data", s.Name, v.Ours, v.Theirs)
			}
		}
	}
}
