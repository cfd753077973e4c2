// Command _gen writes the assembly of package blas. It is a module of its own
// so that the generator's dependencies never reach the library. Run it from
// this folder:
//
//	go run . -isa avx2 -out ../kernel_gen_amd64.s -stubs ../kernel_gen_amd64.go -pkg blas
//	go run . -isa avx512 -out ../kernel512_gen_amd64.s -stubs ../kernel512_gen_amd64.go -pkg blas
//
// Every register is named: an allocator that is free to choose may take
// registers 16 to 31 in an AVX2 function, which encodes as AVX-512 without a
// word and fails on the CPUs that the function is meant for.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

var isa = flag.String("isa", "avx2", "instruction level of the kernels: avx2 or avx512")

func main() {
	flag.Parse()
	ConstraintExpr("!noasm")
	switch *isa {
	case "avx2":
		masks := maskTables()
		for _, e := range []element{f64, f32} {
			for _, t := range []struct{ vectors, rows int }{{1, 6}, {2, 6}, {3, 4}} {
				for rows := 1; rows <= t.rows; rows++ {
					tile(e, avx2, t.vectors, rows, false, masks)
					tile(e, avx2, t.vectors, rows, true, masks)
				}
			}
		}
		packTransposed(f64)
		packTransposed(f32)
		for _, width := range []int{6, 8, 14, 16} {
			packRows(width)
		}
		vectors(masks)
		products()
		largest()
		exponential()
		signed()
		panels()
		lanes()
		codes2()
		scanCodes()
	case "avx512":
		for _, e := range []element{f64, f32} {
			for _, t := range []struct{ vectors, rows int }{{1, 14}, {2, 14}, {3, 8}} {
				for rows := 1; rows <= t.rows; rows++ {
					tile(e, avx512, t.vectors, rows, true, masks{})
				}
			}
		}
		axpy512()
		signed512()
		lanes512()
		codes512()
	}
	Generate()
}
