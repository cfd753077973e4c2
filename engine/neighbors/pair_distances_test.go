package neighbors

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Single pairs are as far apart as in a search, by every metric, dense or sparse, also for large samples.
func TestPairDistances(t *testing.T) {
	const n, k = 90, 11
	for _, metric := range append(slices.Clone(metrics), Minkowski(3)) {
		for at, x := range narrowed(sources["normal"](n, map[bool]int{true: 2, false: 9}[metric == Haversine])) {
			g, err := NearestStored(t.Context(), x, k, metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			samePairDistances(t, metric, x, g, at)
			if metric == Haversine {
				continue
			}
			a, err := compressedRows(x)
			if err != nil {
				t.Fatal(err)
			}
			if g, err = NearestSparse(t.Context(), a, k, metric, Options{}); err != nil {
				t.Fatal(err)
			}
			samePairDistances(t, metric, a, g, at)
		}
	}
	if _, err := NewPairDistances(mat.NewDense(2, 2, []float64{0, 1, 2, math.NaN()}), Euclidean, 1); err == nil {
		t.Error("NaN is taken")
	}
	if _, err := NewPairDistances(mat.NewDense(2, 2, nil), "sine", 1); err == nil {
		t.Error("an unknown metric is accepted")
	}
}

func samePairDistances(t *testing.T, metric Metric, x mat.Matrix, g *Graph, at int) {
	t.Helper()
	pairs, err := NewPairDistances(x, metric, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Len() {
		d := make([]float64, len(g.Of(i)))
		pairs.Distances(i%2, i, g.Of(i), d)
		same := slices.Equal(d, g.Distances(i))
		if _, compressed := x.(*sparse.CSR); compressed && (metric == Euclidean || metric == Cosine) {
			same = floats.EqualApprox(d, g.Distances(i), 1e-14*d[len(d)-1])
		}
		if !same {
			t.Errorf("%s, %T (%d): sample %d is at %v, and %v by a search", metric, x, at, i, d, g.Distances(i))
			return
		}
	}
}
