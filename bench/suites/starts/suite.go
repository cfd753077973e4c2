// Package starts is the suite that compares the starts of nonnegative factorisations: by the objective at equal
// time, and by what is recovered.
package starts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Suite compares starts over sets, losses and ranks.
var Suite = bench.Suite{
	Name:  "starts",
	Title: "Starts of nonnegative factorisations",
	About: `Every start of the factorisations, on sets of several kinds, under the squared error (coordinate descent and multiplicative updates), the Kullback–Leibler and the Itakura–Saito divergence and the L2,1 norm, at a small and a large rank. Of real sets 300 samples are drawn, the same for all (of 20 newsgroups 3000); made sets are drawn anew by each seed, with components that are known: of 300 samples and 240 columns (counts: 600 columns), of which the separable ones have three samples of each component alone, and noise relative to the mean.

Random starts have five seeds, and so has every start on made sets; the others are the same for all seeds. A run has 400 iterations on one thread. The time of a start counts: what it takes, beyond the uniform random start, is expressed in iterations of its run and subtracted, so that the objectives at 20, 100 and 200 iterations of the random start are at equal time. The excess is how far an objective is above the least that any start reached on that set, in per cent of that.

ARI is of the classes with the clusters that spectral clustering of the rows of W has (7 neighbours), as orthant cluster has them, and cosine the mean over the true components of the cosine with the component that is assigned to it, both after 400 iterations.`,
	Cases:    cases,
	Sections: sections,
}

const (
	seeds      = 5
	iterations = 400
	traceEvery = 5
)

// budgets are the iterations of the random start at whose time the objectives are compared; 0: the end.
var budgets = []int{20, 100, 200, 0}

// random is the start that the others are compared with.
const random = nmf.RandomStart

// starts are those that are compared.
var starts = []string{random, nmf.Rows, nmf.Centres, nmf.Extremes, nmf.NNDSVD, nmf.NNDSVDMean, nmf.NNDSVDRandom, nmf.LowRankSVD}

// drawn reports whether a start depends on the seed by more than rounding and small numbers.
func drawn(start string) bool { return start == random || start == nmf.Rows || start == nmf.Centres }

// loss is an objective with its solver.
type loss struct {
	key, title string
	options    nmf.Options
	sets       []string
}

var losses = []loss{
	{"hals", "squares, coordinate descent", nmf.Options{Loss: nmf.Frobenius, Solver: nmf.HALS}, []string{"usps", "mfeat-fac", "semeion", "coil20", "orl", "yaleb", "isolet", "news", "cells", "mixed-5", "mixed-20", "mixed-20-noisy", "mixed-40", "separable-5", "separable-20", "separable-20-noisy", "separable-40"}},
	{"mu", "squares, multiplicative", nmf.Options{Loss: nmf.Frobenius, Solver: nmf.Multiplicative}, []string{"usps", "mfeat-fac", "semeion", "orl", "news", "mixed-20", "separable-20", "separable-20-noisy"}},
	{"kl", "Kullback–Leibler", nmf.Options{Loss: nmf.KL, Solver: nmf.Multiplicative}, []string{"usps", "mfeat-fac", "semeion", "orl", "news", "cells", "counts-5", "counts-20", "counts-40", "mixed-20", "separable-20"}},
	{"is", "Itakura–Saito", nmf.Options{Loss: nmf.Divergence(0), Solver: nmf.Multiplicative}, []string{"orl", "gamma-5", "gamma-20"}},
	{"l21", "L2,1", nmf.Options{Loss: nmf.L21, Solver: nmf.Multiplicative}, []string{"usps", "mfeat-fac", "orl", "news", "mixed-20", "separable-20-noisy"}},
}

// ranks of the sets whose components are not known.
var ranks = []int{10, 30}

// quick reports whether --quick has the case.
func quick(l loss, s *set, rank int) bool { return l.key == "hals" && s.made && rank == 5 }

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for _, l := range losses {
		for _, key := range l.sets {
			s := setNamed(key)
			at := ranks
			if s.made {
				at = []int{s.rank}
			}
			for _, rank := range at {
				list = append(list, bench.Case{
					Name: name(l, s, rank), Group: l.key, Data: cmp.Or(s.file, s.source), Method: "nmf", Threads: 1, Repeats: 1, Full: !quick(l, s, rank), Needs: s.needs(),
					Params: map[string]any{"loss": l.key, "rank": rank, "iterations": iterations, "seeds": seeds, "starts": starts},
					Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return run(ctx, e, l, s, rank)
					},
				})
			}
		}
	}
	return list
}

