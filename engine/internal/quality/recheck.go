package quality

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Recheck verifies the columns of an embedding as eigenvectors of Φ by direct products,
// independently of any solver.
type Recheck struct {
	Values        []float64 // yᵀΦy/yᵀy
	Residuals     []float64 // ‖Φy − λy‖/(‖Φ‖∞‖y‖)
	Orthogonality float64   // largest entry of YᵀY − I
	Balance       float64   // largest |yᵀ0̂| for the unit null vector 0̂
	// Less is the smallest energy of a combination of simple functions of the data that is orthogonal
	// to Y and the null vector. The functions are columns of the data and path lengths in the graph. NaN:
	// there are none. If it is below the energy of a column of Y, the columns do not belong to the smallest
	// eigenvalues.
	Less float64
	Norm float64 // ‖Φ‖∞
}

// trials is the number of simple functions of each kind.
const trials = 8

// smoothings is the number of times that I − Φ/‖Φ‖ is applied to each.
const smoothings = 32

// RecheckSum verifies coordinates under a sum of patches. O(d·nnz + nd²).
func RecheckSum(in patch.Local, a *align.Sum, y *mat.Dense) *Recheck {
	n, dim := y.Dims()
	r := &Recheck{Norm: a.Phi.RowSumNorm(), Less: math.NaN()}
	columns, product := make([][]float64, dim), make([]float64, n)
	for j := range columns {
		u := mat.Col(nil, j, y)
		for i, s := range a.Scale {
			u[i] /= s // the eigenvectors of the scaled matrix
		}
		columns[j] = u
		a.Phi.MulVec(in.Threads(), u, product)
		norm := math.Sqrt(blas.Dot(u, u))
		value := blas.Dot(u, product) / (norm * norm)
		blas.Axpy(-value, u, product)
		r.Values = append(r.Values, value)
		r.Residuals = append(r.Residuals, math.Sqrt(blas.Dot(product, product))/(norm*r.Norm))
		r.Balance = max(r.Balance, math.Abs(blas.Dot(u, a.Null))/norm)
	}
	r.Orthogonality = fromIdentity(columns)
	r.Less = lessEnergy(in, a, columns)
	return r
}

// fromIdentity returns the largest entry of YᵀY − I in absolute value.
func fromIdentity(columns [][]float64) float64 {
	var most float64
	for j, u := range columns {
		for l, v := range columns[:j+1] {
			dot := blas.Dot(u, v)
			if l == j {
				dot--
			}
			most = max(most, math.Abs(dot))
		}
	}
	return most
}

// Oblique returns the largest cosine of two centred columns, of rows with weights; nil: 1 each.
func Oblique(y *mat.Dense, weights []float64) float64 {
	n, dim := y.Dims()
	if weights == nil {
		weights = slices.Repeat([]float64{1}, n)
	}
	total := vector.Sum(weights)
	columns := make([][]float64, dim)
	for j := range columns {
		u := mat.Col(nil, j, y)
		var mean float64
		for i, v := range u {
			mean += weights[i] / total * v
		}
		for i := range u {
			u[i] = math.Sqrt(weights[i]) * (u[i] - mean)
		}
		blas.Scale(1/math.Sqrt(blas.Dot(u, u)), u)
		columns[j] = u
	}
	return fromIdentity(columns)
}

// lessEnergy returns the smallest energy over the span of the simple functions: the smallest eigenvalue
// of Φ restricted to their components orthogonal to Y and the null vector.
func lessEnergy(in patch.Local, a *align.Sum, columns [][]float64) float64 {
	basis := append([][]float64{a.Null}, columns...)
	known := len(basis)
	norm, smoothed := a.Phi.RowSumNorm(), make([]float64, len(a.Null))
	for _, t := range plainFunctions(in) {
		for range smoothings { // damps the rough components, which have most of the energy
			a.Phi.MulVec(in.Threads(), t, smoothed)
			blas.Axpy(-1/norm, smoothed, t)
		}
		whole := math.Sqrt(blas.Dot(t, t))
		for range 2 {
			for _, u := range basis {
				blas.Axpy(-blas.Dot(t, u)/blas.Dot(u, u), u, t)
			}
		}
		// The remainder of a function in the span of the others is rounding error.
		if norm := math.Sqrt(blas.Dot(t, t)); norm > 1e-6*whole {
			blas.Scale(1/norm, t)
			basis = append(basis, t)
		}
	}
	left := basis[known:]
	if len(left) == 0 {
		return math.NaN()
	}
	p := len(left)
	energy, product := make([]float64, p*p), make([]float64, len(a.Null))
	for i, t := range left {
		a.Phi.MulVec(in.Threads(), t, product)
		for j, u := range left {
			energy[i*p+j] = blas.Dot(u, product)
		}
	}
	values := make([]float64, p)
	blas.SymEigSmall(p, energy, values, false, make([]float64, 2*p)) // small and finite: it converges
	return values[0]
}

