// Package maps is the suite that compares umap, tsne and pacmap with their authors' programs and with other
// programs for the same maps.
package maps

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares maps of neighbourhoods.
var Suite = bench.Suite{
	Name:  "maps",
	Title: "umap, tsne and pacmap compared with the programs of others",
	About: `Each program makes a map of the same samples at its own defaults, in a process for each seed, with as many threads as there are cores (one with --quick). t-SNE has the perplexity 30 everywhere. Figures are means over the seeds 1, 2 and 3 (1 and 2 with --quick, of 18 views of each object of COIL-20, by the originals alone), with the range in parentheses; a peak of memory is the largest.

Times are for the map alone. Times of Python and R begin after the imports, after the samples are read, and for umap-learn and PaCMAP after a small map for which they compile themselves. Times of orthant are without reading and writing. FIt-SNE is a process that reads and writes a file, and it gets principal components as its start, which are not timed. Peaks are of the whole process: of Python, R and compiled code, too. All read the same file; umap-learn, PaCMAP, openTSNE and scikit-learn are given single precision.

umap-learn with random_state runs on one thread; "unseeded" is without it, on all. Rtsne is van der Maaten's program, here without its own reduction to 50 principal components, so that all have the same affinities. Rtsne and scikit-learn make 1000 iterations, the others 750. PaCMAP reduces more than 100 columns to 100 principal components; its seeds are 1000, 2000 and 3000, since those that follow each other share four of five of its draws of mid-near pairs. The words of the newsgroups are 0 and 1, as they are, and many postings are equal. On the 70 000 digits Rtsne and scikit-learn would take hours, and are left out.

np15 is the share of the 15 nearest in the data that are among the 15 nearest in the map (1 is best). The 10-NN error is the share of samples for which most of the 10 nearest in the map are of another class. Triplets are the share of random triplets that keep their order of distances. KL is t-SNE's divergence with exact repulsion, under the same affinities for all programs. The disparity is what is left between the maps of two seeds after the best rotation and scale (Procrustes, 0 is best), the median over the pairs.

Targets compare with the original: umap-learn, PaCMAP, and for t-SNE the first of Rtsne, FIt-SNE, openTSNE and scikit-learn that ran on the set. Sets on which either side did not run are left out of a target.`,
	Speed:    true,
	Cases:    cases,
	Claims:   claims(),
	Versus:   versus,
	Sections: sections,
}

// seeds returns the number of maps in a case. The quick version compares no seeds of the others: umap-learn compiles its code
// anew for each map, for longer than all of our maps take.
func (p *program) seeds(e *bench.Env) int {
	switch {
	case !e.Quick:
		return 3
	case p.own():
		return 2
	}
	return 1
}

func cases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for _, set := range sets {
		for _, p := range programs {
			if !set.takes(p) {
				continue
			}
			params := map[string]any{"seeds": p.seeds(e)}
			if p.method == "tsne" {
				params["perplexity"] = perplexity
			}
			if p.approximate {
				params["neighbors_method"] = "approximate"
			}
			threads := runtime.NumCPU()
			if e.Quick {
				threads = 1 // with so few samples, threads would spend half of the time waiting
			}
			list = append(list, bench.Case{
				Name: caseName(set.name, p.method, p.name), Data: set.title(e), N: set.generated.N, Method: p.title + " " + p.method, Params: params,
				Threads: threads, Repeats: 1, Full: set.full || p.full, Needs: append(set.needs(e), p.needs...),
				Accuracy: []bench.Accuracy{bench.ReportedShare(keptNeighbors)},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return run(ctx, e, c, &set, &p)
				},
			})
		}
	}
	return list
}

func caseName(set, method, program string) string { return set + "/" + method + "/" + program }

// run computes a map for each seed, and measures all.
func run(ctx context.Context, e *bench.Env, c *bench.Case, set *dataSet, p *program) (*bench.Outcome, error) {
	d, err := set.load(e)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	in := d.Path // "": it holds more or less than the set
	if filepath.Ext(in) != ".npy" {
		in = filepath.Join(dir, "x.npy")
		if err := save(in, d.X); err != nil {
			return nil, err
		}
	}
	var list []made
	for seed := 1; seed <= p.seeds(e); seed++ {
		one, err := p.run(ctx, e, job{in: in, dir: dir, data: d, seed: seed, threads: c.ThreadCount()})
		if err != nil {
			return nil, err
		}
		list = append(list, *one)
	}
	return outcome(ctx, set, p, d, list)
}

// versus returns the largest sets, on which times differ most.
func versus() []bench.Versus {
	var list []bench.Versus
	for _, set := range sets {
		for _, p := range programs {
			if set.versus && set.takes(p) && !p.own() {
				list = append(list, bench.Versus{
					What: set.name + ", " + p.method, Program: p.title,
					Ours: caseName(set.name, p.method, own), Theirs: caseName(set.name, p.method, p.name),
				})
			}
		}
	}
	return list
}
