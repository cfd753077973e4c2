package backends

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// operation is a dense operation on matrices of one size.
type operation struct {
	name     string
	title    string
	group    string // what dispatch calls it
	sizes    []int
	quick    int // the largest size of the quick version
	flops    func(n float64) float64
	destroys bool // the matrix it is given
	begin    func(k *blas.Kernels, n int) prepared
}

var operations = []operation{
	{name: "gemm", title: "Gemm, C = AB", group: "gemm", sizes: []int{64, 256, 1024}, quick: 1024, begin: beginGemm,
		flops: func(n float64) float64 { return 2 * n * n * n }},
	{name: "syrk", title: "Syrk, C = AAᵀ", group: "syrk", sizes: []int{64, 256, 1024}, quick: 1024, begin: beginSyrk,
		flops: func(n float64) float64 { return n * n * n }},
	{name: "gemv", title: "Gemv, y = Ax", group: "gemv", sizes: []int{64, 256, 2048}, quick: 2048, begin: beginGemv,
		flops: func(n float64) float64 { return 2 * n * n }},
	{name: "symeig", title: "SymEig, all pairs", group: "symmetric eigen", sizes: []int{64, 256, 768}, quick: 256, begin: beginSymEig, destroys: true,
		flops: func(n float64) float64 { return 9 * n * n * n }},
	{name: "symeigrange", title: "SymEigRange, 10 smallest", group: "symmetric eigen", sizes: []int{64, 256, 768}, quick: 256, begin: beginSymEigRange, destroys: true,
		flops: func(n float64) float64 { return 4 * n * n * n / 3 }},
	{name: "cholesky", title: "Cholesky", group: "cholesky", sizes: []int{64, 256, 1024}, quick: 256, begin: beginCholesky, destroys: true,
		flops: func(n float64) float64 { return n * n * n / 3 }},
	{name: "svd", title: "SVD, thin, 2n × n", group: "svd", sizes: []int{64, 256}, quick: 64, begin: beginSVD, destroys: true,
		flops: func(n float64) float64 { return 14*2*n*n*n + 8*n*n*n }},
}

// normals returns count normal numbers, the same every time.
func normals(count int) []float64 {
	x := make([]float64, count)
	blas.NewStream(1).Normals(x)
	return x
}

// symmetric returns a symmetric matrix, with shift·n added to its diagonal.
func symmetric(n int, shift float64) []float64 {
	a := normals(n * n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] += shift * float64(n)
	}
	return a
}

// prepared is an operation with its operands.
type prepared struct {
	matrix []float64                     // of each call
	call   func(a []float64) error       // computes once, on a copy of the matrix where it destroys it
	errors func(after []float64) float64 // of what the last call computed; after is its matrix
}

func beginGemm(k *blas.Kernels, n int) prepared {
	a, b, c := normals(n*n), normals(n*n), make([]float64, n*n)
	return prepared{a, func(a []float64) error {
		k.Gemm(false, false, n, n, n, 1, a, n, b, n, 0, c, n)
		return nil
	}, func([]float64) float64 {
		return productError(n, n, func(i, j int) (x, y []float64, got float64) {
			column := make([]float64, n)
			for l := range column {
				column[l] = b[l*n+j]
			}
			return a[i*n : (i+1)*n], column, c[i*n+j]
		})
	}}
}

func beginSyrk(k *blas.Kernels, n int) prepared {
	a, c := normals(n*n), make([]float64, n*n)
	return prepared{a, func(a []float64) error {
		k.Syrk(false, n, n, 1, a, n, 0, c, n)
		return nil
	}, func([]float64) float64 {
		return productError(n, n, func(i, j int) (x, y []float64, got float64) {
			i, j = min(i, j), max(i, j)
			return a[i*n : (i+1)*n], a[j*n : (j+1)*n], c[i*n+j]
		})
	}}
}

func beginGemv(k *blas.Kernels, n int) prepared {
	a, x, y := normals(n*n), normals(n), make([]float64, n)
	return prepared{a, func(a []float64) error {
		k.Gemv(false, n, n, 1, a, n, x, 0, y)
		return nil
	}, func([]float64) float64 {
		return productError(n, 1, func(i, _ int) (row, with []float64, got float64) { return a[i*n : (i+1)*n], x, y[i] })
	}}
}

func beginSymEig(k *blas.Kernels, n int) prepared {
	w, work, a := make([]float64, n), new(blas.Work), symmetric(n, 0)
	return prepared{a, func(a []float64) error { return k.SymEig(n, a, n, w, work) },
		func(z []float64) float64 { return pairError(n, n, a, w, z) }}
}

func beginSymEigRange(k *blas.Kernels, n int) prepared {
	const pairs = 10
	w, z, work, a := make([]float64, pairs), make([]float64, pairs*n), new(blas.Work), symmetric(n, 0)
	return prepared{a, func(a []float64) error { return k.SymEigRange(n, 0, pairs, a, n, w, z, n, work) },
		func([]float64) float64 { return pairError(n, pairs, a, w, z) }}
}

func beginCholesky(k *blas.Kernels, n int) prepared {
	a := symmetric(n, 2) // 2n beyond √(2n), about where the spectrum ends
	return prepared{a, func(a []float64) error {
		if !k.Cholesky(n, a, n) {
			return fmt.Errorf("cholesky: the matrix of order %d was not found positive definite", n)
		}
		return nil
	}, func(after []float64) float64 {
		l := slices.Clone(after)
		for i := range n {
			clear(l[i*n+i+1 : (i+1)*n])
		}
		return leftOver(n, n, n, a, l, l, true)
	}}
}

