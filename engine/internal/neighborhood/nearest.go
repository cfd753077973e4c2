package neighborhood

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Nearest selects the k nearest samples by the metric of the run, other than
// the sample itself.
type Nearest int

// Find searches exactly, or approximately if the run allows it.
func (k Nearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	g, err := k.find(job, x)
	return Found{Graph: g}, err
}

// find returns the graph, with distances in the unit of the samples: see [samples.Samples.Rescale].
func (k Nearest) find(job *run.Run, x samples.Samples) (*neighbors.Graph, error) {
	metric := job.Metric()
	if !job.Approximate() {
		return exact(job, x, int(k))
	}
	why := ""
	switch {
	case x.Compressed() != nil:
		if why = "the samples are sparse"; job.ExactWithin() == 0 {
			job.Warn("the neighbours of sparse samples are found exactly: neighbors-method does nothing")
		}
	case job.ExactWithin() > 0 && metric.CheckApproximate() != nil:
		why = fmt.Sprintf("an approximate search does not go by %s", metric)
	}
	if why != "" {
		noteSearch(job, neighbors.Report{Exact: true, Recall: 1})
		job.Explain("neighbours: exact, because %s", why)
		return exact(job, x, int(k))
	}
	o := neighbors.ApproximateOptions{
		Kernels: job.Kernels(), Threads: job.Threads(), Progress: job.Counting("neighbors", run.Rows, x.N()),
		Seed: job.Seed(), Recall: job.Recall(), ExactWithin: job.ExactWithin(),
	}
	if err := room(job, x, int(k), x.InUnitOfBytes(metric)+neighbors.ApproximateByBytes(x.Points().Stored(), int(k), metric, o)); err != nil {
		return nil, err
	}
	g, r, err := neighbors.ApproximateBy(job.Context(), x.InUnitOf(metric).Points().Stored(), int(k), metric, o)
	if err != nil {
		return nil, err
	}
	x.Rescale(g, metric)
	noteSearch(job, r)
	job.Explain("%s", describe(r, job.Recall()))
	job.Explain("neighbours: estimated at %.2g s exactly, at %.2g s approximately", neighbors.ExactSeconds(x.N(), x.M(), int(k), job.Threads()), neighbors.ApproximateSeconds(x.N(), x.M(), int(k), job.Threads()))
	return g, nil
}

// noteSearch has the result say how the neighbours were found where an approximate search is allowed: with which recall, and on how many
// rows it was measured, 0 where the search was exact.
func noteSearch(job *run.Run, r neighbors.Report) {
	rows := r.Rows
	if r.Exact {
		rows = 0
	}
	job.Note("recall", r.Recall)
	job.Note("recall_rows", rows)
}

// describe says in a line how an approximate search went.
func describe(r neighbors.Report, target float64) string {
	how := fmt.Sprintf("%d partitions", r.Partitions)
	if r.Trees > 0 {
		how = fmt.Sprintf("%d trees, %d iterations", r.Trees, r.Iterations)
	}
	switch {
	case !r.Exact:
		return fmt.Sprintf("neighbours: approximate, recall %.4f measured on %d samples (%s)", r.Recall, r.Rows, how)
	case r.Reached == 0:
		return "neighbours: exact, which is as fast for these sizes"
	default:
		return fmt.Sprintf("neighbours: exact, because approximate search reached only recall %.4f of %g on %d samples (%s)", r.Reached, target, r.Rows, how)
	}
}

// Widen searches once and truncates.
func (Nearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(job, x, k)
	return func(k int) (*neighbors.Graph, error) { return wide.Truncated(k), nil }, err
}

