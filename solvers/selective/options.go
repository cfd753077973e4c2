package selective

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
	"github.com/orthant-go/orthant/solvers/projections"
)

// What becomes of the diagonal of Z.
const (
	Keep = "keep" // samples are ranked by whole rows of Z
	Rank = "rank" // zᵢᵢ does not count
	Drop = "drop" // no sample represents itself: its dissimilarity to itself is raised
)

// Norms of the rows of Z.
const (
	Max       = projections.Max
	Euclidean = projections.Euclidean
)

// Options of [New]. Only Neighbors has no default.
type Options struct {
	Neighbors int // k, from 1 to n−1
	// Exemplars is τ, the rows of Z that are kept, and the bound on the sum of their
	// norms; 0: a tenth of the samples, at least 1.
	Exemplars int
	All       bool // keep all rows: no exemplars are chosen

	Lambda float64 // λ ≥ 0
	Beta   float64 // β > 0; 0: λ, or 1 where that is 0 too

	// Fast replaces the bound by δ/2 ‖Z‖².
	Fast  bool
	Delta float64 // δ; 0: the δ for k nonzero entries per column, see [exemplars.AutoDelta]

	Norm      projections.Norm // of the rows of Z
	Distances bool             // of the samples, and squared ones of the factors, instead of kernel-mapped ones
	Input     bool             // keep the entries of the k nearest samples instead of the k largest
	Diagonal  string           // Keep, Rank or Drop; "": Keep
	Start     int              // iterations of A2DM2 for the start, at most; 0: 500
	Threads   int              // 0: all cores
	Kernels   *blas.Kernels    // nil: blas.Select("")
	Progress  func(done float64)
}

// filled checks the options and fills in the defaults.
func (o Options) filled(n, m, entries int) (Options, error) {
	if n < 2 || m < 1 || entries != n*m {
		return o, fmt.Errorf("selective: %d numbers of %d × %d samples; give at least 2 samples and 1 column", entries, n, m)
	}
	if o.Exemplars == 0 {
		o.Exemplars = DefaultExemplars(n)
	}
	if o.Beta == 0 {
		o.Beta = 1
		if o.Lambda > 0 {
			o.Beta = o.Lambda
		}
	}
	if o.Diagonal == "" {
		o.Diagonal = Keep
	}
	switch {
	case o.Neighbors < 1 || o.Neighbors > n-1:
		return o, fmt.Errorf("selective: %d neighbours of %d samples; give a number from 1 to %d", o.Neighbors, n, n-1)
	case o.Exemplars < 1 || o.Exemplars > n:
		return o, fmt.Errorf("selective: %d exemplars of %d samples; give a number from 1 to %d", o.Exemplars, n, n)
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1):
		return o, fmt.Errorf("selective: λ is %v; give a finite number ≥ 0", o.Lambda)
	case !(o.Beta > 0) || math.IsInf(o.Beta, 1) || math.IsInf(o.Lambda/o.Beta, 1):
		return o, fmt.Errorf("selective: β is %v with λ = %v; give a finite number > 0", o.Beta, o.Lambda)
	case !(o.Delta >= 0) || math.IsInf(o.Delta, 1):
		return o, fmt.Errorf("selective: δ is %v; give a finite number > 0, or 0 for the δ with k nonzero entries in each column", o.Delta)
	case !o.Fast && o.Norm == Euclidean && float64(o.Exemplars*o.Exemplars) < float64(n):
		return o, fmt.Errorf("selective: rows of Euclidean norms that sum to %d cannot have columns that sum to 1 each: with p = 2, give at least %.0f exemplars for %d samples", o.Exemplars, math.Ceil(math.Sqrt(float64(n))), n)
	case o.Diagonal != Keep && o.Diagonal != Rank && o.Diagonal != Drop:
		return o, fmt.Errorf("selective: diagonal %q; choose %s, %s or %s", o.Diagonal, Keep, Rank, Drop)
	}
	var err error
	if o.Kernels == nil {
		o.Kernels, err = blas.Select("")
	}
	return o, err
}

// DefaultExemplars returns the default number of exemplars of n samples: a tenth of them, at least 1.
func DefaultExemplars(n int) int { return max(1, int(math.Round(float64(n)/10))) }

// Bytes is about the most memory that [New] and [Graph.Update] need for n × m samples
// at a time. Equal samples represent each other: Z has an entry for each of this many
// ordered pairs of them.
func Bytes(n, m, equal int, o Options) int64 {
	samples := int64(n)
	k := min(samples, 4*int64(max(o.Neighbors, 1)))
	// The packed dissimilarities, a copy of the samples, columns of each worker, and
	// matrices of a few k entries a column: Z, its rows and its writers, or A too, or
	// the matrices of A2DM2.
	need := 4*samples*samples + 8*samples*int64(m) + int64(blas.Threads(o.Threads))*8*samples*4*exemplars.Width
	if o.Fast {
		return need + 3*12*samples*k + 28*int64(equal)
	}
	return need + 4*12*samples*k + 56*int64(equal)
}
