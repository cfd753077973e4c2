package solving

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/sparse"
)

// problem is a matrix, or a pair of them, whose smallest eigenpairs beyond the constant
// are wanted, and which is factorised.
type problem struct {
	name, title string
	n           int                                                            // about so many rows
	build       func(ctx context.Context, n int) (a, m *sparse.CSR, err error) // m is nil where it is the identity
	alone       bool                                                           // no peer finishes it: see the text of the suite
	without     string                                                         // the peer of eigenpairs that does not
	full        bool                                                           // too long for --quick
	inside      float64                                                        // a shift among the eigenvalues; 0: nothing is asked there
}

var problems = []problem{
	{name: "alignment-2d", title: "alignment matrix of LTSA, a sheet of two dimensions", n: 100_000, build: alignmentOf(2, 12), inside: 1},
	{name: "alignment-10d", title: "alignment matrix of LTSA, ten dimensions", n: 10_000, build: alignmentOf(10, 20)},
	{name: "roads", title: "Laplacian of a planar graph like one of roads", n: 100_000, build: plain(roads), inside: 3},
	{name: "lattice", title: "Laplacian of a cubic grid", n: 100_000, build: plain(lattice), full: true, inside: 3.1},
	{name: "friends", title: "Laplacian of a random graph like a social network", n: 20_000, build: plain(friends), without: "arpack", full: true},
	{name: "friends-100000", title: "random graph like a social network, whole", n: 100_000, build: plain(friends), alone: true, full: true},
	{name: "sphere", title: "finite elements on a sphere, stiffness and mass", n: 100_000, build: elementsOf(sphere), inside: 1000},
	{name: "sheet", title: "finite elements on a folded sheet, stiffness and mass", n: 100_000, build: elementsOf(sheet)},
}

// quickRows is about the most rows with --quick.
const quickRows = 3000

// rows is about how many the matrix has.
func (p *problem) rows(e *bench.Env) int {
	if e.Quick {
		return min(p.n, quickRows)
	}
	return p.n
}

// takenBy tells whether a peer is asked for the eigenpairs; ours, the empty name, always is.
func (p *problem) takenBy(peer string) bool { return peer == "" || !p.alone && p.without != peer }

func plain(graph func(n int) (*sparse.CSR, error)) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(_ context.Context, n int) (a, m *sparse.CSR, err error) {
		a, err = graph(n)
		return a, nil, err
	}
}

func elementsOf(surface func(n int) mesh) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(_ context.Context, n int) (a, m *sparse.CSR, err error) { return surface(n).elements() }
}

// alignmentOf is Φ of LTSA for samples drawn from a cube of so many dimensions, which is
// bent into one more.
func alignmentOf(dim, neighbors int) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(ctx context.Context, n int) (a, m *sparse.CSR, err error) {
		x := mat.NewDense(n, dim+1, nil)
		if dim == 2 {
			roll, err := datasets.Generate("swiss-roll", n, 1, nil)
			if err != nil {
				return nil, nil, err
			}
			x = roll.X
		} else {
			s := blas.NewStream(6)
			for i := range n {
				row := x.RawRowView(i)
				for j := range dim {
					row[j] = s.Uniform()
				}
				row[0], row[dim] = math.Sin(row[0]), math.Cos(row[0]) // an arc, as long as it was
			}
		}
		a, err = engine.Alignment(ctx, x, engine.LTSA{Neighbors: neighbors, Dim: dim}, engine.Options{})
		return a, nil, err
	}
}

// residual is the largest ‖Ax − λMx‖ over (|A| + λ|M|)‖x‖, in maximal row sums.
func residual(a, m *sparse.CSR, values []float64, vectors [][]float64) float64 {
	worst, y, z := 0.0, make([]float64, a.Rows), make([]float64, a.Rows)
	for j, value := range values {
		x, size := vectors[j], a.RowSumNorm()
		a.MulVec(1, x, y)
		if m == nil {
			blas.Axpy(-value, x, y)
		} else {
			m.MulVec(1, x, z)
			blas.Axpy(-value, z, y)
			size += math.Abs(value) * m.RowSumNorm()
		}
		worst = max(worst, math.Sqrt(blas.Dot(y, y)/blas.Dot(x, x))/size)
	}
	return worst
}

// ones is the constant vector, which every one of these matrices sends to zero.
func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// small is a shift that makes a matrix definite: a share of its largest diagonal entry.
func small(a *sparse.CSR, share float64) float64 {
	largest := 0.0
	for i := range a.Rows {
		largest = max(largest, a.At(i, i))
	}
	return share * largest
}