// exact returns the exact graph of k neighbours.
func exact(job *run.Run, x samples.Samples, k int) (*neighbors.Graph, error) {
	metric := job.Metric()
	o := neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads(), Progress: job.Counting("neighbors", run.Rows, x.N())}
	undivided := x.InUnitOf(metric)
	var g *neighbors.Graph
	var err error
	if a := undivided.Compressed(); a != nil {
		if err := room(job, x, k, x.InUnitOfBytes(metric)+neighbors.MetricSparseBytes(a, k, job.Threads(), metric)); err != nil {
			return nil, err
		}
		g, err = neighbors.NearestSparse(job.Context(), a, k, metric, o)
	} else {
		if err := room(job, x, k, x.InUnitOfBytes(metric)+neighbors.MetricBytes(x.N(), x.M(), k, job.Threads(), metric)); err != nil {
			return nil, err
		}
		g, err = neighbors.Nearest(job.Context(), undivided.Points(), k, metric, o)
	}
	if err == nil {
		x.Rescale(g, metric)
	}
	return g, err
}

// room returns an error if a search of the given bytes exceeds the memory limit.
func room(job *run.Run, x samples.Samples, k int, bytes int64) error {
	return job.Fit(bytes, fmt.Sprintf("the search for the %d neighbours of %d samples needs", k, x.N()), "take fewer neighbours, fewer samples, or raise the limit")
}

// NearestCapped is [Nearest] with k capped at n − 1.
type NearestCapped int

// Find searches k neighbours, or n − 1 if that is less.
func (k NearestCapped) Find(job *run.Run, x samples.Samples) (Found, error) {
	return Nearest(min(int(k), x.N()-1)).Find(job, x)
}

// Widen implements [Rule] as [Nearest] does.
func (k NearestCapped) Widen(job *run.Run, x samples.Samples, wide int) (func(k int) (*neighbors.Graph, error), error) {
	return Nearest(k).Widen(job, x, wide)
}

// Plain returns k for a rule that only selects the k nearest of n samples, and that given lists or
// distances can replace.
func Plain(rule Rule, n int) (k int, plain bool) {
	switch k := rule.(type) {
	case Nearest:
		return int(k), true
	case NearestCapped:
		return min(int(k), n-1), true
	case Reachable:
		return k.MinSamples - 1, true
	}
	return 0, false
}

// RootNearest selects the K nearest samples. If K is nil, it selects ⌊√n⌋, but at
// most Most.
type RootNearest struct {
	K    *int
	Most int // 0: any number
}

// Number returns k for n samples.
func (r RootNearest) Number(n int) int {
	if r.K != nil {
		return *r.K
	}
	k := max(1, int(math.Sqrt(float64(n))))
	if r.Most > 0 {
		k = min(k, r.Most)
	}
	return k
}

// Check returns an error if the number for n samples exceeds most.
func (r RootNearest) Check(method string, n, most int) error {
	if got := r.Number(n); got > most {
		return fmt.Errorf("%s: %d neighbours requested of %d samples; give a number from 1 to %d, or more samples", method, got, n, most)
	}
	return nil
}

// Find searches [RootNearest.Number] neighbours.
func (r RootNearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	return Nearest(r.Number(x.N())).Find(job, x)
}

// Widen implements [Rule] as [Nearest] does.
func (r RootNearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	return Nearest(r.Number(x.N())).Widen(job, x, k)
}

// UnitNearest selects the k nearest samples after scaling all to
// unit length. k is capped at n − 1, with a warning.
type UnitNearest struct{ Nearest }

// Find searches among the samples scaled to unit length.
func (r UnitNearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	k := int(r.Nearest)
	if k >= x.N() {
		job.Warn("%d neighbours are too many for %d samples: took %d", k, x.N(), x.N()-1)
		k = x.N() - 1
	}
	bytes := x.Bytes()
	if err := room(job, x, k, bytes); err != nil {
		return Found{}, err
	}
	unit, err := x.Unit(job.Context(), job.Threads())
	if err != nil {
		return Found{}, err
	}
	return Nearest(k).Find(job.Holding(bytes), unit)
}

// Widen also searches among the samples scaled to unit length.
func (r UnitNearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	unit, err := x.Unit(job.Context(), job.Threads())
	if err != nil {
		return nil, err
	}
	return r.Nearest.Widen(job, unit, k)
}
