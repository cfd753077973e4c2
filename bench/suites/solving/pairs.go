package solving

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// pairs is how many eigenpairs beyond the constant are requested.
const pairs = 50

// pairSides are ours and the peers, with what each needs.
var pairSides = []struct{ side, peer, need, title string }{
	{ours, "", "", "ours"}, {"/arpack", "arpack", "peer:sklearn", "SciPy's eigsh (ARPACK, SuperLU)"}, {"/slepc", "slepc", "peer:slepc", "SLEPc with MUMPS"},
}

// ours is the last part of the names of our cases.
const ours = "/orthant"

func (p *problem) pairGroup() string { return "pairs/" + p.name }

func pairCases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range problems {
		p := &problems[i]
		for _, side := range pairSides {
			if !p.takenBy(side.peer) {
				continue
			}
			c := bench.Case{
				Name: p.pairGroup() + side.side, Group: p.pairGroup(), Data: p.name, N: p.rows(e), Method: "eigsh", Threads: 1, Full: p.full, Repeats: 1, Fresh: true,
				Params: map[string]any{"pairs": pairs}, Accuracy: []bench.Accuracy{bench.AtMost("residual", 1e-9)},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return p.solve(ctx, e, c.N, smallest(pairs), side.peer)
				},
			}
			if side.peer != "" {
				c.Method, c.Needs, c.Accuracy = side.peer, []string{side.need}, []bench.Accuracy{bench.Reported("residual")}
			}
			list = append(list, c)
		}
	}
	return list
}

// wanted are eigenpairs: the smallest beyond the constant, or those nearest to sigma.
type wanted struct {
	count  int
	inside bool
	sigma  float64
}

func smallest(count int) wanted { return wanted{count: count} }

func nearest(count int, sigma float64) wanted { return wanted{count, true, sigma} }

// solve finds eigenpairs by a peer, or by ours where none is named.
func (p *problem) solve(ctx context.Context, e *bench.Env, n int, w wanted, peer string) (*bench.Outcome, error) {
	a, m, err := p.build(ctx, n)
	if err != nil {
		return nil, err
	}
	if peer != "" {
		return solveByPeer(ctx, e, a, m, w, peer)
	}
	return solveByOurs(ctx, a, m, w)
}

func solveByOurs(ctx context.Context, a, m *sparse.CSR, w wanted) (*bench.Outcome, error) {
	problem := eigen.Pencil{A: a, Sigma: w.sigma}
	if m != nil {
		problem.M = m
	}
	find := problem.Nearest
	if !w.inside {
		problem.Null = [][]float64{ones(a.Rows)}
		find = problem.Smallest
	}
	clock := engine.NewClock()
	found, err := find(ctx, w.count, eigen.Options{Threads: 1, Seed: 1})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Samples: a.Rows, Features: a.NNZ(), Note: found.Plan.Solver, Quality: map[string]float64{"solves": float64(found.Solves)}}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	out.Quality["residual"] = residual(a, m, found.Values, found.Vectors)
	out.Quality["last"] = found.Values[w.count-1]
	return out, nil
}

// solveByPeer asks for one of the smallest pairs more: the peers do not leave the constant out.
func solveByPeer(ctx context.Context, e *bench.Env, a, m *sparse.CSR, w wanted, peer string) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	in, result := filepath.Join(dir, "a.mtx"), filepath.Join(dir, "pairs.npy")
	count, shift := w.count+1, small(a, 1e-10)
	if m != nil {
		shift = 1e-9 // with masses the shift has the size of an eigenvalue, not of an entry
	}
	if w.inside {
		count, shift = w.count, -w.sigma
	}
	params := map[string]any{"pairs": count, "shift": shift}
	if err := saveSparse(in, a); err != nil {
		return nil, err
	}
	if m != nil {
		mass := filepath.Join(dir, "m.mtx")
		if err := saveSparse(mass, m); err != nil {
			return nil, err
		}
		params["mass"] = mass
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: peer, In: in, Out: result, Threads: 1, Params: params})
	if err != nil {
		return nil, err
	}
	found, err := files.ReadMatrix(result, files.Options{})
	if err != nil {
		return nil, err
	}
	if rows, cols := found.Dims(); rows != a.Rows+1 || cols != count {
		return nil, fmt.Errorf("%s gave %d × %d numbers", peer, rows, cols)
	}
	values := mat.Row(nil, 0, found)
	vectors := make([][]float64, len(values))
	last := math.Inf(-1)
	for j := range vectors {
		vectors[j] = mat.Col(nil, j, found.Slice(1, a.Rows+1, 0, count))
		last = max(last, values[j])
	}
	out := p.Outcome()
	out.Samples, out.Features = a.Rows, a.NNZ()
	out.Quality["residual"], out.Quality["last"] = residual(a, m, values, vectors), last
	return out, nil
}

func saveSparse(path string, a *sparse.CSR) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := sparse.WriteMatrixMarket(file, a); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

func (p *problem) insideGroup() string { return "inside/" + p.name }

func (p *problem) indefiniteGroup() string { return "indefinite/" + p.name }

// asked reports whether the pairs inside the spectrum are requested, and single whether the shifted matrix alone is
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
				c.Method, c.Needs, c.Accuracy = side.peer, []string{side.need}, []bench.Accuracy{bench.Reported("residual")}
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
				c.Method, c.Needs, c.Accuracy = side.peer, []string{"peer:slepc"}, []bench.Accuracy{bench.Reported("backward error")}
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
