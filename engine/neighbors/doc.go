// Package neighbors finds the k nearest neighbours of every sample, and the graph that they form.
//
// [Exact] is the main entry. It uses a k-d tree for few columns and blocked
// matrix products for many, with the same bits either way: the deciding distances
// are always Σ(xᵢ − yᵢ)² over the stored values, a sample is never
// its own neighbour (a duplicate of it may be, at distance 0), and ties go to
// the lower index. [Approximate] is faster for many samples
// near a manifold of low dimension; every run measures the share of the
// true neighbours that it found.
//
//	g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: rows}, 12, neighbors.Options{Kernels: kernels})
//	for _, j := range g.Of(0) { … }
package neighbors
