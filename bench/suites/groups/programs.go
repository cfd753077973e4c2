package groups

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
)

// program finds groups.
type program struct {
	name, title string
	needs       []string
	timed       bool // runs on the sets for the time alone
	fast        bool // runs on the largest sets, too
	run         func(ctx context.Context, e *bench.Env, j job) ([]int64, *bench.Outcome, error)
}

// job is one set to group.
type job struct {
	in, dir  string
	set      *set
	clusters int // the true number, which k-means alone is given
	threads  int
}

// The names of our methods.
const own, plain = "orthant", "kmeans"

// programs are in the order of the tables.
var programs = []program{
	{name: own, title: "orthant hdbscan", needs: []string{"method:hdbscan"}, fast: true, run: func(ctx context.Context, e *bench.Env, j job) ([]int64, *bench.Outcome, error) {
		return command(ctx, e, j, "--method", "hdbscan", "--in", j.in, "--set", "min_cluster_size="+strconv.Itoa(j.set.size), "--set", "min_samples="+strconv.Itoa(j.set.samples))
	}},
	{name: "package", title: "hdbscan", needs: []string{"peer:hdbscan"}, run: python("hdbscan", false)},
	{name: "sklearn", title: "scikit-learn's HDBSCAN", needs: []string{"peer:sklearn-today"}, timed: true, run: python("sklearn-hdbscan", true)},
	{name: "fast", title: "fast_hdbscan", needs: []string{"peer:fast_hdbscan"}, timed: true, fast: true, run: python("fast-hdbscan", false)},
	{name: plain, title: "orthant kmeans", needs: []string{"method:kmeans"}, run: func(ctx context.Context, e *bench.Env, j job) ([]int64, *bench.Outcome, error) {
		return command(ctx, e, j, "--method", "kmeans", "--in", j.in, "--clusters", strconv.Itoa(j.clusters))
	}},
}

// command runs the command that users have.
func command(ctx context.Context, e *bench.Env, j job, args ...string) ([]int64, *bench.Outcome, error) {
	result := filepath.Join(j.dir, "labels.npy")
	args, err := e.Program(append([]string{"cluster", "--out", result, "--threads", strconv.Itoa(j.threads), "--quiet", "--json"}, args...)...)
	if err != nil {
		return nil, nil, err
	}
	spent, err := bench.External{Args: args}.Run(ctx)
	if err != nil {
		return nil, nil, err
	}
	out, err := spent.Reported()
	if err != nil {
		return nil, nil, err
	}
	labels, err := files.ReadLabels(result, files.Options{})
	return labels, out, err
}

// python runs a method of peers.py.
func python(method string, today bool) func(context.Context, *bench.Env, job) ([]int64, *bench.Outcome, error) {
	return func(ctx context.Context, _ *bench.Env, j job) ([]int64, *bench.Outcome, error) {
		result := filepath.Join(j.dir, "labels.npy")
		said, err := bench.CallPeer(ctx, j.dir, bench.PeerCall{Method: method, In: j.in, Out: result, Threads: j.threads, Today: today,
			Params: map[string]any{"size": j.set.size, "samples": j.set.samples, "threads": j.threads}})
		if err != nil {
			return nil, nil, err
		}
		labels, err := files.ReadLabels(result, files.Options{})
		return labels, said.Outcome(), err
	}
}
