package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// orderingCase is the pattern of one alignment matrix or Laplacian.
type orderingCase struct {
	name, data string
	n, k       int
	set        map[string]string
	laplacian  bool
}

var oneCloud = map[string]string{"clusters": "1", "separation": "0"}

var orderingCases = []orderingCase{
	{"2d-ltsa", "swiss-roll", 10000, 10, nil, false},
	{"2d-ltsa", "swiss-roll", 100000, 10, nil, false},
	{"3d-ltsa", "swiss-roll-3d", 10000, 14, nil, false},
	{"3d-ltsa", "swiss-roll-3d", 30000, 14, nil, false},
	{"3d-ltsa", "swiss-roll-3d", 100000, 14, nil, false},
	{"12d-ltsa", "clustered-manifolds", 10000, 20, nil, false},
	{"12d-le", "clustered-manifolds", 10000, 20, nil, true},
	{"cloud-le", "clustered-manifolds", 10000, 20, oneCloud, true},
}

// pattern returns the matrix, all of whose values are zero.
func (c orderingCase) pattern(b *testing.B) *sparse.CSR {
	b.Helper()
	s, err := datasets.Generate(c.data, c.n, 1, c.set)
	if err != nil {
		b.Fatal(err)
	}
	x := s.X.RawMatrix()
	graph, err := neighbors.Exact(context.Background(), neighbors.Points{N: x.Rows, M: x.Cols, Data: x.Data}, c.k, neighbors.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if c.laplacian {
		return stars(graph)
	}
	ptr, index := make([]int, c.n+1), []int32(nil)
	for i := range c.n {
		index = append(append(index, graph.Of(i)...), int32(i))
		ptr[i+1] = len(index)
	}
	a, err := sparse.Assemble(context.Background(), 0, c.n, sparse.NewPatches(0, ptr, index))
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// stars returns the pattern of the graph's Laplacian.
func stars(graph *neighbors.Graph) *sparse.CSR {
	n := graph.Len()
	rows := make([][]int32, n)
	for i := range n {
		rows[i] = append(append(rows[i], graph.Of(i)...), int32(i))
		for _, j := range graph.Of(i) {
			rows[j] = append(rows[j], int32(i))
		}
	}
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	for i, row := range rows {
		slices.Sort(row)
		a.Col = append(a.Col, slices.Compact(row)...)
		a.Ptr[i+1] = len(a.Col)
	}
	a.Val = make([]float64, len(a.Col))
	return a
}

// BenchmarkOrdering reports the fill of both orderings, and how many times
// longer dissection takes.
func BenchmarkOrdering(b *testing.B) {
	for _, c := range orderingCases {
		var a *sparse.CSR
		b.Run(fmt.Sprintf("%s/n=%d", c.name, c.n), func(b *testing.B) {
			if a == nil {
				a = c.pattern(b)
			}
			for b.Loop() {
				var took [2]float64
				for k, ordering := range []sparse.Ordering{sparse.ByMinimumDegree, sparse.ByDissection} {
					start := time.Now()
					s, err := sparse.AnalyzeOrdered(context.Background(), a, ordering, 1)
					if err != nil {
						b.Fatal(err)
					}
					took[k] = time.Since(start).Seconds()
					b.ReportMetric(float64(s.Entries())/1e6, []string{"md-Mlnz", "nd-Mlnz"}[k])
					b.ReportMetric(s.Flops()/1e9, []string{"md-GF", "nd-GF"}[k])
				}
				b.ReportMetric(1000*took[0], "md-ms")
				b.ReportMetric(1000*took[1], "nd-ms")
			}
		})
	}
}
