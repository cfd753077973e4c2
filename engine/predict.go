package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
)

// Clusters is the number of clusters of a model that gives labels; 0 for a model that gives
// coordinates.
func (m *Model) Clusters() int {
	if m.extension == nil {
		return 0
	}
	return m.extension.Clusters()
}

// Predict returns the labels of the rows of x. It is [Model.Prepare] and
// [Transformer.Predict] in one; for several blocks of samples, prepare once.
func (m *Model) Predict(ctx context.Context, x mat.Matrix, o Options) ([]int64, error) {
	t, err := m.Prepare(o)
	if err != nil {
		return nil, err
	}
	return t.Predict(ctx, x)
}

// Predict returns the labels of the rows of x by the model of a clustering, each a number
// of a cluster from 0. x may be what [Transformer.Apply] takes, which returns the same labels as a
// column of numbers. A model that gives coordinates is an error.
func (t *Transformer) Predict(ctx context.Context, x mat.Matrix) ([]int64, error) {
	if !extend.Labels(t.model.Kind()) {
		return nil, fmt.Errorf("%s: its model gives new samples coordinates and no labels; transform by it, or fit the model of a clustering", t.model.Method)
	}
	y, err := t.Apply(ctx, x)
	if err != nil {
		return nil, err
	}
	labels := make([]int64, len(y.RawMatrix().Data))
	for i, v := range y.RawMatrix().Data {
		labels[i] = int64(v)
	}
	return labels, nil
}
