package neighbors

import (
	"context"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// spanningByRows compares the samples that search with all others, by any metric.
func spanningByRows(ctx context.Context, d *PairDistances, g *Graph, minSamples int, o Options) (*Spanning, error) {
	s := newSpanning(coreOf(g, minSamples), g)
	if err := s.run(ctx, &rowsSearch{d}, o); err != nil {
		return nil, err
	}
	return &Spanning{From: s.from, To: s.to, Weight: s.weight, Core: s.core}, nil
}

// rowsSearch measures all distances of a sample.
type rowsSearch struct{ *PairDistances }

func (*rowsSearch) begin(ctx context.Context, _ *spanning) error { return ctx.Err() }

func (r *rowsSearch) find(worker int, s *spanning, samples []int32, b *bounds) {
	w, out := &r.workers[worker], [measuredOthers]float64{}
	for _, i := range samples {
		bound := b.weight[s.comp[i]]
		if s.lower[i] >= bound {
			continue
		}
		bound, at := s.firstInList(i, bound)
		r.measure.begin(int(i), w)
		for lo := 0; lo < s.n && bound > s.lower[i]; lo += measuredOthers {
			hi := min(lo+measuredOthers, s.n)
			if !s.anyOutside(i, lo, hi) {
				continue
			}
			r.measure.distances(int(i), lo, hi, magnitude.Times(bound, -r.by.exponent), w, out[:])
			_ = r.by.rescale(out[:hi-lo])
			for q, d := range out[:hi-lo] {
				j := int32(lo + q)
				if d < bound && s.comp[j] != s.comp[i] {
					if d = max(d, s.core[i], s.core[j]); d < bound {
						bound, at = d, j
					}
				}
			}
		}
		s.record(i, bound, at, b)
	}
}

// anyOutside reports whether a sample from lo to hi is outside the component of sample i.
func (s *spanning) anyOutside(i int32, lo, hi int) bool {
	for _, c := range s.comp[lo:hi] {
		if c != s.comp[i] {
			return true
		}
	}
	return false
}

// givenRows are the rows of a full matrix of distances.
type givenRows struct{ Points }

func (givenRows) begin(int, *measureScratch) {}

func (r givenRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	copy(out, r.Row(i)[lo:hi])
}
