package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// Every golden file has a schema that somebody knows: a new one is not passed
// over in silence.
func TestGoldenFilesAreKnown(t *testing.T) {
	files, err := os.ReadDir(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".json" {
			continue
		}
		t.Run(f.Name(), func(t *testing.T) {
			schema := SchemaOf(f.Name())
			if schema == "" {
				t.Fatalf("%s is of no known schema: nothing tests it", f.Name())
			}
			if Schemas[schema] == "" {
				t.Skipf("%s: its methods are not built yet", schema)
			}
		})
	}
}

func TestSchemaOf(t *testing.T) {
	for file, want := range map[string]string{
		"local-patches.json": "local-patches", "a/local-patches-more.json": "local-patches",
		"smrmf-runs.json": "smrmf-runs", "local.json": "", "local-patchesmore.json": "", "rnpa-2.json": "rnpa",
	} {
		if got := SchemaOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
