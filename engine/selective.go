package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/selective"
	"github.com/orthant-go/orthant/sparse"
)

// Selected is what a selective method learned of the samples besides its factors.
type Selected struct {
	// Exemplars are the samples whose neighbourhoods regularise the factors, ascending.
	Exemplars []int
	// Learned is Ẑ: row i has the affinities of exemplar i to its neighbours; the rows of
	// other samples are empty.
	Learned *sparse.CSR
	// Encoding is Z, of which Learned is a part: column j says who stands for sample j.
	Encoding *sparse.CSR
}

// bySelection is byALM with the graph of [selective], which is kept for the result.
type bySelection struct {
	byALM
	graph selective.Options
	k     *int // its number of neighbours; nil: ⌊√n⌋
}

func (r bySelection) factors(p *problem, w factorWork) (*factors, error) {
	var graph *selective.Graph
	r.learn = func(p *problem, _ []float64) (alm.Graph, error) {
		defer p.clock.Phase("neighbors")()
		o := r.graph
		o.Neighbors = rootNearest{r.k}.number(p.x.N)
		o.Threads, o.Kernels, o.Progress = p.options.Threads, p.kernels, p.fraction("neighbors")
		if err := p.limit(selective.Bytes(p.x.N, p.x.M, o), "take fewer samples, f-smrmf where this is another method, or raise the limit"); err != nil {
			return nil, err
		}
		var err error
		if graph, err = selective.New(p.ctx, p.x.N, p.x.M, p.x.Data, o); err != nil {
			return nil, p.ofSolver(err)
		}
		return graph, nil
	}
	found, err := r.byALM.factors(p, w)
	if err != nil {
		return nil, err
	}
	p.selection = &Selected{Exemplars: graph.Exemplars(), Learned: graph.Learned(), Encoding: graph.Encoding().Rows()}
	if !r.graph.All {
		p.details["exemplars"] = p.selection.Exemplars
	}
	p.details["learned_entries"] = p.selection.Learned.NNZ()
	if delta := graph.Delta(); delta > 0 {
		p.details["delta"] = delta
	}
	if p.selection.Learned.NNZ() == 0 {
		p.warn("the learned graph is empty: every sample stands for itself alone, and nothing keeps neighbours together; a larger delta, or diag=drop, gives it neighbours")
	}
	return found, nil
}

// checkSelection refuses numbers of neighbours and exemplars that n samples do not
// have, and a bound on the rows that no encoding meets.
func checkSelection(name string, k *int, exemplars int, norm string, n int) error {
	if n < 2 {
		return fmt.Errorf("%s: %d sample; give at least 2", name, n)
	}
	if err := checkRoot(name, k, n, n-1); err != nil {
		return err
	}
	if exemplars > n {
		return fmt.Errorf("%s: %d exemplars asked of %d samples; give a number from 1 to %d", name, exemplars, n, n)
	}
	tau := exemplars
	if tau == 0 {
		tau = selective.Tenth(n)
	}
	if norm == "2" && float64(tau)*float64(tau) < float64(n) {
		return fmt.Errorf("%s: with p=2 the columns of an encoding by %d exemplars cannot sum to 1: give at least %.0f exemplars for %d samples, or p=inf",
			name, tau, math.Ceil(math.Sqrt(float64(n))), n)
	}
	return nil
}
