package engine

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// structures names what was given in place of samples, or of a search among them.
func (o Options) structures() []string {
	var all []string
	if o.Graph != nil {
		all = append(all, "a graph")
	}
	if !absent(o.Affinities) {
		all = append(all, "affinities")
	}
	if !absent(o.Distances) {
		all = append(all, "distances")
	}
	return all
}

// placeless tells that a graph or distances may stand for samples that are not known.
func (b begun) placeless() bool { return b.graph != nil || b.distances.N() > 0 }

// measured checks the distances that were given, and returns the data, which may be unknown
// then.
func (b *begun) measured(task string, x mat.Matrix, at row) (mat.Matrix, error) {
	d := b.options.Distances
	switch {
	case at.ofDistances == nil && at.searches(task) == nil:
		return nil, fmt.Errorf("%s: it takes no distances: it has no neighbour search, or chooses neighbours in its own way; leave the distances out", b.Method())
	case at.ofDistances != nil && !absent(x):
		return nil, fmt.Errorf("%s: samples and distances are given together; give one of them", b.Method())
	}
	if _, _, isSparse := sparse.OfBytes(d); isSparse {
		return nil, fmt.Errorf("%s: the distances are sparse; give them as a graph, or a full matrix", b.Method())
	}
	if rows, cols := d.Dims(); rows != cols || rows < 2 {
		return nil, fmt.Errorf("%s: the distances are %d × %d; give a square matrix, with a row and a column for each of at least 2 samples", b.Method(), rows, cols)
	}
	b.Run = b.Holding(heldDense(d))
	b.distances = samples.Of(d)
	if err := neighbors.CheckDistances(b.distances.Points()); err != nil {
		return nil, fmt.Errorf("%s: %w", b.Method(), err)
	}
	if absent(x) {
		if at.ofDistances == nil {
			if err := b.alone(at, "distances"); err != nil {
				return nil, err
			}
		}
		x = unknownRows(b.distances.N())
	}
	if n, _ := x.Dims(); n != b.distances.N() {
		return nil, fmt.Errorf("%s: distances of %d samples for data of %d; give those of these samples", b.Method(), b.distances.N(), n)
	}
	return x, b.ofAll(at, "matrix of distances")
}
