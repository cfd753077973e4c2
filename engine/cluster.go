package engine

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/density"
	"github.com/orthant-go/orthant/sparse"
)

// Cluster partitions the rows of x by the given method. A graph with several components is not an error:
// if there are more components than clusters, the largest components form the clusters, and each
// sample of the others joins the cluster of its nearest sample. A sparse matrix (see [sparse.Of])
// stays sparse in the methods whose [Entry] says so; the others make it dense. x may be nil if
// Options has a graph, affinities or distances that are enough.
//
// Errors are those of [Embed] about the input, and a number of clusters that is not between 1 and the
// number of distinct samples.
func Cluster(ctx context.Context, x mat.Matrix, m Method, o ClusterOptions) (*Clustering, error) {
	if o.Components == "" {
		o.Components = "largest"
	}
	f, s, err := begin(ctx, "cluster", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	o.Options = f.options
	if err := o.check(s.method, f.data); err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	if err := refuseMissing(s.method); err != nil {
		return nil, err
	}
	r := f.clustering(s, o.Clusters)
	plan := method.RowOf(s.method).Cluster(o.Clusters)
	if r.noExtension = plan.WithoutExtension(); o.Model && r.noExtension != "" {
		return nil, r.withoutRule()
	}
	if o.KeepAffinities && plan.Neighbors == nil {
		return nil, fmt.Errorf("%s: it makes no similarity graph, and has no affinities; leave them out", s.Method())
	}
	s, stages, err := through(s,
		rescaleAffinities{f.task, o.Affinities},
		read{data: f.data},
		f.standardize(),
		densify{remedy: staysSparse},
		findCopies{warn: true},
		rescale{},
		count{weights: o.Weights},
		inUnit{f.task})
	if err != nil {
		return nil, err
	}
	if o.Embeddings && s.x.Absent() {
		return nil, fmt.Errorf("%s: clusters are embedded from their samples, which are not given; leave the embeddings out, or give the samples in addition to their graph", s.Method())
	}
	r.Sparse, r.Duplicates = s.x.Compressed() != nil, s.copies.Count
	if o.Clusters > 0 {
		if err := samples.CheckClusters(s.Method(), r.Samples, r.Duplicates, o.Clusters); err != nil {
			return nil, err
		}
	}
	plan = s.grouping(o)
	if plan.Neighbors != nil {
		if err := s.checkMemory(plan.Edges, o.Landmarks); err != nil {
			return nil, err
		}
	}
	points := s.x
	if !plan.Weighted && !o.Embeddings {
		s.x = samples.Samples{} // released: a step makes samples of its own
	}
	found, err := plan.Run(s.Run, points, o.Clusters)
	if err != nil {
		return nil, err
	}
	r.take(found)
	if o.Model && r.extension == nil {
		return nil, r.withoutRule()
	}
	if err := f.describeParts(s, plan, o, r); err != nil {
		return nil, err
	}
	if err := stages.back(&fitted{state: s, result: partition{r, plan}, rule: r.extension}); err != nil {
		return nil, err
	}
	r.Quality = s.judge(r, plan, found.Factors)
	r.Standard = s.standardization()
	r.Warnings, r.Details, r.EstimatedBytes = s.Warnings(), s.Notes(), s.PeakBytes()
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r, nil
}

// check returns an error for options that are wrong for every method.
func (o ClusterOptions) check(m Method, x mat.Matrix) error {
	n, _ := x.Dims()
	switch finds := FindsClusters(m); {
	case finds && o.Clusters != 0:
		return wording.Errorf("%s: %d clusters requested, but it finds their number; leave the number out, or take ‹method=spectral›", m.Name(), o.Clusters)
	case !finds && (o.Clusters < 1 || o.Clusters > n):
		return fmt.Errorf("%s: %d clusters requested of %d samples; give a number from 1 to %d", m.Name(), o.Clusters, n, n)
	case o.Dim < 0:
		return wording.Errorf("%s: ‹dim› is %d; give a whole number ≥ 1, or 0 for the estimated one", m.Name(), o.Dim)
	}
	return nil
}

// FindsClusters reports whether [Cluster] finds the number of clusters by this method, and leaves samples out
// of them: ClusterOptions.Clusters is 0 then.
func FindsClusters(m Method) bool { return method.RowOf(m).FindsClusters }

// grouping returns the method's plan, with given structures in place of its own steps.
func (s state) grouping(o ClusterOptions) method.Grouping {
	g := method.RowOf(s.method).Cluster(o.Clusters)
	g.KeepAffinities = o.KeepAffinities
	g.Neighbors, g.Edges = s.given.Search(g.Neighbors, s.x.N()), s.given.Edges(g.Edges)
	if g.Factors != nil {
		own := *g.Factors
		own.Neighbors, own.Patch = s.given.Search(own.Neighbors, s.x.N()), s.given.Edges(own.Patch)
		g.Factors = &own
	}
	return g
}

// partition implements [measured] for a clustering.
type partition struct {
	*Clustering
	plan method.Grouping
}

func (r partition) quantities() []magnitude.Quantity {
	power := r.plan.CostUnit()
	all := []magnitude.Quantity{
		{What: "the cost of k-means", Scale: func(u magnitude.Unit) bool {
			costs := []float64{r.FirstCost, r.Cost}
			ok := u.Squares(power, costs)
			r.FirstCost, r.Cost = costs[0], costs[1]
			return ok
		}},
		magnitude.MatrixOf("centres", 1, &r.Centers),
	}
	if h := r.Hierarchy; h != nil {
		all = append(all, magnitude.Quantity{What: "the condensed tree", Scale: h.inUnit},
			magnitude.Lengths("the edges of the spanning tree", 1, h.Spanning.Weight), magnitude.Lengths("core distances", 1, h.Spanning.Core))
	}
	for c := range r.Parts {
		if part := &r.Parts[c]; part.Y != nil {
			size, dim := part.Y.Dims()
			all = append(all, magnitude.MatrixOf("coordinates", method.RowOf(r.plan.Embed(size, dim)).UnitsOf().Coordinates, &part.Y))
		}
	}
	return all
}

// ClusterOptions configure a clustering. The option Components applies to
// the embeddings of clusters and defaults to "largest"; Duplicates and
// Landmarks have no effect.
type ClusterOptions struct {
	Options
	Clusters   int  // number of clusters, at least 1; 0 for a method that finds it: see [FindsClusters]
	Embeddings bool // embed each cluster separately
	Dim        int  // of these embeddings; 0: the estimated dimension of each
	// KeepAffinities requests the weights of the similarity graph in Clustering.Affinities. It is
	// an error for a method without such a graph.
	KeepAffinities bool
}

// Clustering is the result of [Cluster].
type Clustering struct {
	Labels []int64 // of each sample, from 0 in the order of each cluster's first sample; −1: in no cluster
	Sizes  []int   // of the clusters
	Noise  int     // samples in no cluster

	Hierarchy *Hierarchy // of a clustering by density; nil: the method has none

	Parts []Part // one for each cluster

	Standard *Standardization // of the data before the method; nil: not standardised

	Method   string
	Params   map[string]any // all parameters, defaults included
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Clusters int
	Backend  string
	Threads  int

	// Values are the leading eigenvalues of D^−½WD^−½, descending, one for each cluster;
	// Residuals are the residuals of their eigenpairs; Next is the following eigenvalue (NaN:
	// unknown). Empty if samples are clustered directly.
	Values    []float64
	Residuals []float64
	Next      float64

	// Centers are the k-means centres, clusters × m, in the unit of the data: row c is the mean
	// of the samples with label c. nil unless k-means clustered the samples themselves.
	Centers *mat.Dense

	// Exemplars are the indices of representative samples, in the order of choice: for ds3 one for
	// each nonempty cluster, for esc-ffs the samples that encode all others. nil: the method has none.
	Exemplars []int

	// Affinities is the symmetric n × n matrix W ≥ 0 of the similarity graph, with an
	// empty diagonal and the unit of the method's weights. nil: not requested.
	Affinities *sparse.CSR

	// FirstCost and Cost are the k-means cost Σ‖x − its centre‖² (the inertia) after
	// the first assignment and at the end; NaN without k-means.
	FirstCost, Cost float64
	Iterations      int  // of the start that was kept
	Converged       bool // k-means and the eigenvectors

	Quality *Verdict // measurements and any doubts about the clusters

	Components     int       // of the similarity graph; 0: there is no graph
	ComponentSizes []int     // descending
	Duplicates     int       // samples equal to an earlier one
	Selection      *Selected // of a selective method, otherwise nil
	Details        map[string]any
	Warnings       []string

	// EstimatedBytes is the estimated peak memory of the process; see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve, kmeans, clusters
	CPUSeconds Seconds

	extension   *extend.Extension
	noExtension string // reason for extension being nil
}

// Hierarchy is what a clustering by density says in addition to its labels.
type Hierarchy struct {
	Probabilities []float64 // how firmly each sample is in its cluster, from 0 to 1, and 0 in none
	Outliers      []float64 // how far each sample is from samples as dense as those around it, from 0 to 1

	// Layers are clusterings of other resolutions, the finest first, at most as many as the parameter layers says.
	Layers []density.Layer

	// Memberships says how likely each sample is in each cluster, n × clusters; rows sum to at most 1. nil: not requested by the parameter memberships, or
	// there are no clusters.
	Memberships *mat.Dense

	// Spanning is the minimum spanning tree of mutual reachability distances: the edges of a forest if a given graph has several components.
	Spanning *neighbors.Spanning
	// Tree is the condensed tree of it, from which the clusters are chosen. Its λ are in 1/unit of the data.
	Tree *density.Condensed
}

// inUnit converts the densities λ of the tree. A density beyond the range of numbers is infinite, as of duplicates.
func (h *Hierarchy) inUnit(u magnitude.Unit) bool {
	for _, list := range [][]float64{h.Tree.Lambda, h.Tree.Birth, h.Tree.Death} {
		for i, v := range list {
			list[i] = magnitude.Times(v, u.Times(-1))
		}
	}
	return true
}

// Part is one cluster.
type Part struct {
	Rows      []int      // its samples, ascending
	Dimension int        // estimated by the support rule, at least 1; 0: not estimated
	Gap       int        // estimate by the gap rule
	Y         *mat.Dense // embedding, one row for each of Rows; nil: not requested or not possible
	Warnings  []string
}

// clustering returns a result with the method, its parameters and the shape of the data.
func (f fit) clustering(s state, clusters int) *Clustering {
	r := &Clustering{Clusters: clusters, Next: math.NaN(), Method: s.method.Name(), Params: s.params, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads())}
	r.Samples, r.Features = f.data.Dims()
	return r
}

