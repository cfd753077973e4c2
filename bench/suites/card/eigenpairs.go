package card

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// eigenSamples is the order of the matrices, quickEigenSamples with --quick.
const eigenSamples, quickEigenSamples = 20000, 5000

// eigenMatrix is a matrix whose smallest eigenpairs beyond the constant are wanted.
type eigenMatrix struct {
	name, title string
	pairs       int
	patch       func(s *neighborhoods) func([]int32, []float64) error
	dev         bool // the eigenvectors are the coordinates of the roll, up to an affine map
}

var eigenMatrices = []eigenMatrix{
	{"ltsa", "alignment matrix of LTSA, 2 pairs", 2, func(s *neighborhoods) func([]int32, []float64) error { return s.tangent }, true},
	{"laplacian", "Laplacian of the graph, 6 pairs", 6, func(*neighborhoods) func([]int32, []float64) error { return star }, false},
}

// solverSides are ours and the peers, with what each needs.
var solverSides = []struct{ side, peer, need string }{
	{oursSide, "", ""}, {"/arpack", "arpack", "peer:sklearn"}, {"/slepc", "slepc", "peer:slepc"},
}

func (m *eigenMatrix) group() string { return "eigenpairs/" + m.name }

func eigenCases(e *bench.Env) []bench.Case {
	var list []bench.Case
	order := eigenSamples
	if e.Quick {
		order = quickEigenSamples
	}
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		for _, side := range solverSides {
			c := bench.Case{
				Name: m.group() + side.side, Group: m.group(), Data: "swiss-roll params=isometric", N: order, M: 3, Method: "lanczos", Threads: 1,
				Params: map[string]any{"matrix": m.name, "pairs": m.pairs, "neighbors": nearest}, Accuracy: []bench.Accuracy{bench.Exact()},
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return m.solve(ctx, e, c.N, side.peer)
				},
			}
			if side.peer != "" {
				c.Method, c.Needs, c.Accuracy[0] = side.peer, []string{side.need}, bench.Reported("residual")
			}
			if m.dev {
				dev := bench.Reported("dev")
				if side.peer == "" {
					dev = dev.Against(m.group()+"/arpack", bench.MaxErrorRatio)
				}
				c.Accuracy = append(c.Accuracy, dev)
			}
			list = append(list, c)
		}
	}
	return list
}

