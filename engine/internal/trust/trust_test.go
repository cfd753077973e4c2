package trust

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/internal/must"
)

// problem returns samples in five columns with the graph of their 15 nearest, and their first two columns as a map.
func problem(t *testing.T, n, threads int) (patch.Local, *mat.Dense) {
	x := mat.NewDense(n, 5, nil)
	blas.NewStream(7).Normals(x.RawMatrix().Data)
	in := patch.Local{Run: run.New(t.Context(), "umap", run.Settings{Threads: threads}), X: samples.Of(x)}
	in.Graph = must.Get(search(in, x, Compared))(t)
	return in, mat.DenseCopyOf(x.Slice(0, n, 0, 2))
}

// sorted returns all other rows by their distance from row i, ties by number.
func sorted(x *mat.Dense, i int) []int {
	n, _ := x.Dims()
	var list []int
	for j := range n {
		if j != i {
			list = append(list, j)
		}
	}
	apart := func(j int) float64 { return blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j)) }
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(apart(a), apart(b)), a-b) })
	return list
}

// lost is the share of the 15 nearest of sample i by some rows that are within two steps by others, from the definition.
func lost(of, there *mat.Dense, i int) float64 {
	far := 0
	own := sorted(there, i)[:Compared]
	for _, j := range sorted(of, i)[:Compared] {
		if !slices.Contains(own, j) && !slices.ContainsFunc(own, func(l int) bool { return slices.Contains(sorted(there, l)[:Compared], j) }) {
			far++
		}
	}
	return float64(far) / Compared
}

func TestTornAndInventedByDefinition(t *testing.T) {
	in, y := problem(t, 150, 2)
	s := must.Get(Measure(in, y, 5))(t)
	x := mat.NewDense(150, 5, nil)
	for i := range 150 {
		x.SetRow(i, in.X.Row(i))
	}
	var some bool
	for i := range 150 {
		if want := lost(x, y, i); math.Abs(float64(s.Torn[i])-want) > 1e-6 {
			t.Fatalf("sample %d: torn %g, %g by definition", i, s.Torn[i], want)
		}
		want := lost(y, x, i)
		if math.Abs(float64(s.Invented[i])-want) > 1e-6 {
			t.Fatalf("sample %d: invented %g, %g by definition", i, s.Invented[i], want)
		}
		for k, j := range sorted(x, i)[:Nearest] {
			if s.Nearest[Nearest*i+k] != int32(j) {
				t.Fatalf("sample %d has the nearest %v", i, s.Nearest[Nearest*i:Nearest*(i+1)])
			}
		}
		some = some || want > 0
	}
	if !some {
		t.Error("no neighbour is invented: the test shows nothing")
	}
}

func TestDensityByDefinition(t *testing.T) {
	in, y := problem(t, 150, 2)
	s := must.Get(Measure(in, y, 5))(t)
	x := mat.NewDense(150, 5, nil)
	for i := range 150 {
		x.SetRow(i, in.X.Row(i))
	}
	var inData, inMap, ratio []float64
	radius := func(x *mat.Dense, i int) float64 {
		return math.Sqrt(blas.SquaredDistance(x.RawRowView(i), x.RawRowView(sorted(x, i)[Compared-1])))
	}
	for i := range 150 {
		inData, inMap = append(inData, radius(x, i)), append(inMap, radius(y, i))
		ratio = append(ratio, math.Log(inMap[i]/inData[i]))
	}
	middle := slices.Sorted(slices.Values(ratio))[75]
	for i := range 150 {
		if math.Abs(float64(s.Density[i])-(ratio[i]-middle)) > 1e-5 {
			t.Fatalf("sample %d: density %g, %g by definition", i, s.Density[i], ratio[i]-middle)
		}
	}
	if want := byPairs(inData, inMap); math.Abs(s.DensityKept-want) > 1e-12 {
		t.Errorf("density kept %g, %g by definition", s.DensityKept, want)
	}
}

// byPairs is the correlation of the ranks of two lists, which are counted: half a rank for each equal number.
func byPairs(a, b []float64) float64 {
	rank := func(list []float64, i int) (r float64) {
		for _, v := range list {
			switch {
			case v < list[i]:
				r++
			case v == list[i]:
				r += 0.5
			}
		}
		return r
	}
	var x, y []float64
	for i := range a {
		x, y = append(x, rank(a, i)), append(y, rank(b, i))
	}
	return stat.Correlation(x, y, nil)
}

