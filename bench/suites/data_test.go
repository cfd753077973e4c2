package suites

import (
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// TestCatalogueOfData holds that every file that a case needs is listed, and every set
// listed is needed.
func TestCatalogueOfData(t *testing.T) {
	listed := map[string]bool{}
	readBy := bench.SuitesBySet(All())
	for _, s := range bench.UserSets() {
		for _, name := range s.Files() {
			listed[name] = true
		}
		if s.Samples < 1 || s.Features < 1 || s.What == "" || s.Source == "" || s.Licence == "" {
			t.Errorf("%s lacks a part: %+v", s.Name, s)
		}
		if len(readBy[s.Name]) == 0 {
			t.Errorf("no suite uses %s", s.Name)
		}
	}
	for _, s := range All() {
		for _, c := range s.Cases(&bench.Env{}) {
			for _, need := range c.Needs {
				if name, isData := strings.CutPrefix(need, "data:"); isData && !listed[name] {
					t.Errorf("%s/%s needs %s, which \"bench data\" does not list", s.Name, c.Name, name)
				}
			}
		}
	}
}

// TestSuitesTakeTheSetsOfTheirPapers holds the names by which a user brings them.
func TestSuitesTakeTheSetsOfTheirPapers(t *testing.T) {
	readBy := bench.SuitesBySet(All())
	for name, suites := range map[string][]string{
		"pie27": {"rnpa"}, "yaleb32": {"rnpa", "lnp"}, "musk1": {"smrmf"}, "mfeat-fac": {"smrmf"}, "isolet1": {"smrmf"},
	} {
		for _, s := range suites {
			if !slices.Contains(readBy[name], s) {
				t.Errorf("%s does not use %s, only %v do", s, name, readBy[name])
			}
		}
	}
}

// TestUncheckedForWantOfAFileAlone judges every claim of the suites of papers by records
// of all their cases: where all ran, none can be unchecked but those that no case could
// decide, which say why from the start.
func TestUncheckedForWantOfAFileAlone(t *testing.T) {
	for _, s := range All() {
		if !slices.Contains([]string{"rnpa", "smrmf", "lnp"}, s.Name) {
			continue
		}
		records := &bench.Records{Suite: s.Name}
		for _, c := range s.Cases(&bench.Env{}) {
			records.List = append(records.List, &bench.Record{Suite: s.Name, Case: c.Name, Missing: "data of the test is not there"})
		}
		for _, c := range s.Claims {
			if f := c.Check(&bench.Records{Suite: s.Name}); f.Verdict == bench.CannotCheck {
				if f.Why == "" || len(f.Cases) > 0 {
					t.Errorf("%s: %s cannot be checked by any case, without a reason: %+v", s.Name, c.Name, f)
				}
				continue
			}
			f := c.Check(records)
			if f.Verdict != bench.CannotCheck && f.Verdict != bench.NotRun {
				t.Errorf("%s: %s without any case: %+v", s.Name, c.Name, f)
			}
			if f.Verdict == bench.CannotCheck && !strings.Contains(f.Why, "data of the test is not there") {
				t.Errorf("%s: %s cannot be checked for another reason than a file: %s", s.Name, c.Name, f.Why)
			}
		}
	}
}
