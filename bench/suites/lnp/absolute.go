package lnp

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/kmeans"
)

// absoluteClusters is the spectral step of the paper for weights with signs: the
// leading eigenvectors of D^−½WD^−½ with W = max(|S|, |Sᵀ|), as many as there are
// clusters, their rows scaled to unit length, and k-means.
func absoluteClusters(ctx context.Context, points *mat.Dense, m engine.Method, count int, o engine.Options) ([]int64, error) {
	g, err := engine.Represent(ctx, points, m, o)
	if err != nil {
		return nil, err
	}
	n := g.Len()
	w := make([]float64, n*n)
	for i := range n {
		for a, j := range g.Of(i) {
			v := max(w[i*n+int(j)], math.Abs(g.Weights(i)[a]))
			w[i*n+int(j)], w[int(j)*n+i] = v, v
		}
	}
	return clustersOf(ctx, w, n, count, o)
}

// clustersOf are those of a graph of n samples by its leading eigenvectors, and k-means of
// their rows at unit length. It leaves the scaled graph in w.
func clustersOf(ctx context.Context, w []float64, n, count int, o engine.Options) ([]int64, error) {
	vectors, err := leading(w, n, count, o)
	if err != nil {
		return nil, err
	}
	rows := make([]float64, count*n)
	for i := range n {
		row := rows[i*count : (i+1)*count]
		for c := range row {
			row[c] = vectors[(count-1-c)*n+i]
		}
		if length := math.Sqrt(blas.Dot(row, row)); length > 0 {
			blas.Scale(1/length, row)
		}
	}
	found, err := kmeans.KMeans(ctx, rows, n, count, count, kmeans.KMeansOptions{Restarts: 20, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	labels := make([]int64, n)
	for i, c := range found.Labels {
		labels[i] = int64(c)
	}
	return labels, nil
}

// leading returns the leading eigenvectors of D^−½WD^−½, a row each, the last one the
// first, and leaves that matrix in w.
func leading(w []float64, n, count int, o engine.Options) ([]float64, error) {
	degree := make([]float64, n)
	for i := range n {
		for _, v := range w[i*n : (i+1)*n] {
			degree[i] += v
		}
	}
	for i := range n {
		for j := range n {
			w[i*n+j] /= math.Sqrt(degree[i] * degree[j])
		}
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	values, vectors := make([]float64, count), make([]float64, count*n)
	if err := kernels.SymEigRange(n, n-count, n, w, n, values, vectors, n, new(blas.Work)); err != nil {
		return nil, fmt.Errorf("no eigenvectors of the graph: %w", err)
	}
	return vectors, nil
}
