package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// Cluster partitions the rows of x by the given method. Components of the graph
// are reported and never refused: where there are more of them than clusters the
// largest make the clusters, and the samples of the others go to the cluster of
// their nearest sample. A sparse matrix ([sparse.Of] says what is one) stays sparse in
// the methods whose [Entry] says so, and is made dense by the others. It is nil where Options
// has a graph, affinities or distances that are enough.
//
// Errors are those of [Embed] about the input, and a number of clusters that is not between 1 and the
// number of different samples.
func Cluster(ctx context.Context, x mat.Matrix, m Method, o ClusterOptions) (*Clustering, error) {
	if o.Components == "" {
		o.Components = "largest"
	}
	b, x, m, err := begin(ctx, "cluster", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	r := &Clustering{Clusters: o.Clusters, Next: math.NaN(), Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	r.Samples, r.Features = x.Dims()
	if err := b.cluster(x, m, o, r); err != nil {
		return nil, err
	}
	r.Warnings, r.Details, r.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, nil
}

// cluster checks the input, resolves the parameters and takes the steps.
func (b begun) cluster(x mat.Matrix, m Method, o ClusterOptions, r *Clustering) error {
	n := r.Samples
	if n < 2 || r.Features < 1 && !b.placeless() {
		return fmt.Errorf("%s: %d × %d data cannot be clustered; give at least 2 samples and 1 column", b.Method(), n, r.Features)
	}
	if o.Clusters < 1 || o.Clusters > n {
		return fmt.Errorf("%s: %d clusters asked of %d samples; give a number from 1 to %d", b.Method(), o.Clusters, n, n)
	}
	if o.Dim < 0 {
		return wording.Errorf("%s: ‹dim› is %d; give a whole number ≥ 1, or 0 for the estimated one", b.Method(), o.Dim)
	}
	m, err := b.resolve(settledFor("cluster", m), n, r.Features)
	if err != nil {
		return err
	}
	if err := refuseMissing(m); err != nil {
		return err
	}
	r.Method, r.Params = m.Name(), Values(m)
	withoutMissing(r.Params)
	delete(r.Params, "dim") // of an embedding, which is not sought here
	b.common(r.Params, func(key string) bool { return clusterKeys[key] })
	method := rowOf(m)
	g := method.cluster(o.Clusters)
	if r.noExtension = g.WithoutExtension(); o.Model && r.noExtension != "" {
		return r.withoutRule()
	}
	if o.KeepAffinities && g.Neighbors == nil {
		return fmt.Errorf("%s: it makes no similarity graph, and has no affinities; leave them out", b.Method())
	}
	given, err := b.data(x, method.keepsSparse(), staysSparse)
	if err != nil {
		return err
	}
	points, scaled, err := b.ordinary(given)
	if err != nil {
		return err
	}
	if o.Embeddings && points.Absent() {
		return fmt.Errorf("%s: clusters are embedded from their samples, which are not given; leave the embeddings out, or give the samples beside their graph", b.Method())
	}
	r.Sparse = points.Compressed() != nil
	if r.Duplicates = given.CountCopies(); r.Duplicates > 0 {
		b.Warn("%d samples equal an earlier one", r.Duplicates)
	}
	if err := samples.CheckClusters(b.Method(), n, r.Duplicates, o.Clusters); err != nil {
		return err
	}
	if m, err = scaled.of(m); err != nil {
		return err
	}
	if err := b.oneUnit("cluster", rowOf(m), given, scaled); err != nil {
		return err
	}
	if err := scaled.checkClusters(g, method.unitsOf()); err != nil {
		return err
	}
	g = rowOf(m).cluster(o.Clusters)
	g.KeepAffinities = o.KeepAffinities
	g.Neighbors, g.Edges = b.lists(g.Neighbors), b.edges(g.Edges)
	if g.Factors != nil {
		own := *g.Factors
		own.Neighbors, own.Patch = b.lists(own.Neighbors), b.edges(own.Patch)
		g.Factors = &own
	}
	if g.Neighbors != nil {
		if err := b.checkMemory(locality{x: points}, method, g.Edges); err != nil {
			return err
		}
	}
	parts := points
	if !g.Weighted && !o.Embeddings {
		parts = samples.Samples{} // the others are let go, where a step makes samples of its own
	}
	found, err := g.Run(b.Run, points, o.Clusters)
	if err != nil {
		return err
	}
	r.take(found)
	b.standardExtension(r.extension)
	r.Standard = b.standardization()
	if o.Model && r.extension == nil {
		return r.withoutRule()
	}
	if err := b.describeParts(g, parts, o, r); err != nil {
		return err
	}
	if err := b.clusters(scaled, r, g, method.unitsOf()); err != nil {
		return err
	}
	r.Quality = b.judge(r, found.Factors)
	return nil
}
