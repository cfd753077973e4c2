package cluster

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/communities"
	"github.com/orthant-go/orthant/sparse"
)

// Communities returns the rule of clusters that are communities of the weighted graph by Leiden's algorithm: those of the best run, or those on which the
// runs agree. It has the given rule for new samples.
func Communities(o communities.Options, consensus bool, rule extend.Rule[*extend.Clustered]) func(job *run.Run, in Input) (*Groups, error) {
	return func(job *run.Run, in Input) (*Groups, error) {
		defer job.Phase("solve")()
		n := in.W.Rows
		need := communities.Bytes(n, in.W.NNZ(), o.Runs, job.Threads())
		if consensus {
			need += communities.ConsensusBytes(n, in.W.NNZ())
		}
		if err := job.Fit(need, "the communities need", "take fewer runs or neighbours, or raise the limit"); err != nil {
			return nil, err
		}
		o := o // of this run
		o.Seed, o.Threads = blas.NewStream(job.Seed()).Uint64(), job.Threads()
		found, converged, err := find(job, in.W, o, consensus)
		if err != nil {
			return nil, err
		}
		name := "modularity"
		if o.Quality == communities.CPM {
			name = "potts_quality"
		}
		job.Note(name, found.Quality)
		g := &Groups{Labels: make([]int64, n), Count: found.Count, Iterations: found.Iterations, Converged: converged}
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

// find returns the communities, and whether all runs of a consensus agree.
func find(job *run.Run, w *sparse.CSR, o communities.Options, consensus bool) (communities.Partition, bool, error) {
	if !consensus {
		progress := job.Counted("solve", max(o.Runs, 1))
		o.Progress = func(int) { progress(1) }
		found, err := communities.Leiden(job.Context(), w, o)
		return found, true, err
	}
	found, how, err := communities.Consensus(job.Context(), w, o)
	job.Note("unanimous_weight", how.Unanimous)
	job.Note("consensus_rounds", how.Rounds)
	if err == nil && !how.Complete {
		job.Warn("the runs do not agree after %d rounds; the best of the last is taken", how.Rounds)
	}
	return found, how.Complete, err
}
