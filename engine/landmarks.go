package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// landmarks is an embedding of some of the samples, to be extended to the rest.
type landmarks struct {
	all    neighbors.Points
	chosen []int // ascending
}

// takeLandmarks chooses the landmarks of a method with neighbourhoods. Unless the
// method sees to the other samples itself they take the place of the data; what
// extends their embedding is returned, nil where there is nothing to extend.
func (p *problem) takeLandmarks(m Method, c copies) (*landmarks, error) {
	if _, local := Values(m)["neighbors"]; !local {
		if p.options.Landmarks > 0 || p.options.LandmarkRows != nil {
			p.warn("%s has no neighbourhoods: landmarks do nothing", p.name)
		}
		return nil, nil
	}
	chosen, err := p.chooseLandmarks(c)
	if err != nil {
		return nil, err
	}
	if p.landmarks = chosen; chosen != nil && !m.(embedder).steps().ownLandmarks {
		return p.onlyLandmarks(), nil
	}
	return nil, nil
}

// chooseLandmarks picks Options.Landmarks of the samples, or takes those that
// Options.LandmarkRows names, in ascending order; nil where all are to be
// embedded.
func (p *problem) chooseLandmarks(c copies) ([]int, error) {
	if p.options.LandmarkRows != nil {
		return p.givenLandmarks(c)
	}
	count := p.options.Landmarks
	switch {
	case count == 0:
		return nil, nil
	case count < 2:
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", p.name, count)
	case count >= p.x.N:
		p.warn("%d landmarks of %d samples: all samples are embedded", count, p.x.N)
		return nil, nil
	}
	defer p.clock.Phase("landmarks")()
	p.explain("landmarks: %d of %d samples, %s", count, p.x.N, p.options.LandmarkChoice)
	if p.options.LandmarkChoice == "random" {
		return randomSubset(p.x.N, count, p.options.Seed), nil
	}
	return p.farthestPoints(count)
}

// givenLandmarks checks the rows that were named. Where copies have been merged
// they stand for the distinct samples.
func (p *problem) givenLandmarks(c copies) ([]int, error) {
	rows := slices.Clone(p.options.LandmarkRows)
	for at, i := range rows {
		if i < 0 || i >= len(c.of) {
			return nil, fmt.Errorf("%s: landmark row %d of %d samples; rows count from 0", p.name, i, len(c.of))
		}
		if p.x.N < len(c.of) {
			rows[at] = c.of[i]
		}
	}
	slices.Sort(rows)
	if distinct := slices.Compact(slices.Clone(rows)); len(distinct) < len(rows) {
		return nil, fmt.Errorf("%s: %d of the %d landmark rows are there twice; name each sample once", p.name, len(rows)-len(distinct), len(rows))
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", p.name, len(rows))
	}
	return rows, nil
}

// onlyLandmarks puts the landmarks in the place of the data until
// [landmarks.extend].
func (p *problem) onlyLandmarks() *landmarks {
	l := &landmarks{all: p.x, chosen: p.landmarks}
	count := len(l.chosen)
	p.landmarks = nil
	p.x = neighbors.Points{N: count, M: l.all.M, Data: make([]float64, 0, count*l.all.M)}
	for _, i := range l.chosen {
		p.x.Data = append(p.x.Data, l.all.Row(i)...)
	}
	return l
}

// randomSubset draws count of n numbers, each set of them equally likely.
func randomSubset(n, count int, seed uint64) []int {
	s := blas.NewStream(seed)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range count {
		j := i + s.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return slices.Sorted(slices.Values(order[:count]))
}

// farthestPoints picks one sample by the seed and then, again and again, the one
// farthest from those picked, the lower index on ties (Gonzalez 1985). O(nm) a
// point.
func (p *problem) farthestPoints(count int) ([]int, error) {
	const block = 4096
	x := p.x
	distance := slices.Repeat([]float64{math.Inf(1)}, x.N)
	farthest := make([]int, (x.N+block-1)/block) // of each block
	chosen := []int{blas.NewStream(p.options.Seed).Below(x.N)}
	progress := p.fraction("landmarks")
	for len(chosen) < count {
		latest := x.Row(chosen[len(chosen)-1])
		err := blas.For(p.ctx, p.options.Threads, x.N, block, func(_, lo, hi int) {
			best := lo
			for i := lo; i < hi; i++ {
				distance[i] = min(distance[i], blas.SquaredDistance(latest, x.Row(i)))
				if distance[i] > distance[best] {
					best = i
				}
			}
			farthest[lo/block] = best
		})
		if err != nil {
			return nil, err
		}
		best := farthest[0]
		for _, i := range farthest[1:] {
			if distance[i] > distance[best] {
				best = i
			}
		}
		if distance[best] == 0 {
			return nil, fmt.Errorf("%s: %d landmarks asked of data with %d distinct samples; give at most as many", p.name, count, len(chosen))
		}
		chosen = append(chosen, best)
		progress(float64(len(chosen)) / float64(count))
	}
	slices.Sort(chosen)
	return chosen, nil
}

// extend gives every sample that is no landmark coordinates: by the projection
// that the landmarks found, where the method is linear, otherwise those that its
// barycentric weights on its k nearest landmarks make of theirs.
func (l *landmarks) extend(p *problem, s *solution, k int) (*mat.Dense, error) {
	y := s.y
	defer p.clock.Phase("extension")()
	rest := neighbors.Points{M: l.all.M}
	var rows []int
	full := mat.NewDense(l.all.N, p.dim, nil)
	at := 0
	for i := range l.all.N {
		if at < len(l.chosen) && l.chosen[at] == i {
			full.SetRow(i, y.RawRowView(at))
			at++
			continue
		}
		rest.Data = append(rest.Data, l.all.Row(i)...)
		rows = append(rows, i)
	}
	rest.N = len(rows)
	rule := s.extension
	if rule == nil || rule.kind != "linear" {
		landmark := neighbors.Points{N: len(l.chosen), M: l.all.M}
		for _, i := range l.chosen {
			landmark.Data = append(landmark.Data, l.all.Row(i)...)
		}
		rule = byNeighbours(landmark, y, k, p.gamma())
	}
	mapping, err := rule.prepare(resources{p.kernels, p.options.Threads})
	if err != nil {
		return nil, err
	}
	z := mat.NewDense(rest.N, p.dim, nil)
	if err := mapping.apply(p.ctx, rest, z); err != nil {
		return nil, err
	}
	for q, i := range rows {
		full.SetRow(i, z.RawRowView(q))
	}
	return full, nil
}
