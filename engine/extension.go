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
	"barycentric": newBarycentric,
	"geodesic":    newGeodesicMapping,
	"linear":      newLinear,
}

// prepare makes an extension ready for use.
func (e *extension) prepare(r resources) (mapping, error) {
	prepare, known := mappings[e.kind]
	if !known {
		return nil, fmt.Errorf("model: extension %q is unknown to this version", e.kind)
	}
	return prepare(e, r)
}