func TestDistancesKeptByDefinition(t *testing.T) {
	in, y := problem(t, 120, 1)
	label := make([]int32, 120)
	for i := range label {
		label[i] = int32(i % 6)
	}
	center := func(row func(i int) []float64, c, m int) []float64 {
		sum := make([]float64, m)
		for i := c; i < 120; i += 6 {
			for j, v := range row(i) {
				sum[j] += v / 20
			}
		}
		return sum
	}
	var a, b []float64
	for c := range 6 {
		for d := range c {
			a = append(a, math.Sqrt(blas.SquaredDistance(center(in.X.Row, c, 5), center(in.X.Row, d, 5))))
			b = append(b, math.Sqrt(blas.SquaredDistance(center(y.RawRowView, c, 2), center(y.RawRowView, d, 2))))
		}
	}
	if got, want := between(in.X, y, label, 6), byPairs(a, b); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, %g by definition", got, want)
	}
	if v := between(in.X, y, label, 3); !math.IsNaN(v) {
		t.Errorf("of three groups: %g", v)
	}
}

func TestSpearmanOfTies(t *testing.T) {
	if got := Spearman([]float64{1, 2, 2, 5}, []float64{9, 7, 7, 1}); math.Abs(got+1) > 1e-12 {
		t.Errorf("%g", got)
	}
}

// All numbers have the same bits for any number of threads.
func TestSameBitsOnAnyThreads(t *testing.T) {
	var first *Scores
	for _, threads := range []int{1, 2, 5} {
		in, y := problem(t, 900, threads)
		s := must.Get(Measure(in, y, 5))(t)
		if first == nil {
			first = s
			continue
		}
		if !slices.Equal(s.Torn, first.Torn) || !slices.Equal(s.Invented, first.Invented) || !slices.Equal(s.Density, first.Density) {
			t.Fatalf("%d threads: other bits", threads)
		}
		a, b := *s, *first
		a.Torn, a.Invented, a.Density, b.Torn, b.Invented, b.Density = nil, nil, nil, nil, nil, nil
		if got, want := []float64{a.TornShare, a.InventedShare, a.Noise, a.Mixed, a.Severed, a.Merged, a.DensityKept, a.DistancesKept},
			[]float64{b.TornShare, b.InventedShare, b.Noise, b.Mixed, b.Severed, b.Merged, b.DensityKept, b.DistancesKept}; !slices.Equal(got, want) {
			t.Fatalf("%d threads: %v, %v with one", threads, got, want)
		}
	}
}

// A map that keeps clumps keeps their number; one that divides a clump, or puts two into one place, shows it.
func TestGroups(t *testing.T) {
	const n = 400
	y := mat.NewDense(n, 2, nil)
	blas.NewStream(9).Uniforms(y.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, y.At(i, 0)+5*float64(i%2))
	}
	in := patch.Local{Run: run.New(t.Context(), "umap", run.Settings{}), X: samples.Of(y)}
	in.Graph = must.Get(search(in, y, Compared))(t)
	divided, mixed := mat.DenseCopyOf(y), mat.DenseCopyOf(y)
	for i := range n {
		if y.At(i, 1) > 0.5 {
			divided.Set(i, 1, y.At(i, 1)+5)
		}
		mixed.Set(i, 0, y.At(i, 0)-5*float64(i%2))
	}
	kept, split, merged := must.Get(Measure(in, y, 2))(t), must.Get(Measure(in, divided, 2))(t), must.Get(Measure(in, mixed, 2))(t)
	if kept.Groups != 2 || kept.Shown != 2 || kept.Severed != 0 || kept.Merged != 0 || kept.TornShare != 0 || kept.InventedShare != 0 {
		t.Errorf("kept: %+v", kept)
	}
	if split.Shown != 4 || !(split.Severed > maxSevered) {
		t.Errorf("divided: %d groups, severed %g", split.Shown, split.Severed)
	}
	if merged.Shown != 1 || !(merged.Merged > 0.4) {
		t.Errorf("mixed: %d groups, merged %g", merged.Shown, merged.Merged)
	}
	made := Made{Dim: 2, Dimension: 2, Lists: Compared, Number: in.X.Number}
	for text, s := range map[string]*Scores{"": kept, "gaps that the data do not have": split, "mixes groups": merged} {
		if got := s.Doubt(made); (got == "") != (text == "") || !strings.Contains(got, text) {
			t.Errorf("%q lacks %q", got, text)
		}
	}
}
