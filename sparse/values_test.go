package sparse

import (
	"slices"
	"testing"
)

// all are the values of a factor in one slice, as tests compare them.
func (v *values) all() []float64 { return slices.Concat(v.given, v.own) }

// size is their number.
func (v *values) size() int { return len(v.given) + len(v.own) }

// Panels follow each other, first in the storage given, and none is cut in two; before it is
// computed each is zero, whatever the storage held.
func TestValues(t *testing.T) {
	sizes := []int{3, 10, 1, 50, 7}
	s := &Analysis{rowLo: make([]int, len(sizes)), valueAt: make([]int, len(sizes)+1)}
	for p, n := range sizes {
		s.valueAt[p+1] = s.valueAt[p] + n
	}
	for given, want := range map[int]int32{0: 0, 2: 0, 3: 1, 12: 1, 13: 2, 14: 3, 63: 3, 64: 4, 71: 5, 500: 5} {
		f := &Factor{symbolic: s, values: newValues(s, slices.Repeat([]float64{7}, given))}
		if f.values.split != want || f.values.size() != 71 {
			t.Fatalf("of storage for %d: %d panels in it, %d values in all", given, f.values.split, f.values.size())
		}
		for p, n := range sizes {
			v := f.zeroValues(int32(p))
			if len(v) != n || slices.ContainsFunc(v, func(v float64) bool { return v != 0 }) {
				t.Fatalf("of storage for %d: panel %d has %d values, not %d, or not of zero", given, p, len(v), n)
			}
			for i := range v {
				v[i] = float64(s.valueAt[p] + i)
			}
		}
		for i, v := range f.values.all() {
			if v != float64(i) {
				t.Fatalf("of storage for %d: value %d is %v", given, i, v)
			}
		}
	}
}
