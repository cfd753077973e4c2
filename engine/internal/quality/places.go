package quality

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The places of an embedding are the cells of a grid over its box, placesAcross along each
// coordinate: about what a picture shows. Up to mostPlaced samples are placed.
const placesAcross, mostPlaced = 256, 4096

// Places counts the places that hold samples.
type Places struct {
	All     int // samples
	Samples int // that were placed
	Count   int // places with samples
	// Effective is the number of places over which the samples would be spread evenly,
	// n²/Σc² of c samples in each: few where nearly all are in one.
	Effective float64
}

// placesOf places samples, evenly by index. O(n) for the box.
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
	some := Spread(n, mostPlaced)
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
		squares += float64(c) * float64(c) // whole numbers: the order does not matter
	}
	p.Effective = float64(len(some)) * float64(len(some)) / squares
	return p
}
