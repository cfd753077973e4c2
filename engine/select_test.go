package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// expectExemplars: as many as asked for, all different.
func expectExemplars(t *testing.T, what string, s *Selection, n, count int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(s.Indices))
	if len(sorted) != count {
		t.Fatalf("%s, %s: %d of %d samples are %v", s.Method, what, count, n, s.Indices)
	}
	if len(slices.Compact(sorted)) != count {
		t.Errorf("%s, %s: some are chosen twice: %v", s.Method, what, s.Indices)
	}
	if slices.Min(s.Indices) < 0 || slices.Max(s.Indices) >= n {
		t.Errorf("%s, %s: of %d samples are %v", s.Method, what, n, s.Indices)
	}
}

func TestSelectorsSameForAnyThreads(t *testing.T) {
	x, _ := clouds(60, 40, 80)
	except := exceptions{}
	if testing.Short() {
		except["ds3"] = "thousands of iterations, too many under the race detector"
	}
	each(t, selectors(t), except, func(t *testing.T, m Method) {
		one := selected(t, x, m, SelectOptions{Count: 18, Options: Options{Threads: 1}})
		three := selected(t, x, m, SelectOptions{Count: 18, Options: Options{Threads: 3}})
		expectExemplars(t, "clouds", one, 180, 18)
		if !slices.Equal(one.Indices, three.Indices) || one.Objective != three.Objective {
			t.Errorf("%s: threads change the exemplars: %v and %v", m.Name(), one.Indices, three.Indices)
		}
		if one.Samples != 180 || one.Features != 3 || one.Count != 18 {
			t.Errorf("%d of %d samples with %d features", one.Count, one.Samples, one.Features)
		}
		if one.Method != m.Name() {
			t.Errorf("the method is said to be %s", one.Method)
		}
		if len(one.Params) == 0 {
			t.Error("no parameters are reported")
		}
		if one.Seconds["total"] <= 0 {
			t.Errorf("it took %v", one.Seconds)
		}
		if math.IsNaN(one.Objective) || math.IsNaN(one.FirstObjective) || one.Objective > one.FirstObjective {
			t.Errorf("%s: the objective goes from %v to %v", m.Name(), one.FirstObjective, one.Objective)
		}
		for _, key := range clusteringOnly {
			if _, there := one.Params[key]; there {
				t.Errorf("%s: %s is reported of a selection", m.Name(), key)
			}
		}
	})
}

// One exemplar of each cloud is what diversity, and what representation, asks for.
func TestSelectFindsOneOfEachCloud(t *testing.T) {
	x, truth := clouds(60, 40, 80)
	if testing.Short() {
		t.Skip("thousands of iterations, too many under the race detector")
	}
	for _, m := range []Method{DPP{}, DPP{Negative: "keep"}, DS3{}, DS3{P: "2", Iterations: 1000}, DS3{Dissimilarities: "kernel"}} {
		t.Run(m.Name(), func(t *testing.T) {
			s := selected(t, x, m, SelectOptions{Count: 3})
			var classes []int64
			for _, i := range s.Indices {
				classes = append(classes, truth[i])
			}
			if slices.Sort(classes); !slices.Equal(classes, []int64{0, 1, 2}) {
				t.Errorf("%s: %v are of the clouds %v", m.Name(), s.Indices, classes)
			}
		})
	}
}

// The kernel and its eigenvalues, formed plainly.
func TestDPPIsGreedyOnItsKernel(t *testing.T) {
	const n, k, count = 50, 7, 12
	data := make([]float64, n*4)
	blas.NewStream(4).Normals(data)
	for i := range data {
		data[i] = 3*data[i] + 20*float64(i%4) // what the scale takes off again
	}
	x := mat.NewDense(n, 4, data)
	neighbors := k
	got := selected(t, x, DPP{Neighbors: &neighbors}, SelectOptions{Count: count})

	unit := make([][]float64, n)
	for i := range n {
		unit[i] = make([]float64, 4)
		for j := range 4 {
			column := mat.Col(nil, j, x)
			unit[i][j] = (x.At(i, j) - slices.Min(column)) / (slices.Max(column) - slices.Min(column))
		}
	}
	kernel := mat.NewSymDense(n, nil)
	width := make([]float64, n)
	square := func(i, j int) (d float64) {
		for q, v := range unit[i] {
			d += (v - unit[j][q]) * (v - unit[j][q])
		}
		return d
	}
	for i := range n {
		var others []float64
		for j := range n {
			if j != i {
				others = append(others, square(i, j))
			}
		}
		slices.Sort(others)
		width[i] = others[k-1]
	}
	for i := range n {
		for j := range i + 1 {
			kernel.SetSym(i, j, (math.Exp(-square(i, j)/(2*width[i]))+math.Exp(-square(i, j)/(2*width[j])))/2)
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(kernel, true)
	values := eigen.Values(nil)
	if values[0] > -1e-6 {
		t.Fatal("the kernel has no negative eigenvalue, and the test no point")
	}
	for j := range values {
		values[j] = max(values[j], 0)
	}
	var v, clipped mat.Dense
	eigen.VectorsTo(&v)
	clipped.Product(&v, mat.NewDiagDense(n, values), v.T())
	want, logs, err := exemplars.Greedy(context.Background(), clipped.RawMatrix().Data, n, count, exemplars.Options{})
	if err != nil || !slices.Equal(got.Indices, want) {
		t.Errorf("%v (%v), want %v", got.Indices, err, want)
	}
	if math.Abs(got.Objective-vector.Sum(logs)) > 1e-9 {
		t.Errorf("objective %v, want %v", got.Objective, vector.Sum(logs))
	}
	// Drawn sets differ by seed, and are the same for one.
	first := selected(t, x, DPP{Sample: "exact"}, SelectOptions{Count: count, Options: Options{Seed: 5}})
	again := selected(t, x, DPP{Sample: "exact"}, SelectOptions{Count: count, Options: Options{Seed: 5}})
	other := selected(t, x, DPP{Sample: "exact"}, SelectOptions{Count: count, Options: Options{Seed: 6}})
	if !slices.Equal(first.Indices, again.Indices) || slices.Equal(first.Indices, other.Indices) {
		t.Errorf("seeds 5, 5 and 6 draw %v, %v, %v", first.Indices, again.Indices, other.Indices)
	}
}

func TestDS3OfOneIsTheMedoid(t *testing.T) {
	x, _ := clouds(25)
	best, least := -1, math.Inf(1)
	for i := range 25 {
		var sum float64
		for j := range 25 {
			sum += math.Sqrt(blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j)))
		}
		if sum < least {
			best, least = i, sum
		}
	}
	s := selected(t, x, DS3{FeatureScale: FeatureScale{Scale: "none"}}, SelectOptions{Count: 1})
	if !slices.Equal(s.Indices, []int{best}) || !s.Converged {
		t.Errorf("%v, the medoid is %d (converged %v)", s.Indices, best, s.Converged)
	}
}

