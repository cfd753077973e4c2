package neighbors

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// ShortSearch is the length, in seconds of a processor, up to which an exact search is preferred where an approximate
// one is allowed: see [ApproximateOptions].
const ShortSearch = 3.

// The seconds of one operation on the processor of the measurements (AVX-512 with products of bytes, MNIST and the
// clustered samples of the suite neighbours). The choice of a search must not depend on the machine, so that its
// result does not.
const (
	byteProduct   = 3e-12   // of two bytes
	singleProduct = 1.5e-11 // of two numbers in single precision
	pairScan      = 3e-10   // of a pair, besides its product
	treeStep      = 1e-7    // of a sample, for each level of the k-d tree and neighbour
	rowInLeaf     = 2.5e-6  // of a sample in one partition, besides its products
	entryRead     = 1.5e-9  // of an entry, to be rounded and measured
	partitions    = 4       // which are usually enough
	pairsOfRow    = 4000    // that one partition forms of a row, with pivots and in leaves
)

// ExactSeconds is about how long [Exact] takes on a processor of today with this many threads.
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

// exactMethod is how [Exact] searches with kernels that have single precision.
func exactMethod(m, k int) method {
	switch {
	case m <= treeColumns:
		return tree
	case m <= blas.MostCodeColumns && m >= codedColumns+columnsPerNeighbor*k:
		return coded
	}
	return blocked
}

// ExactMethod names the search of [Exact] for samples of m columns.
func ExactMethod(m, k int) string {
	return map[method]string{tree: "a k-d tree", coded: "products of bytes", blocked: "products in single precision"}[exactMethod(m, k)]
}

// WhyExact says why [Approximate] leaves n × m samples to the exact search from the outset; "": it does not.
func (o ApproximateOptions) WhyExact(n, m, k int) string {
	exact, approximate := ExactSeconds(n, m, k, 1), ApproximateSeconds(n, m, k, 1)
	switch least := max(smallest, 20*k); {
	case n < least:
		return fmt.Sprintf("it is as fast for fewer than %d samples", least)
	case m <= fewColumns:
		return fmt.Sprintf("it is faster in up to %d columns", fewColumns)
	case o.ExactWithin > 0 && exact <= o.ExactWithin:
		return fmt.Sprintf("it takes less than %g s of a processor", o.ExactWithin)
	case o.ExactWithin > 0 && exact <= approximate:
		return "it takes less time"
	}
	return ""
}

// ApproximateSeconds is the same of [Approximate], for samples near a manifold of about ten dimensions.
func ApproximateSeconds(n, m, k, threads int) float64 {
	if n < smallest || n < 20*k || m <= fewColumns {
		return ExactSeconds(n, m, k, threads)
	}
	rows, cols := float64(n), float64(m)
	partition := rows * (pairsOfRow*(cols*byteProduct+pairScan/2) + rowInLeaf)
	return (partitions*partition + rows*cols*entryRead*float64(2+k/8)) / float64(blas.Threads(threads))
}