// build makes the matrix of n samples.
func (m *eigenMatrix) build(ctx context.Context, n int) (*sparse.CSR, *neighborhoods, error) {
	s, err := rollNeighborhoods(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.patches(m.patch(s))
	if err != nil {
		return nil, nil, err
	}
	a, err := sparse.Assemble(ctx, 1, n, p)
	return a, s, err
}

// solve finds the pairs by a peer, or by ours where none is named.
func (m *eigenMatrix) solve(ctx context.Context, e *bench.Env, n int, peer string) (*bench.Outcome, error) {
	a, s, err := m.build(ctx, n)
	if err != nil {
		return nil, err
	}
	find := m.byOurs
	if peer != "" {
		find = func(ctx context.Context, e *bench.Env, a *sparse.CSR) (*bench.Outcome, []float64, *mat.Dense, error) {
			return m.byPeer(ctx, e, a, peer)
		}
	}
	out, values, vectors, err := find(ctx, e, a)
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = n, a.NNZ()
	out.Quality["residual"] = largestResidual(a, values, vectors)
	if m.dev {
		out.Quality["dev"], _, err = measures.Deviation(s.truth, vectors)
	}
	return out, err
}

func (m *eigenMatrix) byOurs(ctx context.Context, _ *bench.Env, a *sparse.CSR) (*bench.Outcome, []float64, *mat.Dense, error) {
	constant := make([]float64, a.Rows)
	for i := range constant {
		constant[i] = 1 / math.Sqrt(float64(a.Rows))
	}
	clock := engine.NewClock()
	found, err := eigen.Smallest(ctx, a, [][]float64{constant}, m.pairs, eigen.Options{Threads: 1, Seed: 1})
	if err != nil {
		return nil, nil, nil, err
	}
	out := &bench.Outcome{Quality: map[string]float64{"solves": float64(found.Solves), "products": float64(found.Products)}, Note: found.Plan.Solver}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	vectors := mat.NewDense(a.Rows, m.pairs, nil)
	for j, v := range found.Vectors {
		vectors.SetCol(j, v)
	}
	return out, found.Values, vectors, nil
}

// byPeer asks for one pair more: the peers do not leave the constant out. They are given
// the shift that ours takes.
func (m *eigenMatrix) byPeer(ctx context.Context, e *bench.Env, a *sparse.CSR, peer string) (*bench.Outcome, []float64, *mat.Dense, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, nil, nil, err
	}
	defer remove()
	in, result := filepath.Join(dir, "a.mtx"), filepath.Join(dir, "pairs.npy")
	if err := saveSparse(in, a); err != nil {
		return nil, nil, nil, err
	}
	largest := 0.0
	for i := range a.Rows {
		largest = max(largest, a.At(i, i))
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: peer, In: in, Out: result, Threads: 1, Params: map[string]any{"pairs": m.pairs + 1, "shift": 1e-12 * largest}})
	if err != nil {
		return nil, nil, nil, err
	}
	pairs, err := files.ReadMatrix(result, files.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	if rows, cols := pairs.Dims(); rows != a.Rows+1 || cols != m.pairs+1 {
		return nil, nil, nil, fmt.Errorf("%s gave %d × %d numbers", peer, rows, cols)
	}
	vectors := mat.DenseCopyOf(pairs.Slice(1, a.Rows+1, 0, m.pairs+1))
	return p.Outcome(), mat.Row(nil, 0, pairs), vectors, nil
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

// largestResidual is the largest ‖Ax − λx‖ over ‖x‖ and the largest row sum of A.
func largestResidual(a *sparse.CSR, values []float64, vectors *mat.Dense) float64 {
	worst, y := 0.0, make([]float64, a.Rows)
	for j, value := range values {
		x := mat.Col(nil, j, vectors)
		a.MulVec(1, x, y)
		blas.Axpy(-value, x, y)
		worst = max(worst, math.Sqrt(blas.Dot(y, y)/blas.Dot(x, x))/a.RowSumNorm())
	}
	return worst
}

func eigenClaims() []bench.Claim {
	claim := func(side, program string) bench.Claim {
		return bench.Claim{
			Name: "eigenpairs" + side, Source: "orthant", Paper: "no slower, and as exact",
			Statement: "The smallest eigenpairs of an alignment matrix and of a Laplacian, factorisation and all, take no more processor time than " + program + ", with residuals of 1e-8 at most.",
			Check:     func(r *bench.Records) bench.Finding { return noSlower(r, side) },
		}
	}
	return []bench.Claim{claim("/arpack", "ARPACK with SuperLU (SciPy)"), claim("/slepc", "SLEPc with MUMPS")}
}

func noSlower(r *bench.Records, side string) bench.Finding {
	var all, ours, why []string
	for i := range eigenMatrices {
		all = append(all, eigenMatrices[i].group()+oursSide, eigenMatrices[i].group()+side)
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		a, _ := r.CPU(m.group() + oursSide)
		b, _ := r.CPU(m.group() + side)
		ours = append(ours, fmt.Sprintf("%s %.3g times as fast, %s to %s", m.name, b/a, r.AccuracyCell(m.group()+oursSide).Text, r.AccuracyCell(m.group()+side).Text))
		if b < a {
			why = append(why, fmt.Sprintf("%s only %.2f times as fast", m.name, b/a))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(ours, "; "), all, why...)
}

func eigenSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "by", "CPU and errors", "solves", "peak of memory"}}
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		for _, side := range solverSides {
			name := m.group() + side.side
			t.Rows = append(t.Rows, []bench.Cell{{Text: m.title}, {Text: side.side[1:]}, r.TimedCell(name, "total"), r.QualityCell(name, "solves", "%.0f"), r.Cell(name, bench.PeakText)})
		}
	}
	order := eigenSamples
	if one := r.Get(eigenMatrices[0].group() + oursSide); one != nil && one.Samples > 0 {
		order = one.Samples
	}
	return []bench.Section{{Title: fmt.Sprintf("The smallest eigenpairs, order %d, one thread", order), Table: t,
		Text: "Ours solves for several right-hand sides at a time. The peers find the constant vector, too, which ours is given; peaks are of the peers' processes."}}
}
