package blas

import (
	"math"
	"slices"
	"testing"
)

func TestShorten(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		s := NewStream(3)
		const rows = 9
		block := make([]float64, rows*PathLanes)
		s.Uniforms(block)
		for i := range block {
			if s.Below(5) == 0 {
				block[i] = math.Inf(1)
			}
		}
		for _, at := range [][]int32{nil, {4}, {0, 8, 3}, {7, 6, 5, 4, 3, 2, 1, 0, 8}} {
			length := make([]float64, len(at))
			s.Uniforms(length)
			if len(at) > 1 {
				length[1] = 0
			}
			best := slices.Clone(block[2*PathLanes : 3*PathLanes])
			want := slices.Clone(best)
			for q, r := range at {
				for l := range want {
					want[l] = min(want[l], block[int(r)*PathLanes+l]+length[q])
				}
			}
			ShortenGather(at, length, block, best)
			if !slices.Equal(best, want) {
				t.Errorf("gather of %v: %v, want %v", at, best, want)
			}
			from := slices.Clone(best)
			after, got := slices.Clone(block), slices.Clone(block)
			for q, r := range at {
				for l := range from {
					after[int(r)*PathLanes+l] = min(after[int(r)*PathLanes+l], from[l]+length[q])
				}
			}
			ShortenScatter(at, length, from, got)
			if !slices.Equal(got, after) {
				t.Errorf("scatter to %v differs", at)
			}
			lowered, mark := slices.Clone(block), make([]bool, rows)
			ShortenMark(at, length, from, lowered, mark)
			if !slices.Equal(lowered, after) {
				t.Errorf("scatter with marks to %v differs", at)
			}
			for r := range rows {
				row := func(b []float64) []float64 { return b[r*PathLanes : (r+1)*PathLanes] }
				if mark[r] == slices.Equal(row(block), row(lowered)) {
					t.Errorf("scatter to %v: mark of %d is %v", at, r, mark[r])
				}
			}
		}
	})
}
