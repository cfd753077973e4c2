package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// randomSymmetric has degree random entries a row and a diagonal that exceeds their sum
// by margin: positive definite for a positive one.
func randomSymmetric(t testing.TB, n, degree int, margin float64, seed uint64) *sparse.CSR {
	random := blas.NewStream(seed)
	var entries []sparse.Triplet
	u := make([]float64, 2)
	for i := range n {
		for range degree {
			random.Normals(u)
			j := int(math.Abs(u[0])*1e6) % n
			v := u[1]
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v}, sparse.Triplet{Row: j, Col: i, Val: v},
				sparse.Triplet{Row: i, Col: i, Val: math.Abs(v)}, sparse.Triplet{Row: j, Col: j, Val: math.Abs(v)})
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: margin * (1 + math.Abs(u[0]))})
	}
	a := must.Get(sparse.FromTriplets(n, n, entries))(t)
	return a
}

// lattice is the stiffness and mass pair of linear elements on a triangulated square of
// side × side vertices with free edges: λ = 0 for the constants.
func lattice(t testing.TB, side int) (stiffness, mass *sparse.CSR) {
	at := func(i, j int) int { return i*side + j }
	var k, m []sparse.Triplet
	element := func(v [3]int, right int) {
		// A right-angled triangle of unit legs with its right angle at v[right].
		for a := range 3 {
			for b := range 3 {
				w := 1.0 / 24
				if a == b {
					w = 1.0 / 12
				}
				m = append(m, sparse.Triplet{Row: v[a], Col: v[b], Val: w})
			}
			if a != right {
				k = append(k, sparse.Triplet{Row: v[a], Col: v[a], Val: 0.5}, sparse.Triplet{Row: v[right], Col: v[right], Val: 0.5},
					sparse.Triplet{Row: v[a], Col: v[right], Val: -0.5}, sparse.Triplet{Row: v[right], Col: v[a], Val: -0.5})
			}
		}
	}
	for i := range side - 1 {
		for j := range side - 1 {
			element([3]int{at(i, j), at(i+1, j), at(i, j+1)}, 0)
			element([3]int{at(i+1, j+1), at(i+1, j), at(i, j+1)}, 0)
		}
	}
	n := side * side
	var err error
	if stiffness, err = sparse.FromTriplets(n, n, k); err != nil {
		t.Fatal(err)
	}
	if mass, err = sparse.FromTriplets(n, n, m); err != nil {
		t.Fatal(err)
	}
	return stiffness, mass
}

// masses are one M of every kind; nil: the identity.
func masses(t testing.TB, n int) map[string]mat.Matrix {
	diagonal := mat.NewDiagDense(n, nil)
	for i := range n {
		diagonal.SetDiag(i, 0.1+float64(i%7))
	}
	return map[string]mat.Matrix{"none": nil, "diagonal": diagonal, "sparse": randomSymmetric(t, n, 2, 0.5, 2)}
}

