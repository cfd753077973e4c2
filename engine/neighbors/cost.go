package neighbors

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// ShortSearch is the time, in CPU seconds, up to which an exact search is preferred if an approximate
// one is allowed: see [ApproximateOptions].
const ShortSearch = 3.

// The seconds of single operations on the processor of the measurements (AVX-512 with products of bytes, MNIST and
// the clustered samples of the suite neighbours). They are constants, so that the choice of a search, and hence the
// result, does not depend on the machine.
const (
	byteProduct   = 3e-12   // of two bytes
	singleProduct = 1.5e-11 // of two single-precision numbers
	pairScan      = 3e-10   // for each pair, in addition to its product
	treeStep      = 1e-7    // for each sample, level of the k-d tree and neighbour
	rowInLeaf     = 2.5e-6  // for each sample in one partition, in addition to its products
	entryRead     = 1.5e-9  // for each entry, to round and measure it
	partitions    = 4       // usually enough
	pairsOfRow    = 4000    // products of a row in one partition, with pivots and in leaves
)

// ExactSeconds estimates the time of [Exact] on a current processor with the given number of threads.
func ExactSeconds(n, m, k, threads int) float64 {
	rows, cols := float64(n), float64(m)
	var seconds float64
	switch pairs := rows * rows / 2; exactMethod(m, k) {
	case tree:
		seconds = rows * float64(k+10) * treeStep * (1 + cols/4)
	case coded:
		seconds = pairs * (cols*byteProduct + pairScan)
	default:
		seconds = pairs * (cols*singleProduct + pairScan)
	}
	return seconds / float64(blas.Threads(threads))
}

// exactMethod returns the method of [Exact] with kernels that have single precision.
func exactMethod(m, k int) method {
	switch {
	case m <= treeColumns:
		return tree
	case m <= blas.MaxCodeColumns && m >= codedColumns+columnsPerNeighbor*k:
		return coded
	}
	return blocked
}

// ExactMethod returns the name of the method that [Exact] uses for samples of m columns.
func ExactMethod(m, k int) string {
	return map[method]string{tree: "a k-d tree", coded: "products of bytes", blocked: "products in single precision"}[exactMethod(m, k)]
}

// WhyExact explains why [Approximate] uses the exact search for n × m samples from the outset; "": it does not.
func (o ApproximateOptions) WhyExact(n, m, k int) string {
	exact, approximate := ExactSeconds(n, m, k, 1), ApproximateSeconds(n, m, k, 1)
	switch {
	case n < minSamples(k):
		return fmt.Sprintf("it is as fast for fewer than %d samples", minSamples(k))
	case m <= fewColumns:
		return fmt.Sprintf("it is faster in up to %d columns", fewColumns)
	case o.ExactWithin > 0 && exact <= o.ExactWithin:
		return fmt.Sprintf("it takes less than %g s of a processor", o.ExactWithin)
	case o.ExactWithin > 0 && exact <= approximate:
		return "it takes less time"
	}
	return ""
}

// minSamples is the number of samples from which [Approximate] searches approximately.
func minSamples(k int) int { return max(smallest, 20*k) }

// ApproximateSeconds returns the same for [Approximate], for samples near a manifold of about ten dimensions.
func ApproximateSeconds(n, m, k, threads int) float64 {
	if n < minSamples(k) || m <= fewColumns {
		return ExactSeconds(n, m, k, threads)
	}
	rows, cols := float64(n), float64(m)
	partition := rows * (pairsOfRow*(cols*byteProduct+pairScan/2) + rowInLeaf)
	return (partitions*partition + rows*cols*entryRead*float64(2+k/8)) / float64(blas.Threads(threads))
}
