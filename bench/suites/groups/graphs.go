package groups

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// graph is a graph with planted communities of equal size; inside is the share of the edges that lie within one.
type graph struct {
	name              string
	n, edges, planted int
	inside            float64
	full              bool
}

// graphs are what leiden is measured on.
var graphs = []graph{
	{name: "graph-10k", n: 10_000, edges: 100_000, planted: 50, inside: 0.7},
	{name: "graph-1m", n: 1_000_000, edges: 10_000_000, planted: 50, inside: 0.7, full: true},
}

// finder is a program for communities; until is the limit of igraph's iterations, −1 for none, and 0 for ours.
type finder struct {
	name, title, need string
	until             int
}

// accuracy is the modularity, which ours must nearly have by the planted communities.
func (p *finder) accuracy() []bench.Accuracy {
	if p.until == 0 {
		return []bench.Accuracy{bench.AtLeast(modularity, 0.68)}
	}
	return []bench.Accuracy{bench.ReportedShare(modularity)}
}

var leidens = []finder{
	{own, "orthant leiden, one run", "method:leiden", 0},
	{"igraph", "igraph's Leiden, two iterations", "peer:igraph", 2},
	{"igraph-converged", "igraph's Leiden, until nothing changes", "peer:igraph", -1},
}

func graphCases() []bench.Case {
	var list []bench.Case
	for _, g := range graphs {
		for _, p := range leidens {
			list = append(list, bench.Case{
				Name: g.name + "/" + p.name, Data: "planted communities", N: g.n, Method: p.title, Threads: runtime.NumCPU(), Repeats: 1, Full: g.full, Needs: []string{p.need},
				Accuracy: p.accuracy(), Params: map[string]any{"edges": g.edges, "planted": g.planted, "inside": g.inside},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return g.run(ctx, e, c, p.until)
				},
			})
		}
	}
	return list
}

// run finds communities, and measures their modularity.
func (g *graph) run(ctx context.Context, e *bench.Env, c *bench.Case, until int) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	w, err := g.draw()
	if err != nil {
		return nil, err
	}
	in := filepath.Join(dir, "w.npz")
	if err := bench.SaveMatrix(in, w); err != nil {
		return nil, err
	}
	j := job{in: in, dir: dir, threads: c.ThreadCount()}
	var labels []int64
	var out *bench.Outcome
	if until == 0 {
		labels, out, err = command(ctx, e, j, "--method", "leiden", "--affinities", in, "--set", "runs=1")
	} else {
		labels, out, err = igraph(ctx, j, until)
	}
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = g.n, g.edges
	out.Quality = map[string]float64{modularity: modularityOf(w, labels)}
	return out, nil
}

func igraph(ctx context.Context, j job, until int) ([]int64, *bench.Outcome, error) {
	result := filepath.Join(j.dir, "labels.npy")
	said, err := bench.CallPeer(ctx, j.dir, bench.PeerCall{Method: "igraph-leiden", In: j.in, Out: result, Threads: 1, Params: map[string]any{"iterations": until}})
	if err != nil {
		return nil, nil, err
	}
	labels, err := files.ReadLabels(result, files.Options{})
	return labels, said.Outcome(), err
}

// draw makes the graph: vertices of one community have the same residue. Edges that are drawn twice count once.
func (g *graph) draw() (*sparse.CSR, error) {
	stride := g.n / g.planted
	w, err := sparse.FromEntries(g.n, g.n, func(put func(i, j int, v float64)) {
		r := blas.NewStream(9)
		for range g.edges {
			i, j := r.Below(g.n), r.Below(g.n)
			if r.Uniform() < g.inside {
				j = i%stride + stride*r.Below(g.planted)
			}
			if i != j {
				put(i, j, 1)
				put(j, i, 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range w.Val {
		w.Val[k] = 1
	}
	return w, nil
}

// modularityOf returns the modularity of a partition at resolution 1, by its definition.
func modularityOf(w *sparse.CSR, labels []int64) float64 {
	var all, inside float64
	degree := map[int64]float64{}
	for i := range w.Rows {
		for p := w.Ptr[i]; p < w.Ptr[i+1]; p++ {
			v := w.Val[p]
			all += v
			degree[labels[i]] += v
			if labels[w.Col[p]] == labels[i] {
				inside += v
			}
		}
	}
	q := inside / all
	for _, c := range labels {
		if d := degree[c]; d > 0 {
			q -= d / all * (d / all)
			degree[c] = 0
		}
	}
	return q
}
