// Package restarts is the suite that makes many factorisations of the same counts: together,
// one by one, and by scikit-learn; and of cells, whose times another program publishes.
package restarts

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// Suite measures many factorisations of one matrix.
var Suite = bench.Suite{
	Name:  "restarts",
	Title: "Many factorisations of the same counts",
	About: `Counts of 100 000 samples × 2000 features, 4 % of them not zero, drawn from ten known programmes (4000 samples with --quick); ranks 5, 10 and 15. Runs together are four of each rank by engine.FactorizeRuns, on all cores; one by one, and by scikit-learn, it is one run of each rank, and what is compared is runs a minute of wall time. scikit-learn gets as many threads as it takes; its factorisation of sparse data takes one.

The squared error is lowered by coordinate descent on both sides: by ours for 40 iterations, which share the products among several sweeps, by scikit-learn's until its tolerance of 1e-4 or 300 iterations. The divergence is lowered by multiplicative updates: for 10 iterations by scikit-learn, which updates W first, and for 12 by ours, which come to the same error. The error is the mean of ‖X − WH‖/‖X‖ over the ranks.

The cells are cases whose times RcppML 1.0 publishes: counts made by the description of its data, log-normalised, and one factorisation of 20 iterations. scikit-learn makes as many, to be compared at an equal error.`,
	Speed:    true,
	Cases:    cases,
	Claims:   append(claims(), cellClaims()...),
	Versus:   versus,
	Sections: sections,
}

// versus are the runs one by one, which are as many as scikit-learn's.
func versus() []bench.Versus {
	var list []bench.Versus
	for _, l := range losses {
		list = append(list, bench.Versus{What: "NMF of counts, " + l.title, Program: "scikit-learn", Ours: l.name + "/" + oneByOne, Theirs: l.name + "/" + sklearn})
	}
	return list
}

// losses are the comparisons.
var losses = []struct {
	name, title, method string
	set                 map[string]string
	iterations          int
	peer                map[string]any
}{
	{"squares", "squared error, coordinate descent", "nmf", map[string]string{"solver": "hals"}, 40,
		map[string]any{"solver": "cd", "loss": "frobenius", "iterations": 300, "tolerance": 1e-4}},
	{"divergence", "Kullback–Leibler divergence, multiplicative updates", "nmf-kl", nil, 12,
		map[string]any{"solver": "mu", "loss": "kullback-leibler", "iterations": 10, "tolerance": 0}},
}

// The ways to make the runs, which are the last parts of the names of cases.
const (
	together = "orthant"
	oneByOne = "one-by-one"
	sklearn  = "scikit-learn"
)

var ranks = []int{5, 10, 15}

// runsTogether is how many runs of each rank are made together.
const runsTogether = 4

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, l := range losses {
		for _, way := range []string{together, oneByOne, sklearn} {
			c := bench.Case{
				Name: l.name + "/" + way, Group: l.name, Data: "programmes", N: 100_000, M: 2000, Method: l.method,
				Params:  map[string]any{"ranks": ranks, "runs": runsOf(way), "iterations": l.iterations, "set": l.set},
				Threads: runtime.NumCPU(), Fresh: true, Repeats: 1,
				Accuracy: []bench.Accuracy{bench.Reported("error").Against(l.name+"/"+sklearn, 1.001)},
			}
			switch way {
			case sklearn:
				c.Method, c.Params, c.Needs = "scikit-learn nmf", map[string]any{"ranks": ranks}, []string{"peer:sklearn"}
				for key, value := range l.peer {
					c.Params[key] = value
				}
				c.Accuracy[0] = bench.Reported("error")
				c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					x, err := counts(e)
					if err != nil {
						return nil, err
					}
					return runPeer(ctx, e, c, x)
				}
			default:
				c.Needs = []string{"method:" + l.method}
				c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return runOurs(ctx, e, c, way, l.method, l.set, l.iterations)
				}
			}
			list = append(list, c)
		}
	}
	return append(list, cellCases()...)
}

// runsOf is the number of runs of each rank.
func runsOf(way string) int {
	if way == together {
		return runsTogether
	}
	return 1
}

func counts(e *bench.Env) (*sparse.CSR, error) {
	n := 100_000
	if e.Quick {
		n = 4000
	}
	p, err := datasets.GenerateProgrammes(n, 1, nil)
	if err != nil {
		return nil, err
	}
	return p.Counts, nil
}

