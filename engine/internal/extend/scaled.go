package extend

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/samples"
)

// scales are the scalings that a model can hold, by the number "scale".
var scales = []string{"none", "shift", "minmax"}

// withScaling adds the number "scale" and the arrays "least" and "most" (1 × m), by which
// the samples of the fit were scaled.
func (e *Extension) withScaling(s samples.Scaling) {
	e.Numbers["scale"] = float64(max(slices.Index(scales, s.How), 0))
	if s.Least != nil {
		e.Arrays["least"], e.Arrays["most"] = row(s.Least), row(s.Most)
	}
}

// scaling reads what withScaling wrote, for samples of m columns.
func (e *Extension) scaling(m int) (samples.Scaling, error) {
	at, err := e.number("scale", 0, float64(len(scales)-1))
	if err != nil {
		return samples.Scaling{}, err
	}
	s := samples.Scaling{How: scales[int(at)]}
	if s.How == "none" {
		return s, nil
	}
	least, err := e.array("least", 1, m)
	if err != nil {
		return s, err
	}
	most, err := e.array("most", 1, m)
	if err != nil {
		return s, err
	}
	s.Least, s.Most = least.RawRowView(0), most.RawRowView(0)
	for j, v := range s.Least {
		if v > s.Most[j] {
			return s, fmt.Errorf("model: column %d (counting from 1) of the array \"least\" is above that of \"most\"", j+1)
		}
	}
	return s, nil
}
