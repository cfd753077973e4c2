package blas

// The sizes at which one implementation takes over from another. All of them
// were measured (see the benchmarks beside this file) and none of them changes
// a result beyond rounding.
const (
	// gemmInline is the largest m·n·k of A·Bᵀ that the inlined loop serves: below
	// it, a call into a backend costs more than the product.
	gemmInline = 1 << 14
	// denseCrossover is the order from which a linked LAPACK beats gonum's.
	denseCrossover = 50
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
		{"gemm", "inline", "A·Bᵀ with m·n·k ≤ 16384"},
		{"gemm", k.level3.Name(), "otherwise"},
		{"syrk", k.level3.Name(), ""},
		{"gemv", k.level3.Name(), ""},
		{"dot, axpy, distances", "inline", ""},
		{"k × k Cholesky and eigen (patches)", "inline", ""},
		{"csr products", "inline", ""},
	}
	for _, name := range []string{"symmetric eigen", "svd", "cholesky"} {
		if k.dense.Name() == k.denseHi.Name() {
			ops = append(ops, Operation{name, k.dense.Name(), ""})
			continue
		}
		ops = append(ops, Operation{name, k.dense.Name(), "n < 50"}, Operation{name, k.denseHi.Name(), "n ≥ 50"})
	}
	return ops
}
