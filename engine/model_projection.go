package engine

import "gonum.org/v1/gonum/mat"

// Projection returns the parts of a linear model, y = (x − mean) projection: the mean, with an entry
// for each column of the samples (zeros if the method does not centre), and the projection, columns ×
// dimensions. Both are nil if the model is of another kind. They are shared with the model and must
// not be changed.
func (m *Model) Projection() (mean []float64, projection *mat.Dense) {
	if m.Kind() != "linear" || m.extension.Arrays["mean"] == nil {
		return nil, nil
	}
	return m.extension.Arrays["mean"].RawRowView(0), m.extension.Arrays["projection"]
}