func beginSVD(k *blas.Kernels, n int) prepared {
	s, u, vt, work, a := make([]float64, n), make([]float64, 2*n*n), make([]float64, n*n), new(blas.Work), normals(2*n*n)
	return prepared{a, func(a []float64) error { return k.SVD(2*n, n, a, n, s, u, n, vt, n, work) },
		func([]float64) float64 {
			scaled := slices.Clone(u)
			for i := range 2 * n {
				for j, v := range s {
					scaled[i*n+j] *= v
				}
			}
			return leftOver(2*n, n, n, a, scaled, vt, false)
		}}
}

// atLeast is how long an operation is repeated for one measurement, in seconds
// of processor time.
const atLeast = 0.05

// run computes the operation again and again until there is something to
// measure, and reports the seconds of one call and the error of the last.
func (op *operation) run(ctx context.Context, c *bench.Case, backend string, n int) (*bench.Outcome, error) {
	kernels, err := blas.Select(backend)
	if err != nil {
		return nil, err
	}
	p := op.begin(kernels, n)
	matrix, call := p.matrix, p.call
	// One call to have caches, pages and scratch ready, which also says how many
	// copies to prepare.
	first := engine.NewClock()
	if err := call(slices.Clone(matrix)); err != nil {
		return nil, err
	}
	wall, _ := first.Seconds()
	reps := int(min(max(atLeast/max(wall["total"], 1e-7), 1), 1e6))
	if op.destroys {
		const most = 64 << 20 / 8 // numbers in copies
		reps = min(reps, max(1, most/len(matrix)))
	}
	copies := make([][]float64, reps)
	for i := range copies {
		copies[i] = matrix
		if op.destroys {
			copies[i] = slices.Clone(matrix)
		}
	}
	clock := engine.NewClock()
	for _, a := range copies {
		if err := call(a); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	wall, cpu := clock.Seconds()
	out := &bench.Outcome{
		Seconds:    engine.Seconds{"total": wall["total"] / float64(reps)},
		CPUSeconds: engine.Seconds{"total": cpu["total"] / float64(reps)},
		Samples:    len(matrix) / n, Features: n, Backend: backend,
		Note: fmt.Sprintf("%d calls; computed by %s", reps, op.computedBy(kernels)),
	}
	out.Quality = map[string]float64{}
	if seconds := out.CPUSeconds["total"]; seconds > 0 {
		out.Quality["gflops"] = op.flops(float64(n)) / seconds / 1e9
	}
	if c.FirstRepeat() {
		out.Quality["residual"] = p.errors(copies[reps-1])
	}
	return out, nil
}

// computedBy says who serves the operation in truth.
func (op *operation) computedBy(k *blas.Kernels) string {
	var list []string
	for _, o := range k.Operations() {
		if o.Operation == op.group {
			list = append(list, strings.TrimSpace(o.Backend+" "+o.When))
		}
	}
	return strings.Join(list, ", ")
}

// residualLimit is the largest residual of an operation on which a claim of speed may
// rest: a hundred times what the orders of the suite leave.
const residualLimit = 1e-12

// exactDot is Σxᵢyᵢ as if computed with twice the digits (Ogita, Rump, Oishi 2005).
func exactDot(x, y []float64) float64 {
	sum, low := 0.0, 0.0
	for i := range x {
		p := x[i] * y[i]
		low += math.FMA(x[i], y[i], -p)
		t := sum + p
		z := t - sum
		low += (sum - (t - z)) + (p - z)
		sum = t
	}
	return sum + low
}

// productError looks at entries all over a product of this many rows and columns, and
// returns the largest error relative to the lengths of the row and column behind it.
func productError(rows, cols int, entry func(i, j int) (x, y []float64, got float64)) float64 {
	const looked = 256
	worst := 0.0
	for at := range looked {
		i, j := at*(rows-1)/(looked-1), (at*97)%cols
		x, y, got := entry(i, j)
		size := math.Sqrt(blas.Dot(x, x) * blas.Dot(y, y))
		worst = max(worst, math.Abs(got-exactDot(x, y))/size)
	}
	return worst
}

// pairError is the largest of ‖Az − wz‖ over ‖A‖_F and of the entries of ZZᵀ − I, for
// eigenvectors in rows.
func pairError(n, pairs int, a, w, z []float64) float64 {
	reference := blas.MustSelect("gonum")
	az, gram := make([]float64, pairs*n), make([]float64, pairs*pairs)
	reference.Gemm(false, false, pairs, n, n, 1, z, n, a, n, 0, az, n) // A is symmetric
	reference.Gemm(false, true, pairs, pairs, n, 1, z, n, z, n, 0, gram, pairs)
	worst, size := 0.0, math.Sqrt(blas.Dot(a[:n*n], a[:n*n]))
	for j := range pairs {
		row := az[j*n : (j+1)*n]
		blas.Axpy(-w[j], z[j*n:(j+1)*n], row)
		worst = max(worst, math.Sqrt(blas.Dot(row, row))/size)
		gram[j*pairs+j]--
	}
	for _, v := range gram {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// leftOver is ‖A − BC‖_F / ‖A‖_F of an m × n matrix, or with C transposed.
func leftOver(m, n, p int, a, b, c []float64, transposed bool) float64 {
	rest := append([]float64(nil), a[:m*n]...)
	ldc := n
	if transposed {
		ldc = p
	}
	blas.MustSelect("gonum").Gemm(false, transposed, m, n, p, -1, b, p, c, ldc, 1, rest, n)
	return math.Sqrt(blas.Dot(rest, rest) / blas.Dot(a[:m*n], a[:m*n]))
}
