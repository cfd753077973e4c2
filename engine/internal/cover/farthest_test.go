package cover

import (
	"context"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

func nothing(float64) {}

// clouds are normal samples about a few centres; of a grid many distances are equal.
func clouds(n, m int, scale float64, grid bool) samples.Samples {
	s := blas.NewStream(3)
	data := make([]float64, n*m)
	s.Normals(data)
	for i := range data {
		data[i] = scale * (data[i] + float64(7*(i/m%3)))
		if grid {
			data[i] = float64(int(4 * data[i] / scale))
		}
	}
	return samples.OfRows(n, m, data)
}

// The tree picks what a look at every sample picks, on ties too, and near the end of the
// range of numbers.
func TestTreePicksTheSame(t *testing.T) {
	entries := map[[2]int]float64{}
	s := blas.NewStream(5)
	for i := range 900 {
		for range 6 {
			entries[[2]int{i, s.Below(40)}] = float64(1 + s.Below(3))
		}
	}
	var triplets []sparse.Triplet
	for at, v := range entries {
		triplets = append(triplets, sparse.Triplet{Row: at[0], Col: at[1], Val: v})
	}
	a := must.Get(sparse.FromTriplets(900, 40, triplets))(t)
	for name, x := range map[string]samples.Samples{
		"plane":            clouds(5000, 2, 1, false),
		"grid":             clouds(6000, 2, 1, true), // with ties and copies
		"space":            clouds(3000, 30, 1, false),
		"small":            clouds(2500, 3, 1e-155, false), // whose squares lose digits
		"large":            clouds(2500, 3, 1e150, false),
		"compressed":       samples.OfCompressed(a),
		"less than a root": clouds(130, 3, 1, false),
	} {
		t.Run(name, func(t *testing.T) {
			count := min(700, x.N()-1)
			want := must.Get(pick(newPlain(t.Context(), x, 1), 11, count, nothing))(t)
			for _, threads := range []int{1, 3} {
				tree := must.Get(newTree(t.Context(), x, threads))(t)
				got, err := pick(tree, 11, count, nothing)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d threads: %v; %d points, want %d; the first other one is number %d", threads, err, len(got), len(want), firstOther(got, want))
				}
			}
		})
	}
}

func firstOther(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Copies end the list; a canceled context ends the work.
func TestFarthestEnds(t *testing.T) {
	x := samples.OfRows(400, 1, make([]float64, 400))
	x.Row(7)[0], x.Row(9)[0] = 1, 2
	for _, count := range []int{5, 300} {
		got, err := Farthest(t.Context(), x, 1, 0, count, nothing)
		if err != nil || !slices.Equal(got, []int{0, 9, 7}) {
			t.Errorf("%d of 3 distinct samples: %v, %v", count, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, count := range []int{5, 300} {
		if _, err := Farthest(ctx, clouds(500, 2, 1, false), 1, 0, count, nothing); err == nil {
			t.Errorf("%d points of a canceled run", count)
		}
	}
}
