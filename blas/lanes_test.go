package blas

import (
	"fmt"
	"slices"
	"testing"
)

// TestLanes holds both kernels to their definitions, to the bit at every instruction level.
func TestLanes(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		s := NewStream(5)
		normals := func(n int) []float64 {
			x := make([]float64, n)
			s.Normals(x)
			return x
		}
		for _, lanes := range []int{4, 8} {
			for _, shape := range [][2]int{{1, 1}, {3, 4}, {8, 5}, {17, 11}, {2, 0}, {0, 3}} {
				width, count := shape[0], shape[1]
				ld := width + s.Below(3)
				l, top, b := normals(ld*count), normals(width*lanes), normals(lanes*(2*count+3))
				for _, scattered := range []bool{false, true} {
					var rows []int32
					for i := 0; scattered && i < count; i++ {
						rows = append(rows, int32(2*(count-i)))
					}
					if scattered && count == 0 {
						continue
					}
					name := fmt.Sprintf("%d lanes, %d × %d, scattered %v", lanes, count, width, scattered)
					place := func(i int) int {
						if scattered {
							return int(rows[i])
						}
						return i
					}
					want, wantTop := slices.Clone(b), slices.Clone(top)
					for i := range count {
						for q := range lanes {
							sum, x := 0.0, b[place(i)*lanes+q]
							for k := range width {
								sum = fma(l[i*ld+k], top[k*lanes+q], sum)
								wantTop[k*lanes+q] = fma(-l[i*ld+k], x, wantTop[k*lanes+q])
							}
							if width > 0 {
								want[place(i)*lanes+q] = x - sum
							}
						}
					}
					got, gotTop := slices.Clone(b), slices.Clone(top)
					SubtractRows(lanes, width, count, l, ld, top, got, rows)
					SpreadRows(lanes, width, count, l, ld, gotTop, b, rows)
					if !slices.Equal(got, want) {
						t.Errorf("%s: SubtractRows differs", name)
					}
					if !slices.Equal(gotTop, wantTop) {
						t.Errorf("%s: SpreadRows differs", name)
					}
				}
			}
			x := normals(9 * lanes)
			m, want := normals(lanes*lanes), slices.Clone(x)
			from := slices.Clone(x)
			SubtractRows(lanes, lanes, 9, from, lanes, m, want, nil)
			if SubtractRows(lanes, lanes, 9, x, lanes, m, x, nil); !slices.Equal(x, want) {
				t.Errorf("%d lanes: in place, SubtractRows differs", lanes)
			}
		}
	})
}

// TestLanesRefuse sees that shapes of which the assembly would not notice panic.
func TestLanesRefuse(t *testing.T) {
	x := make([]float64, 64)
	for name, call := range map[string]func(){
		"5 lanes":       func() { SubtractRows(5, 1, 1, x, 1, x, x, nil) },
		"short L":       func() { SubtractRows(4, 8, 9, x, 8, x, x, nil) },
		"short top":     func() { SpreadRows(8, 9, 1, x, 9, x, x, nil) },
		"short b":       func() { SpreadRows(8, 1, 9, x, 1, x, x, nil) },
		"too few rows":  func() { SpreadRows(8, 1, 2, x, 1, x, x, []int32{0}) },
		"overlap":       func() { SubtractRows(8, 4, 2, x, 3, x, x, nil) },
		"b of no width": func() { SubtractRows(8, 1, 1, x, 1, x, nil, []int32{0}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
