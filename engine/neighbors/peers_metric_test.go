package neighbors

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Distances are SciPy's (scipy.spatial.distance.cdist, 1.10), of dense and of compressed samples.
func TestMetricsOfPeers(t *testing.T) {
	x := Points{5, 6, []float64{1, 0, 2, 0, 3, 1, 0, 2, 2, 0, 1, 0, 4, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 5.5, 0, 0, 0, 0, 2, 0}}
	for _, c := range []struct {
		name string
		want []float64 // of the pairs of rows, in order
	}{
		{"canberra", []float64{3.5, 3.6, 4.0256410256410255, 3.2, 6.0, 4.666666666666666, 2.3333333333333335, 3.292307692307692, 4.0, 6.0}},
		{"bray-curtis", []float64{0.5, 0.6923076923076923, 0.6363636363636364, 0.5555555555555556, 1.0, 0.7241379310344828, 0.7142857142857143, 0.6129032258064516, 1.0, 1.0}},
		{"dice", []float64{0.42857142857142855, 0.42857142857142855, 0.3333333333333333, 0.6, 1.0, 0.5, 0.5, 0.25, 1.0, 1.0}},
		{"rogers-tanimoto", []float64{0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 1.0, 0.8, 0.5, 0.5, 0.8, 1.0}},
		{"russell-rao", []float64{0.6666666666666666, 0.6666666666666666, 0.5, 0.8333333333333333, 1.0, 0.6666666666666666, 0.8333333333333333, 0.5, 1.0, 1.0}},
		{"sokal-michener", []float64{0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 1.0, 0.8, 0.5, 0.5, 0.8, 1.0}},
		{"sokal-sneath", []float64{0.75, 0.75, 0.6666666666666666, 0.8571428571428571, 1.0, 0.8, 0.8, 0.5714285714285714, 1.0, 1.0}},
		{"yule", []float64{1.0, 1.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 2.0}},
		{"kulsinski", []float64{0.7777777777777778, 0.7777777777777778, 0.6666666666666666, 0.8888888888888888, 1.0, 0.8, 0.875, 0.625, 1.0, 1.0}},
		{"minkowski=3", []float64{2.6207413942088964, 3.9790572078963917, 4.947790055239721, 2.2239800905693152, 4.362070671454838, 5.554553522982099, 2.571281590658235, 4.934136201609487, 4.198336453808407, 5.629173856885359}},
		{"jaccard", []float64{0.6, 0.6, 0.5, 0.75, 1.0, 0.6666666666666666, 0.6666666666666666, 0.4, 1.0, 1.0}},
	} {
		metric, err := MetricNamed(c.name)
		if err != nil {
			t.Fatal(err)
		}
		dense, err := Nearest(context.Background(), x, 4, metric, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := NearestSparse(context.Background(), compressed(x), 4, metric, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for form, g := range map[string]*Graph{"dense": dense, "sparse": rows} {
			at := 0
			for i := range 5 {
				for j := i + 1; j < 5; j++ {
					found := false
					for p, to := range g.Of(i) {
						if int(to) == j {
							found = math.Abs(g.Distances(i)[p]-c.want[at]) <= 1e-14
						}
					}
					if !found {
						t.Errorf("%s, %s: rows %d and %d are not %v apart: %v %v", c.name, form, i, j, c.want[at], g.Of(i), g.Distances(i))
					}
					at++
				}
			}
		}
	}
	for alias, want := range map[string]Metric{"braycurtis": BrayCurtis, "RogersTanimoto": RogersTanimoto, "sokal_sneath": SokalSneath, "minkowski=1.5": Minkowski(1.5)} {
		if m, err := MetricNamed(alias); err != nil || m != want {
			t.Errorf("%s: %v, %v", alias, m, err)
		}
	}
	for _, wrong := range []string{"minkowski=0.5", "minkowski=x", "minkowski", "mahalanobis"} {
		if m, err := MetricNamed(wrong); err == nil {
			t.Errorf("%s is taken for %s", wrong, m)
		}
	}
}

// Rows of zeros are at distance 0 of each other where a share is one of nothing.
func TestMetricsOfZeros(t *testing.T) {
	x := Points{3, 2, []float64{0, 0, 0, 0, 1, 1}}
	for _, metric := range []Metric{Canberra, BrayCurtis, Jaccard, Dice, SokalSneath, Yule} {
		g, err := Nearest(context.Background(), x, 2, metric, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if g.Of(0)[0] != 1 || g.Distances(0)[0] != 0 || math.IsNaN(g.Distances(0)[1]) {
			t.Errorf("%s: %v %v", metric, g.Of(0), g.Distances(0))
		}
	}
}

// A quarter of the equator, and from it to the pole.
func TestHaversine(t *testing.T) {
	g, err := Nearest(context.Background(), Points{3, 2, []float64{0, 0, 0, 1, math.Pi / 2, 0.3}}, 2, Haversine, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := g.Distances(0); math.Abs(d[0]-1) > 1e-15 || math.Abs(d[1]-math.Pi/2) > 1e-15 {
		t.Errorf("distances %v", d)
	}
	if _, err := Nearest(context.Background(), Points{3, 1, []float64{0, 1, 2}}, 1, Haversine, Options{}); err == nil {
		t.Error("haversine of one column")
	}
}

// Distances of compressed rows by correlation, and of rows with negative entries by bray-curtis, are SciPy's
// (scipy.spatial.distance.cdist, 1.10) of the rows in full: rows 0 and 1 are close to each other, and row 4 has no zeros.
func TestSignedMetricsOfPeers(t *testing.T) {
	x := Points{5, 6, []float64{1, 0, 2, 0, -3, 1, 1, 0, 2, 0, -3, 1 + 1e-7, 0, -4, 0, 0, 1, 0, 1e3, 0, 0, 0, 0, -2, 101, 102, 103, 99, 100, 101}}
	for metric, want := range map[Metric][]float64{
		Correlation: []float64{2.220446049250313e-16, 1.164874989712488, 0.7635463491625368, 0.425250420920828, 1.1648749854887241, 0.7635463552768638, 0.42525042414975844, 0.8612123560324673, 1.4016096644512495, 1.0},
		BrayCurtis:  []float64{7.142857096007214e-09, 1.2, 1.0, 0.9967051070840197, 1.199999998, 1.0000000001986096, 0.9967051067550734, 1.0, 1.0099502487562189, 0.8765586034912718},
	} {
		for form, search := range map[string]func() (*Graph, error){
			"dense": func() (*Graph, error) { return Nearest(context.Background(), x, 4, metric, Options{}) },
			"sparse": func() (*Graph, error) {
				return NearestSparse(context.Background(), compressed(x), 4, metric, Options{})
			},
		} {
			g, err := search()
			if err != nil {
				t.Fatal(metric, form, err)
			}
			at := 0
			for i := range 5 {
				for j := i + 1; j < 5; j++ {
					p := slices.Index(g.Of(i), int32(j))
					if got := g.Distances(i)[p]; math.Abs(got-want[at]) > 4e-16*(1+want[at]) {
						t.Errorf("%s, %s: rows %d and %d are %v apart, not %v", metric, form, i, j, got, want[at])
					}
					at++
				}
			}
			if d := g.Distances(0)[0]; metric == Correlation && math.Abs(d-2.65118037982e-16) > 1e-6*2.65118037982e-16 {
				t.Errorf("%s, %s: near copies are %v apart, not %v", metric, form, d, 2.65118037982e-16)
			}
		}
	}
}

// Each other's negative are infinitely far apart by bray-curtis: in no list within a radius, and an error where there are
// too few others.
func TestSharesOfNothing(t *testing.T) {
	x := Points{4, 2, []float64{1, -2, -1, 2, 3, 3, 3, 4}}
	for form, search := range map[string]func(k int) (*Graph, error){
		"dense": func(k int) (*Graph, error) { return Nearest(context.Background(), x, k, BrayCurtis, Options{}) },
		"sparse": func(k int) (*Graph, error) {
			return NearestSparse(context.Background(), compressed(x), k, BrayCurtis, Options{})
		},
		"queries": func(k int) (*Graph, error) {
			return NearestOf(context.Background(), mat.NewDense(3, 2, x.Data[2:]), mat.NewDense(1, 2, x.Data[:2]), k, BrayCurtis, Options{})
		},
	} {
		if g, err := search(2); err != nil || slices.Contains(g.Distances(0), math.Inf(1)) {
			t.Errorf("%s: %v, %v", form, g, err)
		}
		if _, err := search(3); err == nil || !strings.Contains(err.Error(), "are each other's negative") {
			t.Errorf("%s, with no other: %v", form, err)
		}
	}
	g, err := Within(context.Background(), x, 1e300, BrayCurtis, WithinOptions{})
	if err != nil || slices.Contains(g.Of(0), 1) || len(g.Of(0)) != 2 {
		t.Errorf("within a radius: %v, %v", g, err)
	}
}
