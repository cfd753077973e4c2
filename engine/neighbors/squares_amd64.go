//go:build !noasm

package neighbors

import "github.com/orthant-go/orthant/blas"

// lanes tells whether the loops in assembly are in use. A variable so that tests
// can compare both ways.
var lanes = blas.Vectorised()

//go:noescape
func squaresAVX2(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func dotsAVX2(x, rows *float32, at *int32, width, count int, out *float32)
