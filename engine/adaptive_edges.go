package engine

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// leastWidth is the floor of the widths of the adaptive kernel, as a share of the
	// median distance between distinct samples; also the floor where there are none.
	leastWidth = 1e-8
	// widthSamples are at most so many samples for that median, evenly spaced.
	widthSamples = 1000
)

// rootNearest is the neighbourhood of the k nearest samples, ⌊√n⌋ where no number was
// given.
type rootNearest struct{ k *int }

// number is k for n samples.
func (r rootNearest) number(n int) int {
	if r.k != nil {
		return *r.k
	}
	return max(1, int(math.Sqrt(float64(n))))
}

func (r rootNearest) find(p *problem) (*neighbors.Graph, error) {
	return nearest(r.number(p.x.N)).find(p)
}

func (r rootNearest) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	return nearest(r.number(p.x.N)).widen(p, k)
}

// adaptiveKernel returns the weight of an edge by the kernel whose width follows the
// density, made symmetric:
//
//	K̄ᵢⱼ = (Kᵢⱼ + Kⱼᵢ)/2,   Kᵢⱼ = exp(−dᵢⱼ²/2sᵢ²),
//
// with sᵢ the distance of sample i to its k-th neighbour, the last of its list.
func adaptiveKernel(p *problem) func(i, j int, d float64) float64 {
	width := make([]float64, p.x.N)
	for i := range width {
		if d := p.graph.Distances(i); len(d) > 0 {
			width[i] = d[len(d)-1]
		}
	}
	floorWidths(p, width)
	return func(i, j int, d float64) float64 {
		at := func(s float64) float64 { return math.Exp(-(d / s) * (d / s) / 2) }
		return (at(width[i]) + at(width[j])) / 2
	}
}

// floorWidths raises widths that are zero, or next to it. The median is only looked
// for where one could be below its share: no distance exceeds the radius twice.
func floorWidths(p *problem, width []float64) {
	mean := make([]float64, p.x.M)
	for i := range p.x.N {
		blas.Axpy(1/float64(p.x.N), p.x.Row(i), mean)
	}
	var radius float64
	for i := range p.x.N {
		radius = max(radius, blas.SquaredDistance(p.x.Row(i), mean))
	}
	if slices.Min(width) >= leastWidth*2*math.Sqrt(radius) && slices.Min(width) > 0 {
		return
	}
	floor := leastWidth
	if median := medianDistance(p.x); median > 0 {
		floor *= median
	}
	for i, s := range width {
		width[i] = max(s, floor)
	}
}

// medianDistance is the median of the positive distances between pairs of at most
// widthSamples samples; 0 where there are none.
func medianDistance(x neighbors.Points) float64 {
	step := (x.N + widthSamples - 1) / widthSamples
	var squares []float64
	for i := 0; i < x.N; i += step {
		for j := 0; j < i; j += step {
			if d := blas.SquaredDistance(x.Row(i), x.Row(j)); d > 0 {
				squares = append(squares, d)
			}
		}
	}
	if len(squares) == 0 {
		return 0
	}
	slices.Sort(squares)
	at := len(squares) / 2
	if len(squares)%2 == 1 {
		return math.Sqrt(squares[at])
	}
	return (math.Sqrt(squares[at-1]) + math.Sqrt(squares[at])) / 2
}
