package solving

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// unfactored is a graph whose factor fills: pairs and one system of its Laplacian are found without a factor, on two threads.
type unfactored struct {
	problem
	pairs int
	least float64 // about the smallest eigenvalue beyond zero
}

var graphsThatFill = []unfactored{
	{problem{name: "network-100k", title: "random graph like a social network", n: 100_000, build: plain(friends)}, 50, 2},
	{problem{name: "network-1m", title: "the same with ten friends for every new vertex", n: 1_000_000, build: plain(crowd)}, 10, 6},
	{problem{name: "recursive-1m", title: "recursive random graph (R-MAT), its largest component", n: 1 << 20, build: plain(recursive)}, 10, 0.19},
	{problem{name: "grid-1m", title: "cubic grid", n: 1_000_000, build: plain(lattice)}, 10, 1e-3},
}

const (
	// relativeResidual is ‖Ax − λx‖ over λ of the pairs, and systemResidual ‖b − Ax‖ over ‖b‖ of the system, at most.
	relativeResidual, systemResidual = 1e-6, 1e-8
	// unfactoredThreads is the number of threads of all.
	unfactoredThreads = 2
	// iterationsOfPeers is how many iterations the peers may take.
	iterationsOfPeers = 500
)

// unfactoredSides are ours and the peers: for pairs, and for systems.
var unfactoredSides = map[string][]unfactoredSide{
	"pairs": {
		{ours, "", "", "", "ours"}, {"/lobpcg", "lobpcg", "none", "sklearn", "SciPy's LOBPCG"}, {"/lobpcg-diagonal", "lobpcg", "diagonal", "sklearn", "SciPy's LOBPCG, diagonal"},
		{"/lobpcg-gamg", "lobpcg", "gamg", "slepc", "SciPy's LOBPCG, PETSc's GAMG"}, {"/slepc", "slepc-davidson", "gamg", "slepc", "SLEPc's Davidson, PETSc's GAMG"},
	},
	"system": {
		{ours, "", "", "", "ours"}, {"/cg-diagonal", "cg", "diagonal", "sklearn", "SciPy's CG, diagonal"}, {"/cg-gamg", "petsc-cg", "gamg", "slepc", "PETSc's CG, GAMG"},
	},
}

type unfactoredSide struct{ side, method, preconditioner, peer, title string }

func (u *unfactored) group(what string) string { return what + "-without-factor/" + u.name }

