// Package golden reads golden files for tests: JSON files of inputs with the
// values that every implementation has to reproduce. The files are in testdata/golden at the root
// of the module, or of the folder that $ORTHANT_GOLDEN names. It also finds the real data sets for
// the tests that want them.
package golden

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Variable names the environment variable that points at another folder of
// golden files.
const Variable = "ORTHANT_GOLDEN"

// Folder returns the folder of the golden files: $ORTHANT_GOLDEN where it is
// set, else testdata/golden in the module's [Root].
func Folder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	return filepath.Join(Root(t), "testdata", "golden")
}

// Root returns the folder of the nearest go.mod above the folder of the test. A
// test outside any module fails.
func Root(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	for dir := start; ; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatalf("golden: no go.mod in %s or above it; set %s to the folder of the golden files", start, Variable)
		}
		dir = parent
	}
}

// Data returns the folder of the real data sets: $ORTHANT_DATA, else shared/data
// next to the module's root. Where there is none the test is skipped.
func Data(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("ORTHANT_DATA")
	if dir == "" {
		dir = filepath.Join(Root(t), "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the real data sets are not at hand (%v); set ORTHANT_DATA to their folder", err)
	}
	return dir
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

// Decode reads JSON into a value; what cannot be read fails the test.
func Decode(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// Expect compares numbers with the numbers of a golden file, see [Close]. The first one that
// is not close fails the test, and so does another number of them.
func Expect(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !Close(got[i], want[i], tol) {
			t.Errorf("%s[%d] = %.17g, want %.17g (tolerance %g)", what, i, got[i], want[i], tol)
			return
		}
	}
}

// ColumnMajor returns the entries of the columns of a matrix, one column after the other.
func ColumnMajor(rows [][]float64) []float64 {
	var flat []float64
	for j := range rows[0] {
		for _, row := range rows {
			flat = append(flat, row[j])
		}
	}
	return flat
}

// Flat returns the entries of the rows of a matrix, one row after the other.
func Flat(rows [][]float64) []float64 {
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	return flat
}