// denseSpectrum solves Ax = λMx in full, ascending; M nil: the identity.
func denseSpectrum(t testing.TB, a *sparse.CSR, m mat.Matrix) []float64 {
	n := a.Rows
	b := make([]float64, n*n)
	for i := range n {
		for j := range n {
			switch {
			case m == nil && i == j:
				b[i*n+j] = 1
			case m != nil:
				b[i*n+j] = m.At(i, j)
			}
		}
	}
	values, _, _, err := Generalized(blas.MustSelect(""), n, a.Dense().RawMatrix().Data, b, n)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// checkPencil asserts what must hold of any result.
func checkPencil(t *testing.T, a *sparse.CSR, m mat.Matrix, known [][]float64, e *Eigen, want []float64, next float64) {
	t.Helper()
	n := a.Rows
	times := func(x []float64) []float64 {
		y := slices.Clone(x)
		switch m := m.(type) {
		case *sparse.CSR:
			m.MulVec(1, x, y)
		case mat.Diagonal:
			for i := range y {
				y[i] *= m.At(i, i)
			}
		}
		return y
	}
	if !e.Converged {
		t.Errorf("not converged: residuals %.2g", e.Residuals)
	}
	if len(e.Values) != len(want) || len(e.Vectors) != len(want) || len(e.Residuals) != len(want) {
		t.Fatalf("%d values, %d vectors, %d residuals for %d", len(e.Values), len(e.Vectors), len(e.Residuals), len(want))
	}
	scale := math.Abs(want[len(want)-1]) + math.Abs(next)
	norm, massNorm := a.RowSumNorm(), 1.0
	if m != nil {
		massNorm = mat.Norm(m, math.Inf(1))
	}
	for j, x := range e.Vectors {
		if math.Abs(e.Values[j]-want[j]) > 1e-9*scale {
			t.Errorf("eigenvalue %d is %.15g, want %.15g", j, e.Values[j], want[j])
		}
		r := make([]float64, n)
		a.MulVec(1, x, r)
		mx := times(x)
		blas.Axpy(-e.Values[j], mx, r)
		residual := math.Sqrt(blas.Dot(r, r)) / norm
		if m != nil {
			residual = math.Sqrt(blas.Dot(r, r)) / ((norm + math.Abs(e.Values[j])*massNorm) * math.Sqrt(blas.Dot(x, x)))
		}
		if residual > 1e-9 || math.Abs(residual-e.Residuals[j]) > 1e-14 {
			t.Errorf("pair %d: residual %g, reported %g", j, residual, e.Residuals[j])
		}
		for i := range j + 1 {
			unit := map[bool]float64{true: 1}[i == j]
			if d := blas.Dot(e.Vectors[i], mx); math.Abs(d-unit) > 1e-9 {
				t.Errorf("vectors %d and %d: M-product %g", i, j, d)
			}
		}
		for _, z := range known {
			if d := blas.Dot(z, mx) / math.Sqrt(blas.Dot(z, times(z))); math.Abs(d) > 1e-13 {
				t.Errorf("pair %d has component %g along a null vector", j, d)
			}
		}
	}
	if math.Abs(e.Next-next) > 1e-6*scale {
		t.Errorf("next is %.12g, want %.12g", e.Next, next)
	}
	if e.Plan.Solver == "" || e.Plan.Reason == "" || e.Plan.Bytes == 0 {
		t.Errorf("plan %+v", e.Plan)
	}
}

// operatorOf knows a by its products alone.
func operatorOf(a *sparse.CSR) *Operator {
	return &Operator{Order: a.Rows, Multiply: func(width int, x, y []float64) { a.MulBlock(1, width, x, y) }}
}

// Every kind of M, by matrix and by operator, small and large, against dense solutions.
func TestPencilAgainstDense(t *testing.T) {
	for _, n := range []int{30, 300} {
		a := randomSymmetric(t, n, 3, 0.1, 1)
		for name, m := range masses(t, n) {
			want := denseSpectrum(t, a, m)
			for _, sigma := range []float64{0, -1.5, want[0] / 2} {
				for _, count := range []int{1, 7} {
					for _, operator := range []bool{false, true} {
						t.Run(fmt.Sprintf("n=%d/%s/sigma=%.2g/count=%d/operator=%v", n, name, sigma, count, operator), func(t *testing.T) {
							p := Pencil{A: a, M: m, Sigma: sigma}
							if operator {
								p.A, p.Operator = nil, operatorOf(a)
							}
							e := must.Get(p.Smallest(context.Background(), count, Options{Seed: 1}))(t)
							if operator { // its norm is estimated
								for j, r := range e.Residuals {
									if r > 1e-9 {
										t.Errorf("pair %d: residual %g", j, r)
									}
								}
								again := *e
								again.Residuals = residualsOf(a, m, e)
								e = &again
							}
							checkPencil(t, a, m, nil, e, want[:count], want[count])
						})
					}
				}
			}
		}
	}
}

// residualsOf measures afresh what an operator's result measures by an estimated norm.
func residualsOf(a *sparse.CSR, m mat.Matrix, e *Eigen) []float64 {
	out := make([]float64, len(e.Values))
	for j, x := range e.Vectors {
		v := mat.NewVecDense(len(x), x)
		var r, mx mat.VecDense
		r.MulVec(a, v)
		scale := a.RowSumNorm()
		if m != nil {
			mx.MulVec(m, v)
			r.AddScaledVec(&r, -e.Values[j], &mx)
			scale = (scale + math.Abs(e.Values[j])*mat.Norm(m, math.Inf(1))) * mat.Norm(v, 2)
		} else {
			r.AddScaledVec(&r, -e.Values[j], v)
		}
		out[j] = mat.Norm(&r, 2) / scale
	}
	return out
}

// A − σI is definite though A is not: eigenvalues below zero stay.
func TestPencilNegativeValues(t *testing.T) {
	for _, n := range []int{40, 400} {
		a := randomSymmetric(t, n, 3, -4, 5)
		m := randomSymmetric(t, n, 2, 0.5, 2)
		for name, m := range map[string]mat.Matrix{"none": nil, "sparse": m} {
			want := denseSpectrum(t, a, m)
			if want[0] >= -1 {
				t.Fatalf("the smallest eigenvalue is %g", want[0])
			}
			e, err := Pencil{A: a, M: m, Sigma: want[0] - 0.1}.Smallest(context.Background(), 5, Options{})
			if err != nil {
				t.Fatal(name, err)
			}
			checkPencil(t, a, m, nil, e, want[:5], want[5])
			for _, sigma := range []float64{0, want[0] + 0.1, (want[2] + want[3]) / 2} {
				_, err := Pencil{A: a, M: m, Sigma: sigma}.Smallest(context.Background(), 5, Options{})
				var below *BelowSigmaError
				if !errors.As(err, &below) || below.Sigma != sigma || !strings.Contains(err.Error(), "take a smaller sigma") {
					t.Errorf("%s, n = %d: sigma = %g inside the spectrum gave %v", name, n, sigma, err)
				}
				_, err = Pencil{Operator: operatorOf(a), M: m, Sigma: sigma}.Smallest(context.Background(), 5, Options{})
				if !errors.As(err, &below) || math.Abs(below.Value-want[0]) > 1e-6 {
					t.Errorf("%s, n = %d: sigma = %g inside an operator's spectrum gave %v", name, n, sigma, err)
				}
			}
		}
	}
}

// The free vibrations of a square plate of linear elements: the constant is known, and
// eigenvalues are nearly those of the Laplace operator, (π/L)²(i² + j²).
func TestPencilElements(t *testing.T) {
	const side, count = 24, 8
	k, m := lattice(t, side)
	lumped := mat.NewDiagDense(side*side, nil)
	m.DoNonZero(func(i, _ int, v float64) { lumped.SetDiag(i, lumped.At(i, i)+v) })
	constant := slices.Repeat([]float64{3}, side*side)
	for name, mass := range map[string]mat.Matrix{"sparse": m, "lumped": lumped} {
		want := denseSpectrum(t, k, mass)
		for _, known := range [][][]float64{nil, {constant}} {
			e, err := Pencil{A: k, M: mass, Null: known}.Smallest(context.Background(), count, Options{})
			if err != nil {
				t.Fatal(name, err)
			}
			all := want[len(known):]
			checkPencil(t, k, mass, known, e, all[:count], all[count])
			if !(e.Angle < 1e-6) {
				t.Errorf("%s: angle %g", name, e.Angle)
			}
			length := float64(side - 1)
			first := e.Values[1-len(known)] * length * length / math.Pi / math.Pi
			if math.Abs(first-1) > 0.01 {
				t.Errorf("%s: the first vibration has %g times the frequency squared", name, first)
			}
		}
	}
}

// An eigenvalue of high multiplicity is found by a shift far below the spectrum, too: the
// search is repeated by a nearer one.
func TestPencilFarBelowTheSpectrum(t *testing.T) {
	k, _ := lattice(t, 20)
	n := k.Rows + 200
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: append(slices.Clone(k.Ptr), slices.Repeat([]int{len(k.Col)}, 200)...), Col: k.Col, Val: k.Val}
	for name, m := range map[string]mat.Matrix{"plain": nil, "diagonal": mat.NewVecDense(n, slices.Repeat([]float64{3}, n))} {
		var first *Eigen
		for _, threads := range []int{1, 2} {
			e, err := Pencil{A: a, M: m, Sigma: -4}.Smallest(context.Background(), 25, Options{Threads: threads})
			if err != nil {
				t.Fatal(name, err)
			}
			if !e.Converged || slices.Max(e.Residuals) > residualLimit || !strings.Contains(e.Plan.Reason, "the shift moved from -4 to ") {
				t.Errorf("%s: residuals %g, %s", name, slices.Max(e.Residuals), e.Plan.Reason)
			}
			for j, v := range append(slices.Clone(e.Values), e.Next) {
				if math.Abs(v) > 1e-9 {
					t.Errorf("%s: eigenvalue %d is %g", name, j, v)
				}
			}
			if first == nil {
				first = e
			} else if !slices.Equal(first.Vectors[24], e.Vectors[24]) {
				t.Errorf("%s: threads change a vector", name)
			}
		}
	}
}

// A matrix of zeros, stored or not, has eigenvalues of zero, whatever M is.
func TestPencilOfZeros(t *testing.T) {
	for _, side := range []int{4, 20} {
		k, m := lattice(t, side)
		n := m.Rows
		zeros := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
		stored := *k
		stored.Val = make([]float64, len(k.Val))
		for name, p := range map[string]Pencil{
			"plain": {A: zeros}, "sparse": {A: zeros, M: m}, "diagonal": {A: zeros, M: mat.NewVecDense(n, slices.Repeat([]float64{3}, n))},
			"stored, with a null vector": {A: &stored, Null: [][]float64{ones(n)}},
		} {
			e, err := p.Smallest(context.Background(), 7, Options{})
			if err != nil {
				t.Fatal(name, err)
			}
			if !e.Converged || slices.Max(e.Residuals) > residualLimit || e.Values[6] > 1e-20 || len(e.Vectors) != 7 || p.M == nil && math.Abs(blas.Dot(e.Vectors[0], e.Vectors[1])) > 1e-12 {
				t.Errorf("%s: %v, residuals %v", name, e.Values, e.Residuals)
			}
		}
	}
}
