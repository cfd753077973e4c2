// Package golden reads golden files for tests: JSON files of inputs with the
// values that every implementation has to reproduce. The files are those of
// testdata/golden at the root of the module, or of the folder that
// $ORTHANT_GOLDEN names.
package golden

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Variable names the environment variable that points at another folder of
// golden files.
const Variable = "ORTHANT_GOLDEN"

// Folder returns the folder of the golden files: $ORTHANT_GOLDEN where it is
// set, else testdata/golden beside the nearest go.mod above the folder of the
// test. A test outside any module fails.
func Folder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	start, err := os.Getwd()
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	for dir := start; ; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "golden")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatalf("golden: no go.mod in %s or above it; set %s to the folder of the golden files", start, Variable)
		}
		dir = parent
	}
}

// Close reports whether |got − want| ≤ tol·max(1, |want|), the comparison that
// the golden files are written for. Two infinities of one sign are close; NaN
// is close to nothing.
func Close(got, want, tol float64) bool {
	if got == want {
		return true
	}
	return math.Abs(got-want) <= tol*math.Max(1, math.Abs(want)) && !math.IsInf(want, 0)
}
