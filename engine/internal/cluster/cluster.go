// Package cluster has the clusterings: k-means among the samples, among the leading
// eigenvectors of a similarity graph, or among the coordinates of a factorisation, and
// rules of a method's own.
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

// Plan is how a method clusters. Of Assign, Factors and Neighbors at most one is there;
// without any the samples themselves are clustered.
type Plan struct {
	Assign func(job *run.Run, x samples.Samples, clusters int) (*choose.Assignment, error) // a rule of its own
	NoRule string                                                                          // why Assign leaves none for new samples; empty: the nearest exemplar is it

	Factors *factor.Plan     // a factorisation, among whose coordinates clusters are sought
	Rows    string           // of that factorisation's, which rows are clustered: those of [Codes] for ""
	Among   func(n int) Plan // the plan by which this many of these rows are clustered; nil: k-means
	Argmax  bool             // its largest coordinate is a sample's cluster, not k-means

	Neighbors      neighborhood.Rule              // of a similarity graph
	Edges          patch.Rule                     // its weighted edges, which add up to its Laplacian
	KeepAffinities bool                           // return the edges
	Extend         extend.Rule[*extend.Clustered] // for new samples of a clustering by that graph; nil: there is none

	KMeans KMeans

	// Within makes the rule whose weighted lists tell the dimension of a cluster of that size.
	Within   func(size int) neighborhood.Rule
	Weighted bool // Neighbors has such lists itself: the dimension is always estimated
}

// KMeans are the parameters of k-means; zero: those of the spectral step.
type KMeans struct {
	Restarts, Iterations int
	Tolerance            float64
}

// spectralRestarts is the number of starts of k-means among eigenvectors.
const spectralRestarts = 20

// PursuitWithin estimates dimensions by local non-negative pursuit among k neighbours.
func PursuitWithin(k int) func(size int) neighborhood.Rule {
	return func(size int) neighborhood.Rule {
		return neighborhood.Pursuit{Nearest: neighborhood.Nearest(min(k, size-1))}
	}
}

// costRounding times the squares of the samples is the cost that rounding makes of samples that are
// equal to their centres.
const costRounding = 1e-26

// squaresOf is Σ‖x‖².
func squaresOf(x samples.Samples) float64 {
	values := x.Data()
	if a := x.Compressed(); a != nil {
		values = a.Val
	}
	return blas.Dot(values, values)
}

// Partition is a clustering and what is known of it.
type Partition struct {
	Labels          []int64 // of each sample, from 0 in the order of each cluster's first sample
	FirstCost, Cost float64 // of k-means, after its first assignment and in the end; NaN: there is none
	Iterations      int
	Converged       bool
	Factors         *factor.Judged // of the factors among which the clusters were sought; nil: there are none

	Values, Residuals []float64 // the leading eigenvalues of D^−½WD^−½, descending
	Next              float64   // the one behind them; NaN: not known

	Components []int // the sizes of the components of the graph, descending; nil: there is none
	Selection  *factor.Selection

	Centers   *mat.Dense // clusters × m, of k-means among the samples; nil: of none
	Exemplars []int      // the samples that stand for the others; nil: there are none

	Affinities *sparse.CSR // W of the similarity graph; nil: there is none, or it was not asked for

	exemplars []int // one for each label, before these are numbered

	Extension *extend.Extension // by which new samples get labels; nil: there is none, because of Reason
	Reason    string            // to be read after "there is no rule for new samples"

	without string // why these samples leave no rule

	// rule makes the extension once the clusters have their numbers: to is the new one of
	// each. nil: there is none.
	rule func(to []int64) (e *extend.Extension, reason string, err error)
}

// WithoutExtension says why a plan never has a rule for new samples, to be read after
// "there is no rule for new samples"; empty: it has one.
func (g Plan) WithoutExtension() string {
	switch {
	case g.Assign != nil && g.NoRule != "":
		return g.NoRule
	case g.Assign != nil, g.Factors == nil && g.Neighbors == nil, g.Neighbors != nil && g.Extend != nil:
		return ""
	}
	return ", as the clusters are found for all samples together"
}

// Run partitions the samples as a plan says.
func (g Plan) Run(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	r, err := g.partition(job, x, clusters)
	if err != nil {
		return nil, err
	}
	to := r.number(clusters)
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

// number numbers the clusters in the order of their first samples, those without any
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
		give(c)
	}
	for c := range to {
		give(int64(c))
	}
	for i, c := range r.Labels {
		r.Labels[i] = to[c]
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

// means are the centres of k-means by their labels, and these in the order in which ties
// are broken.
type means struct {
	centers *mat.Dense
	order   []int
}

// numbered are the same centres under the new numbers of their clusters.
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
		Threads: job.Threads(), Seed: job.Seed(),
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
		found.FirstCost = found.Cost // neither is more than rounding
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
