package layout

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// referring are the layouts of a graph with a reference, by name.
func referring(w *sparse.CSR, threads int, r *Reference) map[string]func(ctx context.Context, y *mat.Dense) error {
	curve, err := NewCurve(0.1, 1)
	if err != nil {
		panic(err)
	}
	return map[string]func(ctx context.Context, y *mat.Dense) error{
		"umap": func(ctx context.Context, y *mat.Dense) error {
			return UMAP{Curve: curve, Epochs: 100, Seed: 1, Threads: threads, Reference: r}.Arrange(ctx, w, y)
		},
		"tsne": func(ctx context.Context, y *mat.Dense) error {
			return TSNE{Iterations: 100, Early: new(20), Threads: threads, Reference: r}.Arrange(ctx, probabilitiesOf(w), y)
		},
		"pacmap": func(ctx context.Context, y *mat.Dense) error {
			return PaCMAP{Phases: [3]int{30, 30, 40}, Threads: threads, Reference: r}.Arrange(ctx, pairsOf(w), y)
		},
	}
}

// The heavier a reference, the nearer its vertices stay to it; those without a place are free. The number of threads changes no bit.
func TestReferenceHoldsVertices(t *testing.T) {
	w := rings(4, 100)
	for _, dim := range []int{1, 2, 3} {
		places := scattered(w.Rows, dim, 5)
		for i := range 50 {
			for k := range dim {
				places.Set(i*8, k, math.NaN())
			}
		}
		start := mat.DenseCopyOf(places)
		blas.NewStream(9).Normals(start.RawRowView(0))
		for i := range 50 {
			blas.NewStream(uint64(i)).Normals(start.RawRowView(i * 8))
		}
		for name := range referring(w, 1, nil) {
			before := math.Inf(1)
			for _, weight := range []float64{0.01, 1, 1e6} {
				r := &Reference{Y: places, Weight: weight}
				y := mat.DenseCopyOf(start)
				must.Do(t, referring(w, 1, r)[name](t.Context(), y))
				var moved, free float64
				for i := range w.Rows {
					if i%8 == 0 && i < 400 {
						free = max(free, blas.SquaredDistance(y.RawRowView(i), start.RawRowView(i)))
					} else {
						moved = max(moved, blas.SquaredDistance(y.RawRowView(i), places.RawRowView(i)))
					}
				}
				if !(moved < before) || free == 0 {
					t.Errorf("%s in %d columns with the weight %g: vertices move by %g, with less weight by %g; free ones by %g", name, dim, weight, math.Sqrt(moved), math.Sqrt(before), math.Sqrt(free))
				}
				before = moved
				again := mat.DenseCopyOf(start)
				must.Do(t, referring(w, 3, r)[name](t.Context(), again))
				if !mat.Equal(y, again) {
					t.Errorf("%s in %d columns: threads change bits", name, dim)
				}
			}
			if limit := 0.05; before > limit*limit {
				t.Errorf("%s in %d columns: a weight of a million leaves vertices at a distance of %g", name, dim, math.Sqrt(before))
			}
		}
	}
}

// t-SNE with a reference ends where the divergence and the term of the reference balance: its gradient, by differences.
func TestReferenceBalancesTheDivergence(t *testing.T) {
	w := rings(2, 12)
	p := probabilitiesOf(w)
	places := scattered(w.Rows, 2, 3)
	r := &Reference{Y: places, Weight: 20}
	y := mat.DenseCopyOf(places)
	must.Do(t, TSNE{Iterations: 20000, Early: new(0), Rate: 20, Theta: new(0.0), Reference: r}.Arrange(t.Context(), p, y))
	objective := func() float64 {
		value := must.Get(Divergence(t.Context(), 1, p, y))(t)
		var sum float64
		for i := range w.Rows {
			sum += blas.SquaredDistance(y.RawRowView(i), places.RawRowView(i))
		}
		return value + r.Weight/2*sum/r.size()/float64(w.Rows)
	}
	const step = 1e-5
	for i := range w.Rows {
		for k := range 2 {
			at := y.At(i, k)
			y.Set(i, k, at+step)
			high := objective()
			y.Set(i, k, at-step)
			low := objective()
			y.Set(i, k, at)
			if slope := (high - low) / (2 * step); math.Abs(slope) > 1e-6 {
				t.Fatalf("vertex %d: the objective has the slope %g", i, slope)
			}
		}
	}
}

func TestReferenceRefusesAnotherShape(t *testing.T) {
	w := rings(1, 20)
	for name, r := range map[string]*Reference{"rows": {Y: scattered(19, 2, 1)}, "columns": {Y: scattered(20, 3, 1)}, "weight": {Y: scattered(20, 2, 1), Weight: -1}} {
		for method, arrange := range referring(w, 1, r) {
			if err := arrange(t.Context(), scattered(20, 2, 1)); err == nil {
				t.Errorf("%s takes a reference with wrong %s", method, name)
			}
		}
	}
}
