package orderstat

import (
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name          string
		values        []float64
		median, lower float64
	}{
		{"one", []float64{7}, 7, 7}, {"odd", []float64{9, 1, 5}, 5, 5},
		{"even", []float64{4, 1, 8, 2}, 3, 2}, {"ties", []float64{2, 2, 2, 5}, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := slices.Clone(c.values)
			if got := LowerMedian(c.values); got != c.lower {
				t.Errorf("the lower median is %v, want %v", got, c.lower)
			}
			if !slices.Equal(c.values, given) {
				t.Errorf("the values are now %v", c.values)
			}
			if got := Median(c.values); got != c.median {
				t.Errorf("the median is %v, want %v", got, c.median)
			}
		})
	}
}
