package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// The cases of a file inherit its tolerance, and the fields next to them form one more case.
func TestCasesIn(t *testing.T) {
	for text, want := range map[string][]string{
		`{"tol": 2, "cases": [{"y": [], "acc": 1}, {"tol": 3, "y": [], "acc": 2}]}`: {`{"acc":1,"tol":2,"y":[]}`, `{"tol": 3, "y": [], "acc": 2}`},
		`{"tol": 2, "cases": [{"acc": 1}], "neighbourhood": {}}`:                    {`{"acc":1,"tol":2}`, `{"neighbourhood":{},"tol":2}`},
		`{"neighbourhood": {}}`: {`{"neighbourhood": {}}`},
	} {
		file := filepath.Join(t.TempDir(), "smrmf-metrics.json")
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		var got []string
		for _, one := range casesIn(t, file, schemas["smrmf-metrics"]) {
			got = append(got, string(one))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A test gets its own cases of all files, including the case made of the fields next to them.
func TestCases(t *testing.T) {
	schemas["trial"] = schema{field: "name", kinds: map[string]tests{"a": {t.Name()}, "a-long": {"TestOfOthers"}}}
	t.Cleanup(func() { delete(schemas, "trial") })
	t.Setenv(Variable, t.TempDir())
	ran, listed := 0, 0
	count := func(_ *testing.T, _ json.RawMessage, all []json.RawMessage) { ran, listed = ran+1, listed+len(all) }
	CasesWithAll(t, "trial", count) // no file
	for _, file := range []string{"trial.json", "trial-more.json", "local-smce.json"} {
		text := `{"cases": [{"name": "a"}, {"name": "a-2"}, {"name": "a-long"}]}`
		must.Do(t, os.WriteFile(filepath.Join(os.Getenv(Variable), file), []byte(text), 0o600))
	}
	CasesWithAll(t, "trial", count)
	if ran != 4 || listed != 12 {
		t.Errorf("%d cases ran, with %d in their lists; want 4 and 12", ran, listed)
	}
}