// take copies the found partition into the result.
func (r *Clustering) take(found *cluster.Partition) {
	r.Clusters, r.Labels, r.FirstCost, r.Cost, r.Iterations, r.Converged = found.Clusters, found.Labels, found.FirstCost, found.Cost, found.Iterations, found.Converged
	r.Values, r.Residuals, r.Next = found.Values, found.Residuals, found.Next
	r.Components, r.ComponentSizes, r.Selection = len(found.Components), found.Components, (*Selected)(found.Selection)
	r.Exemplars, r.Hierarchy, r.Affinities = found.Exemplars, (*Hierarchy)(found.Hierarchy), found.Affinities
	r.Centers, r.extension, r.noExtension = found.Centers, found.Extension, found.Reason
}

// Model returns a model that gives labels to new samples ([Model.Predict]). It shares the storage
// of the samples, which must not change while the model is in use. A method without a rule for new
// samples is an error; with Options.Model that error comes before the work.
func (r *Clustering) Model() (*Model, error) {
	if r.extension == nil {
		return nil, r.withoutRule()
	}
	return model.New(Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: 1}, r.extension), nil
}

func (r *Clustering) withoutRule() error {
	return wording.Errorf("%s: there is no rule for new samples%s; leave the model out, and cluster them together with the others", r.Method, r.noExtension)
}

