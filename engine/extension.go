package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// extension is what a fit leaves for samples that come later: the arrays and
// numbers by which the mapping of its kind gives them coordinates. A model holds
// exactly this, so that models are saved and loaded without knowing the methods.
type extension struct {
	kind    string // a key of mappings
	arrays  map[string]*mat.Dense
	numbers map[string]float64
}

// extendRule makes the extension of a solved problem. A method that names none
// extends by barycentric weights where it has neighbourhoods, and not at all
// where it has not.
type extendRule func(p *problem, a *alignment, s *solution) (*extension, error)

// mapping gives new samples coordinates. What it derives from the training
// samples is prepared once, so that it can be applied block after block.
type mapping interface {
	// dims returns the columns that samples must have and those of the coordinates.
	dims() (features, dim int)
	// apply writes one row of dst for each point.
	apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error
}

// resources are what a mapping works with.
type resources struct {
	kernels *blas.Kernels
	threads int
}

// mappings makes the mapping of an extension, by its kind.
var mappings = map[string]func(e *extension, r resources) (mapping, error){
	"barycentric":   newBarycentric,
	"factors":       newFactorsMap,
	"geodesic":      newGeodesicMapping,
	"linear":        newLinear,
	"nystrom":       newNystrom,
	"pursuit":       newPursued,
	"sparse-affine": newSparselyCoded,
}

// prepare makes an extension ready for use. What it holds may come from a file,
// so that every kind checks it.
func (e *extension) prepare(r resources) (mapping, error) {
	prepare, known := mappings[e.kind]
	if !known {
		return nil, unknownKind(e.kind)
	}
	return prepare(e, r)
}

func unknownKind(kind string) error {
	return fmt.Errorf("model: its rule for new samples, %q, is not known to this version; a later one wrote it", kind)
}

// array returns an array of the given shape, whose entries must be finite; 0
// rows or columns stand for any number.
func (e *extension) array(name string, rows, cols int) (*mat.Dense, error) {
	a := e.arrays[name]
	if a == nil {
		return nil, fmt.Errorf("model: the array %q of a %s model is missing", name, e.kind)
	}
	if n, m := a.Dims(); rows > 0 && n != rows || cols > 0 && m != cols {
		return nil, fmt.Errorf("model: the array %q is %d × %d, which the other parts of a %s model contradict", name, n, m, e.kind)
	}
	n, _ := a.Dims()
	for i := range n {
		for j, v := range a.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("model: row %d, column %d (counting from 1) of the array %q is %v", i+1, j+1, name, v)
			}
		}
	}
	return a, nil
}

// number returns a number between two bounds.
func (e *extension) number(name string, least, most float64) (float64, error) {
	v, there := e.numbers[name]
	if !there || !(v >= least && v <= most) {
		return 0, fmt.Errorf("model: the number %q of a %s model is missing or not within [%g, %g]", name, e.kind, least, most)
	}
	return v, nil
}
