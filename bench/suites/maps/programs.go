package maps

import (
	"context"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
)

// program computes maps by a method. Its name is the last part of its cases' names.
type program struct {
	method, name, title string
	needs               []string
	approximate         bool // the neighbours are approximate, which pays only for large sets
	full                bool // left out by --quick
	run                 func(ctx context.Context, e *bench.Env, j job) (*made, error)
}

// own is the name of our program with its defaults.
const own = "orthant"

// own reports whether a program is ours.
func (p *program) own() bool { return p.title == own }

// perplexity is the perplexity of t-SNE for all programs.
const perplexity = 30

// programs are in the order of the tables. For each method the first peer is the original.
var programs = []program{
	ours("umap", false), ours("umap", true),
	{method: "umap", name: "umap-learn", title: "umap-learn", needs: []string{"peer:umap"}, run: python("umap", map[string]any{}, true)},
	{method: "umap", name: "umap-learn-unseeded", title: "umap-learn, unseeded", needs: []string{"peer:umap"}, full: true, run: python("umap", map[string]any{}, false)},

	ours("tsne", false), ours("tsne", true),
	{method: "tsne", name: "rtsne", title: "Rtsne", needs: []string{"peer:rtsne"}, run: rtsne},
	{method: "tsne", name: "fit-sne", title: "FIt-SNE", needs: []string{"peer:fitsne"}, full: true, run: fitsne},
	{method: "tsne", name: "opentsne", title: "openTSNE", needs: []string{"peer:opentsne"}, full: true, run: python("opentsne", map[string]any{"perplexity": perplexity}, true)},
	{method: "tsne", name: "scikit-learn", title: "scikit-learn", needs: []string{"peer:sklearn"}, full: true, run: python("tsne", map[string]any{"perplexity": perplexity}, true)},

	ours("pacmap", false), ours("pacmap", true),
	{method: "pacmap", name: "pacmap", title: "PaCMAP", needs: []string{"peer:pacmap"}, run: python("pacmap", map[string]any{}, true)},
}

// job is one map to compute.
type job struct {
	in      string // the samples, as .npy
	dir     string // for files
	data    *bench.Data
	seed    int
	threads int
}

// made is a map with its cost.
type made struct {
	bench.Cost            // of the map alone
	process    bench.Cost // of the whole process, if known
	peak       int64
	version    string // of the program, with its name
	y          *mat.Dense
}

// ours runs the command that users have.
func ours(method string, approximate bool) program {
	p := program{method: method, name: own, title: own, needs: []string{"method:" + method}, approximate: approximate}
	if approximate {
		p.name += "-approximate"
	}
	p.run = func(ctx context.Context, e *bench.Env, j job) (*made, error) {
		result := filepath.Join(j.dir, "y.npy")
		command, err := e.Program("embed", "--method", method, "--in", j.in, "--out", result, "--seed", strconv.Itoa(j.seed),
			"--threads", strconv.Itoa(j.threads), "--quiet", "--json")
		if err != nil {
			return nil, err
		}
		if method == "tsne" {
			command = append(command, "--set", "perplexity="+strconv.Itoa(perplexity))
		}
		if approximate {
			command = append(command, "--neighbors-method", "approximate")
		}
		spent, err := bench.External{Args: command}.Run(ctx)
		if err != nil {
			return nil, err
		}
		one, err := reported(spent)
		if err != nil {
			return nil, err
		}
		one.y, err = files.ReadMatrix(result, files.Options{})
		return one, err
	}
	return p
}

// reported reads the cost that the command reports.
func reported(spent bench.Spent) (*made, error) {
	said, err := spent.Reported()
	if err != nil {
		return nil, err
	}
	return &made{Cost: bench.Cost{Wall: said.Seconds["total"], CPU: said.CPUSeconds["total"]}, process: spent.Cost, peak: said.PeakBytes, version: said.Backend}, nil
}

// python runs a method of peers.py. Without a seed the program draws its own.
func python(method string, params map[string]any, seeded bool) func(context.Context, *bench.Env, job) (*made, error) {
	return func(ctx context.Context, _ *bench.Env, j job) (*made, error) {
		p := map[string]any{"threads": j.threads}
		for key, value := range params {
			p[key] = value
		}
		if seeded {
			p["seed"] = j.seed
		}
		result := filepath.Join(j.dir, "y.npy")
		said, err := bench.CallPeer(ctx, j.dir, bench.PeerCall{Method: method, Params: p, In: j.in, Out: result, Threads: j.threads})
		if err != nil {
			return nil, err
		}
		y, err := files.ReadMatrix(result, files.Options{})
		if err != nil {
			return nil, err
		}
		return &made{Cost: bench.Cost{Wall: said.Wall, CPU: said.CPU}, process: said.Process(), peak: said.Peak, version: said.Version, y: y}, nil
	}
}
