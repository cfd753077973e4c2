package neighborhood

import (
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine/neighbors"
)

func TestClosedClassesOfKnownGraphs(t *testing.T) {
	for _, c := range []struct {
		arrows [][]int32
		want   int
	}{
		{[][]int32{{1}, {0}}, 1},
		{[][]int32{{1}, {0}, {3}, {2}}, 2},
		{[][]int32{{1}, {0}, {1, 4}, {4}, {3}}, 2},       // 2 leads to both
		{[][]int32{{1}, {2}, {0}, {0}, {3}}, 1},          // a ring with a tail
		{[][]int32{{1}, {2}, {3}, {4}, {3}}, 1},          // a path into a pair
		{[][]int32{{1, 2}, {0}, {3}, {2}, {5}, {4}}, 2},  // the first pair is not closed
		{[][]int32{{1}, {0}, {3}, {2}, {5}, {4, 0}}, 2},  // nor is the last
		{[][]int32{{3}, {3}, {3}, {0, 1, 2}, {0, 1}}, 1}, // a star
	} {
		t.Run(fmt.Sprint(c.arrows), func(t *testing.T) {
			g := &neighbors.Graph{Ptr: []int{0}}
			for _, list := range c.arrows {
				g.Index = append(g.Index, list...)
				g.Ptr = append(g.Ptr, len(g.Index))
			}
			if got := ClosedClasses(g); got != c.want {
				t.Errorf("%v: %d closed classes, want %d", c.arrows, got, c.want)
			}
		})
	}
}
