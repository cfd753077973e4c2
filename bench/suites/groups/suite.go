// Package groups is the suite that compares hdbscan and leiden with the programs of others: the groups that they find, and the time.
package groups

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Suite compares groups whose number is found.
var Suite = bench.Suite{
	Name:  "groups",
	Title: "hdbscan and leiden compared with the programs of others",
	About: `Twelve sets in the plane have groups of the kinds for which HDBSCAN was made: bent, of different density and size, among noise, joined by bridges. k-means with the true number is compared. The others are sets for the time: 100 000 and a million samples in two columns (50 clusters of different spread, a tenth is noise), 70 000 in ten columns (without noise and with a tenth), and for leiden a graph of a million vertices and ten million edges (20 000 planted communities of 50; 0.7 of the edges are within one).

All programs have the same min_cluster_size and count the same samples for the core distance, and hdbscan makes an exact spanning tree. Times are by the clock, on as many threads as there are cores, without reading and writing. Python programs that compile themselves are called once before. igraph runs two iterations, its default, and until nothing changes.

ARI is the adjusted Rand index to the true groups, with noise as a group of its own. Agreement is the ARI to our labels.`,
	Speed:    true,
	Cases:    cases,
	Claims:   claims(),
	Versus:   versus,
	Sections: sections,
}

// The names of what the cases measure.
const truthARI, agreement, modularity = "ari", "agreement", "modularity"

func cases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for _, s := range sets {
		for _, p := range programs {
			if !s.takes(&p) {
				continue
			}
			repeats := 3
			if s.timed {
				repeats = 1
			}
			list = append(list, bench.Case{
				Name: caseName(&s, &p), Data: s.title, N: s.n, Method: p.title, Threads: runtime.NumCPU(), Repeats: repeats, Full: s.timed, Needs: p.needs,
				Accuracy: accuracy(&s, &p), Params: map[string]any{"min_cluster_size": s.size, "min_samples": s.samples},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return run(ctx, e, c, &s, &p)
				},
			})
		}
	}
	return append(list, graphCases()...)
}

func caseName(s *set, p *program) string { return s.name + "/" + p.name }

// accuracy are the errors next to the seconds: ours has to be near the truth.
func accuracy(s *set, p *program) []bench.Accuracy {
	switch p.name {
	case own:
		return []bench.Accuracy{bench.AtLeast(truthARI, s.least)}
	case plain:
		return []bench.Accuracy{bench.ReportedShare(truthARI)}
	}
	return []bench.Accuracy{bench.ReportedShare(truthARI), bench.ReportedShare(agreement)}
}

// run finds the groups of a set, and compares them with the true ones and with ours.
func run(ctx context.Context, e *bench.Env, c *bench.Case, s *set, p *program) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	d := s.draw()
	in := filepath.Join(dir, "x.npy")
	if err := bench.SaveMatrix(in, d.x); err != nil {
		return nil, err
	}
	labels, out, err := p.run(ctx, e, job{in: in, dir: dir, set: s, clusters: d.count(), threads: c.ThreadCount()})
	if err != nil {
		return nil, err
	}
	out.DataHash = bench.HashMatrix(d.x)
	out.Samples, out.Features = d.x.Dims()
	if out.Quality == nil {
		out.Quality = map[string]float64{}
	}
	if out.Quality[truthARI], err = measures.AdjustedRand(d.labels, labels); err != nil {
		return nil, err
	}
	if p.name != own && p.name != plain {
		ours, err := engine.Cluster(ctx, d.x, engine.HDBSCAN{MinClusterSize: s.size, MinSamples: &s.samples}, engine.ClusterOptions{})
		if err != nil {
			return nil, err
		}
		if out.Quality[agreement], err = measures.AdjustedRand(ours.Labels, labels); err != nil {
			return nil, err
		}
	}
	if !s.timed {
		out.Pictures = map[string]*bench.Picture{picture: {Points: d.x, Labels: labels}}
	}
	return out, nil
}