// Samples that differ are chosen before their copies.
func TestDPPChoosesCopiesLast(t *testing.T) {
	once, _ := clouds(12)
	var twice mat.Dense
	twice.Stack(once, once)
	for _, m := range []Method{DPP{}, DPP{Negative: "keep"}} {
		s := selected(t, &twice, m, SelectOptions{Count: 15})
		var rows []int
		for _, i := range s.Indices[:12] {
			rows = append(rows, i%12)
		}
		if slices.Sort(rows); len(slices.Compact(rows)) != 12 || s.Duplicates != 12 {
			t.Errorf("%v of %d copies has copies before what differs", s.Indices, s.Duplicates)
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	x, _ := clouds(12)
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	zero := mat.DenseCopyOf(x)
	zero.SetRow(4, make([]float64, 3))
	four, twelve, forty := 4, 12, 40
	r := refusing(t)
	r.choose("", x, DPP{}, SelectOptions{})
	r.choose("", x, IPM{}, SelectOptions{Count: 13})
	r.choose("", x, ESCFFS{}, SelectOptions{Count: -1})
	r.choose("", bad, IPM{}, SelectOptions{Count: 2})
	r.choose("", bad, DS3{}, SelectOptions{Count: 2})
	r.choose("", mat.NewDense(1, 2, nil), DPP{}, SelectOptions{Count: 1})
	r.choose("", x, PCA{}, SelectOptions{Count: 1})
	r.choose("", x, nil, SelectOptions{Count: 1})
	r.choose("", x, ESCFFS{Gamma: 1}, SelectOptions{Count: 2})
	r.choose("", x, ESCFFS{Gamma: 0.5}, SelectOptions{Count: 2})
	r.choose("", x, ESCFFS{First: &twelve}, SelectOptions{Count: 2})
	r.choose("", zero, ESCFFS{First: &four}, SelectOptions{Count: 2})
	r.choose("", mat.NewDense(5, 2, nil), ESCFFS{}, SelectOptions{Count: 2})
	r.choose("", x, DPP{Neighbors: &forty}, SelectOptions{Count: 2})
	r.choose("", x, DS3{Dissimilarities: "kernel", Neighbors: &forty}, SelectOptions{Count: 2})
	r.choose("", x, DPP{Sample: "exact", Negative: "keep"}, SelectOptions{Count: 2})
	r.choose("", x, DPP{Sample: "some"}, SelectOptions{Count: 2})
	r.choose("", x, DS3{P: "1"}, SelectOptions{Count: 2})
	r.choose("", x, DPP{}, SelectOptions{Count: 2, Options: Options{Memory: 100}})
	r.choose("", x, IPM{}, SelectOptions{Count: 2, Options: Options{Memory: 100}})
	r.choose("", x, ESCFFS{}, SelectOptions{Count: 2, Options: Options{Memory: 100}})
	r.choose("", x, DS3{}, SelectOptions{Count: 2, Options: Options{Memory: 100}})
}

// BenchmarkSelect is every selector at the sizes of Movement, and those that are made for
// more at the sizes of twenty newsgroups, a tenth of the samples each.
func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct {
		name  string
		m     Method
		large bool
	}{
		{"dpp", DPP{}, false}, {"dpp-exact", DPP{Sample: "exact"}, false}, {"dpp-keep", DPP{Negative: "keep"}, true},
		{"ipm", IPM{}, true}, {"esc-ffs", ESCFFS{}, true}, {"ds3", DS3{}, false},
	} {
		sizes := [][2]int{{360, 90}}
		if c.large {
			sizes = append(sizes, [2]int{5020, 1796})
		}
		for _, size := range sizes {
			n, m := size[0], size[1]
			b.Run(fmt.Sprintf("%s/%dx%d", c.name, n, m), func(b *testing.B) {
				data := make([]float64, n*m)
				blas.NewStream(1).Normals(data)
				for i := range data {
					data[i] /= math.Sqrt(float64(1 + i%m))
				}
				x := mat.NewDense(n, m, data)
				for b.Loop() {
					if _, err := Select(context.Background(), x, c.m, SelectOptions{Count: n / 10}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
