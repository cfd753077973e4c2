package sparse

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// eliminated returns the columns of L of the reordered pattern, rows ascending,
// by elimination on sets.
func eliminated(a *CSR, perm []int32) [][]int32 {
	n := a.Rows
	r := newReordering(perm)
	sets := make([]map[int32]bool, n)
	for j := range sets {
		sets[j] = map[int32]bool{int32(j): true}
		cols, _ := a.Row(int(perm[j]))
		for _, c := range cols {
			if i := r.place[c]; int(i) > j {
				sets[j][i] = true
			}
		}
	}
	columns := make([][]int32, n)
	for j := range n {
		for i := range sets[j] {
			columns[j] = append(columns[j], i)
		}
		slices.Sort(columns[j])
		if below := columns[j][1:]; len(below) > 0 {
			for _, i := range below {
				sets[below[0]][i] = true
			}
		}
	}
	return columns
}

func checkStructure(t interface{ Fatalf(string, ...any) }, a *CSR) {
	s, err := Analyze(context.Background(), a)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := isPermutation(s.Permutation(), a.Rows); err != nil {
		t.Fatalf("%v", err)
	}
	columns := eliminated(a, s.perm)
	var entries int64
	var flops float64
	for _, column := range columns {
		entries += int64(len(column))
		flops += float64(len(column) * len(column))
	}
	if s.Entries() != entries || s.Flops() != flops {
		t.Fatalf("%d entries, %g flops; elimination has %d, %g", s.Entries(), s.Flops(), entries, flops)
	}
	parent := eliminationTree(a, s.reordering)
	count := columnCounts(a, s.reordering, parent)
	for j, column := range columns {
		if int(count[j]) != len(column) {
			t.Fatalf("column %d of L: count %d, elimination has %d", j, count[j], len(column))
		}
		want := none
		if len(column) > 1 {
			want = column[1]
		}
		if parent[j] != want {
			t.Fatalf("column %d of L: parent %d, elimination has %d", j, parent[j], want)
		}
	}
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		if width < 1 || width > maxPanel || !slices.IsSorted(rows) || rows[0] != s.first[p] {
			t.Fatalf("panel %d: %d columns from %d, rows %v", p, width, s.first[p], rows)
		}
		// A panel holds its columns and, below them, just the rows of its last.
		last := columns[rows[width-1]]
		if !slices.Equal(rows[width-1:], last) {
			t.Fatalf("panel %d: rows %v, its last column has %v", p, rows, last)
		}
		for _, j := range rows[:width] {
			for _, i := range columns[j] {
				if _, ok := slices.BinarySearch(rows, i); !ok {
					t.Fatalf("panel %d lacks row %d of column %d", p, i, j)
				}
			}
		}
	}
}

func TestStructureOnDrawnPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkStructure(t, symmetricPattern(t)) })
}

func TestStructure(t *testing.T) {
	checkStructure(t, grid(20, false))
	checkStructure(t, grid(15, true))
	checkStructure(t, cliques(500, 2, 9, 13))
	checkStructure(t, cliques(300, 6, 12, 13)) // supernodes wider than a panel
	checkStructure(t, star(300, 2))
	checkStructure(t, star(260, 260))
	checkStructure(t, scattered(300, 3, blas.NewStream(17)))
}

func TestPostorderKeepsSubtreesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		parent := make([]int32, n)
		for j := range parent {
			// Parents have greater indices, as in an elimination tree.
			parent[j] = int32(rapid.IntRange(j+1, n).Draw(t, "parent"))
			if int(parent[j]) == n {
				parent[j] = none
			}
		}
		weight := make([]int32, n)
		for j := range weight {
			weight[j] = int32(rapid.IntRange(0, 5).Draw(t, "weight"))
		}
		post := postorder(parent, weight)
		must.Do(t, isPermutation(post, n))
		size := make([]int32, n)
		up := renumber(parent, post)
		previous := make([]int32, n) // weight of the last child met
		for k, p := range up {
			size[k]++
			if p == none {
				continue
			}
			if int(p) <= k {
				t.Fatalf("node %d comes after its parent %d", k, p)
			}
			size[p] += size[k]
			if w := weight[post[k]]; w < previous[p] {
				t.Fatalf("a child of weight %d follows one of %d", w, previous[p])
			} else {
				previous[p] = w
			}
		}
		// All of p's size[p] nodes lie in as many places up to p.
		for k, p := range up {
			if p != none && int32(k) <= p-size[p] {
				t.Fatalf("node %d lies outside the subtree of its parent %d, which has %d nodes", k, p, size[p])
			}
		}
	})
}
