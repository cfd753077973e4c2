package blas

import "strconv"

// The sizes at which one implementation takes over from another. All of them
// were measured (see the benchmarks beside this file) and none of them changes
// a result beyond rounding.
const (
	// gemmInline is the largest m·n·k of A·Bᵀ that the inlined loop serves: below
	// it, a call into a backend costs more than the product.
	gemmInline = 1 << 14
	// gemmInlineNative is the same for the native backend.
	gemmInlineNative = 1 << 7
	// factorCrossover is the order from which a linked LAPACK beats gonum's in
	// singular values and Cholesky factors; eigenCrossover that from which it beats
	// our own eigensolver.
	factorCrossover = 50
	eigenCrossover  = 400
)

// Operation says which backend serves an operation, and from which size.
type Operation struct {
	Operation string `json:"operation"`
	Backend   string `json:"backend"`
	When      string `json:"when,omitempty"`
}

// Operations lists what each operation resolves to, for `orthant info`.
func (k *Kernels) Operations() []Operation {
	ops := []Operation{
		{"gemm", "inline", "A·Bᵀ with m·n·k ≤ " + strconv.Itoa(k.inline)},
		{"gemm", k.level3.Name(), "otherwise"},
		{"syrk", k.level3.Name(), ""},
		{"gemv", k.level3.Name(), ""},
		{"dot, axpy, distances, exp, scan", "native", "whatever the backend"},
		{"csr products, single-precision products", "native", "whatever the backend"},
		{"k × k Cholesky and eigen (patches)", "inline", ""},
	}
	for _, o := range []struct {
		name string
		from int
		own  bool // computed by our own solver, not by gonum
	}{{"symmetric eigen", eigenCrossover, true}, {"svd", factorCrossover, false}, {"cholesky", factorCrossover, false}} {
		low, high := k.dense.Name(), k.denseHi.Name()
		if low == high {
			if !o.own && low == "native" {
				low = "gonum"
			}
			ops = append(ops, Operation{o.name, low, ""})
			continue
		}
		if !o.own {
			low = "gonum"
		}
		n := strconv.Itoa(o.from)
		ops = append(ops, Operation{o.name, low, "n < " + n}, Operation{o.name, high, "n ≥ " + n})
	}
	return ops
}
