package quality

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
)

// Recheck is what plain products say of the columns of an embedding as eigenvectors of Φ. It
// takes nothing from a solver.
type Recheck struct {
	Values        []float64 // yᵀΦy/yᵀy
	Residuals     []float64 // ‖Φy − λy‖/(‖Φ‖∞‖y‖)
	Orthogonality float64   // largest entry of YᵀY − I
	Balance       float64   // largest |yᵀ0̂| for the unit null vector 0̂
	// Less is the least energy of a combination of plain functions of the data that is orthogonal
	// to Y and the null vector: of columns of the data and lengths along the graph. NaN: there are
	// none. Below the energy of a column of Y, the columns are not of the smallest eigenvalues.
	Less float64
	Norm float64 // ‖Φ‖∞
}

// trials is the number of plain functions of each kind.
const trials = 8

// smoothings is the number of times that I − Φ/‖Φ‖ is applied to each.
const smoothings = 32

// RecheckSum looks at coordinates under a sum of patches. O(d·nnz + nd²).
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

// fromIdentity is the largest entry of YᵀY − I.
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

// Oblique is the largest cosine between two centred columns.
func Oblique(y *mat.Dense) float64 {
	n, dim := y.Dims()
	columns := make([][]float64, dim)
	for j := range columns {
		u := mat.Col(nil, j, y)
		var mean float64
		for _, v := range u {
			mean += v / float64(n)
		}
		for i := range u {
			u[i] -= mean
		}
		blas.Scale(1/math.Sqrt(blas.Dot(u, u)), u)
		columns[j] = u
	}
	return fromIdentity(columns)
}

// lessEnergy is the least energy over the span of the plain functions, the least eigenvalue of
// Φ restricted to what Y and the null vector leave of them.
func lessEnergy(in patch.Local, a *align.Sum, columns [][]float64) float64 {
	basis := append([][]float64{a.Null}, columns...)
	known := len(basis)
	norm, smoothed := a.Phi.RowSumNorm(), make([]float64, len(a.Null))
	for _, t := range plainFunctions(in) {
		for range smoothings { // takes off what is rough, which has most of the energy
			a.Phi.MulVec(in.Threads(), t, smoothed)
			blas.Axpy(-1/norm, smoothed, t)
		}
		whole := math.Sqrt(blas.Dot(t, t))
		for range 2 {
			for _, u := range basis {
				blas.Axpy(-blas.Dot(t, u)/blas.Dot(u, u), u, t)
			}
		}
		// What is left of a function that the others span is rounding.
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

// plainFunctions are columns of dense data, and lengths along the graph from samples by which
// all can be reached.
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
