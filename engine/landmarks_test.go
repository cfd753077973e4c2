package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
)

func TestLandmarks(t *testing.T) {
	s := generate(t, "swiss-roll-hole", 3000, 1)
	for _, choice := range []string{"", "random"} {
		t.Run("choice "+choice, func(t *testing.T) {
			var first *Result
			for _, threads := range []int{1, 3} {
				r := embed(t, s.X, NEML{Neighbors: 12}, Options{Landmarks: 1200, LandmarkChoice: choice, Threads: threads})
				if n, d := r.Y.Dims(); n != 3000 || d != 2 || r.Params["landmarks"] != 1200 {
					t.Fatalf("%d × %d coordinates, params %v", n, d, r.Params)
				}
				dev := deviationOf(t, s.Params, r.Y)
				if dev > 0.05 { // 0.026 to 0.03 for all samples
					t.Errorf("%q: dev %g", choice, dev)
				}
				if first == nil {
					first = r
				} else if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) {
					t.Errorf("%q: %d threads change the embedding", choice, threads)
				}
			}
		})
	}
}

// Farthest points spread: any two are farther apart than any sample is from the
// nearest of them.
func TestFarthestPointsSpread(t *testing.T) {
	x := samples.Of(generate(t, "swiss-roll", 800, 1).X)
	chosen := must(farthestPoints(steptest.Run(t), x, 60))(t)
	distance := func(i, j int) float64 {
		var s float64
		for c, v := range x.Row(i) {
			s += (v - x.Row(j)[c]) * (v - x.Row(j)[c])
		}
		return s
	}
	cover, apart := 0.0, distance(chosen[0], chosen[1])
	for i := range x.N() {
		nearest := distance(i, chosen[0])
		for _, j := range chosen {
			nearest = min(nearest, distance(i, j))
			if slices.Contains(chosen, i) && i != j {
				apart = min(apart, distance(i, j))
			}
		}
		cover = max(cover, nearest)
	}
	if !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != 60 || cover > apart {
		t.Errorf("samples are up to %g from %d landmarks that are %g apart", cover, len(chosen), apart)
	}
}

func TestLandmarksRefuse(t *testing.T) {
	x := generate(t, "swiss-roll", 50, 1).X
	same := mat.NewDense(30, 2, nil)
	r := refusing(t)
	r.embed("", x, LTSA{}, Options{Landmarks: 1})
	r.embed("", x, LTSA{}, Options{Landmarks: -3})
	r.embed("", x, LTSA{}, Options{Landmarks: 20, LandmarkChoice: "near"})
	r.embed("", same, LTSA{}, Options{Landmarks: 9})
	if r := embed(t, x, LTSA{}, Options{Landmarks: 50}); !strings.Contains(fmt.Sprint(r.Warnings), "all samples are embedded") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r := embed(t, x, PCA{}, Options{Landmarks: 20}); !strings.Contains(fmt.Sprint(r.Warnings), "landmarks do nothing") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// With components=largest the samples that are nearest to landmarks of other components
// are left out like those, and all others have coordinates.
func TestLandmarksOfTheLargestComponent(t *testing.T) {
	one := generate(t, "swiss-roll", 700, 1).X
	x := mat.NewDense(1000, 3, nil)
	for i := range 1000 {
		x.SetRow(i, one.RawRowView(i%700))
		if i >= 700 { // another roll, smaller and far away
			x.Set(i, 0, x.At(i, 0)+1e4)
		}
	}
	for _, m := range []Method{LLE{}, NPP{}} {
		r := embed(t, x, m, Options{Landmarks: 300, LandmarkChoice: "random", Components: "largest", Seed: 2})
		for i := range 1000 {
			if left := math.IsNaN(r.Y.At(i, 0)); left != (i >= 700) || left != math.IsNaN(r.Y.At(i, 1)) {
				t.Fatalf("%s: sample %d has %v", m.Name(), i, r.Y.RawRowView(i))
			}
		}
	}
}
