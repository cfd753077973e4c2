// Package cluster implements the clusterings: k-means on the samples, on the leading
// eigenvectors of a similarity graph, or on the coordinates of a factorisation, and
// rules specific to a method.
package cluster

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/sparse"
)

// Plan describes how a method clusters. At most one of Assign, Factors, Groups and Neighbors is set, but for Groups of a graph of Neighbors;
// without any, the samples themselves are clustered.
type Plan struct {
	Assign func(job *run.Run, x samples.Samples, clusters int) (*choose.Assignment, error) // a rule specific to the method
	NoRule string                                                                          // why Assign has no rule for new samples; empty: the nearest exemplar is the rule

	Factors *factor.Plan     // a factorisation whose coordinates are clustered
	Rows    string           // which rows of that factorisation are clustered; "": those of [Codes]
	Among   func(n int) Plan // the plan for clustering n of these rows; nil: k-means
	Argmax  bool             // assign each sample to its largest coordinate instead of by k-means

	// Groups finds the clusters and their number, of the samples or of the weighted graph of Neighbors and Edges, and a
	// rule for new samples.
	Groups    func(job *run.Run, in Input) (*Groups, error)
	NoneFound string // the remedy where Groups finds no cluster

	Neighbors      neighborhood.Rule              // of a similarity graph
	Edges          patch.Rule                     // its weighted edges, which sum to the Laplacian
	Sketch         bool                           // approximate its eigenvectors by products with it
	KeepAffinities bool                           // return the edges
	Extend         extend.Rule[*extend.Clustered] // for new samples of a clustering by that graph; nil: none

	KMeans KMeans

	// Within returns the rule whose weighted lists determine the dimension of a cluster of the given size.
	Within   func(size int) neighborhood.Rule
	Weighted bool // Neighbors has such lists itself: the dimension is always estimated
}

// KMeans are the parameters of k-means; the zero value selects those of the spectral step.
type KMeans struct {
	Restarts, Iterations int
	Tolerance            float64
	Weights              []float64 // of the samples; nil: 1 each
}

// spectralRestarts is the number of k-means starts on eigenvectors.
const spectralRestarts = 20

// PursuitWithin returns the rule that estimates dimensions by local non-negative pursuit among k neighbours.
func PursuitWithin(k int) func(size int) neighborhood.Rule {
	return func(size int) neighborhood.Rule {
		return neighborhood.Pursuit{Nearest: neighborhood.Nearest(min(k, size-1))}
	}
}

// costRounding bounds the cost due to rounding, relative to the squares of the samples, if all samples
// equal their centres.
const costRounding = 1e-26

// squaresOf returns Σ‖x‖².
func squaresOf(x samples.Samples) float64 {
	values := x.Data()
	if a := x.Compressed(); a != nil {
		values = a.Val
	}
	return blas.Dot(values, values)
}

// Partition is a clustering with the findings of its method.
type Partition struct {
	Clusters        int        // number of clusters
	Labels          []int64    // of each sample, from 0 in the order of each cluster's first sample; −1: in no cluster
	Hierarchy       *Hierarchy // nil: the method has none
	FirstCost, Cost float64    // of k-means, after the first assignment and at the end; NaN: none
	Iterations      int
	Converged       bool
	Factors         *factor.Judged // the factors whose coordinates were clustered; nil: there are none

	Values, Residuals []float64 // the leading eigenvalues of D^−½WD^−½, descending
	Next              float64   // the following eigenvalue; NaN: unknown

	Components []int // the sizes of the components of the graph, descending; nil: none
	Selection  *factor.Selection

	Centers   *mat.Dense // clusters × m, of k-means on the samples; otherwise nil
	Exemplars []int      // the representative samples; nil: there are none

	Affinities *sparse.CSR // W of the similarity graph; nil: none, or it was not requested

	exemplars []int // one for each label, before the labels are renumbered

	Extension *extend.Extension // gives labels to new samples; nil: none, for the given Reason
	Reason    string            // completes "there is no rule for new samples"

	without string // why these samples allow no rule

	// rule makes the extension once the clusters are renumbered; to has the new number of each.
	// nil: none.
	rule func(to []int64) (e *extend.Extension, reason string, err error)
}

// WithoutExtension returns the reason why a plan never has a rule for new samples, which completes
// "there is no rule for new samples"; empty: it has a rule.
func (g Plan) WithoutExtension() string {
	switch {
	case g.Assign != nil && g.NoRule != "":
		return g.NoRule
	case g.Assign != nil, g.Groups != nil, g.Factors == nil && g.Neighbors == nil, g.Neighbors != nil && g.Extend != nil:
		return ""
	}
	return ", as the clusters are found for all samples together"
}

