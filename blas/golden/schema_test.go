package golden

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Every golden file has a schema, every case in it a kind, and every kind a test:
// a new one is not passed over in silence.
func TestGoldenFilesAreKnown(t *testing.T) {
	files := must.Get(filepath.Glob(filepath.Join(Folder(t), "*.json")))(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, known := schemas[schemaOf(file)]
			if !known {
				t.Fatal("of no known schema: nothing tests it")
			}
			for _, one := range casesIn(t, file, s) {
				kinds, unknown := s.kindsOf(decoded(t, one))
				if len(unknown) > 0 || len(kinds) == 0 {
					t.Errorf("the case %.80s has parts of no known kind, %q: nothing tests them", one, unknown)
				}
			}
		})
	}
}

// The tests that the table names are there, each once, and name their schema.
func TestGoldenTestsExist(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (TestGolden\w+)\(t \*testing\.T\)`)
	count := map[string]int{}
	must.Do(t, filepath.WalkDir(Root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(source, -1) {
			count[string(found[1])]++
		}
		return err
	}))
	named := map[string]bool{}
	for name, s := range schemas {
		for kind, tests := range s.kinds {
			if len(tests) == 0 {
				t.Errorf("%s: nothing tests the kind %q", name, kind)
			}
			for _, test := range tests {
				named[test] = true
			}
		}
	}
	for _, test := range slices.Sorted(maps.Keys(named)) {
		if count[test] != 1 {
			t.Errorf("the table of schemas names %s, of which there are %d", test, count[test])
		}
	}
}

func TestSchemaOf(t *testing.T) {
	for file, want := range map[string]string{
		"local-patches.json": "local-patches", "a/local-patches-more.json": "local-patches",
		"smrmf-runs.json": "smrmf-runs", "local.json": "", "local-patchesmore.json": "", "rnpa-2.json": "rnpa",
	} {
		if got := schemaOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestKindsOf(t *testing.T) {
	for _, c := range []struct {
		schema         string
		one            string
		kinds, unknown []string
	}{
		{"local-smce", `{"name": "any"}`, []string{""}, nil},
		{"local-patches", `{"kind": "patch", "name": "weights"}`, []string{"patch"}, nil},
		{"local-patches", `{"kind": "patches"}`, nil, []string{"patches"}},
		{"local-patches", `{"name": "patch"}`, nil, []string{""}},
		{"rnpa", `{"name": "cim-adaptive-refresh"}`, []string{"cim-adaptive"}, nil},
		{"rnpa", `{"name": "cim"}`, nil, []string{"cim"}},
		{"smrmf-baselines", `{"tol": 1, "X": [], "ipm": [], "ipm_beyond_rank": [], "dpp": {}}`, []string{"dpp", "ipm"}, nil},
		{"smrmf-baselines", `{"tol": 1, "X": []}`, nil, nil},
		{"smrmf-runs", `{"rmnmf": {}, "nmf": {}}`, []string{"rmnmf"}, []string{"nmf"}},
	} {
		kinds, unknown := schemas[c.schema].kindsOf(decoded(t, []byte(c.one)))
		if !slices.Equal(kinds, c.kinds) || !slices.Equal(unknown, c.unknown) {
			t.Errorf("%s, %s: %q and %q of no kind, want %q and %q", c.schema, c.one, kinds, unknown, c.kinds, c.unknown)
		}
	}
}
