package neighborhood

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Members returns the samples of each component, the largest component first and
// equal ones by their first sample.
func Members(label, sizes []int) [][]int {
	lists := make([][]int, len(sizes))
	for i, c := range label {
		lists[c] = append(lists[c], i)
	}
	slices.SortStableFunc(lists, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return lists
}

// ListSizes formats the sizes of the largest components.
func ListSizes(sizes []int) string {
	const shown = 8
	text := "sizes "
	for c, size := range sizes[:min(shown, len(sizes))] {
		if c > 0 {
			text += ", "
		}
		text += fmt.Sprint(size)
	}
	if len(sizes) > shown {
		text += ", …"
	}
	return text
}

// Joining returns a number of neighbours that would join the components, by widening the
// graph of from neighbours until it is connected; 0: none found. The search
// stops at a graph of joinEntries entries, beyond which it would cost more than the
// embedding.
func Joining(job *run.Run, x samples.Samples, rule Rule, from int) int {
	const joinEntries = 20e6
	most := min(x.N()-1, max(int(joinEntries)/x.N(), from))
	for k := from; k < most; {
		k = min(2*k, most)
		narrowed, err := rule.Widen(job, x, k)
		if err != nil {
			break
		}
		connects := func(k int) bool {
			g, err := narrowed(k)
			if err != nil {
				return false
			}
			_, sizes := g.Components()
			return len(sizes) == 1
		}
		if !connects(k) {
			continue
		}
		least := 1 + sort.Search(k-1, func(fewer int) bool { return connects(fewer + 1) })
		return least
	}
	return 0
}
