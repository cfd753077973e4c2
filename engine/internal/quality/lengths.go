package quality

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// sources is the number of samples from which all lengths are found again.
const sources = 24

// RecheckLengths looks at coordinates by classical scaling of the lengths D of shortest paths
// (Tenenbaum, de Silva, Langford 2000): centred columns y with By = λy and yᵀy = λ, where B is
// −½D² less its means. Row i of it says
//
//	−½ Σⱼ D²ᵢⱼ yⱼ = λyᵢ + c,
//
// with a c that is one for all rows, so that some rows are enough: λ and c are fitted to them,
// and residuals are what is left of the left-hand side, over the norm of λy. O(nk log n) for
// each of 24 rows.
func RecheckLengths(in patch.Local, y *mat.Dense) (values, residuals []float64) {
	n, dim := y.Dims()
	in.Graph = bothWays(in.Graph)
	w := newWalker(in, nil)
	rows := Spread(n, sources)
	left := mat.NewDense(len(rows), dim, nil)
	for at, i := range rows {
		for _, j := range w.nearest(i, n) {
			square := w.length[j] * w.length[j]
			for f := range dim {
				left.Set(at, f, left.At(at, f)-square/2*y.At(int(j), f))
			}
		}
	}
	for f := range dim {
		var my, mz, yy, yz float64
		count := float64(len(rows))
		for at, i := range rows {
			my += y.At(i, f) / count
			mz += left.At(at, f) / count
		}
		for at, i := range rows {
			yy += (y.At(i, f) - my) * (y.At(i, f) - my)
			yz += (y.At(i, f) - my) * (left.At(at, f) - mz)
		}
		value := yz / yy
		var off float64
		for at, i := range rows {
			rest := left.At(at, f) - mz - value*(y.At(i, f)-my)
			off += rest * rest
		}
		values = append(values, value)
		residuals = append(residuals, math.Sqrt(off/yy)/math.Abs(value))
	}
	return values, residuals
}

// bothWays has every edge of the lists at both of its ends.
func bothWays(g *neighbors.Graph) *neighbors.Graph {
	n := g.Len()
	both := &neighbors.Graph{Ptr: make([]int, n+1), Index: make([]int32, 2*len(g.Index))}
	for i := range n {
		both.Ptr[i+1] += len(g.Of(i))
		for _, j := range g.Of(i) {
			both.Ptr[j+1]++
		}
	}
	for i := range n {
		both.Ptr[i+1] += both.Ptr[i]
	}
	next := append([]int(nil), both.Ptr[:n]...)
	for i := range n {
		for _, j := range g.Of(i) {
			both.Index[next[i]], both.Index[next[j]] = j, int32(i)
			next[i]++
			next[j]++
		}
	}
	return both
}

// DoubtsOfLengths speaks against columns that are not of the lengths of shortest paths.
func DoubtsOfLengths(y *mat.Dense, values, residuals []float64) string {
	level := 1000 * rounding(y) // paths that are as long as the shortest round otherwise
	for f, residual := range residuals {
		u := mat.Col(nil, f, y)
		if off := math.Abs(values[f]/blas.Dot(u, u) - 1); !(residual <= level) || !(off <= level) {
			return fmt.Sprintf("column %d is no eigenvector of the lengths of shortest paths: its residual is %.2g, and its squares are off the eigenvalue by %.2g, where %.2g is due to rounding; %s", f+1, residual, off, level, again)
		}
	}
	return ""
}