func runOurs(ctx context.Context, e *bench.Env, c *bench.Case, way, method string, set map[string]string, iterations int) (*bench.Outcome, error) {
	x, err := counts(e)
	if err != nil {
		return nil, err
	}
	with := map[string]string{"iterations": fmt.Sprint(iterations)}
	for key, value := range set {
		with[key] = value
	}
	m, err := bench.NewMethod(method, with)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Memory: e.Memory}
	out := &bench.Outcome{Samples: x.Rows, Features: x.Cols, Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}}
	var sum float64
	if way == together {
		r, err := engine.FactorizeRuns(ctx, x, m, engine.RunsOptions{Options: o, Ranks: ranks, Runs: runsTogether})
		if err != nil {
			return nil, err
		}
		for _, run := range r.Runs {
			sum += run.RelativeError
		}
		out.Seconds, out.CPUSeconds, out.Backend = r.Seconds, r.CPUSeconds, r.Backend
	} else {
		for _, rank := range ranks {
			r, err := engine.Factorize(ctx, x, m, engine.FactorizeOptions{Options: o, Rank: rank, TraceEvery: iterations})
			if err != nil {
				return nil, err
			}
			for phase, seconds := range r.Seconds {
				out.Seconds[phase] += seconds
				out.CPUSeconds[phase] += r.CPUSeconds[phase]
			}
			sum += r.RelativeError
			out.Backend = r.Backend
		}
	}
	out.Quality = map[string]float64{"error": sum / float64(len(ranks)*runsOf(way))}
	return out, nil
}

// runPeer has scikit-learn factorise x.
func runPeer(ctx context.Context, e *bench.Env, c *bench.Case, x *sparse.CSR) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	in := filepath.Join(dir, "counts.npz")
	o, err := files.Create(in, nil)
	if err != nil {
		return nil, err
	}
	if err := o.WriteMatrix(x, files.Options{}); err != nil {
		return nil, err
	}
	if err := o.Commit(); err != nil {
		return nil, err
	}
	peer, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: "nmf-sparse", Params: c.Params, In: in, Threads: c.ThreadCount()})
	if err != nil {
		return nil, err
	}
	out := peer.Outcome()
	out.Samples, out.Features = x.Rows, x.Cols
	return out, nil
}

// rate is the runs a minute of a case, by the clock.
func rate(r *bench.Records, name string) float64 {
	one := r.Get(name)
	if one == nil || !(one.Seconds["total"].Median > 0) {
		return math.NaN()
	}
	return 60 * float64(len(ranks)*runsOf(filepath.Base(name))) / one.Seconds["total"].Median
}

func claims() []bench.Claim {
	var list []bench.Claim
	for _, l := range losses {
		for _, other := range []struct {
			way   string
			times float64
		}{{oneByOne, 3}, {sklearn, 8}} {
			ours, theirs := l.name+"/"+together, l.name+"/"+other.way
			list = append(list, bench.Claim{
				Name: l.name + "/" + other.way, Source: "orthant",
				Statement: fmt.Sprintf("%s: together, at least %g times the runs a minute of %s, at an error that is no larger.", l.title, other.times, other.way),
				Check: func(r *bench.Records) bench.Finding {
					f, ready := r.Sound(ours, theirs)
					if !ready {
						return f
					}
					times := rate(r, ours) / rate(r, theirs)
					return r.SpeedFinding(times >= other.times, fmt.Sprintf("%.3g times: %.3g runs a minute to %.3g; %s to %s", times, rate(r, ours), rate(r, theirs),
						r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text), f.Cases)
				},
			})
		}
	}
	return list
}

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"", "together", "one by one", "scikit-learn", "runs a minute", "one by one", "scikit-learn", "memory"}}
	for _, l := range losses {
		name := func(way string) string { return l.name + "/" + way }
		if r.Lookup(name(together)) == nil {
			continue
		}
		row := []bench.Cell{{Text: l.title}}
		for _, way := range []string{together, oneByOne, sklearn} {
			row = append(row, r.TimedCell(name(way), "total"))
		}
		for _, way := range []string{together, oneByOne, sklearn} {
			row = append(row, r.Cell(name(way), func(*bench.Record) string { return fmt.Sprintf("%.3g", rate(r, name(way))) }))
		}
		t.Rows = append(t.Rows, append(row, r.Cell(name(together), bench.PeakText)))
	}
	if len(t.Rows) == 0 {
		return cellsTable(r)
	}
	return append([]bench.Section{{Title: "Processor seconds with the errors, and runs a minute by the clock", Table: t}}, cellsTable(r)...)
}
