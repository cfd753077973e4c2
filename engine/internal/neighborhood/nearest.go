package neighborhood

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Nearest is the neighbourhood of the k nearest samples by Euclidean distance,
// the sample itself left out.
type Nearest int

// Find searches exactly, or approximately where the run allows it.
func (k Nearest) Find(job *run.Run, x samples.Samples) (Found, error) {
	g, err := k.find(job, x)
	return Found{Graph: g}, err
}

func (k Nearest) find(job *run.Run, x samples.Samples) (*neighbors.Graph, error) {
	if x.Compressed() != nil {
		if job.Approximate() {
			job.Warn("the neighbours of sparse samples are found exactly: neighbors-method does nothing")
		}
		return exact(job, x, int(k))
	}
	if !job.Approximate() {
		return exact(job, x, int(k))
	}
	if err := room(job, x, int(k), neighbors.ApproximateBytes(x.N(), x.M(), int(k), job.Threads())); err != nil {
		return nil, err
	}
	g, r, err := neighbors.Approximate(job.Context(), x.Points(), int(k), neighbors.ApproximateOptions{
		Kernels: job.Kernels(), Threads: job.Threads(), Progress: job.Counting("neighbors", run.Rows, x.N()),
		Seed: job.Seed(), Recall: job.Recall(),
	})
	if err != nil {
		return nil, err
	}
	job.Note("recall", r.Recall)
	job.Explain("%s", describe(r, job.Recall()))
	return g, nil
}

// describe says in a line how an approximate search went.
func describe(r neighbors.Report, target float64) string {
	switch {
	case !r.Exact:
		return fmt.Sprintf("neighbours: approximate, recall %.4f measured on %d samples (%d trees, %d iterations)", r.Recall, r.Rows, r.Trees, r.Iterations)
	case r.Trees == 0:
		return "neighbours: exact, which is as fast for these sizes"
	default:
		return fmt.Sprintf("neighbours: exact, because approximate search reached only recall %.4f of %g on %d samples (%d trees, %d iterations)", r.Reached, target, r.Rows, r.Trees, r.Iterations)
	}
}

// Widen searches once and truncates.
func (Nearest) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(job, x, k)
	return func(k int) (*neighbors.Graph, error) { return wide.Truncated(k), nil }, err
}

// exact is the exact graph of k neighbours.
func exact(job *run.Run, x samples.Samples, k int) (*neighbors.Graph, error) {
	o := neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads(), Progress: job.Counting("neighbors", run.Rows, x.N())}
	if a := x.Compressed(); a != nil {
		if err := room(job, x, k, neighbors.ExactSparseBytes(a, k, job.Threads())); err != nil {
			return nil, err
		}
		return neighbors.ExactSparse(job.Context(), a, k, o)
	}
	if err := room(job, x, k, neighbors.ExactBytes(x.N(), x.M(), k, job.Threads())); err != nil {
		return nil, err
	}
	return neighbors.Exact(job.Context(), x.Points(), k, o)
}

// room refuses a search that takes more bytes than the limit leaves.
func room(job *run.Run, x samples.Samples, k int, bytes int64) error {
	return job.Fit(bytes, fmt.Sprintf("the search for the %d neighbours of %d samples needs", k, x.N()), "take fewer neighbours, fewer samples, or raise the limit")
}
