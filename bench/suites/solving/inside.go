package solving

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

func (p *problem) insideGroup() string { return "inside/" + p.name }

func (p *problem) indefiniteGroup() string { return "indefinite/" + p.name }

// asked tells whether the pairs inside the spectrum are asked for, and single whether the shifted matrix alone is
// factorised, which is done where there is no M.
func (p *problem) asked() bool { return p.inside != 0 }

func (p *problem) single() bool { return p.asked() && p.name != "sphere" }

// insideCases are searches around a shift among the eigenvalues, and factorisations at it.
func insideCases() []bench.Case {
	var list []bench.Case
	for i := range problems {
		p := &problems[i]
		if !p.asked() {
			continue
		}
		for _, side := range pairSides {
			c := bench.Case{
				Name: p.insideGroup() + side.side, Group: p.insideGroup(), Data: p.name, N: p.n, Method: "eigsh", Threads: 1, Full: true, Repeats: 1, Fresh: true,
				Params: map[string]any{"pairs": pairs, "sigma": p.inside}, Accuracy: []bench.Accuracy{bench.AtMost("residual", 1e-11)},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return p.solve(ctx, e, c.N, nearest(pairs, p.inside), side.peer)
				},
			}
			if side.peer != "" {
				c.Method, c.Needs, c.Accuracy = side.peer, []string{side.need}, []bench.Accuracy{bench.Shown("residual")}
			}
			list = append(list, c)
		}
		for _, side := range indefiniteSides {
			if !p.single() {
				continue
			}
			c := bench.Case{
				Name: p.indefiniteGroup() + side.side, Group: p.indefiniteGroup(), Data: p.name, N: p.n, Method: "ldlt", Threads: 1, Full: true, Fresh: true,
				Params: map[string]any{"shift": -p.inside, "again": againShift}, Accuracy: []bench.Accuracy{bench.AtMost("backward error", 1e-13)},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return p.factorize(ctx, e, c.N, 1, indefinite, side.peer)
				},
			}
			if side.peer != "" {
				c.Method, c.Needs, c.Accuracy = side.peer, []string{"peer:slepc"}, []bench.Accuracy{bench.Shown("backward error")}
			}
			list = append(list, c)
		}
	}
	return list
}

// indefiniteSides are ours and the peer with an LDLᵀ.
var indefiniteSides = []struct{ side, peer, title string }{{ours, "", "ours"}, {"/mumps", "mumps", "MUMPS"}}

func insideSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix, σ", "by", "CPU and residual", "right-hand sides", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		if !p.asked() {
			continue
		}
		for _, side := range pairSides {
			name := p.insideGroup() + side.side
			t.Rows = append(t.Rows, []bench.Cell{{Text: fmt.Sprintf("%s, %g", p.title, p.inside)}, {Text: side.title}, r.TimedCell(name, "total"), r.QualityCell(name, "solves", "%.0f"), r.Cell(name, bench.PeakText)})
		}
	}
	return bench.Section{Title: fmt.Sprintf("The %d eigenpairs nearest to a shift inside the spectrum, one thread", pairs), Table: t}
}

func indefiniteSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix, σ", "by", "analysis and factor (wall)", "a solution", "factor again", "CPU of all and backward error", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		if !p.single() {
			continue
		}
		for _, side := range indefiniteSides {
			name := p.indefiniteGroup() + side.side
			row := []bench.Cell{{Text: fmt.Sprintf("%s, %g", p.title, p.inside)}, {Text: side.title}}
			for _, phase := range []string{"factor", "solve", "again"} {
				row = append(row, r.Cell(name, func(one *bench.Record) string { return bench.MedianText(one.Seconds[phase]) }))
			}
			t.Rows = append(t.Rows, append(row, r.TimedCell(name, "total"), r.Cell(name, bench.PeakText)))
		}
	}
	return bench.Section{Title: "LDLᵀ factorisation of A − σI, one thread", Table: t, Text: "Our solutions are refined."}
}
