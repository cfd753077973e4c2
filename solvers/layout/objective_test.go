package layout

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// Layouts report what they lower: some 20 times, in the end of the map that they leave.
func TestObjectivesAreReported(t *testing.T) {
	curve := must.Get(NewCurve(0.1, 1))(t)
	for _, size := range []int{50, 200} { // all pairs, and a sample of them
		w := rings(4, size)
		pairs := pairsOf(w)
		for _, dim := range []int{2, 3} {
			for name, of := range map[string]struct {
				arrange func(y *mat.Dense, threads int, objective func(int, float64)) error
				measure func(y *mat.Dense) (float64, error)
				last    int
				within  float64
			}{
				"umap": {func(y *mat.Dense, threads int, objective func(int, float64)) error {
					return UMAP{Curve: curve, Epochs: 50, Seed: 1, Threads: threads, Objective: objective}.Arrange(t.Context(), w, y)
				}, func(y *mat.Dense) (float64, error) { return expectedEntropy(curve, w, y), nil }, 50, map[int]float64{50: 1e-5, 200: 0.02}[size]},
				"pacmap": {func(y *mat.Dense, threads int, objective func(int, float64)) error {
					return PaCMAP{Phases: [3]int{20, 20, 60}, Threads: threads, Objective: objective}.Arrange(t.Context(), pairs, y)
				}, func(y *mat.Dense) (float64, error) { return pairs.Objective(y, [3]float64{1, 0, 1}), nil }, 100, 1e-6},
			} {
				var values [2][]float64
				for k := range values {
					y := scattered(w.Rows, dim, 1)
					last := 0
					must.Do(t, of.arrange(y, k+1, func(at int, value float64) {
						last = at
						values[k] = append(values[k], value)
					}))
					want := must.Get(of.measure(y))(t)
					if got := values[k][len(values[k])-1]; last != of.last || len(values[k]) != 20 || math.Abs(got/want-1) > of.within {
						t.Errorf("%s of %d vertices: %d values, the last is %g after %d, want %g", name, w.Rows, len(values[k]), got, last, want)
					}
				}
				for m := range values[0] {
					if values[0][m] != values[1][m] {
						t.Errorf("%s: the number of threads changes the objective", name)
					}
				}
			}
		}
	}
}

// The edges of every third vertex give about the sum over all.
func TestEntropyOfEveryThirdVertex(t *testing.T) {
	w, y := rings(4, 500), scattered(2000, 2, 1)
	b := newBlocks(y, 1)
	e := newEntropy(UMAP{Curve: must.Get(NewCurve(0.1, 1))(t), Negatives: 5, Repulsion: 1}, w, &b)
	at := must.Get(single(y, b.order))(t)
	all := must.Get(e.value(t.Context(), 2, at))(t)
	e.stride = 3
	if third := must.Get(e.value(t.Context(), 2, at))(t); third == all || math.Abs(third/all-1) > 0.02 {
		t.Errorf("%g by a third of the vertices, %g by all", third, all)
	}
}

// expectedEntropy is what steps of UMAP with 5 negatives lower on average, over all pairs.
func expectedEntropy(c Curve, w *sparse.CSR, y *mat.Dense) (sum float64) {
	n := w.Rows
	most := maxWeight(w)
	degree := make([]float64, n)
	w.DoNonZero(func(i, j int, v float64) {
		if i != j {
			degree[i] += v / most
		}
	})
	for i := range n {
		for j := range i {
			q := c.similarity(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)))
			sum -= w.At(i, j)/most*math.Log(q) + 5*(degree[i]+degree[j])/float64(2*n)*math.Log(max(1-q, 1e-4))
		}
	}
	return sum
}
