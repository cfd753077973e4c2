package engine

import "gonum.org/v1/gonum/mat"

// Projection returns what a linear model maps by, y = (x − mean) projection: the mean, of
// as many entries as there are columns of samples (zeros where the method takes none off),
// and the projection, columns × dimensions. They are nil of a model of another kind, and
// are the model's own, which must not change.
func (m *Model) Projection() (mean []float64, projection *mat.Dense) {
	if m.Kind() != "linear" || m.extension.Arrays["mean"] == nil {
		return nil, nil
	}
	return m.extension.Arrays["mean"].RawRowView(0), m.extension.Arrays["projection"]
}
