package nmf

import (
	"testing"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// compressed keeps the entries of a dense matrix that are not zero.
func compressed(t testing.TB, n, m int, x []float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for at, v := range x {
		if v != 0 {
			entries = append(entries, sparse.Triplet{Row: at / m, Col: at % m, Val: v})
		}
	}
	a := must.Get(sparse.FromTriplets(n, m, entries))(t)
	return a
}
