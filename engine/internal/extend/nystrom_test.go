package extend

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// Laplacian eigenmaps: with a training sample's own row of W, Nyström's formula
// returns the coordinates of that sample.
func TestNystromReproducesTheTrainingSamples(t *testing.T) {
	const samplesOfRoll, dim = 400, 3
	roll := must.Get(datasets.Generate("swiss-roll", samplesOfRoll, 1, nil))(t)
	x := samples.Of(roll.X)
	for _, graph := range []string{"union", "mutual", "average"} {
		for _, weights := range []string{"binary", "heat", "heat_norm", "cosine"} {
			if weights == "cosine" && graph == "mutual" {
				continue // leaves samples alone
			}
			n, y, in := fittedLaplacian(t, x, patch.Edges{Graph: graph, Weights: weights}, dim)
			w := must.Get(align.SumOfPatches(in))(t)
			var list []int32
			var row []float64
			out := make([]float64, dim)
			for i := range samplesOfRoll {
				list, row = list[:0], row[:0]
				cols, vals := w.Phi.Row(i)
				for q, j := range cols {
					if int(j) != i {
						list, row = append(list, j), append(row, -vals[q])
					}
				}
				if !n.combine(list, row, out) {
					t.Fatalf("%s %s: sample %d has no weight", graph, weights, i)
				}
				for c, v := range out {
					// The eigenpair's residual, of 1e-10 at most, is divided by √degree.
					if math.Abs(v-y.At(i, c)) > 1e-9*mat.Max(y) {
						t.Fatalf("%s %s: coordinate (%d, %d) is %g, want %g", graph, weights, i, c, v, y.At(i, c))
					}
				}
			}
		}
	}
}

// fittedLaplacian takes the steps of Laplacian eigenmaps with 12 neighbours. It returns
// the mapping of what they leave, the coordinates, and what was aligned.
func fittedLaplacian(t *testing.T, x samples.Samples, edges patch.Edges, dim int) (*nystromMap, *mat.Dense, align.Input) {
	t.Helper()
	const k = 12
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	job := steptest.Run(t)
	found, err := neighborhood.Nearest(k).Find(job, x)
	check(err)
	in := align.Input{Local: patch.Local{Run: job, X: x, Graph: found.Graph}, Patch: edges.Rule()}
	a, err := align.NormalizedSum(in)
	check(err)
	s, err := solve.BottomEigenvectors(dim, 0)(solve.Input{Run: job, X: x}, a)
	check(err)
	e, reason, err := Nystrom(k, edges)(Fit{Run: job, X: x, Found: found}, s)
	check(err)
	if e == nil {
		t.Fatalf("%s %s: there is no rule for new samples%s", edges.Graph, edges.Weights, reason)
	}
	r := Resources{Kernels: job.Kernels(), Threads: 1}
	_, err = e.Prepare(r)
	check(err)
	n, err := e.Map.(NystromMap).formula(r, "nystrom")
	check(err)
	return n, s.Y, in
}