// describeParts lists the clusters and, as requested, estimates the dimension and computes the
// embedding of each.
func (f fit) describeParts(s state, g method.Grouping, o ClusterOptions, r *Clustering) error {
	defer s.Phase("clusters")()
	r.list()
	for c := range r.Parts {
		part := &r.Parts[c]
		if len(part.Rows) < 2 || !g.Weighted && !o.Embeddings {
			if o.Embeddings {
				part.Warnings = append(part.Warnings, fmt.Sprintf("%d samples have no embedding", len(part.Rows)))
			}
		} else if err := f.describePart(s, g, o, part); err != nil {
			return err
		}
		for _, w := range part.Warnings {
			s.Warn("cluster %d (%d samples): %s", c, len(part.Rows), w)
		}
		s.Fraction("clusters")(float64(c+1) / float64(len(r.Parts)))
	}
	return nil
}

// list sets the sizes and the sample lists of the clusters.
func (r *Clustering) list() {
	r.Sizes, r.Parts = make([]int, r.Clusters), make([]Part, r.Clusters)
	for i, c := range r.Labels {
		if c < 0 {
			r.Noise++
			continue
		}
		r.Sizes[c]++
		r.Parts[c].Rows = append(r.Parts[c].Rows, i)
	}
}

// describePart estimates the dimension of one cluster and embeds it.
func (f fit) describePart(s state, g method.Grouping, o ClusterOptions, part *Part) error {
	size, own := len(part.Rows), s.x.Subset(part.Rows)
	found, err := g.Within(size).Find(s.Within(), own)
	if err != nil {
		return err
	}
	part.Gap, part.Dimension = found.Profile.Gap, max(found.Profile.Support, 1)
	if !o.Embeddings {
		return nil
	}
	dim := min(part.Dimension, size-1)
	if o.Dim > 0 {
		dim = o.Dim
	}
	if dim >= size {
		part.Warnings = append(part.Warnings, fmt.Sprintf("no embedding in %d dimensions", dim))
		return nil
	}
	job := s.Within()
	y, err := f.embedPart(state{Run: job, x: own, method: g.Embed(size, dim)})
	switch {
	case err == nil:
		part.Y, part.Warnings = y, job.Warnings()
	case s.Err() != nil:
		return s.Err()
	default:
		part.Warnings = append(part.Warnings, fmt.Sprintf("no embedding: %v", err))
	}
	return nil
}

