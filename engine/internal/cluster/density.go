package cluster

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/density"
)

// Density finds the clusters of the hierarchy of mutual reachability (HDBSCAN*).
type Density struct {
	MinSamples, MinSize int
	Select              density.SelectOptions
	Cut                 *float64 // the distance of the clusters of DBSCAN*; nil: they are selected
	Layers              int      // the most to be found
	Memberships         bool     // whether they are to be found
}

// Hierarchy is what a clustering says of each sample in addition to its label.
type Hierarchy struct {
	Probabilities []float64 // to be in its cluster
	Outliers      []float64 // scores from 0 to 1
	Layers        []density.Layer
	Memberships   *mat.Dense // n × clusters; nil: not requested
	Spanning      *neighbors.Spanning
	Tree          *density.Condensed
}

// Find is the rule [Plan.Groups] of a plan whose Neighbors are [neighborhood.Reachable].
func (d Density) Find(job *run.Run, in Input) (*Groups, error) {
	defer job.Phase("clusters")()
	tree := in.Found.Tree
	n := len(tree.Core)
	if err := job.Fit((90+4*int64(d.Layers))*int64(n), "the hierarchy of the samples needs", "take fewer samples or ‹layers›, or raise the limit"); err != nil {
		return nil, err
	}
	h, err := density.NewHierarchy(job.Context(), n, density.Edges{From: tree.From, To: tree.To, Weight: tree.Weight})
	if err != nil {
		return nil, err
	}
	t, err := h.Condense(job.Context(), d.MinSize)
	if err != nil {
		return nil, err
	}
	var found *density.Clusters
	if d.Cut != nil {
		found = h.Cut(*d.Cut, d.MinSize)
	} else {
		chosen, err := t.Select(d.Select)
		if err != nil {
			return nil, err
		}
		found = t.Assign(chosen, d.Select.Epsilon)
	}
	job.Note("condensed_components", t.Components())
	own := &Hierarchy{Probabilities: found.Probabilities, Outliers: t.Outliers(), Spanning: tree, Tree: t}
	if own.Layers, err = t.Layers(job.Context(), d.Layers); err != nil {
		return nil, err
	}
	if d.Layers > 0 && len(own.Layers) == 0 {
		job.Warn("there are no layers, as no component of at least %d samples divides into two; take a smaller min_cluster_size", d.MinSize)
	}
	if d.Memberships && len(found.Chosen) > 0 {
		if own.Memberships, err = memberships(job, in.X, t, found.Chosen); err != nil {
			return nil, err
		}
	}
	r := &Groups{Labels: make([]int64, n), Count: len(found.Reach), Converged: true, Hierarchy: own}
	for i, c := range found.Labels {
		r.Labels[i] = int64(c)
	}
	if in.X.Absent() {
		r.Without = extend.WithoutSamples
		return r, nil
	}
	r.Rule = func(to []int64) (*extend.Extension, string, error) {
		reach := make([]float64, len(to))
		for c, v := range found.Reach {
			reach[to[c]] = min(v, math.MaxFloat64)
		}
		return extend.ByDensity(job, in.X, d.MinSamples, tree.Core, r.Labels, reach), "", nil
	}
	return r, nil
}

// memberships returns the soft memberships of the samples in the clusters of chosen components.
func memberships(job *run.Run, x samples.Samples, t *density.Condensed, chosen []int32) (*mat.Dense, error) {
	if x.Absent() {
		return nil, wording.Errorf("%s: memberships are by the distances of samples to those in the middle of each cluster, which are not given; give the samples in addition to their graph, or leave ‹memberships› out", job.Method())
	}
	n, clusters := x.N(), len(chosen)
	exemplars := t.Exemplars(chosen)
	most := 0
	for _, list := range exemplars {
		most = max(most, len(list))
	}
	metric := cmp.Or(job.Metric(), neighbors.Euclidean)
	need := 8*int64(n)*int64(clusters) + x.IndexBytes(n, 1, job.Threads(), metric) + 8*int64(most)*int64(x.M())
	if err := job.Fit(need, fmt.Sprintf("the memberships of %d samples in %d clusters need", n, clusters), "leave ‹memberships› out, take a larger min_cluster_size, or raise the limit"); err != nil {
		return nil, err
	}
	m := mat.NewDense(n, clusters, nil)
	for q, list := range exemplars {
		which := make([]int, len(list))
		for k, i := range list {
			which[k] = int(i)
		}
		g, err := samples.Search(job.Context(), x.Subset(which), x, 1, metric, neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()})
		if err != nil {
			return nil, err
		}
		for i := range n {
			m.Set(i, q, g.Distances(i)[0])
		}
	}
	return m, t.Memberships(job.Context(), chosen, m.RawMatrix().Data, job.Threads())
}
