package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// TakeSolve adds what a solve says of its own exactness: "residual", the largest of the
// eigenpairs, relative to the matrix, or for an iterative method "kkt", the residual of
// the conditions of its minimum.
func (out *Outcome) TakeSolve(r *engine.Result) {
	if out.Quality == nil {
		out.Quality = map[string]float64{}
	}
	if len(r.Residuals) > 0 {
		out.Quality["residual"] = slices.Max(r.Residuals)
	}
	if !math.IsNaN(r.KKT) {
		out.Quality["kkt"] = r.KKT
	}
}

// Exact is the residual of an eigenproblem that is solved.
func Exact() Accuracy { return AtMost("residual", 1e-8) }

// Settled is the error of an iterative method that ended at a stationary point.
func Settled() Accuracy { return AtMost("kkt", 1e-3) }

// NNError is the share of samples whose nearest neighbour in the embedding is of
// another class.
var NNError = quality("nn-error", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
	if n, _ := y.Dims(); len(d.Labels) != n {
		return 0, fmt.Errorf("%d labels for %d samples", len(d.Labels), n)
	}
	g, err := NearestNeighbors(ctx, y, 1)
	if err != nil {
		return 0, err
	}
	wrong := 0
	for i := range d.Labels {
		if d.Labels[g.Of(i)[0]] != d.Labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(d.Labels)), nil
})

// recalled is how many samples a recall looks at, evenly spread.
const recalled = 200

// Recall is the share of a search's distances, n × k and nearest first, that are those
// of the true neighbours of that rank, found by going through all samples.
var Recall = quality("recall", func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	n, _ := d.X.Dims()
	rows, k := y.Dims()
	if rows != n || k < 1 || k >= n {
		return 0, fmt.Errorf("%d × %d distances for %d samples", rows, k, n)
	}
	right, count := 0, min(recalled, n)
	all := make([]float64, 0, n)
	for at := range count {
		i := at * n / count
		all = all[:0]
		for j := range n {
			if j != i {
				all = append(all, math.Sqrt(blas.SquaredDistance(d.X.RawRowView(i), d.X.RawRowView(j))))
			}
		}
		slices.Sort(all)
		for j, got := range y.RawRowView(i) {
			if math.Abs(got-all[j]) <= 1e-6*all[k-1] {
				right++
			}
		}
	}
	return float64(right) / float64(count*k), nil
})

// reconstructionOf is the relative error of a factorisation.
func reconstructionOf(ctx context.Context, c *Case, d *Data, w, h *mat.Dense) (float64, error) {
	o, err := MeasureOptions(c)
	if err != nil {
		return 0, err
	}
	return measures.Reconstruction(ctx, d.X, w, h, o)
}
