package restarts

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/sparse"
)

// cell is a factorisation whose time RcppML 1.0 publishes, of counts made as its data are described: those themselves, bone
// marrow cells, are in none of its packages.
type cell struct {
	name                 string
	cells, genes, rank   int
	depth                string // of the counts, by which as many are not zero
	heldOut              float64
	published            float64 // seconds on 56 threads
	publishedDescription string
}

const (
	cellsGroup  = "cells"
	programmes  = "30"
	cellSteps   = 20
	publishedOn = "RcppML 1.0 on 56 threads of a Xeon Gold 6238R, for bone marrow cells"
)

var cellular = []cell{
	{"64", 10_000, 5000, 64, "860", 0, 29.2, "20 iterations at rank 64, 10 000 cells × 5000 genes"},
	{"64-wide", 10_000, 20_000, 64, "1000", 0, 29.2, "the same with 20 000 genes, of which 5 % are stored"},
	{"20", 40_000, 20_000, 20, "800", 0, 38.5, "20 iterations at rank 20, 40 000 cells and 33 million entries"},
	{"64-held-out", 10_000, 5000, 64, "860", 0.1, 75.3, "20 iterations at rank 64, 10 000 cells × 5000 genes, a tenth of the entries held out"},
}

func (c cell) of(way string) string { return cellsGroup + "-" + c.name + "/" + way }

// counts are log-normalised, as cells usually are.
func (c cell) counts(e *bench.Env) (*sparse.CSR, error) {
	n := c.cells
	if e.Quick {
		n /= 20
	}
	p, err := datasets.GenerateProgrammes(n, 1, map[string]string{"dims": fmt.Sprint(c.genes), "programmes": programmes, "depth": c.depth})
	if err != nil {
		return nil, err
	}
	for i := range p.Counts.Rows {
		_, row := p.Counts.Row(i)
		var sum float64
		for _, v := range row {
			sum += v
		}
		for at, v := range row {
			row[at] = math.Log1p(1e4 * v / sum)
		}
	}
	return p.Counts, nil
}

// cellCases are ours, and scikit-learn's where it knows the problem.
func cellCases() []bench.Case {
	var list []bench.Case
	for _, c := range cellular {
		one := bench.Case{
			Name: c.of(together), Group: cellsGroup, Data: "programmes", N: c.cells, M: c.genes, Method: "nmf",
			Params:  map[string]any{"rank": c.rank, "iterations": cellSteps, "solver": "hals", "held_out": c.heldOut},
			Threads: runtime.NumCPU(), Fresh: true, Repeats: 1, Needs: []string{"method:nmf"},
			Accuracy: []bench.Accuracy{bench.Reported("error").Against(cellular[0].of(sklearn), 1.01)}, // which sees all entries
			Run:      c.run,
		}
		if c.heldOut == 0 {
			one.Accuracy[0] = bench.Reported("error").Against(c.of(sklearn), 1.001)
			list = append(list, bench.Case{
				Name: c.of(sklearn), Group: cellsGroup, Data: "programmes", N: c.cells, M: c.genes, Method: "scikit-learn nmf",
				Params:  map[string]any{"ranks": []int{c.rank}, "solver": "cd", "loss": "frobenius", "iterations": cellSteps, "tolerance": 0},
				Threads: runtime.NumCPU(), Fresh: true, Repeats: 1, Needs: []string{"peer:sklearn"},
				Accuracy: []bench.Accuracy{bench.Reported("error")},
				Run: func(ctx context.Context, e *bench.Env, b *bench.Case) (*bench.Outcome, error) {
					x, err := c.counts(e)
					if err != nil {
						return nil, err
					}
					return runPeer(ctx, e, b, x)
				},
			})
		}
		list = append(list, one)
	}
	return list
}

func (c cell) run(ctx context.Context, e *bench.Env, b *bench.Case) (*bench.Outcome, error) {
	x, err := c.counts(e)
	if err != nil {
		return nil, err
	}
	m, err := bench.NewMethod("nmf", map[string]string{"solver": "hals", "iterations": fmt.Sprint(cellSteps), "tolerance": "0"})
	if err != nil {
		return nil, err
	}
	r, err := engine.FactorizeRuns(ctx, x, m, engine.RunsOptions{Options: engine.Options{Threads: b.ThreadCount(), Backend: b.Backend, Memory: e.Memory},
		Ranks: []int{c.rank}, Runs: 1, HeldOut: c.heldOut})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Samples: x.Rows, Features: x.Cols, Backend: r.Backend, Seconds: r.Seconds, CPUSeconds: r.CPUSeconds}
	out.Quality = map[string]float64{"error": r.Runs[0].RelativeError}
	return out, nil
}

func cellClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range cellular {
		list = append(list, bench.Claim{
			Name: cellsGroup + "-" + c.name, Source: "orthant",
			Statement: fmt.Sprintf("%s: at most the %g s by the clock that RcppML 1.0 publishes, on the threads of this machine.", c.publishedDescription, c.published),
			Took:      fmt.Sprintf("%g s, %s", c.published, publishedOn),
			Check: func(r *bench.Records) bench.Finding {
				name := c.of(together)
				f, ready := r.Sound(name)
				if !ready {
					return f
				}
				one := r.Get(name)
				if one.Samples < c.cells {
					return bench.Finding{Verdict: bench.CannotCheck, Why: fmt.Sprintf("%d cells were factorised, fewer than published", one.Samples), Cases: f.Cases}
				}
				seconds := one.Seconds["total"].Median
				return r.SpeedFinding(seconds <= c.published, fmt.Sprintf("%.3g s; %s", seconds, r.AccuracyCell(name).Text), f.Cases)
			},
		})
	}
	return list
}

// cellsTable has the published times next to ours.
func cellsTable(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"", "seconds", "scikit-learn", "RcppML 1.0, 56 threads, published", "memory"}}
	for _, c := range cellular {
		if r.Lookup(c.of(together)) == nil {
			continue
		}
		clock := func(name string) bench.Cell {
			return r.CellWithError(name, func(one *bench.Record) string { return fmt.Sprintf("%.3g", one.Seconds["total"].Median) })
		}
		theirs := bench.Cell{Text: "–"}
		if c.heldOut == 0 {
			theirs = clock(c.of(sklearn))
		}
		t.Rows = append(t.Rows, []bench.Cell{{Text: c.publishedDescription}, clock(c.of(together)), theirs, {Text: fmt.Sprintf("%g", c.published)}, r.Cell(c.of(together), bench.PeakText)})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []bench.Section{{Title: "Cells: seconds by the clock, with the errors", Table: t}}
}
