package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/measures"
)

// ClusterStability says how clusters of all samples are found again in subsamples (Hennig 2007).
type ClusterStability struct {
	Jaccard   []float64 // of each cluster: the mean over subsamples of the best similarity |A ∩ B| / |A ∪ B| to a cluster of the subsample; NaN: no subsample has a sample of it
	Dissolved []int     // of each cluster: subsamples where that is at most ½
	Agreement float64   // mean adjusted Rand index of the labels in all samples and in the subsample
	Repeats   int
	Size      int // samples in a subsample
}

// StabilityOf clusters repeats subsamples of half of the samples by the method and options that gave the labels, and compares.
// Clusters with a Jaccard similarity of .75 and more are stable, below .6 they should not be trusted, and at .5 they are dissolved
// (Hennig 2007). Subsamples are drawn without replacement from a stream of the seed. Noise (see [measures.IsNoise]) is no cluster; the
// adjusted Rand index takes it as one.
//
// Graphs, affinities and distances, which are of all samples, are an error, and so are subsamples of fewer samples than
// clusters. The time is that of repeats clusterings of half of the samples.
func StabilityOf(ctx context.Context, x mat.Matrix, labels []int64, m Method, o ClusterOptions, repeats int) (*ClusterStability, error) {
	if ctx == nil {
		return nil, run.ErrNoContext
	}
	if err := refuseAbsent(ctx, x, m); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	switch given := structures(o.Options); {
	case len(given) > 0:
		return nil, fmt.Errorf("%s: stability clusters subsamples, and was given %s of all samples; leave them out", m.Name(), given[0])
	case len(labels) != n:
		return nil, fmt.Errorf("%s: %d labels of %d samples; give one for each", m.Name(), len(labels), n)
	case repeats < 1:
		return nil, fmt.Errorf("%s: %d subsamples; give a whole number ≥ 1, such as 20", m.Name(), repeats)
	case n/2 < max(2, o.Clusters):
		return nil, fmt.Errorf("%s: half of %d samples are fewer than %d clusters; take more samples, or fewer clusters", m.Name(), n, max(2, o.Clusters))
	}
	s := state{Run: run.New(ctx, m.Name(), run.Settings{Threads: run.ThreadsFor(o.Threads), Memory: o.Memory})}
	s, x, err := s.hold(x)
	if err != nil {
		return nil, err
	}
	if s, _, err = (read{data: x}).apply(s); err != nil {
		return nil, err
	}
	if err := s.Fit(s.x.Bytes()/2, "a subsample needs", fewerEntries); err != nil {
		return nil, err
	}
	clusters := slices.Clone(labels)
	slices.Sort(clusters)
	if clusters = slices.Compact(clusters); measures.IsNoise(labels) {
		clusters = slices.DeleteFunc(clusters, func(l int64) bool { return l == measures.Noise })
	}
	r := &ClusterStability{Jaccard: make([]float64, len(clusters)), Dissolved: make([]int, len(clusters)), Repeats: repeats, Size: n / 2}
	counted := make([]int, len(clusters))
	random := blas.NewStream(max(o.Seed, 1))
	for range repeats {
		rows := randomSubset(random, n, n/2)
		own := o
		own.Embeddings, own.Model, own.KeepAffinities, own.Overwrite, own.Progress, own.Explain = false, false, false, true, nil, nil
		if o.Weights != nil {
			own.Weights = measures.Pick(o.Weights, rows)
		}
		if o.Labels != nil {
			own.Labels = measures.Pick(o.Labels, rows)
		}
		part, err := Cluster(ctx, s.x.Subset(rows).Matrix(), m, own)
		if err != nil {
			return nil, err
		}
		if err := r.add(clusters, counted, measures.Pick(labels, rows), part.Labels); err != nil {
			return nil, err
		}
	}
	for k, count := range counted {
		if r.Jaccard[k] /= float64(count); count == 0 {
			r.Jaccard[k] = math.NaN()
		}
	}
	return r, nil
}

// add compares the clusters with those of one subsample.
func (r *ClusterStability) add(clusters []int64, counted []int, whole, part []int64) error {
	noise := measures.IsNoise(part)
	sizes, both := map[int64]int{}, map[[2]int64]int{}
	of := map[int64]int{}
	for i, l := range whole {
		of[l]++
		if noise && part[i] == measures.Noise {
			continue
		}
		sizes[part[i]]++
		both[[2]int64{l, part[i]}]++
	}
	best := map[int64]float64{}
	for pair, shared := range both { // a maximum does not depend on the order
		best[pair[0]] = max(best[pair[0]], float64(shared)/float64(of[pair[0]]+sizes[pair[1]]-shared))
	}
	for k, l := range clusters {
		if of[l] == 0 {
			continue
		}
		counted[k]++
		r.Jaccard[k] += best[l]
		if best[l] <= 0.5 {
			r.Dissolved[k]++
		}
	}
	agreement, err := measures.AdjustedRand(whole, part)
	r.Agreement += agreement / float64(r.Repeats)
	return err
}
