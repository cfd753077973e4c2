package blas

import (
	"errors"
	"math"
	"strconv"
)

// Kernels is the table of who computes what: one backend for each operation,
// chosen once by [Select] and then read-only, so that it may be shared by any
// number of goroutines.
type Kernels struct {
	Choice  string // the name asked for: "auto" or a backend's
	level3  Backend
	dense   Dense
	denseHi Dense // dense factorisations from the crossovers on
	factors int   // the order from which singular values and Cholesky factors are denseHi's
	inline  int   // the largest m·n·k of A·Bᵀ that is computed without a backend
}

// only serves every operation from one backend, the reference filling in what
// it does not offer.
func only(c candidate) *Kernels {
	k := &Kernels{Choice: c.name, level3: c.level3, dense: c.dense, factors: factorCrossover, inline: gemmInline}
	if k.level3 == nil {
		k.level3 = gonumBackend{}
	}
	if k.dense == nil {
		k.dense = gonumBackend{}
	}
	k.denseHi = k.dense
	if c.name == "native" {
		k.inline = gemmInlineNative
	}
	return k
}

// automatic chooses for each operation the fastest backend in this build on this CPU: products from
// the assembly of native where the CPU has AVX2 or is an arm64, otherwise from OpenBLAS where it is linked,
// otherwise from gonum; decompositions from our own solvers over those products, but from OpenBLAS, where it is linked,
// eigenpairs of large matrices, and without the assembly singular values and Cholesky factors too.
func automatic() *Kernels {
	k := only(registry[0])
	k.Choice = "auto"
	linked := false
	for _, c := range registry {
		if c.name == "openblas" {
			k.level3, k.denseHi, linked = c.level3, c.dense, true
		}
	}
	if kernel.vectorized {
		k.level3, k.inline, k.factors = nativeBackend{}, gemmInlineNative, math.MaxInt
	}
	k.dense = nativeDense{k.level3}
	if !linked {
		k.denseHi = k.dense
	}
	return k
}

// Name says which backend computes the products, the bulk of all work.
func (k *Kernels) Name() string { return k.level3.Name() }

// Single reports whether [MulTransposed32] is the fast way to products that need
// few digits: where the products come from native's assembly.
func (k *Kernels) Single() bool { return k.level3 == nativeBackend{} && kernel.vectorized }

// Vectorized reports whether the products run on vector instructions with a
// blocking of their own, so that they are better asked for in large pieces.
func (k *Kernels) Vectorized() bool {
	return k.level3 != gonumBackend{} && (k.level3 != nativeBackend{} || kernel.vectorized)
}

// Gemm computes C = alpha·op(A)·op(B) + beta·C; see [Backend].
func (k *Kernels) Gemm(tA, tB bool, m, n, p int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	if m*n*p <= k.inline && !tA && tB {
		gemmNT(m, n, p, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	k.level3.Gemm(tA, tB, m, n, p, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Syrk computes the upper triangle of a product of a matrix with its own
// transpose; see [Backend].
func (k *Kernels) Syrk(trans bool, n, p int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if n > 0 {
		k.level3.Syrk(trans, n, p, alpha, a, lda, beta, c, ldc)
	}
}

// Gemv computes y = alpha·op(A)·x + beta·y; see [Backend].
func (k *Kernels) Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	k.level3.Gemv(trans, m, n, alpha, a, lda, x, beta, y)
}

// SymEig computes all eigenpairs of a symmetric matrix; see [Dense].
func (k *Kernels) SymEig(n int, a []float64, lda int, w []float64, work *Work) error {
	if !finiteRows(n, n, a, lda) {
		return errNotFinite
	}
	return k.denseFor(n, eigenCrossover).SymEig(n, a, lda, w, work)
}

// SymEigRange computes some eigenpairs of a symmetric matrix; see [Dense].
func (k *Kernels) SymEigRange(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	if !finiteRows(n, n, a, lda) {
		return errNotFinite
	}
	return k.denseFor(n, eigenCrossover).SymEigRange(n, lo, hi, a, lda, w, z, ldz, work)
}

// SVD computes a thin singular value decomposition; see [Dense].
func (k *Kernels) SVD(m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work *Work) error {
	if !finiteRows(m, n, a, lda) {
		return errNotFinite
	}
	return k.denseFor(min(m, n), k.factors).SVD(m, n, a, lda, s, u, ldu, vt, ldvt, work)
}

// Cholesky factorises a symmetric positive definite matrix; see [Dense].
func (k *Kernels) Cholesky(n int, a []float64, lda int) bool {
	return k.denseFor(n, k.factors).Cholesky(n, a, lda)
}

// errNotFinite is the refusal of a decomposition, whose iterations need not end where numbers are not finite.
var errNotFinite = errors.New("blas: the matrix of a decomposition holds NaN or infinities")

// finiteRows reports whether the entries of m rows of n are numbers: x − x is zero for these alone.
func finiteRows(m, n int, a []float64, lda int) bool {
	for i := range m {
		var sum float64
		for _, v := range a[i*lda : i*lda+n] {
			sum += v - v
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

func (k *Kernels) denseFor(n, crossover int) Dense {
	if n >= crossover {
		return k.denseHi
	}
	return k.dense
}

// The sizes at which one implementation takes over from another. All of them
// were measured (see the package's benchmarks) and none of them changes
// a result beyond rounding.
const (
	// gemmInline is the largest m·n·k of A·Bᵀ that the inlined loop serves: below
	// it, a call into a backend costs more than the product.
	gemmInline = 1 << 14
	// gemmInlineNative is the same for the native backend.
	gemmInlineNative = 1 << 7
	// factorCrossover is the order from which a linked LAPACK beats ours in singular values and Cholesky factors
	// where there is no assembly, and eigenCrossover that from which it beats our own eigensolver.
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
	}{{"symmetric eigen", eigenCrossover}, {"svd", k.factors}, {"cholesky", k.factors}} {
		low, high := k.dense.Name(), k.denseHi.Name()
		if low == high || o.from == math.MaxInt {
			ops = append(ops, Operation{o.name, low, ""})
			continue
		}
		n := strconv.Itoa(o.from)
		ops = append(ops, Operation{o.name, low, "n < " + n}, Operation{o.name, high, "n ≥ " + n})
	}
	return ops
}
