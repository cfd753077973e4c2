package exemplars

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/solvers/orderstat"
)

// floorShare is the least bandwidth, as a share of the median of the positive
// distances; it is also the bandwidth where there is none.
const floorShare = 1e-8

// AdaptiveKernel is the Gaussian kernel whose bandwidth follows the density,
//
//	K̄ᵢⱼ = (Kᵢⱼ + Kⱼᵢ)/2,   Kᵢⱼ = exp(−dᵢⱼ²/(2sᵢ²)),
//
// sᵢ the distance of sample i to its k-th nearest. [Kernel] is the kernel of all pairs, and
// [FactorDissimilarities] of factors; this one is evaluated pair by pair.
type AdaptiveKernel struct{ bandwidths []float64 }

// Measured are samples between which distances can be measured.
type Measured interface {
	N() int
	SquaredRadius() float64 // no two samples are farther apart than twice its root
	SquaredDistance(i, j int) float64
}

// NewAdaptiveKernel returns the kernel with these bandwidths, which it keeps, and raises
// to 1e-8 of the median of the positive distances between pairs of at most this many of the
// samples, evenly spaced.
func NewAdaptiveKernel(x Measured, bandwidths []float64, samples int) AdaptiveKernel {
	if needFloor(bandwidths, 2*math.Sqrt(x.SquaredRadius())) {
		raiseBandwidths(bandwidths, bandwidthFloor(sampledMedian(x, samples)))
	}
	return AdaptiveKernel{bandwidths}
}

// Weight returns K̄ of samples i and j at distance d.
func (k AdaptiveKernel) Weight(i, j int, d float64) float64 {
	at := func(s float64) float64 { return math.Exp(-(d / s) * (d / s) / 2) }
	return (at(k.bandwidths[i]) + at(k.bandwidths[j])) / 2
}

// needFloor reports whether a bandwidth could be below its floor, where no distance is
// above most; only then the median is worth its search.
func needFloor(bandwidths []float64, most float64) bool {
	least := slices.Min(bandwidths)
	return !(least >= floorShare*most && least > 0)
}

// bandwidthFloor is the least bandwidth for a median of the positive distances, 0 where
// there are none.
func bandwidthFloor(median float64) float64 {
	if median > 0 {
		return floorShare * median
	}
	return floorShare
}

func raiseBandwidths(bandwidths []float64, floor float64) {
	for i, s := range bandwidths {
		bandwidths[i] = max(s, floor)
	}
}

// sampledMedian is the median of the positive distances between pairs of at most this many
// samples; 0 where there are none.
func sampledMedian(x Measured, samples int) float64 {
	n := x.N()
	step := (n + samples - 1) / samples
	var distances []float64
	for i := 0; i < n; i += step {
		for j := 0; j < i; j += step {
			if square := x.SquaredDistance(i, j); square > 0 {
				distances = append(distances, math.Sqrt(square))
			}
		}
	}
	if len(distances) == 0 {
		return 0
	}
	return orderstat.Median(distances)
}
