package solving

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// factorSides are ours and the peers.
var factorSides = []struct{ side, peer, title string }{
	{ours, "", "ours"}, {"/cholmod", "cholmod", "CHOLMOD"}, {"/mumps", "mumps", "MUMPS"},
}

func (p *problem) factorGroup(threads int) string {
	return fmt.Sprintf("factor/%s/threads=%d", p.name, threads)
}

func factorCases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range problems {
		p := &problems[i]
		if p.alone {
			continue
		}
		for _, threads := range []int{1, 2} {
			for _, side := range factorSides {
				c := bench.Case{
					Name: p.factorGroup(threads) + side.side, Group: p.factorGroup(threads), Data: p.name, N: p.rows(e), Method: "cholesky", Threads: threads, Full: p.full, Fresh: true,
					Params: map[string]any{"shift": factorShift, "again": againShift}, Accuracy: []bench.Accuracy{bench.AtMost("backward error", 1e-14)},
					Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						return p.factorize(ctx, e, c.N, threads, definite, side.peer)
					},
				}
				if side.peer != "" {
					c.Method, c.Needs, c.Accuracy = side.peer, []string{"peer:slepc"}, []bench.Accuracy{bench.Reported("backward error")}
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// factorShift makes the matrices definite, as a share of the largest diagonal entry, and
// againShift is the one of the second factorisation, of the same pattern.
const factorShift, againShift = 1e-6, 2e-6

// kind of a factorisation.
type kind bool

const (
	definite   kind = false // Cholesky
	indefinite kind = true  // LDLᵀ at the shift inside the spectrum
)

// factorizer is what both kinds of our factors do.
type factorizer interface {
	Solve(b []float64, width int) error
	UpdateValues(ctx context.Context, a mat.Matrix, shift float64) error
	Entries() int64
}

// refining is an LDLᵀ, whose solutions are refined.
type refining struct{ *sparse.LDLT }

func (f refining) Solve(b []float64, width int) error {
	_, err := f.LDLT.Solve(b, width)
	return err
}

func (k kind) factor(ctx context.Context, a *sparse.CSR, shift float64, threads int) (factorizer, error) {
	if k == indefinite {
		f, err := sparse.NewLDLT(ctx, a, shift, sparse.CholeskyOptions{Threads: threads})
		return refining{f}, err
	}
	return sparse.NewCholesky(ctx, a, shift, sparse.CholeskyOptions{Threads: threads})
}

// rightSide is a vector with entries of all sizes up to 1.
func rightSide(n int) []float64 {
	b := make([]float64, n)
	for i := range b {
		b[i] = math.Sin(float64(i))
	}
	return b
}

// backwardError is ‖b − Ax‖ over |A|‖x‖ + ‖b‖.
func backwardError(a *sparse.CSR, shift float64, x, b []float64) float64 {
	r := make([]float64, a.Rows)
	a.MulVec(1, x, r)
	blas.Axpy(shift, x, r)
	blas.Axpy(-1, b, r)
	return math.Sqrt(blas.Dot(r, r)) / ((a.RowSumNorm()+math.Abs(shift))*math.Sqrt(blas.Dot(x, x)) + math.Sqrt(blas.Dot(b, b)))
}

// factorize analyses and factorises A + shift·I, solves once, factorises another shift and
// solves again.
func (p *problem) factorize(ctx context.Context, e *bench.Env, n, threads int, k kind, peer string) (*bench.Outcome, error) {
	a, _, err := p.build(ctx, n)
	if err != nil {
		return nil, err
	}
	first, second := small(a, factorShift), small(a, againShift)
	if k == indefinite {
		first, second = -p.inside, -p.inside*(1+againShift)
	}
	b := rightSide(a.Rows)
	var out *bench.Outcome
	var x, y []float64
	if peer == "" {
		out, x, y, err = factorByOurs(ctx, a, first, second, threads, k)
	} else {
		out, x, y, err = factorByPeer(ctx, e, a, first, second, threads, k, peer)
	}
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = a.Rows, a.NNZ()
	out.Quality["backward error"] = max(backwardError(a, first, x, b), backwardError(a, second, y, b))
	return out, nil
}

func factorByOurs(ctx context.Context, a *sparse.CSR, first, second float64, threads int, k kind) (out *bench.Outcome, x, y []float64, err error) {
	x, y = rightSide(a.Rows), rightSide(a.Rows)
	clock := engine.NewClock()
	end := clock.Phase("factor")
	c, err := k.factor(ctx, a, first, threads)
	if err != nil {
		return nil, nil, nil, err
	}
	end()
	end = clock.Phase("solve")
	if err := c.Solve(x, 1); err != nil {
		return nil, nil, nil, err
	}
	end()
	end = clock.Phase("again")
	if err := c.UpdateValues(ctx, a, second); err != nil {
		return nil, nil, nil, err
	}
	end()
	if err := c.Solve(y, 1); err != nil {
		return nil, nil, nil, err
	}
	out = &bench.Outcome{Quality: map[string]float64{"entries": float64(c.Entries())}}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	out.Seconds["total"] = out.Seconds["factor"] + out.Seconds["solve"] + out.Seconds["again"]
	out.CPUSeconds["total"] = out.CPUSeconds["factor"] + out.CPUSeconds["solve"] + out.CPUSeconds["again"]
	return out, x, y, nil
}

func factorByPeer(ctx context.Context, e *bench.Env, a *sparse.CSR, first, second float64, threads int, k kind, peer string) (out *bench.Outcome, x, y []float64, err error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, nil, nil, err
	}
	defer remove()
	in, result := filepath.Join(dir, "a.mtx"), filepath.Join(dir, "x.npy")
	if err := saveSparse(in, a); err != nil {
		return nil, nil, nil, err
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: "cholesky", In: in, Out: result, Threads: threads,
		Params: map[string]any{"solver": peer, "first": first, "second": second, "definite": k == definite}})
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := files.ReadMatrix(result, files.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	if rows, cols := found.Dims(); rows != a.Rows || cols != 2 {
		return nil, nil, nil, fmt.Errorf("%s gave %d × %d numbers", peer, rows, cols)
	}
	out = p.Outcome()
	for _, phase := range []string{"factor", "solve", "again"} {
		out.Seconds[phase], out.CPUSeconds[phase] = out.Quality["wall-"+phase], out.Quality["cpu-"+phase]
		delete(out.Quality, "wall-"+phase)
		delete(out.Quality, "cpu-"+phase)
	}
	return out, mat.Col(nil, 0, found), mat.Col(nil, 1, found), nil
}