// embedPart embeds the samples of one cluster, which were standardised together with all others.
func (f fit) embedPart(s state) (*mat.Dense, error) {
	f.task, f.options = "embed", Options{Components: f.options.Components}
	s, stages, err := through(s, densify{remedy: fewerEntries}, findCopies{keep: true}, rescale{}, merge{}, parameters{fit: f}, inUnit{f.task})
	if err != nil {
		return nil, err
	}
	o, err := f.embed(s, stages)
	if err != nil {
		return nil, err
	}
	return o.Y, nil
}

// agreeing: eigenvalues within this ratio do not determine a number of clusters.
const agreeing = 1.01

// A clustering is doubtful if all clusters except the largest together hold fewer than
// minShare of the samples for each cluster, counting at most maxShares clusters: less than
// 2 % for two clusters, and less than 10 % for ten or more.
const (
	minShare  = 0.01
	maxShares = 10
)

// judge returns the verdict on a clustering, and warns of doubts that were not yet the subject of a warning.
func (s state) judge(r *Clustering, g method.Grouping, factors *factor.Judged) *Verdict {
	v := &Verdict{Improvement: math.NaN(), GraphShare: math.NaN()}
	var doubts []string
	if factors != nil {
		v.Improvement, v.GraphShare = factors.Improvement, factors.GraphShare
		if factors.Verdict != "" {
			doubts = append(doubts, factors.Verdict)
		}
	} else if r.FirstCost > 0 {
		v.Improvement = 1 - r.Cost/r.FirstCost
	}
	empty, largest := 0, 0
	for _, size := range r.Sizes {
		if largest = max(largest, size); size == 0 {
			empty++
		}
	}
	if empty > 0 {
		doubts = append(doubts, fmt.Sprintf("%d of %d clusters have no samples: take fewer", empty, len(r.Sizes)))
	}
	warn := func(text string) {
		s.Warn("%s", text)
		doubts = append(doubts, text)
	}
	if len(r.Sizes) == 0 {
		warn(fmt.Sprintf("no clusters: all %d samples are noise; %s", r.Samples, g.NoneFound))
	}
	if c := len(r.Sizes); c > 1 && !FindsClusters(s.method) && float64(r.Samples-largest) < minShare*float64(min(c, maxShares)*r.Samples) {
		warn(fmt.Sprintf("%d of %d samples are in one of %d clusters: take another method, more neighbours if it has a graph, or leave out samples that are far from all others", largest, r.Samples, c))
	}
	if r.Cost > r.FirstCost*(1+1e-9) {
		warn(fmt.Sprintf("the objective rises from %.4g to %.4g: take more restarts", r.FirstCost, r.Cost))
	}
	if c := len(r.Values); c > 1 && r.Components < c {
		if last, next := 1-r.Values[c-1], 1-r.Next; last > 1e-12 && next < agreeing*last {
			warn(fmt.Sprintf("eigenvalues %d and %d of the graph agree to %.2g: it does not determine %d clusters; take another number of clusters, or more neighbours", c, c+1, next/last-1, c))
		}
	}
	v.Sentence = strings.Join(doubts, "; ")
	v.Verdict = judgement(len(doubts) > 0, nil)
	return v
}
