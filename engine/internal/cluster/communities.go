package cluster

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/communities"
)

// Communities returns the rule of clusters that are communities of the weighted graph by Leiden's algorithm, with the given rule for new samples.
func Communities(o communities.Options, rule extend.Rule[*extend.Clustered]) func(job *run.Run, in Input) (*Groups, error) {
	return func(job *run.Run, in Input) (*Groups, error) {
		defer job.Phase("solve")()
		n := in.W.Rows
		if err := job.Fit(communities.Bytes(n, in.W.NNZ(), o.Runs, job.Threads()), "the communities need", "take fewer runs or neighbours, or raise the limit"); err != nil {
			return nil, err
		}
		o := o // of this run
		o.Seed, o.Threads = blas.NewStream(job.Seed()).Uint64(), job.Threads()
		progress := job.Counted("solve", max(o.Runs, 1))
		o.Progress = func(int) { progress(1) }
		found, err := communities.Leiden(job.Context(), in.W, o)
		if err != nil {
			return nil, err
		}
		name := "modularity"
		if o.Quality == communities.CPM {
			name = "potts_quality"
		}
		job.Note(name, found.Quality)
		g := &Groups{Labels: make([]int64, n), Count: found.Count, Iterations: found.Iterations, Converged: true}
		for i, c := range found.Label {
			g.Labels[i] = int64(c)
		}
		switch {
		case in.X.Absent():
			g.Without = extend.WithoutSamples
		case in.Found.Affine:
			g.Without = extend.OfAffinities
		default:
			g.Rule = func([]int64) (*extend.Extension, string, error) {
				return rule(extend.Fit{Run: job, X: in.X, Found: *in.Found}, &extend.Clustered{Labels: g.Labels, Clusters: g.Count})
			}
		}
		return g, nil
	}
}
