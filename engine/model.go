package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Model is a fitted method: what is needed to give new samples coordinates
// beside those of the samples it was fitted to.
type Model struct {
	Method   string
	Params   map[string]any // of the fit, defaults filled in
	Samples  int            // that it was fitted to
	Features int            // columns that new samples must have
	Dim      int            // columns of the coordinates

	extension *extension
}

// Model returns the fitted model of an embedding. It shares the storage of the
// samples and of Y, which must not change while it is in use. A method without a
// rule for new samples is an error.
func (r *Result) Model() (*Model, error) {
	if r.extension == nil {
		return nil, fmt.Errorf("%s: there is no rule for new samples%s; embed them together with the others", r.Method, r.noExtension)
	}
	return &Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Dim, extension: r.extension}, nil
}

// Transform returns the coordinates of the rows of x, one row each. Of the
// options it reads Backend and Threads; the same model, samples and backend give
// the same bits for any number of threads.
func (m *Model) Transform(ctx context.Context, x mat.Matrix, o Options) (*mat.Dense, error) {
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	apply, err := m.extension.prepare(resources{kernels, o.Threads})
	if err != nil {
		return nil, err
	}
	points := pointsOf(x)
	features, dim := apply.dims()
	if points.M != features {
		return nil, fmt.Errorf("%s: %d columns where the model was fitted to %d", m.Method, points.M, features)
	}
	y := mat.NewDense(points.N, dim, nil)
	return y, apply.apply(ctx, points, y)
}
