package engine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// ClusterOptions say how samples are clustered. Of Options, Components is about
// the embeddings of clusters, where it defaults to "largest"; Duplicates and
// Landmarks do nothing.
type ClusterOptions struct {
	Options
	Clusters   int  // how many; at least 1
	Embeddings bool // embed every cluster on its own
	Dim        int  // of these embeddings; 0: the estimated dimension of each
	// KeepAffinities asks for the weights of the similarity graph, Clustering.Affinities. A
	// method without one is an error.
	KeepAffinities bool
}

// Clustering is a partition of the samples and what is known of it.
type Clustering struct {
	Labels []int64 // of each sample, from 0 in the order of each cluster's first sample
	Sizes  []int   // of the clusters
	Parts  []Part  // the clusters, one by one

	Standard *Standardization // of the data before the method; nil: they were taken as they are

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

	// Centers are those of kmeans, clusters × m, in the unit of the data: row c is the mean
	// of the samples with label c. nil: the samples were not clustered by k-means themselves.
	Centers *mat.Dense

	// Exemplars are rows of the samples that stand for the others: of ds3 the one of each
	// cluster that has samples, of esc-ffs those that all are coded by, in the order of choice.
	// nil: the method has none.
	Exemplars []int

	// Affinities is the symmetric n × n matrix W ≥ 0 of the weights between samples, with
	// nothing on its diagonal, in the unit that the method gives them. nil: not asked for.
	Affinities *sparse.CSR

	// FirstCost and Cost are those of k-means, Σ‖x − its centre‖², also called inertia, after
	// its first assignment and in the end; NaN where there is none.
	FirstCost, Cost float64
	Iterations      int  // of the start that was kept
	Converged       bool // k-means and the eigenvectors

	Quality *Verdict // what was measured, and what speaks against the clusters

	Components     int       // of the similarity graph; 0 where there is none
	ComponentSizes []int     // descending
	Duplicates     int       // samples that equal an earlier one
	Selection      *Selected // of a selective method; nil: the method is none
	Details        map[string]any
	Warnings       []string

	// EstimatedBytes is the estimate of the most memory that the process needs: see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve, kmeans, clusters
	CPUSeconds Seconds

	extension   *extend.Extension
	noExtension string // why there is none
}

// Part is one cluster.
type Part struct {
	Rows      []int      // its samples, ascending
	Dimension int        // estimated by the support rule, at least 1; 0: not estimated
	Gap       int        // the estimate by the gap rule
	Y         *mat.Dense // its embedding, one row for each of Rows; nil: none was asked for, or possible
	Warnings  []string
}

// take enters what was found.
func (r *Clustering) take(found *cluster.Partition) {
	r.Labels, r.FirstCost, r.Cost, r.Iterations, r.Converged = found.Labels, found.FirstCost, found.Cost, found.Iterations, found.Converged
	r.Values, r.Residuals, r.Next = found.Values, found.Residuals, found.Next
	r.Components, r.ComponentSizes, r.Selection = len(found.Components), found.Components, (*Selected)(found.Selection)
	r.Exemplars, r.Affinities = found.Exemplars, found.Affinities
	r.Centers, r.extension, r.noExtension = found.Centers, found.Extension, found.Reason
}

// Model returns the model of a clustering, by which new samples get labels
// ([Model.Predict]). It shares the storage of the samples, which must not change while
// it is in use. A method without a rule for new samples is an error (Options.Model makes
// it one before the work).
func (r *Clustering) Model() (*Model, error) {
	if r.extension == nil {
		return nil, r.withoutRule()
	}
	return &Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: 1, extension: r.extension}, nil
}

func (r *Clustering) withoutRule() error {
	return wording.Errorf("%s: there is no rule for new samples%s; leave the model out, and cluster them together with the others", r.Method, r.noExtension)
}
