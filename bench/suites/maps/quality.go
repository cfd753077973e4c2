package maps

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/layout"
)

// The measures of a map, and of all maps of a program together.
const (
	keptNeighbors = "np15"
	classError    = "10-nn-error"
	triplets      = "triplets"
	divergence    = "kl"
	disparity     = "disparity"
)

// The costs of a map, by seed.
const (
	cpuSeconds  = "cpu"
	wallSeconds = "wall"
	peakMiB     = "peak-mib"
)

// outcome measures the maps of all seeds: means, and the values by seed.
func outcome(ctx context.Context, set *dataSet, p *program, d *bench.Data, list []made) (*bench.Outcome, error) {
	out := &bench.Outcome{DataHash: d.Hash, Backend: list[0].version}
	out.Samples, out.Features = d.X.Dims()
	out.Series = map[string][]float64{}
	add := func(key string, v float64) { out.Series[key] = append(out.Series[key], v) }
	for _, one := range list {
		if rows, _ := one.y.Dims(); rows != out.Samples {
			return nil, fmt.Errorf("%s made a map of %d samples from %d", p.title, rows, out.Samples)
		}
		add(cpuSeconds, one.CPU)
		add(wallSeconds, one.Wall)
		add(peakMiB, float64(one.peak)/(1<<20))
		out.PeakBytes = max(out.PeakBytes, one.peak)
		if err := measured(ctx, referenceOf(d), p.method, one.y, add); err != nil {
			return nil, err
		}
	}
	if err := summed(out, list); err != nil {
		return nil, err
	}
	if set.drawn {
		if err := bench.Draw(picture)(ctx, d, list[0].y, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// measured measures one map.
func measured(ctx context.Context, r *reference, method string, y *mat.Dense, add func(string, float64)) error {
	near, err := r.neighbors(ctx)
	if err != nil {
		return err
	}
	shown, err := nearestOf(ctx, y, nearest)
	if err != nil {
		return err
	}
	add(keptNeighbors, sharedNeighbors(near, shown))
	if r.data.Labels != nil {
		add(classError, misclassified(shown, r.data.Labels))
	}
	kept, err := measures.RandomTriplet(ctx, r.data.X, y, 1, measures.Options{})
	if err != nil {
		return err
	}
	add(triplets, kept)
	if method != "tsne" {
		return nil
	}
	affinities, err := r.affinities(ctx)
	if err != nil {
		return err
	}
	kl, err := layout.Divergence(ctx, 0, affinities, y)
	add(divergence, kl)
	return err
}

// summed combines the seeds.
func summed(out *bench.Outcome, list []made) error {
	out.Quality = map[string]float64{}
	for _, key := range []string{keptNeighbors, classError, triplets, divergence} {
		if values := out.Series[key]; len(values) > 0 {
			out.Quality[key] = mean(values)
		}
	}
	out.Seconds, out.CPUSeconds = engine.Seconds{"total": mean(out.Series[wallSeconds])}, engine.Seconds{"total": mean(out.Series[cpuSeconds])}
	var whole bench.Cost
	for _, one := range list {
		whole.Wall, whole.CPU = whole.Wall+one.process.Wall/float64(len(list)), whole.CPU+one.process.CPU/float64(len(list))
	}
	if whole.Wall > 0 {
		out.Seconds["process"], out.CPUSeconds["process"] = whole.Wall, whole.CPU
	}
	for i := range list {
		for _, other := range list[:i] {
			v, err := measures.Procrustes(list[i].y, other.y)
			if err != nil {
				return err
			}
			out.Series[disparity] = append(out.Series[disparity], v)
		}
	}
	if values := out.Series[disparity]; len(values) > 0 {
		out.Quality[disparity] = bench.Summarize(values).Median
	}
	return nil
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// sharedNeighbors returns the share of neighbours in one graph that are neighbours in the other.
func sharedNeighbors(a, b *neighbors.Graph) float64 {
	shared, all := 0, 0
	for i := range a.Len() {
		of := b.Of(i)
		for _, j := range a.Of(i) {
			all++
			if slices.Contains(of, j) {
				shared++
			}
		}
	}
	return float64(shared) / float64(all)
}

// voters is the number of neighbours that vote on a class.
const voters = 10

// misclassified returns the share of samples whose first neighbours have mostly another class. Ties between classes
// go to the class of the nearest neighbour.
func misclassified(g *neighbors.Graph, labels []int64) float64 {
	wrong := 0
	for i := range g.Len() {
		votes := map[int64]int{}
		near := g.Of(i)
		near = near[:min(voters, len(near))]
		for _, j := range near {
			votes[labels[j]]++
		}
		chosen := labels[near[0]]
		for _, j := range near {
			if votes[labels[j]] > votes[chosen] {
				chosen = labels[j]
			}
		}
		if chosen != labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(g.Len())
}
