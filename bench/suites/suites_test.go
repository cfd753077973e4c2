package suites

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/internal/must"
)

// TestCasesOfSuites checks what the harness and the report rely on, in every
// suite.
func TestCasesOfSuites(t *testing.T) {
	names := map[string]bool{}
	for _, s := range All() {
		if names[s.Name] || s.Name != strings.ToLower(s.Name) || s.Title == "" || s.About == "" {
			t.Errorf("suite %q: its name, title or text", s.Name)
		}
		names[s.Name] = true
		cases := map[string]bool{}
		for _, c := range s.Cases(&bench.Env{}) {
			if cases[c.Name] || c.Name == "" || c.Run == nil {
				t.Errorf("%s: case %q is there twice, or has no name or nothing to run", s.Name, c.Name)
			}
			cases[c.Name] = true
			if _, err := json.Marshal(c.Params); err != nil {
				t.Errorf("%s %s: %v", s.Name, c.Name, err)
			}
		}
		claims := map[string]bool{}
		for _, c := range s.Claims {
			if claims[c.Name] || c.Statement == "" || c.Source == "" {
				t.Errorf("%s: claim %q is there twice or lacks a part", s.Name, c.Name)
			}
			claims[c.Name] = true
			// Without records nothing is claimed, and nothing panics.
			f := c.Check(&bench.Records{Suite: s.Name})
			if f.Verdict != bench.NotRun && f.Verdict != bench.CannotCheck || f.Why == "" {
				t.Errorf("%s: claim %s of no records is %q because %q", s.Name, c.Name, f.Verdict, f.Why)
			}
		}
		s.Sections(&bench.Records{Suite: s.Name})
	}
}

func TestSuitesAreSound(t *testing.T) {
	names := map[string]bool{}
	for _, s := range All() {
		if names[s.Name] || s.Name != strings.ToLower(s.Name) || strings.ContainsAny(s.Name, " /") || s.Title == "" {
			t.Errorf("suite %q: its name must be one lower-case word of its own, with a title", s.Name)
		}
		names[s.Name] = true
		claims := map[string]bool{}
		for _, c := range s.Claims {
			if claims[c.Name] || c.Statement == "" || c.Source == "" || c.Check == nil {
				t.Errorf("%s: claim %q is there twice, or lacks something", s.Name, c.Name)
			}
			claims[c.Name] = true
			// Without records nothing can be judged, and nothing may fall over.
			if f := c.Check(&bench.Records{Suite: s.Name}); f.Verdict != bench.NotRun && f.Verdict != bench.CannotCheck {
				t.Errorf("%s: claim %q without records: %q", s.Name, c.Name, f.Verdict)
			}
		}
		for _, quick := range []bool{false, true} {
			e := &bench.Env{Quick: quick}
			cases, _ := s.Planned(e)
			seen := map[string]bool{}
			for _, c := range cases {
				if seen[c.Name] {
					t.Errorf("suite %s has two cases named %s", s.Name, c.Name)
				}
				seen[c.Name] = true
			}
			var again []bench.Case
			again, _ = s.Planned(e)
			for i, c := range cases {
				if c.Run == nil || i >= len(again) || again[i].Name != c.Name {
					t.Errorf("%s/%s: no Run, or another name the next time", s.Name, c.Name)
				}
				if _, err := bench.Missing(e, &c); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
		if s.Sections != nil {
			s.Sections(&bench.Records{Suite: s.Name})
		}
	}
}

// TestSuitesKnowOnlyTheHarness holds that no suite imports another one, and the
// harness none of them.
func TestSuitesKnowOnlyTheHarness(t *testing.T) {
	const suites = "github.com/orthant-go/orthant/bench/suites"
	files := 0
	for _, pattern := range []string{"../*.go", "../benchtest/*.go", "*/*.go"} {
		list := must.Get(filepath.Glob(pattern))(t)
		for _, name := range list {
			f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly))(t)
			files++
			for _, one := range f.Imports {
				if path := strings.Trim(one.Path.Value, `"`); strings.HasPrefix(path, suites) && path != suites+"/papers" {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
	if files < 50 {
		t.Errorf("only %d files were looked at", files)
	}
}

// TestClaimsNameTheirPaper holds that the report finds the paper of each claim.
func TestClaimsNameTheirPaper(t *testing.T) {
	counts := map[string]int{}
	for _, s := range All() {
		for _, c := range s.Claims {
			at := slices.IndexFunc(papers.All(), func(p bench.Publication) bool { return strings.HasPrefix(c.Source, p.Source) })
			switch {
			case at >= 0:
				counts[papers.All()[at].Name]++
			case !strings.HasPrefix(c.Source, "orthant"):
				t.Errorf("%s/%s is from %q: begin with a name of package papers, or with \"orthant\"", s.Name, c.Name, c.Source)
			}
		}
	}
	for _, p := range papers.All() {
		if counts[p.Name] == 0 {
			t.Errorf("no claim is from %s", p.Source)
		}
	}
}
