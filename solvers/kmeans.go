package solvers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/sparse"
)

// KMeansOptions of [KMeans]: [kmeans.KMeansOptions].
type KMeansOptions = kmeans.KMeansOptions

// Partition is what [KMeans] finds: [kmeans.Partition].
type Partition = kmeans.Partition

// KMeans partitions the n rows of x, of m columns each, into clusters of small
// Σ‖x − its centre‖²: [kmeans.KMeans].
func KMeans(ctx context.Context, x []float64, n, m, clusters int, o KMeansOptions) (*Partition, error) {
	return kmeans.KMeans(ctx, x, n, m, clusters, o)
}

// KMeansSparse is [KMeans] of the rows of a sparse matrix, which stays sparse:
// [kmeans.KMeansSparse].
func KMeansSparse(ctx context.Context, a *sparse.CSR, clusters int, o KMeansOptions) (*Partition, error) {
	return kmeans.KMeansSparse(ctx, a, clusters, o)
}

// KMeansFromOptions of [KMeansFrom]: [kmeans.KMeansFromOptions].
type KMeansFromOptions = kmeans.KMeansFromOptions

// Refined is what [KMeansFrom] makes of a start: [kmeans.Refined].
type Refined = kmeans.Refined

// KMeansFrom runs Lloyd's iteration on weighted samples from given centres:
// [kmeans.KMeansFrom].
func KMeansFrom(ctx context.Context, x mat.Matrix, start *mat.Dense, o KMeansFromOptions) (*Refined, error) {
	return kmeans.KMeansFrom(ctx, x, start, o)
}

// Greedy are the draws of a k-means++ start: [kmeans.Greedy].
type Greedy = kmeans.Greedy

// GreedyStart returns the samples that are the first centres by given draws:
// [kmeans.GreedyStart].
func GreedyStart(ctx context.Context, x mat.Matrix, clusters int, g Greedy, o KMeansFromOptions) ([]int, error) {
	return kmeans.GreedyStart(ctx, x, clusters, g, o)
}

// KMeansGreedy is [KMeansFrom] from the start of [GreedyStart]: [kmeans.KMeansGreedy].
func KMeansGreedy(ctx context.Context, x mat.Matrix, clusters int, g Greedy, o KMeansFromOptions) (*Refined, error) {
	return kmeans.KMeansGreedy(ctx, x, clusters, g, o)
}
