package nmf

import (
	"slices"
	"testing"
)

// Dense data become sparse only if a quarter of the entries or less is not zero, and keep every entry.
func TestWithoutZeros(t *testing.T) {
	const n, m = 12, 10
	for _, stored := range []int{0, 1, 30, 31} {
		x, single := make([]float64, n*m), make([]float32, n*m)
		for k := range stored {
			at := k * 7 % (n * m) // 7 has no common divisor with 120
			x[at], single[at] = float64(k+1), float32(k+1)
		}
		for name, d := range map[string]Data{"float64": Dense(n, m, x), "float32": Single(n, m, single)} {
			entries, few := d.FewEntries()
			if entries != stored || few != (stored <= n*m/4) {
				t.Errorf("%s: %d entries, few %v; want %d, %v", name, entries, few, stored, stored <= n*m/4)
			}
			s := d.WithoutZeros(entries)
			back := make([]float64, n*m)
			for i := range n {
				cols, vals := s.Sparse.Row(i)
				for p, j := range cols {
					back[i*m+int(j)] = vals[p]
				}
			}
			if !slices.Equal(back, x) || s.Sparse.NNZ() != stored || s.Dense != nil || s.Single != nil {
				t.Errorf("%s, %d entries: the sparse data are others", name, stored)
			}
		}
	}
	if _, few := Sparse(storedWhere(n, m, make([]float64, n*m), notZero)).FewEntries(); few {
		t.Error("sparse data became sparse once more")
	}
}
