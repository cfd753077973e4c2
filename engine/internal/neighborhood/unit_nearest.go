package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// UnitNearest is the neighbourhood of the k nearest samples after scaling all to
// unit length. k above n − 1 is taken as n − 1, with a warning.
type UnitNearest struct{ Nearest }

// Find searches among the samples of unit length.
func (r UnitNearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	k := int(r.Nearest)
	if k >= x.N() {
		job.Warn("%d neighbours are too many for %d samples: took %d", k, x.N(), x.N()-1)
		k = x.N() - 1
	}
	bytes := x.Bytes()
	if err := room(job, x, k, bytes); err != nil {
		return Found{}, err
	}
	unit, err := x.Unit(job.Context(), job.Threads())
	if err != nil {
		return Found{}, err
	}
	return Nearest(k).Find(job.Holding(bytes), unit)
}

// Widen counts on the samples of unit length too.
func (r UnitNearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	unit, err := x.Unit(job.Context(), job.Threads())
	if err != nil {
		return nil, err
	}
	return r.Nearest.Widen(job, unit, k)
}