func fillCases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range graphsThatFill {
		u := &graphsThatFill[i]
		for _, what := range []string{"pairs", "system"} {
			limit := relativeResidual
			if what == "system" {
				limit = systemResidual
			}
			for _, s := range unfactoredSides[what] {
				c := bench.Case{
					Name: u.group(what) + s.side, Group: u.group(what), Data: u.name, N: u.rows(e), Method: "eigsh", Threads: unfactoredThreads, Full: true, Repeats: 1, Fresh: true,
					Params: map[string]any{"pairs": u.pairs, "residual": limit}, Accuracy: []bench.Accuracy{bench.AtMost("residual", limit)},
					Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return u.solveWithout(ctx, e, c.N, what, s)
					},
				}
				if what == "system" {
					c.Method, c.Params = "laplacian_solver", map[string]any{"residual": limit}
				}
				if s.method != "" {
					c.Method, c.Needs, c.Accuracy = s.method, []string{"peer:" + s.peer}, []bench.Accuracy{bench.Reported("residual")}
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// solveWithout finds the pairs, or solves the system, by ours or by a peer.
func (u *unfactored) solveWithout(ctx context.Context, e *bench.Env, n int, what string, s unfactoredSide) (*bench.Outcome, error) {
	a, _, err := u.build(ctx, n)
	if err != nil {
		return nil, err
	}
	var out *bench.Outcome
	switch {
	case s.method != "":
		out, err = u.byPeer(ctx, e, a, s)
	case what == "pairs":
		out, err = u.pairsByOurs(ctx, a)
	default:
		out, err = systemByOurs(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = a.Rows, a.NNZ()
	return out, nil
}

func (u *unfactored) pairsByOurs(ctx context.Context, a *sparse.CSR) (*bench.Outcome, error) {
	clock := engine.NewClock()
	p := eigen.Pencil{A: a, Null: [][]float64{ones(a.Rows)}, Tolerance: relativeResidual * u.least / a.RowSumNorm()}
	found, err := p.Smallest(ctx, u.pairs, eigen.Options{Threads: unfactoredThreads, Seed: 1})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Note: found.Plan.Solver, Quality: map[string]float64{"products": float64(found.Products), "last": found.Values[u.pairs-1]}}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	out.Quality["residual"] = toEigenvalues(a, found.Values, found.Vectors)
	return out, nil
}

func systemByOurs(ctx context.Context, a *sparse.CSR) (*bench.Outcome, error) {
	b := consistent(a.Rows)
	x := append([]float64(nil), b...)
	clock := engine.NewClock()
	end := clock.Phase("prepare")
	s, err := solvers.NewLaplacian(ctx, a, solvers.LaplacianOptions{Threads: unfactoredThreads, Seed: 1, Tolerance: systemResidual})
	if err != nil {
		return nil, err
	}
	end()
	end = clock.Phase("solve")
	found, err := s.Solve(ctx, x, 1)
	if err != nil {
		return nil, err
	}
	end()
	out := &bench.Outcome{Note: s.Plan().Preconditioner, Quality: map[string]float64{"iterations": float64(found.Iterations), "residual": systemError(a, x, b)}}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	return out, nil
}

func (u *unfactored) byPeer(ctx context.Context, e *bench.Env, a *sparse.CSR, s unfactoredSide) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	in, result := filepath.Join(dir, "a.mtx"), filepath.Join(dir, "found.npy")
	if err := saveSparse(in, a); err != nil {
		return nil, err
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: s.method, In: in, Out: result, Threads: unfactoredThreads, Params: map[string]any{"pairs": u.pairs, "preconditioner": s.preconditioner,
		"relative": relativeResidual, "absolute": relativeResidual * u.least, "system": systemResidual, "iterations": iterationsOfPeers, "shift": small(a, 1e-8)}})
	if err != nil {
		return nil, err
	}
	found, err := files.ReadMatrix(result, files.Options{})
	if err != nil {
		return nil, err
	}
	out := p.Outcome()
	rows, cols := found.Dims()
	switch {
	case rows == a.Rows && cols == 1:
		out.Quality["residual"] = systemError(a, mat.Col(nil, 0, found), consistent(a.Rows))
	case rows == a.Rows+1 && cols == u.pairs:
		values, vectors := mat.Row(nil, 0, found), make([][]float64, cols)
		for j := range vectors {
			vectors[j] = mat.Col(nil, j, found.Slice(1, rows, 0, cols))
		}
		out.Quality["residual"], out.Quality["last"] = toEigenvalues(a, values, vectors), values[cols-1]
	default:
		return nil, fmt.Errorf("%s gave %d × %d numbers", s.method, rows, cols)
	}
	return out, nil
}

// toEigenvalues is the largest ‖Ax − λx‖ over λ‖x‖.
func toEigenvalues(a *sparse.CSR, values []float64, vectors [][]float64) float64 {
	worst, y := 0.0, make([]float64, a.Rows)
	for j, value := range values {
		a.MulVec(1, vectors[j], y)
		blas.Axpy(-value, vectors[j], y)
		worst = max(worst, math.Sqrt(blas.Dot(y, y)/blas.Dot(vectors[j], vectors[j]))/value)
	}
	return worst
}

// consistent is a right-hand side with the mean zero.
func consistent(n int) []float64 {
	b, sum := rightSide(n), 0.0
	for _, v := range b {
		sum += v
	}
	for i := range b {
		b[i] -= sum / float64(n)
	}
	return b
}

// systemError is ‖b − Ax‖ over ‖b‖.
func systemError(a *sparse.CSR, x, b []float64) float64 {
	r := make([]float64, a.Rows)
	a.MulVec(1, x, r)
	blas.Axpy(-1, b, r)
	return math.Sqrt(blas.Dot(r, r) / blas.Dot(b, b))
}

// fillClaims are limits by the clock and of memory.
func fillClaims() []bench.Claim {
	within := func(name, statement string, seconds, gib float64, cases ...string) bench.Claim {
		limit := fmt.Sprintf("at most %g s", seconds)
		if gib > 0 {
			limit += fmt.Sprintf(" and %g GiB", gib)
		}
		return bench.Claim{Name: name, Source: "orthant", Paper: limit, Statement: statement, Check: func(r *bench.Records) bench.Finding {
			f, ready := r.Sound(cases...)
			if !ready {
				return f
			}
			var text, why []string
			for _, c := range cases {
				one := r.Get(c)
				took, peak := one.Seconds["total"].Median, float64(one.PeakBytes)/(1<<30)
				text = append(text, fmt.Sprintf("%s %.3g s, %.2f GiB, %s", strings.Split(c, "/")[1], took, peak, r.AccuracyCell(c).Text))
				if took > seconds || gib > 0 && peak > gib {
					why = append(why, strings.Split(c, "/")[1])
				}
			}
			return r.SpeedFinding(len(why) == 0, strings.Join(text, "; "), cases, why...)
		}}
	}
	hundred, million, recursive := &graphsThatFill[0], &graphsThatFill[1], &graphsThatFill[2]
	return []bench.Claim{
		within("without-factor/network-100k", "The 50 smallest pairs of a social network of 100 000 vertices are found in 20 seconds on two threads, with residuals of 1e-6 of the eigenvalue.", 20, 0, hundred.group("pairs")+ours),
		within("without-factor/pairs", "The 10 smallest pairs of two networks of ten million edges are found in 120 seconds on two threads and 4 GiB, with residuals of 1e-6 of the eigenvalue.", 120, 4, million.group("pairs")+ours, recursive.group("pairs")+ours),
		within("without-factor/system", "A system of the Laplacian of each is solved to a residual of 1e-8 in 10 seconds on two threads.", 10, 0, million.group("system")+ours, recursive.group("system")+ours),
	}
}

func fillSections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, what := range []string{"pairs", "system"} {
		t := &bench.Table{Columns: []string{"graph", "by", "order", "time by the clock and residual", "peak of memory"}}
		for i := range graphsThatFill {
			u := &graphsThatFill[i]
			for _, s := range unfactoredSides[what] {
				name, title := u.group(what)+s.side, u.title
				if what == "pairs" {
					title = fmt.Sprintf("%s, %d pairs", u.title, u.pairs)
				}
				t.Rows = append(t.Rows, []bench.Cell{{Text: title}, {Text: s.title}, r.Cell(name, orderText), r.CellWithError(name, func(one *bench.Record) string { return bench.MedianText(one.Seconds["total"]) }), r.Cell(name, bench.PeakText)})
			}
		}
		s := bench.Section{Title: "Smallest eigenpairs of graphs whose factor fills, two threads", Table: t, Text: "Residuals are ‖Ax − λx‖ over λ. Peers are given the same tolerance, and 500 iterations; a larger residual shows that they did not reach it. SLEPc's and SciPy's programs keep the constant apart, as ours does."}
		if what == "system" {
			s.Title, s.Text = "A system with the Laplacian of the same graphs, two threads", "Residuals are ‖b − Ax‖ over ‖b‖."
		}
		list = append(list, s)
	}
	return list
}
