//go:build !amd64 || noasm

package neighbors

var lanes = false

func squaresAVX2(x, rows *float32, at *int32, width, count int, out *float32) { panic("unreachable") }

func dotsAVX2(x, rows *float32, at *int32, width, count int, out *float32) { panic("unreachable") }
