package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// Whatever the records of an earlier run hold, they are read or refused in one line.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{"", "{}\n", `{"suite": "s", "case": "c"}` + "\n", `{"suite": "s", "case": "c", "values": {"error": 1e-3}, "status": "ok"}` + "\n" + `{"suite": "s", "case": "c"`, "null\n", "[1]\n"} {
		f.Add(text)
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		must.Do(t, os.WriteFile(filepath.Join(folder, recordsFile), []byte(text), 0o666))
		if _, err := ReadFolder(folder, nil, files.Options{}); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("the refusal is %q", err)
		}
		var set recordSet
		files.JournalLines([]byte(text), set.line)
		for _, r := range set.list {
			if set.get(r.Suite, r.Case) != r {
				t.Errorf("%s %s is there and not found", r.Suite, r.Case)
			}
		}
	})
}
