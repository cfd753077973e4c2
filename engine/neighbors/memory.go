package neighbors

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// GraphBytes is the memory of a graph of k neighbours of n samples.
func GraphBytes(n, k int) int64 { return int64(n) * (8 + 12*int64(k)) }

// ExactBytes is the most memory that [Exact] takes beside n × m samples, its graph
// included.
func ExactBytes(n, m, k, threads int) int64 {
	rows, cols := int64(n), int64(m)
	if m <= treeColumns {
		// The samples in the order of the tree, that order, and nodes, whose list doubles.
		return GraphBytes(n, k) + rows*(8*cols+4+24)
	}
	bytes := GraphBytes(n, k)
	if m <= blas.MostCodeColumns && m >= codedColumns+columnsPerNeighbor*k {
		bytes += codedBytes(n, m, k, threads)
	}
	// The samples less their mean in both precisions, thresholds, lists, tiles.
	return max(bytes, GraphBytes(n, k)+rows*(12*cols+8*2+8*3+72)+12*blockRows*blockRows*int64(blas.Threads(threads)))
}

// ApproximateBytes is the most memory that [Approximate] takes beside n × m samples, its
// graph and the sampled rows on which recall is measured included.
func ApproximateBytes(n, m, k, threads int) int64 {
	rows := int64(n)
	held := int64(max(k, leastHeld)) * (attempts + 1) / 2
	search := rows * (8*int64(m) + 8*held + 2*4*(held+min(held+3, mostListing)) + 64)
	return max(GraphBytes(n, k)+search, ExactBytes(n, m, k, threads))
}

// ExactSparseBytes is the most memory that [ExactSparse] takes beside the samples, its
// graph included.
func ExactSparseBytes(a *sparse.CSR, k, threads int) int64 {
	scratch := 8 * int64(blas.Threads(threads)) * int64(a.Rows+2*a.Cols+2*k)
	return GraphBytes(a.Rows, k) + 12*int64(a.NNZ()) + 16*int64(a.Cols) + 8*int64(a.Rows) + scratch
}

// SparseIndexBytes is the most memory that [NewSparseIndex] and searches for so many
// queries at a time take beside the samples, the graph of the queries included.
func SparseIndexBytes(reference *sparse.CSR, queries, k, threads int) int64 {
	return ExactSparseBytes(reference, k, threads) - GraphBytes(reference.Rows, k) + GraphBytes(queries, k)
}

// codedBytes is what a search by codes takes.
func codedBytes(n, m, k, threads int) int64 {
	rows := int64(n)
	return blas.CodesBytes(n, m) + rows*(4+8+4+4+int64(4*k+8*pendingPairs(k))+120) + 4*blockRows*blockRows*int64(blas.Threads(threads))
}
