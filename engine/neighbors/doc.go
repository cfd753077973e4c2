// Package neighbors answers who is local to whom: the k nearest neighbours of
// every sample, and the graph that they make.
//
// [Exact] is the entry point. It takes a k-d tree for few columns and blocked
// matrix products for many, and gives the same bits either way: the distances
// that decide are always Σ(xᵢ − yᵢ)² over the stored values, a sample is never
// its own neighbour (a duplicate of it may be, at distance 0), and ties go to
// the lower index. [Approximate] is faster where the samples are many and lie
// near a manifold of low dimension; it measures in every run how many of the
// true neighbours it found.
//
//	g, err := neighbors.Exact(ctx, neighbors.Points{N: n, M: m, Data: rows}, 12, neighbors.Options{Kernels: kernels})
//	for _, j := range g.Of(0) { … }
package neighbors
