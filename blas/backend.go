package blas

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Backend computes the level-2 and level-3 products. Implementations are safe
// for concurrent use and run each call on the calling goroutine's behalf; work
// is spread over threads above this interface.
type Backend interface {
	Name() string
	// Gemm computes C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) is
	// k×n and C is m×n. With beta = 0, C is written without being read.
	Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	// Syrk computes the upper triangle of C = alpha·A·Aᵀ + beta·C (A is n×k), or
	// of alpha·Aᵀ·A + beta·C (A is k×n) when trans is set.
	Syrk(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
	// Gemv computes y = alpha·op(A)·x + beta·y for an m×n matrix A.
	Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64)
}

// Dense computes the factorisations of dense matrices.
type Dense interface {
	Name() string
	// SymEig overwrites the symmetric n×n matrix a (both triangles given) with its
	// eigenvectors, one in each row, and w with the eigenvalues, ascending.
	SymEig(n int, a []float64, lda int, w []float64, work *Work) error
	// SymEigRange computes the eigenpairs lo ≤ j < hi, counted from the smallest:
	// w[j−lo] and row j−lo of z. It destroys a.
	SymEigRange(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *Work) error
	// SVD computes the thin factorisation A = U·diag(s)·Vᵀ of an m×n matrix with
	// p = min(m, n): u is m×p, s descending, vt is p×n. It destroys a.
	SVD(m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work *Work) error
	// Cholesky overwrites the lower triangle of a with L, A = L·Lᵀ, and reports
	// whether A was positive definite. The strict upper triangle is left alone.
	Cholesky(n int, a []float64, lda int) bool
}

// Work is scratch space that grows to the size that a call needs and is then reused, so
// that repeated calls do not allocate. The zero value is ready. A Work belongs
// to one goroutine at a time.
type Work struct {
	f []float64
	i []int32
}

// floats returns n numbers of scratch with unspecified content.
func (w *Work) floats(n int) []float64 {
	if cap(w.f) < n {
		w.f = make([]float64, n)
	}
	return w.f[:n]
}

// ints returns n integers of scratch with unspecified content.
func (w *Work) ints(n int) []int32 {
	if cap(w.i) < n {
		w.i = make([]int32, n)
	}
	return w.i[:n]
}

// NonConvergence is the error of an iterative dense factorisation that did not
// finish; in practice its input held NaN or infinities.
type NonConvergence struct{ Routine string }

func (e NonConvergence) Error() string {
	return "blas: " + e.Routine + " did not converge (does the matrix hold NaN or infinities?)"
}

// registry lists what this build contains, the reference first. Files with
// build tags add to it.
var registry = []candidate{{name: "gonum", level3: gonumBackend{}, dense: gonumBackend{}}}

// candidate is one backend of a build: its kernels, and whether this CPU can run it (nil: any can).
type candidate struct {
	name   string
	level3 Backend // nil: not offered
	dense  Dense   // nil: not offered
	usable func() error
}

// Available names the backends compiled into this binary that this CPU can
// run, and "auto".
func Available() []string {
	names := []string{"auto"}
	for _, c := range registry {
		if c.usable == nil || c.usable() == nil {
			names = append(names, c.name)
		}
	}
	return names
}

// Known names every backend of the project, in this build or not.
var Known = []string{"auto", "gonum", "native", "openblas"}

// Select returns the kernels of the named backend; the empty name means
// $ORTHANT_BLAS, and "auto" where that is empty too. "auto" chooses for each
// operation. $ORTHANT_ISA (generic, avx2, avx512; on arm64 generic, neon, dotprod) caps the instruction level of
// the native kernels. An explicit choice that cannot be had is an error that lists what
// can be; it is never replaced silently.
func Select(name string) (*Kernels, error) {
	from := ""
	if name == "" {
		name, from = os.Getenv("ORTHANT_BLAS"), " (from ORTHANT_BLAS)"
	}
	name = strings.ToLower(strings.TrimSpace(name))
	if _, err := parseISA(os.Getenv("ORTHANT_ISA")); err != nil {
		return nil, err
	}
	if name == "" || name == "auto" {
		return automatic(), nil
	}
	for _, c := range registry {
		if c.name != name {
			continue
		}
		if c.usable != nil {
			if err := c.usable(); err != nil {
				return nil, fmt.Errorf("blas: backend %q%s: %w; available: %s", name, from, err, strings.Join(Available(), ", "))
			}
		}
		return only(c), nil
	}
	reason := "unknown backend"
	for _, k := range Known {
		if k == name {
			reason = "this binary was built without backend"
		}
	}
	return nil, fmt.Errorf("blas: %s %q%s; available: %s", reason, name, from, strings.Join(Available(), ", "))
}

// MustSelect is Select for tests and examples: it panics on an error.
func MustSelect(name string) *Kernels {
	k, err := Select(name)
	if err != nil {
		panic(err)
	}
	return k
}

// libraryVersion is the version that a linked library reports; empty in pure Go.
var libraryVersion string

// Info describes the machine and the choices made on it; every benchmark row
// and `orthant info` carry it.
type Info struct {
	CPU        string      `json:"cpu"`
	Arch       string      `json:"arch"`
	Cores      int         `json:"cores"`
	Features   []string    `json:"features"`
	CacheL1    int         `json:"cache_l1_bytes"`
	CacheL2    int         `json:"cache_l2_bytes"`
	CacheL3    int         `json:"cache_l3_bytes"`
	Known      []string    `json:"backends_known"`
	Available  []string    `json:"backends_available"`
	Choice     string      `json:"choice"`
	Backend    string      `json:"backend"`
	ISA        string      `json:"isa"` // of the native kernels: generic; avx2 or avx512; neon or dotprod
	Library    string      `json:"library,omitempty"`
	Operations []Operation `json:"operations"`
}

// Describe reports the CPU that the program runs on and what k resolves to.
// Cache sizes are the CPU's, with ordinary sizes instead of those that it does not report (virtual
// machines often report 0).
func Describe(k *Kernels) Info {
	cpu := cpuid.CPU
	or := func(got, usual int) int {
		if got <= 0 {
			return usual
		}
		return got
	}
	name := cpu.BrandName
	if name == "" {
		name = "unknown " + runtime.GOARCH
	}
	// Only the features that decide a kernel, in the order of their strength.
	var features []string
	for _, f := range []cpuid.FeatureID{cpuid.SSE2, cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW, cpuid.ASIMD, cpuid.SVE} {
		if cpu.Supports(f) {
			features = append(features, f.String())
		}
	}
	return Info{
		CPU: name, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Features: features,
		CacheL1: or(cpu.Cache.L1D, 32<<10), CacheL2: or(cpu.Cache.L2, 512<<10), CacheL3: or(cpu.Cache.L3, 8<<20),
		Known: Known, Available: Available(), Choice: k.Choice, Backend: k.Name(), ISA: kernel.level.String(), Library: libraryVersion, Operations: k.Operations(),
	}
}
