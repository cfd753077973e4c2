package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// countsOf is a table of small whole numbers, of three kinds of rows.
func countsOf(rows, cols int) *mat.Dense {
	x := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			if v := math.Sin(float64(3*i*j+i+7*j)) + 0.2; v > 0 || j%3 == i%3 {
				x.Set(i, j, math.Round(4*math.Abs(v)+float64(3-(i+j)%3)))
			}
		}
	}
	return x
}
