package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// grouping is how a method clusters: by k-means of the samples, of the rows of the
// leading eigenvectors of a similarity graph, or of the coordinates of a
// factorisation, or by a rule of its own.
type grouping struct {
	neighbors neighborRule // of the graph; nil: the samples themselves are clustered
	edges     patchRule    // its weighted edges, which add up to its Laplacian

	assign func(p *problem, r *Clustering) error // nil: k-means or a factorisation finds the labels

	factors *factoring // nil: no factorisation
	largest bool       // its largest coordinate tells a sample's cluster, not k-means

	// Of k-means; zero: those of the spectral step.
	restarts, iterations int
	tolerance            float64

	within   func(size int) neighborRule // weighted lists that tell the dimension of a cluster
	embed    func(size, dim int) Method  // how a cluster is embedded
	weighted bool                        // neighbors has such lists itself: the dimension is always estimated
}

// spectralRestarts is the number of starts of k-means among eigenvectors.
const spectralRestarts = 20

// pursuitWithin estimates dimensions by local non-negative pursuit.
func pursuitWithin(k int) func(size int) neighborRule {
	return func(size int) neighborRule { return pursuit{nearest: nearest(min(k, size-1))} }
}

// ClusterOptions say how samples are clustered. Of Options, Components is about
// the embeddings of clusters, where it defaults to "largest"; Duplicates and
// Landmarks do nothing.
type ClusterOptions struct {
	Options
	Clusters   int  // how many; at least 1
	Embeddings bool // embed every cluster on its own
	Dim        int  // of these embeddings; 0: the estimated dimension of each
}

// Clustering is a partition of the samples and what is known of it.
type Clustering struct {
	Labels []int64 // of each sample, from 0 in the order of each cluster's first sample
	Sizes  []int   // of the clusters
	Parts  []Part  // the clusters, one by one

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Clusters int
	Backend  string
	Threads  int

	// Values are the leading eigenvalues of D^−½WD^−½, descending, one a cluster,
	// and Residuals those of their pairs; Next is the one behind them (NaN: not
	// known). Empty where samples are clustered themselves.
	Values    []float64
	Residuals []float64
	Next      float64

	FirstCost, Cost float64 // of k-means, after its first assignment and in the end; NaN where there is none
	Iterations      int     // of the start that was kept
	Converged       bool    // k-means and the eigenvectors

	Components     int       // of the similarity graph; 0 where there is none
	ComponentSizes []int     // descending
	Duplicates     int       // samples that equal an earlier one
	Selection      *Selected // of a selective method; nil: the method is none
	Details        map[string]any
	Warnings       []string

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve, kmeans, clusters
	CPUSeconds Seconds
}

// Part is one cluster.
type Part struct {
	Rows      []int      // its samples, ascending
	Dimension int        // estimated by the support rule, at least 1; 0: not estimated
	Gap       int        // the estimate by the gap rule
	Y         *mat.Dense // its embedding, one row for each of Rows; nil: none was asked for, or possible
	Warnings  []string
}

// Cluster partitions the rows of x by the given method. Components of the graph
// are reported and never refused: where there are more of them than clusters the
// largest make the clusters, and the samples of the others go to the cluster of
// their nearest sample. A [*sparse.CSR] stays sparse in nmf, nmf-kl and gnmf, but for the
// rows of a cluster while that is embedded, and is made dense by the others.
//
// Errors are those of [Embed] about the input, and about a number of clusters
// that is not between 1 and that of the samples.
func Cluster(ctx context.Context, x mat.Matrix, m Method, o ClusterOptions) (*Clustering, error) {
	clock := NewClock()
	if o.Components == "" {
		o.Components = "largest"
	}
	var err error
	if o.Options, err = o.Options.withDefaults(); err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	p := &problem{
		ctx: ctx, options: o.Options, kernels: kernels, clock: clock,
		report: &report{details: map[string]any{}},
	}
	p.x.N, p.x.M = x.Dims()
	r := &Clustering{Samples: p.x.N, Features: p.x.M, Clusters: o.Clusters, Next: math.NaN(), Backend: kernels.Name(), Threads: blas.Threads(o.Threads)}
	if err := p.cluster(x, m, o, r); err != nil {
		return nil, err
	}
	r.Warnings, r.Details = p.warnings, p.details
	r.Seconds, r.CPUSeconds = clock.Seconds()
	return r, nil
}

