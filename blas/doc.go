// Package blas holds the dense kernels that the rest of orthant is built on,
// and the choice of who computes them.
//
// A [Kernels] value is a table with one backend for each operation. [Select]
// makes one from a name ("auto", "gonum", "native", "openblas") and the CPU that
// it runs on; everything above this package is handed a *Kernels and never asks
// which backend is behind it:
//
//	k, err := blas.Select("")          // $ORTHANT_BLAS, else auto
//	k.Gemm(false, true, m, n, p, 1, a, lda, b, ldb, 0, c, ldc)
//
// Matrices are row-major float64 slices with an explicit leading dimension.
// Shapes are the caller's responsibility: a wrong one panics, as in gonum;
// numerical failure is returned.
//
// The backend "native" computes level 2 and 3 in assembly for AVX2 and AVX-512 (amd64)
// and NEON (arm64), and in Go elsewhere and with the tag noasm. Each of its sums is
// defined once, as a chain of fused multiply-adds,
// so that its bits depend neither on the instruction level nor on tiles nor on
// threads, on any CPU that fuses. $ORTHANT_ISA caps the level. A level is one
// value, a table of kernels (kernel_set.go). The assembly is written by the
// generators in _gen:
//
//	go generate ./blas
//
// Work too small or too light to be worth a choice of backend is plain
// functions: [Dot], [Axpy], [SquaredDistance], [Exp], the scans [Candidates] and [CandidatesSquared], the
// products [MulCSR], [MulCSRBlock] and [MulTransposed32], the k × k
// [CholeskySmall] and [SymEigSmall]. The package also owns what all parallel and all random code
// shares: [For], which splits work into fixed blocks so that the same input
// gives the same bits for any number of threads, and [Stream], the seeded
// random numbers. It knows nothing of manifolds.
package blas

//go:generate go run -C _gen . -isa avx2 -out ../kernel_gen_amd64.s -stubs ../kernel_gen_amd64.go -pkg blas
//go:generate go run -C _gen . -isa avx512 -out ../kernel512_gen_amd64.s -stubs ../kernel512_gen_amd64.go -pkg blas
//go:generate go run -C _gen ./neon -out ../kernel_gen_arm64.s -stubs ../kernel_gen_arm64.go
