package alm

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Options of [Factorize]. Only Rank has no default.
type Options struct {
	Rank   int     // r, from 1 to n
	Lambda float64 // λ ≥ 0, the weight of the graph term

	Mu  float64 // the penalty of the first pass; 0: 1e-2
	Rho float64 // by which it grows, ≥ 1; 0: 1.1
	Cap float64 // which it does not exceed; 0: 1e10

	// Balanced sets the penalty of the first pass by the start, in place of Mu: the larger of
	// a tenth over the median residual of the samples and 2λ times the largest degree.
	Balanced bool
	Hold     int // passes before the penalty begins to grow

	// Harden looks every this many passes at the partition by the largest entries of W, and
	// returns of all of them, the start's first, the one whose feasible factors have the
	// least objective, with these factors: see [Result.Partitions]. Where none is better than
	// the start's, it is that after a descent by single samples. 0: the factors of the last
	// pass are returned.
	Harden int

	Passes    int     // at most; 0: 150
	Tolerance float64 // stop once all residuals are at most so large; 0: never

	// W (n × r) and H (r × m) are the start, see [Start]; they
	// are copied.
	W, H []float64

	TraceEvery int // passes between two points of the trace; 0: 10
	// Watch is shown every pass, without the Regularizer; returning true ends the
	// iteration.
	Watch    func(Point) bool
	Progress func(done float64)
	Lean     bool          // of [NewAdaptive]: keep no n × n distances
	Threads  int           // 0: all cores
	Kernels  *blas.Kernels // nil: blas.Select("")
}

// Point is what is known after a pass, in terms of its own penalty and factors.
type Point struct {
	Pass int
	Mu   float64 // of the pass
	// Residuals are ‖X − WH − E‖_F/‖X‖_F, ‖W − W₊‖_F/√r and the residual of the graph.
	Residuals   [3]float64
	Loss        float64 // Σᵢ ‖(X − WH)ᵢ‖₂
	Relative    float64 // ‖X − WH‖_F/‖X‖_F
	Regularizer float64 // λ tr(WᵀΦW) with the affinities of the next pass; of the trace only
}

// Largest is the largest residual.
func (p Point) Largest() float64 { return max(p.Residuals[0], p.Residuals[1], p.Residuals[2]) }

// Result is what an iteration found.
type Result struct {
	W               []float64 // n × r, orthonormal columns, nonnegative up to Residuals[1]
	NonnegativePart []float64 // W₊, n × r, nonnegative, orthonormal up to Residuals[1]
	H               []float64 // r × m
	Passes          int
	Converged       bool    // the tolerance was reached
	Trace           []Point // the start (as pass 0, with E = 0), every TraceEvery-th pass and the last

	// With [Options.Harden]: the partitions, beginning with the start, under the last
	// affinities, and which of them W and H are of. Equal ones in a row are there once.
	Partitions []Hard
	Best       int
}

// tiny guards divisions by norms.
const tiny = 1e-12

func (o Options) filled(n, m int) (Options, error) {
	if o.Rank < 1 || o.Rank > n {
		return o, fmt.Errorf("alm: rank %d for %d samples; give a number from 1 to %d", o.Rank, n, n)
	}
	for _, v := range []struct {
		name         string
		value, least float64
	}{
		{"λ", o.Lambda, 0}, {"the penalty", o.Mu, 0}, {"the cap of the penalty", o.Cap, 0},
		{"the tolerance", o.Tolerance, 0}, {"the number of passes", float64(o.Passes), 0},
		{"the number of passes between points of the trace", float64(o.TraceEvery), 0},
		{"the number of passes with the first penalty", float64(o.Hold), 0}, {"the number of passes between partitions", float64(o.Harden), 0},
	} {
		if !(v.value >= v.least) || v.value-v.value != 0 {
			return o, fmt.Errorf("alm: %s is %v; give a finite number ≥ 0", v.name, v.value)
		}
	}
	if o.Rho != 0 && !(o.Rho >= 1) || o.Rho-o.Rho != 0 {
		return o, fmt.Errorf("alm: the penalty grows by %v; give a finite number ≥ 1", o.Rho)
	}
	if len(o.W) != n*o.Rank || len(o.H) != o.Rank*m {
		return o, fmt.Errorf("alm: a start of %d and %d numbers; give %d × %d indicators and %d × %d components", len(o.W), len(o.H), n, o.Rank, o.Rank, m)
	}
	setDefault(&o.Mu, 1e-2)
	setDefault(&o.Rho, 1.1)
	setDefault(&o.Cap, 1e10)
	setDefault(&o.Passes, 150)
	setDefault(&o.TraceEvery, 10)
	o.Mu = min(o.Mu, o.Cap)
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if o.Watch == nil {
		o.Watch = func(Point) bool { return false }
	}
	var err error
	if o.Kernels == nil {
		o.Kernels, err = blas.Select("")
	}
	return o, err
}

func setDefault[T int | float64](x *T, value T) {
	if *x == 0 {
		*x = value
	}
}
