package engine

import (
	"strings"
	"testing"
)

// A cheaper way is named for samples that take minutes, and where it is not taken yet.
func TestCheaper(t *testing.T) {
	for _, c := range []struct {
		m          Method
		n, columns int
		o          Options
		want       string
	}{
		{Isomap{}, 30_000, 3, Options{}, "isomap of 30000 samples finds 9e+08 paths; ‹landmarks=1000› finds those from so many samples alone, with 1/30 of the work"},
		{Isomap{}, 200_000, 3, Options{}, "‹landmarks=4000›"},
		{Isomap{}, 30_000, 3, Options{Landmarks: 500}, ""},
		{Isomap{}, 5_000, 3, Options{}, ""},
		{DPP{}, 10_000, 50, Options{}, "grows as n³; ‹negative=keep› takes none"},
		{DPP{Negative: "keep"}, 10_000, 50, Options{}, ""},
		{DPP{Sample: "exact"}, 10_000, 50, Options{}, "‹sample=map› with ‹negative=keep›"},
		{DPP{}, 1_000, 50, Options{}, ""},
		{DS3{}, 10_000, 50, Options{}, "n² unknowns"},
		{LLE{}, 400_000, 784, Options{}, "‹neighbors_method=approximate›"},
		{LLE{}, 400_000, 784, Options{Neighbors: "approximate"}, ""},
		{LLE{}, 400_000, 3, Options{}, ""}, // by a tree
		{PCA{}, 400_000, 784, Options{}, ""},
	} {
		got := cheaper(c.m, c.n, c.columns, c.o)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s of %d × %d: %q, want %q", c.m.Name(), c.n, c.columns, got, c.want)
		}
	}
}
