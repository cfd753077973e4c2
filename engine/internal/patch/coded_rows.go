package patch

import "github.com/orthant-go/orthant/engine/internal/samples"

// Rows gives the coders a sample and its neighbours. Dense samples lie where they are; of
// compressed ones the columns are laid out that any of them has an entry in, as the others
// add nothing to a residual. It is one worker's scratch.
type Rows struct {
	x      samples.Samples
	laid   *samples.Laid
	places []int32
}

// NewRows makes the scratch for samples.
func NewRows(x samples.Samples) *Rows { return &Rows{x: x, laid: samples.NewLaid(x)} }

// Of returns sample i, and rows of which those at the places are its neighbours. They are
// valid up to the next call.
func (r *Rows) Of(i int, list []int32) (x, data []float64, places []int32) {
	if r.x.Compressed() == nil {
		return r.x.Row(i), r.x.Data(), list
	}
	rows, width := r.laid.WithSelf(i, list)
	for len(r.places) < len(list) {
		r.places = append(r.places, int32(len(r.places)))
	}
	return rows[len(list)*width:], rows, r.places[:len(list)]
}
