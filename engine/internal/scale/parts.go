package scale

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// Parts are what a smoother is made of, for models.
type Parts struct {
	Kept          neighbors.Points // the samples that planes are fitted to
	Basis, Center []float64        // p × m components of them, and the mean; nil: all columns count
	Dim           int
	Neighbors     int     // of a plane
	Variance      float64 // off the planes: the typical
	Radius        float64 // squared, of the neighbours: the typical
	Passes        int     // behind the first
}

// Parts takes the smoother apart. Slices are shared.
func (s *Smoother) Parts() Parts {
	return Parts{s.kept, s.basis, s.center, s.d, s.k, s.typical, s.radius, s.passes}
}

// Smoother puts it together again, among the same samples in the same order.
func (p Parts) Smoother(s Settings) (*Smoother, error) {
	m := p.Kept.M
	if p.Dim < 1 || p.Dim >= m || p.Neighbors < p.Dim+2 || p.Neighbors > p.Kept.N || p.Passes < 1 || p.Variance < 0 || p.Radius < 0 {
		return nil, fmt.Errorf("planes of %d dimensions among %d of %d × %d samples cannot be", p.Dim, p.Neighbors, p.Kept.N, m)
	}
	f := &surface{Settings: s, basis: p.Basis}
	return &Smoother{Settings: s, kept: p.Kept, near: f.among(p.Kept), basis: p.Basis, center: p.Center,
		d: p.Dim, k: p.Neighbors, typical: p.Variance, radius: p.Radius, passes: p.Passes}, nil
}