// Run partitions the samples according to the plan.
func (g Plan) Run(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	r, err := g.partition(job, x, clusters)
	if err != nil {
		return nil, err
	}
	if g.Groups == nil {
		r.Clusters = clusters
	}
	to := r.number(r.Clusters)
	if r.exemplars != nil {
		r.Exemplars = make([]int, len(r.exemplars))
		for c, i := range r.exemplars {
			r.Exemplars[to[c]] = i
		}
	}
	if r.Reason = g.WithoutExtension(); r.without != "" {
		r.Reason = r.without
	} else if r.rule != nil {
		r.Extension, r.Reason, err = r.rule(to)
	}
	return r, err
}

// number renumbers the clusters in the order of their first samples, empty clusters
// last, and returns the new number of each.
func (r *Partition) number(clusters int) (to []int64) {
	to = slices.Repeat([]int64{-1}, clusters)
	next := int64(0)
	give := func(c int64) {
		if to[c] < 0 {
			to[c] = next
			next++
		}
	}
	for _, c := range r.Labels {
		if c >= 0 {
			give(c)
		}
	}
	for c := range to {
		give(int64(c))
	}
	for i, c := range r.Labels {
		if c >= 0 {
			r.Labels[i] = to[c]
		}
	}
	return to
}

func (g Plan) partition(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	switch {
	case g.Assign != nil:
		found, err := g.Assign(job, x, clusters)
		if err != nil {
			return nil, err
		}
		r := &Partition{Labels: found.Labels, FirstCost: found.First, Cost: found.Last, Iterations: found.Iterations, Converged: found.Converged, Next: math.NaN()}
		if g.NoRule == "" {
			r.rule = func(to []int64) (*extend.Extension, string, error) {
				numbers := slices.Clone(to[:len(found.Exemplars)])
				return extend.ByExemplars(found.Scaled.Subset(found.Exemplars).Dense(), numbers, clusters, found.Scaling), "", nil
			}
		}
		r.exemplars = found.Exemplars
		return r, nil
	case g.Factors != nil:
		return g.byFactors(job, x, clusters)
	case g.Groups != nil:
		return g.byGroups(job, x)
	case g.Neighbors != nil:
		return g.bySpectrum(job, x, clusters)
	}
	need := 64*int64(x.N()) + 8*int64(clusters)*int64(x.M())*(2+int64(x.N()/4096))
	if err := job.FitBeforeSolve(x.N(), x.M(), need, "take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	r, found, err := g.byMeans(job, x, clusters)
	if err != nil {
		return nil, err
	}
	r.Centers = found.centers
	r.rule = func([]int64) (*extend.Extension, string, error) {
		return extend.ByCenters(found.centers, found.order), "", nil
	}
	return r, nil
}

// means are the centres of k-means by label, and the order in which ties are broken.
type means struct {
	centers *mat.Dense
	order   []int
}

// numbered returns the centres with renumbered clusters.
func (m *means) numbered(to []int64) *means {
	clusters, cols := m.centers.Dims()
	n := &means{mat.NewDense(clusters, cols, nil), make([]int, clusters)}
	for at, c := range m.order {
		n.order[at] = int(to[c])
		n.centers.SetRow(int(to[c]), m.centers.RawRowView(c))
	}
	return n
}

// byMeans clusters rows by k-means.
func (g Plan) byMeans(job *run.Run, x samples.Samples, clusters int) (*Partition, *means, error) {
	defer job.Phase("kmeans")()
	k := kmeans.KMeansOptions{
		Restarts: g.KMeans.Restarts, Iterations: g.KMeans.Iterations, Tolerance: g.KMeans.Tolerance,
		Threads: job.Threads(), Seed: job.Seed(), Weights: x.OfWhole(g.KMeans.Weights),
	}
	if g.Neighbors != nil {
		k.Restarts = spectralRestarts
	}
	k.Progress = job.Counting("kmeans", "restarts", k.Restarts)
	var found *kmeans.Partition
	var err error
	if a := x.Compressed(); a != nil {
		found, err = kmeans.KMeansSparse(job.Context(), a, clusters, k)
	} else {
		found, err = kmeans.KMeans(job.Context(), x.Data(), x.N(), x.M(), clusters, k)
	}
	if err != nil {
		return nil, nil, err
	}
	if found.Cost > found.FirstCost && found.Cost <= costRounding*squaresOf(x) {
		found.FirstCost = found.Cost // both are rounding errors only
	}
	r := &Partition{Labels: make([]int64, x.N()), Cost: found.Cost, FirstCost: found.FirstCost, Iterations: found.Iterations, Converged: found.Converged, Next: math.NaN()}
	for i, c := range found.Labels {
		r.Labels[i] = int64(c)
	}
	if empty := slices.Index(found.Sizes, 0); empty >= 0 {
		job.Warn("only %d of %d clusters have samples: there are not enough distinct ones", empty, clusters)
	}
	if !found.Converged {
		job.Warn("k-means reached %d iterations before it came to an end: the clusters are the best found", found.Iterations)
	}
	return r, &means{mat.NewDense(clusters, x.M(), found.Centers), found.Order}, nil
}