// plainFunctions returns columns of dense data, and path lengths from samples that reach all others.
func plainFunctions(in patch.Local) [][]float64 {
	if in.X.Absent() {
		return nil
	}
	n, m := in.X.N(), in.X.M()
	var list [][]float64
	if in.X.Compressed() == nil {
		for c := range min(m, trials) {
			t := make([]float64, n)
			for i := range t {
				t[i] = in.X.Row(i)[c*m/min(m, trials)]
			}
			list = append(list, t)
		}
	}
	if in.Graph.Weight != nil {
		return list
	}
	w := newWalker(in, nil)
	for _, i := range Spread(n, trials) {
		if reached := w.nearest(i, n); len(reached) == n {
			list = append(list, slices.Clone(w.length))
		}
	}
	return list
}

const (
	// Errors due to rounding when coordinates are written in double or
	// single precision.
	doubleRounding, singleRounding = 1e-9, 1e-5
	// missedShare: a residual up to this share of an eigenvalue rotates a vector by about as much.
	missedShare = 0.01
	// lessShare: a simple function with less energy than this share of a column's shows that the
	// column does not belong to the smallest eigenvalues.
	lessShare = 0.9
)

// rounding returns the rounding level of the coordinates: single precision if all of them fit it.
func rounding(y *mat.Dense) float64 {
	n, dim := y.Dims()
	for i := range n {
		for j := range dim {
			if v := y.At(i, j); float64(float32(v)) != v {
				return doubleRounding
			}
		}
	}
	return singleRounding
}

// again is the remedy if the coordinates were made from other samples or parameters.
const again = "give the samples, the method and the parameters that the embedding was made with, or embed again"

// Doubts returns the problems of the columns and of the reported eigenvalues, if
// any. The last one has the remedy.
func (r *Recheck) Doubts(y *mat.Dense, reported []float64) []string {
	var doubts []string
	add := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	level := rounding(y)
	for j, residual := range r.Residuals {
		if most := level + missedShare*math.Abs(r.Values[j])/r.Norm; !(residual <= most) {
			add("column %d is not an eigenvector of the alignment matrix: its residual is %.2g of the matrix, where %.2g is due to rounding", j+1, residual, most)
			break
		}
	}
	if !(r.Orthogonality <= 10*level) {
		add("the columns are not orthonormal: YᵀY is off I by %.2g", r.Orthogonality)
	}
	if !(r.Balance <= 10*level) {
		add("the columns are not orthogonal to the constants: the part along them is %.2g", r.Balance)
	}
	if last := r.Values[len(r.Values)-1]; len(doubts) == 0 && r.Less < lessShare*last-level*r.Norm {
		add("the columns are not of the smallest eigenvalues: a plain function of the data that is orthogonal to them has an energy of %.3g, and column %d has %.3g", r.Less, len(r.Values), last)
	}
	for j, value := range reported {
		if j >= len(r.Values) {
			break
		}
		if own := r.Values[j]; !(math.Abs(own-value) <= missedShare*math.Abs(value)+level*r.Norm) {
			add("eigenvalue %d was given as %.4g and is %.4g", j+1, value, own)
			break
		}
	}
	if len(doubts) > 0 {
		doubts[len(doubts)-1] += "; " + again
	}
	return doubts
}

// DoubtsAboutObliqueness returns the doubt about columns that should be orthogonal, if there is one.
func DoubtsAboutObliqueness(y *mat.Dense, cosine float64) []string {
	if cosine <= 10*rounding(y) {
		return nil
	}
	return []string{fmt.Sprintf("the columns are not orthogonal: two of them have a cosine of %.2g; %s", cosine, again)}
}

// sources is the number of samples from which all path lengths are recomputed.
const sources = 24

// RecheckLengths verifies coordinates by classical scaling of the shortest path lengths D
// (Tenenbaum, de Silva, Langford 2000): centred columns y with By = λy and yᵀy = λ, where B is
// −½D², doubly centred. Row i of it reads
//
//	−½ Σⱼ D²ᵢⱼ yⱼ = λyᵢ + c,
//
// with the same c for all rows, so a few rows are enough: λ and c are fitted to them,
// and a residual is the part of the left-hand side not fitted, divided by the norm of λy. O(nk log n) for
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

// bothWays returns the graph with every edge in the lists of both ends.
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

// DoubtsAboutLengths returns the doubt about columns that do not fit the shortest path lengths, if there is one.
func DoubtsAboutLengths(y *mat.Dense, values, residuals []float64) string {
	level := 1000 * rounding(y) // equally short paths have different rounding errors
	for f, residual := range residuals {
		u := mat.Col(nil, f, y)
		if off := math.Abs(values[f]/blas.Dot(u, u) - 1); !(residual <= level) || !(off <= level) {
			return fmt.Sprintf("column %d is not an eigenvector of the lengths of shortest paths: its residual is %.2g, and its squares are off the eigenvalue by %.2g, where %.2g is due to rounding; %s", f+1, residual, off, level, again)
		}
	}
	return ""
}
