package solving

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

func (p *problem) inverseGroup(threads int) string {
	return fmt.Sprintf("inverse/%s/threads=%d", p.name, threads)
}

// inverseCases are the diagonals of the inverses of the matrices that are factorised.
func inverseCases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range problems {
		p := &problems[i]
		if p.alone {
			continue
		}
		for _, threads := range []int{1, 2} {
			list = append(list, bench.Case{
				Name: p.inverseGroup(threads) + ours, Group: p.inverseGroup(threads), Data: p.name, N: p.rows(e), Method: "inverse diagonal", Threads: threads, Full: p.full, Fresh: true,
				Params: map[string]any{"shift": factorShift}, Accuracy: []bench.Accuracy{bench.AtMost("relative error", 1e-6)},
				Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return p.invert(ctx, c.N, threads)
				},
			})
		}
	}
	return list
}

// invert factorises A + shift·I and computes the diagonal of its inverse. Its error is measured at a few entries, by solutions with columns
// of the identity.
func (p *problem) invert(ctx context.Context, n, threads int) (*bench.Outcome, error) {
	a, _, err := p.build(ctx, n)
	if err != nil {
		return nil, err
	}
	clock := engine.NewClock()
	end := clock.Phase("factor")
	f, err := sparse.NewCholesky(ctx, a, small(a, factorShift), sparse.CholeskyOptions{Threads: threads})
	if err != nil {
		return nil, err
	}
	end()
	end = clock.Phase("inverse")
	diagonal, err := f.InverseDiagonal(ctx)
	if err != nil {
		return nil, err
	}
	end()
	const checked = 8
	x := make([]float64, checked*a.Rows)
	at := func(j int) int { return j * (a.Rows - 1) / (checked - 1) }
	for j := range checked {
		x[at(j)*checked+j] = 1
	}
	if err := f.Solve(x, checked); err != nil {
		return nil, err
	}
	out := &bench.Outcome{Samples: a.Rows, Features: a.NNZ(), Quality: map[string]float64{"entries": float64(f.Entries()), "relative error": 0}}
	for j := range checked {
		want := x[at(j)*checked+j]
		out.Quality["relative error"] = max(out.Quality["relative error"], math.Abs(diagonal[at(j)]-want)/want)
	}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	out.Seconds["total"] = out.Seconds["factor"] + out.Seconds["inverse"]
	out.CPUSeconds["total"] = out.CPUSeconds["factor"] + out.CPUSeconds["inverse"]
	return out, nil
}

func inverseSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "threads", "analysis and factor (wall)", "diagonal of the inverse", "CPU of both and relative error", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		if p.alone {
			continue
		}
		for _, threads := range []int{1, 2} {
			name := p.inverseGroup(threads) + ours
			row := []bench.Cell{{Text: p.title}, {Text: fmt.Sprint(threads)}}
			for _, phase := range []string{"factor", "inverse"} {
				row = append(row, r.Cell(name, func(one *bench.Record) string { return bench.MedianText(one.Seconds[phase]) }))
			}
			t.Rows = append(t.Rows, append(row, r.TimedCell(name, "total"), r.Cell(name, bench.PeakText)))
		}
	}
	return bench.Section{Title: "Diagonal of the inverse", Table: t}
}
