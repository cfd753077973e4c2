package factor

import (
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/selective"
	"github.com/orthant-go/orthant/sparse"
)

// Selection is what a selective method learned in addition to its factors.
type Selection struct {
	// Exemplars are the samples whose neighbourhoods regularise the factors, ascending.
	Exemplars []int
	// Learned is Ẑ: row i has the affinities of exemplar i to its neighbours; all other rows are
	// empty.
	Learned *sparse.CSR
	// Encoding is Z, which contains Learned: column j says which samples represent sample j.
	Encoding *sparse.CSR
}

// BySelection is [ByALM] with the graph of [selective], which the result contains.
type BySelection struct {
	ByALM
	Graph selective.Options
	K     *int // number of neighbours; nil: ⌊√n⌋
}

// Factorize learns the graph together with the indicators.
func (r BySelection) Factorize(w Work) (*Found, error) {
	var graph *selective.Graph
	r.Learn = func(job *run.Run, x samples.Samples, lambda float64) (alm.Graph, int64, error) {
		defer job.Phase("neighbors")()
		o := r.Graph
		o.Lambda = lambda
		o.Neighbors = neighborhood.RootNearest{K: r.K}.Number(x.N())
		o.Threads, o.Kernels, o.Progress = job.Threads(), job.Kernels(), job.Fraction("neighbors")
		need := selective.Bytes(x.N(), x.M(), x.Copies().Pairs(), o)
		if err := job.FitBeforeSolve(x.N(), x.M(), need, "take fewer samples, f-smrmf where this is another method, or raise the limit"); err != nil {
			return nil, 0, err
		}
		var err error
		if graph, err = selective.New(job.Context(), x.N(), x.M(), x.Data(), o); err != nil {
			return nil, 0, job.WrapSolverError(err)
		}
		return graph, need, nil
	}
	job := w.Run // w must not be used below, see [Work.Factorize]
	found, err := r.ByALM.Factorize(w)
	if err != nil {
		return nil, err
	}
	found.Selection = &Selection{Exemplars: graph.Exemplars(), Learned: graph.Learned(), Encoding: graph.Encoding().Rows()}
	if !r.Graph.All {
		job.Note("exemplars", found.Selection.Exemplars)
	}
	job.Note("learned_entries", found.Selection.Learned.NNZ())
	if delta := graph.Delta(); delta > 0 {
		job.Note("delta", delta)
	}
	if found.Selection.Learned.NNZ() == 0 {
		job.Warn("the learned graph is empty: every sample stands for itself alone, and nothing keeps neighbours together; a larger ‹square_weight›, or ‹diag=drop›, gives it neighbours")
	}
	return found, nil
}
