package quality

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The places of an embedding are the cells of a grid over its bounding box, placesAcross along each
// coordinate: about the resolution of a plot. Up to maxPlaced samples are counted.
const placesAcross, maxPlaced = 256, 4096

// Places counts the occupied places.
type Places struct {
	All     int // number of samples
	Samples int // number of samples counted
	Count   int // number of places with samples
	// Effective is the effective number of places over which the samples are spread,
	// n²/Σc² with c samples in each: small if nearly all are in one.
	Effective float64
}

// placesOf counts evenly spaced samples. O(n) for the box.
func placesOf(y *mat.Dense) Places {
	n, dim := y.Dims()
	raw := y.RawMatrix()
	low, high := make([]float64, dim), make([]float64, dim)
	copy(low, raw.Data[:dim])
	copy(high, raw.Data[:dim])
	for i := range n {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+dim] {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	some := Spread(n, maxPlaced)
	counts := make(map[uint64]int, len(some))
	for _, i := range some {
		key := uint64(14695981039346656037) // FNV-1a over the cells of the coordinates
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+dim] {
			cell := 0.0
			if high[j] > low[j] {
				cell = math.Floor((v - low[j]) / (high[j] - low[j]) * (placesAcross - 1))
			}
			key = (key ^ uint64(cell)) * 1099511628211
		}
		counts[key]++
	}
	p := Places{All: n, Samples: len(some), Count: len(counts)}
	var squares float64
	for _, c := range counts {
		squares += float64(c) * float64(c) // integers: the order does not matter
	}
	p.Effective = float64(len(some)) * float64(len(some)) / squares
	return p
}
