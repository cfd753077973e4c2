package layout

import (
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// Estimates are what a layout allocates, within a quarter.
func TestBytes(t *testing.T) {
	w := rings(45, 100)
	n, pairs := w.Rows, pairsOf(w)
	count := len(pairs.Near) + len(pairs.MidNear) + len(pairs.Further)
	curve := must.Get(NewCurve(0.1, 1))(t)
	radii := radiiOf(w)
	for name, of := range map[string]struct {
		arrange func(y *mat.Dense) error
		want    int64
	}{
		"umap": {func(y *mat.Dense) error {
			return UMAP{Curve: curve, Epochs: 4, Threads: 1}.Arrange(t.Context(), w, y)
		}, UMAPBytes(n, 2, w.NNZ()/2, false)},
		"densmap": {func(y *mat.Dense) error {
			return UMAP{Curve: curve, Epochs: 4, Threads: 1, Density: &Density{Radii: radii}}.Arrange(t.Context(), w, y)
		}, UMAPBytes(n, 2, w.NNZ()/2, true)},
		"tsne in space": {func(y *mat.Dense) error {
			return TSNE{Iterations: 3, Threads: 1}.Arrange(t.Context(), probabilitiesOf(w), mat.NewDense(n, 3, append(y.RawMatrix().Data, make([]float64, n)...)))
		}, TSNEBytes(n, 3, w.NNZ())},
		"pacmap": {func(y *mat.Dense) error {
			return PaCMAP{Phases: [3]int{1, 1, 1}, Threads: 1}.Arrange(t.Context(), pairs, y)
		}, PaCMAPBytes(n, 2, count, false)},
		"localmap": {func(y *mat.Dense) error {
			return PaCMAP{Phases: [3]int{1, 1, 1}, Threads: 1, Local: &Local{}}.Arrange(t.Context(), pairs, y)
		}, PaCMAPBytes(n, 2, count, true)},
	} {
		y := scattered(n, 2, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must.Do(t, of.arrange(y))
		runtime.ReadMemStats(&after)
		if got := int64(after.TotalAlloc - before.TotalAlloc); float64(got) > 1.25*float64(of.want) || float64(got) < 0.75*float64(of.want) {
			t.Errorf("%s allocates %d bytes, estimated as %d", name, got, of.want)
		}
	}
}
