package golden

import (
	"encoding/json"
	"testing"
)

// Decode reads JSON into a value; what cannot be read fails the test.
func Decode(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// Expect compares numbers with those of a golden file, see [Close]. The first one that
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

// Flat returns the entries of the rows of a matrix, one row after the other.
func Flat(rows [][]float64) []float64 {
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	return flat
}
