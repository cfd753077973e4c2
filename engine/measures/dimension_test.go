package measures

import (
	"slices"
	"testing"
)

func TestDimensionRules(t *testing.T) {
	for _, c := range []struct {
		name         string
		lists        [][]float64
		rho          []float64
		gap, support int
	}{
		{"a pair each", [][]float64{{0.5, 0.5}, {0.25, 0.75}}, []float64{0.625, 0.375, 0}, 1, 1},
		{"the gap behind the longest list counts", [][]float64{{0.5, 0.5}}, []float64{0.5, 0.5, 0}, 1, 1},
		{"one neighbour each", [][]float64{{1}, {1}}, []float64{1, 0}, 0, 0},
		{"ties to the smaller", [][]float64{{1}, {0.5, 0.5}}, []float64{0.75, 0.25, 0}, 0, 0},
		{"a tiny weight does not count", [][]float64{{0.495, 0.004, 0.501}}, []float64{0.501, 0.495, 0.004, 0}, 1, 1},
		{"negative weights come last", [][]float64{{1.5, -0.75, 0.25}}, []float64{1.5, 0.25, 0, 0}, 0, 1},
		{"nothing", nil, []float64{0}, 0, 0},
		{"an empty list", [][]float64{{}, {1}}, []float64{0.5, 0}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rho := WeightProfile(c.lists)
			if !slices.Equal(rho, c.rho) {
				t.Errorf("ρ %v, want %v", rho, c.rho)
			}
			if got := GapDimension(rho); got != c.gap {
				t.Errorf("gap %d, want %d", got, c.gap)
			}
			if got := SupportDimension(c.lists); got != c.support {
				t.Errorf("support %d, want %d", got, c.support)
			}
		})
	}
}
