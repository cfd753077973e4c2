package sparse

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// Against the cubic definition, on graphs in one piece and in several, with edges in one
// direction, in both and unlike, and of length zero.
func TestShortestPaths(t *testing.T) {
	oneWay := must.Get(FromTriplets(6, 6, []Triplet{{0, 1, 2}, {1, 2, 0}, {3, 2, 1}, {2, 3, 4}, {4, 5, 1}, {0, 0, 7}}))(t)
	for name, a := range map[string]*CSR{
		"one way": oneWay, "plane": nearGraph(t, 120, 2, 0.2, 1), "pieces": nearGraph(t, 80, 2, 0.08, 2), "space": nearGraph(t, 150, 6, 0.6, 3),
	} {
		want := floydWarshall(a.undirected())
		sources := []int{a.Rows - 1, 0, 0}
		all, err := ShortestPaths(context.Background(), a, nil, PathOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		some, err := ShortestPaths(context.Background(), a.Storage(), sources, PathOptions{Threads: 2})
		if err != nil {
			t.Fatal(name, err)
		}
		if r, c := some.Dims(); r != 3 || c != a.Rows {
			t.Fatalf("%s: %d × %d lengths", name, r, c)
		}
		alike := func(got, want float64) bool { return got == want || math.Abs(got-want) <= 1e-12*want }
		for i := range a.Rows {
			for j := range a.Rows {
				if got := all.At(i, j); !alike(got, want[i][j]) {
					t.Fatalf("%s: from %d to %d: %v, want %v", name, i, j, got, want[i][j])
				}
			}
			for q, s := range sources {
				if got := some.At(q, i); !alike(got, want[s][i]) {
					t.Fatalf("%s: from %d to %d: %v, want %v", name, s, i, got, want[s][i])
				}
			}
		}
		again, err := ShortestPaths(context.Background(), a, nil, PathOptions{Threads: 1})
		if err != nil || !slices.Equal(again.RawMatrix().Data, all.RawMatrix().Data) {
			t.Errorf("%s: threads change the lengths (%v)", name, err)
		}
	}
	d := must.Get(ShortestPaths(context.Background(), oneWay, []int{0}, PathOptions{}))(t)
	if got := d.RawRowView(0); !slices.Equal(got, []float64{0, 2, 2, 3, math.Inf(1), math.Inf(1)}) {
		t.Errorf("lengths %v", got)
	}
}

func TestShortestPathsRefuse(t *testing.T) {
	good := func() *CSR { return nearGraph(t, 20, 2, 0.5, 1) }
	set := func(v float64) *CSR { a := good(); a.Val[a.Ptr[3]] = v; return a }
	unsorted := good()
	slices.Reverse(unsorted.Col[unsorted.Ptr[2]:unsorted.Ptr[3]])
	for name, c := range map[string]struct {
		graph   mat.Matrix
		sources []int
		memory  int64
		says    string
	}{
		"negative":    {set(-1), nil, 0, "the edge from 3 to"},
		"NaN":         {set(math.NaN()), nil, 0, "has length NaN"},
		"infinite":    {set(math.Inf(1)), nil, 0, "not stored"},
		"dense":       {good().Dense(), nil, 0, "not sparse"},
		"rectangular": {good().RowRange(0, 5), nil, 0, "square"},
		"unsorted":    {unsorted, nil, 0, "row 2 (counting from 0) has column"},
		"source":      {good(), []int{0, 20}, 0, "source 1 (counting from 0) is vertex 20"},
		"no source":   {good(), []int{}, 0, "at least one"},
		"memory":      {good(), nil, 1000, "the limit is 1000"},
		"outside":     {storage.NewCOO(2, 2, []int{2}, []int{0}, []float64{1}), nil, 0, "outside the 2 × 2 matrix"},
	} {
		if _, err := ShortestPaths(context.Background(), c.graph, c.sources, PathOptions{Memory: c.memory}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ShortestPaths(ctx, good(), nil, PathOptions{}); err == nil {
		t.Error("a cancelled search was finished")
	}
}

func TestComponents(t *testing.T) {
	a := must.Get(FromTriplets(7, 7, []Triplet{{4, 0, 0}, {1, 5, -2}, {5, 3, math.NaN()}, {2, 2, 1}}))(t)
	label, sizes := must.Two(Components(a))(t)
	if !slices.Equal(label, []int{0, 1, 2, 1, 0, 1, 3}) || !slices.Equal(sizes, []int{2, 3, 1, 1}) {
		t.Errorf("labels %v, sizes %v", label, sizes)
	}
	for says, graph := range map[string]mat.Matrix{"square": a.RowRange(0, 3), "not sparse": a.Dense()} {
		if _, _, err := Components(graph); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
