package engine

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/measures"
)

const (
	// stabilityShare: one of so many samples is embedded once more, which takes about that share
	// of the time.
	stabilityShare = 8
	// leastStable is the least number of samples that are embedded once more.
	leastStable = 256
)

// unstable is how far the coordinates are from those that every eighth sample gets when these
// samples are embedded alone: the relative residual of the best affine map from the latter
// ([measures.Deviation], centred). It is NaN where there are too few samples, where the graph of
// those is disconnected, and where coordinates are not of one problem of all.
func (b begun) unstable(at locality, choice steps, s *outcome, components int) (float64, error) {
	n, _ := s.Y.Dims()
	if b.options.Stability == "off" || n < stabilityShare*leastStable || n != at.x.N() || at.x.Absent() || b.options.Landmarks > 0 || b.options.LandmarkRows != nil ||
		b.graph != nil || b.distances.N() > 0 || components > 1 {
		return math.NaN(), nil
	}
	defer b.Phase("quality")()
	rows := quality.Spread(n, n/stabilityShare)
	job, own := b.Within(), locality{x: at.x.Subset(rows)}
	if choice.neighbors != nil {
		found, err := choice.neighbors.Find(job, own.x)
		if err != nil {
			return math.NaN(), b.Err()
		}
		if _, sizes := found.Graph.Components(); len(sizes) > 1 {
			return math.NaN(), nil
		}
		own.found = found
	}
	again, err := choice.take(job, own, nil)
	if err != nil {
		return math.NaN(), b.Err() // few samples may have no embedding where many have
	}
	_, off, err := measures.Deviation(rowsInOrder(s.Y, rows), again.Y)
	if err != nil {
		return math.NaN(), nil
	}
	return off, nil
}