// cluster checks the input, resolves the parameters and takes the steps.
func (p *problem) cluster(x mat.Matrix, m Method, o ClusterOptions, r *Clustering) error {
	if m == nil {
		return fmt.Errorf("engine: no method given")
	}
	if _, ok := m.(clusterer); !ok {
		return wrongTask(m, "cluster")
	}
	p.name = m.Name()
	if p.x.N < 2 || p.x.M < 1 {
		return fmt.Errorf("%s: %d × %d data cannot be clustered; give at least 2 samples and 1 column", p.name, p.x.N, p.x.M)
	}
	if o.Clusters < 1 || o.Clusters > p.x.N {
		return fmt.Errorf("%s: %d clusters asked of %d samples; give a number from 1 to %d", p.name, o.Clusters, p.x.N, p.x.N)
	}
	if o.Dim < 0 {
		return fmt.Errorf("%s: dim is %d; give a whole number ≥ 1, or 0 for the estimated one", p.name, o.Dim)
	}
	m, err := resolved(settledFor("cluster", m), r.Samples, p.warn)
	if err != nil {
		return err
	}
	if c, ok := m.(checker); ok {
		if err := c.check(p.x.N, p.x.M); err != nil {
			return err
		}
	}
	r.Method, r.Params = m.Name(), Values(m)
	delete(r.Params, "dim") // of an embedding, which is not sought here
	for _, f := range fields(&p.options) {
		if clusterKeys[f.Key] {
			r.Params[f.Key] = f.current()
		}
	}
	p.dim, p.params = o.Clusters, r.Params
	g := m.(clusterer).grouping()
	if err := p.takeData(x, g.factors != nil && g.factors.sparse); err != nil {
		return err
	}
	r.Sparse = p.sparse != nil
	if r.Duplicates = p.countCopies(); r.Duplicates > 0 {
		p.warn("%d samples equal an earlier one", r.Duplicates)
	}
	if g.assign != nil {
		r.FirstCost, r.Cost = math.NaN(), math.NaN()
		err = g.assign(p, r)
	} else if g.factors != nil {
		err = p.partitionFactors(g, r)
	} else if g.neighbors == nil {
		if err := p.limit(8*int64(p.x.N)*int64(p.x.M+8), "take fewer samples, or raise the limit"); err != nil {
			return err
		}
		err = p.partition(g, p.x, r)
	} else {
		if err := p.checkMemory(m, steps{neighbors: g.neighbors, patch: g.edges}); err != nil {
			return err
		}
		err = p.partitionSpectrum(g, r)
	}
	if err != nil {
		return err
	}
	return p.describeParts(g, o, r)
}

// partition clusters points by k-means.
func (p *problem) partition(g grouping, x neighbors.Points, r *Clustering) error {
	defer p.clock.Phase("kmeans")()
	k := solvers.KMeansOptions{
		Restarts: g.restarts, Iterations: g.iterations, Tolerance: g.tolerance,
		Threads: p.options.Threads, Seed: p.options.Seed, Progress: p.fraction("kmeans"),
	}
	if g.neighbors != nil {
		k.Restarts = spectralRestarts
	}
	found, err := solvers.KMeans(p.ctx, x.Data[:x.N*x.M], x.N, x.M, r.Clusters, k)
	if err != nil {
		return err
	}
	r.Labels = make([]int64, x.N)
	for i, c := range found.Labels {
		r.Labels[i] = int64(c)
	}
	r.Cost, r.FirstCost, r.Iterations, r.Converged = found.Cost, found.FirstCost, found.Iterations, found.Converged
	if empty := slices.Index(found.Sizes, 0); empty >= 0 {
		p.warn("only %d of %d clusters have samples: there are not enough distinct ones", empty, r.Clusters)
	}
	if !found.Converged {
		p.warn("k-means reached %d iterations before it came to an end: the clusters are the best found", found.Iterations)
	}
	return nil
}