func name(l loss, s *set, rank int) string { return fmt.Sprintf("%s/%s-r%d", l.key, s.key, rank) }

// trial is a run from one start.
type trial struct {
	result      *nmf.Result
	start, each float64 // processor seconds until the first iteration, and of an iteration
}

func factorize(ctx context.Context, d nmf.Data, o nmf.Options) (*trial, error) {
	var t trial
	begin := bench.CostSoFar()
	o.Watch = func(p nmf.Point) bool {
		if p.Iteration == 0 {
			t.start = bench.CostSoFar().Sub(begin).CPU
		}
		return false
	}
	var err error
	t.result, err = nmf.Factorize(ctx, d, o)
	if err == nil {
		t.each = (bench.CostSoFar().Sub(begin).CPU - t.start) / float64(t.result.Iterations)
	}
	return &t, err
}

// at is the objective after so many iterations, which need not be a whole number.
func (t *trial) at(count float64) float64 {
	trace := t.result.Trace
	if count <= 0 {
		return trace[0].Objective
	}
	for i := 1; i < len(trace); i++ {
		if high := float64(trace[i].Iteration); count <= high {
			low := float64(trace[i-1].Iteration)
			share := (count - low) / (high - low)
			return trace[i-1].Objective*(1-share) + trace[i].Objective*share
		}
	}
	return trace[len(trace)-1].Objective
}

// run tries all starts on a set, and measures them against the best.
func run(ctx context.Context, e *bench.Env, l loss, s *set, rank int) (*bench.Outcome, error) {
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
	begin := bench.CostSoFar()
	trials := map[string][]*trial{}
	for seed := range uint64(seeds) {
		if seed > 0 && s.made {
			trials = map[string][]*trial{}
		}
		d, err := s.load(e, seed+1)
		if err != nil {
			return nil, err
		}
		for _, start := range startsOf(l) {
			if !drawn(start) && !s.made && seed > 0 {
				continue
			}
			o := l.options
			o.Rank, o.Init, o.Seed, o.Threads, o.Iterations, o.TraceEvery = rank, start, seed+1, 1, iterations, traceEvery
			t, err := factorize(ctx, d.data, o)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", start, seed+1, err)
			}
			trials[start] = append(trials[start], t)
			if err := recovered(ctx, d, t, rank, seed+1, func(key string, v float64) {
				out.Series[start+" "+key] = append(out.Series[start+" "+key], v)
			}); err != nil {
				return nil, err
			}
		}
		if s.made || seed == seeds-1 {
			excesses(trials, out.Series)
		}
		out.Samples, out.Features = d.data.Rows, d.data.Cols
	}
	for key, values := range out.Series {
		var sum float64
		for _, v := range values {
			sum += v
		}
		out.Quality[key] = sum / float64(len(values))
	}
	cost := bench.CostSoFar().Sub(begin)
	out.Seconds, out.CPUSeconds = engine.Seconds{"total": cost.Wall}, engine.Seconds{"total": cost.CPU}
	return out, nil
}

// startsOf are the starts that a loss takes: multiplicative updates could not leave the zeros of NNDSVD.
func startsOf(l loss) []string {
	if l.options.Solver == nmf.HALS {
		return starts
	}
	return slices.DeleteFunc(slices.Clone(starts), func(s string) bool { return s == nmf.NNDSVD })
}

// excesses compares the objectives of trials on the same data at equal time.
func excesses(trials map[string][]*trial, to map[string][]float64) {
	least, quickest, each := math.Inf(1), math.Inf(1), math.Inf(1)
	for _, list := range trials {
		for _, t := range list {
			least = min(least, t.at(iterations))
			each = min(each, t.each)
		}
	}
	for _, t := range trials[random] {
		quickest = min(quickest, t.start)
	}
	for start, list := range trials {
		cost := math.Inf(1)
		for _, t := range list {
			cost = min(cost, t.start)
		}
		cost = max(0, cost-quickest) / each
		to[start+" cost"] = append(to[start+" cost"], cost)
		for _, t := range list {
			for _, budget := range budgets {
				count := float64(iterations)
				if budget > 0 {
					count = float64(budget) - cost
				}
				to[start+" "+excessAt(budget)] = append(to[start+" "+excessAt(budget)], 100*(t.at(count)/least-1))
			}
		}
	}
}

