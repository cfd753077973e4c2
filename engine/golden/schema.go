package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Schemas lists every schema of golden file, with the package that tests it, or
// "" where the methods in question are not built yet. A file's name picks its
// schema: local-patches.json and local-patches-more.json are both of
// "local-patches".
var Schemas = map[string]string{
	"local-embeddings":       "engine",
	"local-patches":          "engine",
	"local-generators":       "engine/datasets",
	"local-metrics":          "engine/measures and engine",
	"local-lnp":              "engine",
	"local-smce":             "engine",
	"nonnegative-embeddings": "engine and solvers",
	"rnpa":                   "solvers/nmf and engine",
	"smrmf-baselines":        "solvers/nmf and engine",
	"smrmf-ds3":              "solvers/exemplars",
	"smrmf-efhg":             "solvers/alm",
	"smrmf-kernel":           "solvers/exemplars",
	"smrmf-metrics":          "engine/measures",
	"smrmf-projections":      "solvers/projections",
	"smrmf-runs":             "solvers/selective and engine",
}

// SchemaOf returns the schema of a golden file's name, the longest that fits,
// and "" where none does.
func SchemaOf(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), ".json")
	best := ""
	for s := range Schemas {
		if (stem == s || strings.HasPrefix(stem, s+"-")) && len(s) > len(best) {
			best = s
		}
	}
	return best
}

// Cases runs one subtest for every case of every file of a schema. A file
// without "cases" is a single case. In the folder that $ORTHANT_GOLDEN names
// there may be none; in the project's own there must be.
func Cases(t *testing.T, schema string, run func(t *testing.T, one json.RawMessage)) {
	t.Helper()
	Files(t, schema, func(t *testing.T, data json.RawMessage) {
		var whole struct {
			Cases []json.RawMessage `json:"cases"`
		}
		if err := json.Unmarshal(data, &whole); err != nil {
			t.Fatal(err)
		}
		if whole.Cases == nil {
			whole.Cases = []json.RawMessage{data}
		}
		for _, one := range whole.Cases {
			var named struct{ Kind, Name string }
			if err := json.Unmarshal(one, &named); err != nil {
				t.Error(err)
				continue
			}
			t.Run(named.Kind+" "+named.Name, func(t *testing.T) { run(t, one) })
		}
	})
}

// Files runs one subtest for every whole file of a schema; see [Cases].
func Files(t *testing.T, schema string, run func(t *testing.T, data json.RawMessage)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Folder(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, file := range files {
		if SchemaOf(file) != schema {
			continue
		}
		found = true
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { run(t, data) })
	}
	switch {
	case found:
	case os.Getenv(Variable) != "":
		t.Skipf("%s has no %s file", Variable, schema)
	default:
		t.Errorf("no %s file in %s", schema, Folder(t))
	}
}
