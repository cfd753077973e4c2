package neighbors

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// largest bounds the queries among samples of ordinary magnitude, so that no squared
// distance overflows.
const largest = 1e150

// divided is the power of two by which samples were divided, with their largest entry.
type divided struct {
	exponent int
	row, col int // from 0
	value    float64
}

// ordinary returns the points divided by a power of two if they are of unusual
// magnitude; otherwise unchanged, without a copy.
func ordinary(x Points) (Points, divided) {
	data := x.Data[:x.N*x.M]
	e := magnitude.Exponent(magnitude.Size(data))
	if e == 0 {
		return x, divided{}
	}
	at, _ := magnitude.Largest(data)
	return x.over(e), divided{e, at / x.M, at % x.M, data[at]}
}

// over returns the points divided by 2^e.
func (x Points) over(e int) Points {
	if e != 0 {
		x.Data = magnitude.Scaled(-e, x.Data[:x.N*x.M])
	}
	return x
}

// restore gives the distances of a graph the unit of the samples.
func (d divided) restore(g *Graph) error { return d.rescale(g.Dist) }

// rescale gives distances the unit of the samples.
func (d divided) rescale(dist []float64) error {
	magnitude.Scale(d.exponent, dist)
	for _, v := range dist {
		if math.IsInf(v, 0) {
			return fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %.4g, the largest entry, and distances overflow; divide the data by 10", d.row+1, d.col+1, d.value)
		}
	}
	return nil
}

// checkFinite returns an error for the first entry that is NaN or infinite.
func checkFinite(x Points) error {
	if magnitude.Size(x.Data[:x.N*x.M]) <= math.MaxFloat64 {
		return nil
	}
	for p, v := range x.Data[:x.N*x.M] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return notFinite(p/x.M, p%x.M, v)
		}
	}
	return nil
}

// notFinite returns the error about an entry; row and column count from 0.
func notFinite(row, col int, v float64) error {
	return fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %v; remove or fill in entries that are not finite", row+1, col+1, v)
}

// checkQueries refuses queries so much larger than the samples, which were divided by
// 2^e, that squared distances would overflow.
func checkQueries(x *Stored, e int) error {
	most, into := maxQuery(e), x.scratch()
	for i := range x.n {
		for j, v := range x.Row(i, into) {
			if err := checkQuery(i, j, v, most); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxQuery returns the bound on the entries of queries among samples that were divided by 2^e.
func maxQuery(e int) float64 { return min(magnitude.Times(largest, e), math.MaxFloat64) }

// checkQuery returns an error for an entry beyond the bound.
func checkQuery(row, col int, v, most float64) error {
	switch {
	case math.Abs(v) <= most:
		return nil
	case math.IsNaN(v) || math.IsInf(v, 0):
		return notFinite(row, col, v)
	}
	return fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %g; distances would overflow, so rescale the data to below %.4g", row+1, col+1, v, most)
}