func excessAt(budget int) string { return fmt.Sprintf("excess-%d", budget) }

// recovered measures what a factorisation says of classes and components.
func recovered(ctx context.Context, d *known, t *trial, rank int, seed uint64, add func(key string, v float64)) error {
	w := mat.NewDense(d.data.Rows, rank, t.result.W)
	if d.labels != nil {
		m, err := engine.NewFor("cluster", "spectral")
		if err != nil {
			return err
		}
		if err := engine.Set(m, "neighbors", "7"); err != nil {
			return err
		}
		r, err := engine.Cluster(ctx, w, m, engine.ClusterOptions{Options: engine.Options{Threads: 1, Seed: seed}, Clusters: classes(d.labels)})
		if err != nil {
			return err
		}
		ari, err := measures.AdjustedRand(d.labels, r.Labels)
		if err != nil {
			return err
		}
		add("ari", ari)
	}
	if d.components != nil {
		match, err := measures.MatchComponents(mat.NewDense(rank, d.data.Cols, t.result.H), d.components)
		if err != nil {
			return err
		}
		add("cosine", match.Mean)
	}
	return nil
}

func classes(labels []int64) int {
	seen := map[int64]bool{}
	for _, c := range labels {
		seen[c] = true
	}
	return len(seen)
}

// sections has a table for each loss.
func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, l := range losses {
		if t := table(r, l); len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: l.title, Table: t})
		}
	}
	return list
}

// table has a row for each start: medians over the cases of a loss of the excesses, its mean place among the
// starts, and means of what is recovered.
func table(r *bench.Records, l loss) *bench.Table {
	t := &bench.Table{Columns: []string{"start", "its cost, iterations"}}
	for _, b := range budgets {
		if b == 0 {
			b = iterations
		}
		t.Columns = append(t.Columns, fmt.Sprintf("excess at %d, %%", b))
	}
	t.Columns = append(t.Columns, "mean rank at 20", "mean rank at 200", "ARI", "cosine")
	all := startsOf(l)
	for _, start := range all {
		row := []bench.Cell{{Text: start}}
		columns := map[string][]float64{}
		for _, key := range l.sets {
			s := setNamed(key)
			at := ranks
			if s.made {
				at = []int{s.rank}
			}
			for _, rank := range at {
				one := r.Get(name(l, s, rank))
				if one == nil {
					continue
				}
				for _, key := range append([]string{"cost", "ari", "cosine"}, excessKeys()...) {
					if v, found := one.Quality[start+" "+key]; found {
						columns[key] = append(columns[key], v.Median)
					}
				}
				for _, b := range []int{20, 200} {
					own, place := one.Quality[start+" "+excessAt(b)].Median, 1.0
					for _, other := range all {
						if other != start && one.Quality[other+" "+excessAt(b)].Median < own {
							place++
						}
					}
					columns[fmt.Sprint("rank-", b)] = append(columns[fmt.Sprint("rank-", b)], place)
				}
			}
		}
		if len(columns) == 0 {
			return t
		}
		for _, c := range append(append([]string{"cost"}, excessKeys()...), "rank-20", "rank-200", "ari", "cosine") {
			row = append(row, cell(c, columns[c]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func excessKeys() []string {
	var keys []string
	for _, b := range budgets {
		keys = append(keys, excessAt(b))
	}
	return keys
}

// cell is a median of excesses and costs, a mean of all else.
func cell(key string, values []float64) bench.Cell {
	if len(values) == 0 {
		return bench.Cell{}
	}
	switch key {
	case "ari", "cosine":
		return bench.Cell{Text: fmt.Sprintf("%.3f", mean(values))}
	case "rank-20", "rank-200":
		return bench.Cell{Text: fmt.Sprintf("%.1f", mean(values))}
	case "cost":
		return bench.Cell{Text: fmt.Sprintf("%.1f", bench.Summarize(values).Median)}
	}
	return bench.Cell{Text: fmt.Sprintf("%.2f", bench.Summarize(values).Median)}
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
