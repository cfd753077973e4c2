package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// withEntry is a with another value at one stored place.
func withEntry(a *sparse.CSR, i, j int, v float64) *sparse.CSR {
	b := *a
	b.Val = slices.Clone(a.Val)
	p, _ := slices.BinarySearch(b.Col[b.Ptr[i]:b.Ptr[i+1]], int32(j))
	b.Val[b.Ptr[i]+p] = v
	return &b
}

// What is wrong is named with the input, the place and the remedy.
func TestPencilRefuses(t *testing.T) {
	k, m := lattice(t, 12)
	n := k.Rows
	constant := slices.Repeat([]float64{1}, n)
	slope := make([]float64, n)
	for i := range slope {
		slope[i] = float64(i)
	}
	diagonal := slices.Repeat([]float64{1}, n)
	diagonal[7] = -2
	infinite := slices.Clone(constant)
	infinite[9] = math.Inf(-1)
	positive := randomSymmetric(t, n, 2, 1, 4)
	cases := map[string]struct {
		p     Pencil
		count int
	}{
		"A: the matrix is not symmetric: the entry in row 0, column 1 (counting from 0) is -0.5 and its mirror in row 1, column 0 is 3": {Pencil{A: withEntry(k, 1, 0, 3)}, 2},
		"give equal entries, or (A + Aᵀ)/2":                                        {Pencil{A: withEntry(k, 1, 0, 3)}, 2},
		"A: sparse matrix: the entry in row 5, column 6 (counting from 0) is NaN":  {Pencil{A: withEntry(k, 5, 6, math.NaN())}, 2},
		"A is 5 × 144; give a symmetric matrix":                                    {Pencil{A: k.RowRange(0, 5)}, 2},
		"a pencil needs A or Operator":                                             {Pencil{}, 2},
		"an operator of order 0":                                                   {Pencil{Operator: &Operator{}}, 2},
		"M: the matrix is not symmetric: the entry in row 0, column 1":             {Pencil{A: k, M: withEntry(m, 1, 0, 3)}, 2},
		"M: sparse matrix: the entry in row 0, column 0 (counting from 0) is +Inf": {Pencil{A: k, M: withEntry(m, 0, 0, math.Inf(1))}, 2},
		"M is 12 × 12 where A is of order 144":                                     {Pencil{A: k, M: mat.NewDiagDense(12, nil)}, 2},
		"M is not positive definite: diagonal entry -2 in row 7":                   {Pencil{A: k, M: mat.NewVecDense(n, diagonal)}, 2},
		"M is not positive definite: diagonal entry -1 in row 3":                   {Pencil{A: k, M: withEntry(m, 3, 3, -1)}, 2},
		"M is not positive definite: pivot":                                        {Pencil{A: k, M: k}, 2},
		"vector 0 (counting from 0) is not a null vector of A":                     {Pencil{A: k, Null: [][]float64{slope}}, 2},
		"null vector 1 (counting from 0) is a combination of those before it":      {Pencil{A: k, Null: [][]float64{constant, constant}}, 2},
		"null vector 0 (counting from 0) is zero":                                  {Pencil{A: k, Null: [][]float64{make([]float64, n)}}, 2},
		"null vector 0 (counting from 0) has 3 entries":                            {Pencil{A: k, Null: [][]float64{{1, 2, 3}}}, 2},
		"entry 9 of start vector 0 (counting from 0) is -Inf":                      {Pencil{A: k, Start: [][]float64{infinite}}, 2},
		"0 is an eigenvalue below sigma = 1; take sigma at most 0":                 {Pencil{A: k, Null: [][]float64{constant}, Sigma: 1}, 2},
		"sigma is NaN":               {Pencil{A: k, Sigma: math.NaN()}, 2},
		"tolerance 2; give a number": {Pencil{A: k, Tolerance: 2}, 2},
		"144 eigenpairs requested of a matrix of order 144 with 0 null vectors left out; give a number from 1 to 143": {Pencil{A: k}, n},
		"144 eigenpairs requested of a matrix of order 144 with 1 null vectors":                                       {Pencil{A: k, Null: [][]float64{constant}}, n},
		"0 eigenpairs requested":                      {Pencil{A: k}, 0},
		"is below sigma = 1000; take a smaller sigma": {Pencil{A: positive, Sigma: 1000}, 2},
	}
	for says, c := range cases {
		e, err := c.p.Smallest(context.Background(), c.count, Options{})
		if err == nil || e != nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	var asymmetric *sparse.AsymmetryError
	if _, err := (Pencil{A: withEntry(k, 1, 0, 3)}).Smallest(context.Background(), 2, Options{}); !errors.As(err, &asymmetric) || asymmetric.Row != 0 || asymmetric.Column != 1 {
		t.Errorf("%v is no AsymmetryError", err)
	}
	nan := &Operator{Order: 700, Multiply: func(_ int, _, y []float64) { y[0] = math.NaN() }}
	if _, err := (Pencil{Operator: nan}).Smallest(context.Background(), 2, Options{}); err == nil {
		t.Error("an operator of NaN was solved")
	}
}

// Rows without entries are null vectors of their own: vertices without edges.
func TestPencilOfEmptyRows(t *testing.T) {
	for _, side := range []int{5, 24} {
		k, _ := lattice(t, side)
		n := k.Rows + 2
		a := &sparse.CSR{Rows: n, Cols: n, Ptr: append(slices.Clone(k.Ptr), len(k.Col), len(k.Col)), Col: k.Col, Val: k.Val}
		e := must.Get(Pencil{A: a}.Smallest(context.Background(), 4, Options{}))(t)
		want := denseSpectrum(t, k, nil)
		for j, v := range []float64{0, 0, 0, want[1]} {
			if math.Abs(e.Values[j]-v) > 1e-9 {
				t.Errorf("side %d: eigenvalue %d is %g, want %g", side, j, e.Values[j], v)
			}
		}
	}
}

// The number of threads changes no bit, with and without M, A and a start.
func TestPencilSameBitsForAnyThreads(t *testing.T) {
	k, m := lattice(t, 40)
	n := k.Rows
	constant := slices.Repeat([]float64{1}, n)
	start := make([]float64, n)
	for i := range start {
		start[i] = math.Cos(math.Pi * float64(i%40) / 39)
	}
	around, _ := torus(t, 40, 2)
	for name, p := range map[string]Pencil{
		"multiple values": {A: around, Null: [][]float64{ones(around.Rows)}}, "sparse M": {A: k, M: m, Null: [][]float64{constant}, Start: [][]float64{start}}, "plain": {A: k, Sigma: -1}, "diagonal M": {A: k, M: mat.NewVecDense(n, slices.Repeat([]float64{2}, n))},
	} {
		var first *Eigen
		for _, threads := range []int{1, 2, 5} {
			e, err := p.Smallest(context.Background(), 3, Options{Threads: threads, Seed: 3})
			if err != nil {
				t.Fatal(name, err)
			}
			if first == nil {
				first = e
			}
			for j := range e.Vectors {
				if !slices.Equal(e.Vectors[j], first.Vectors[j]) || e.Values[j] != first.Values[j] {
					t.Errorf("%s: %d threads change pair %d", name, threads, j)
				}
			}
		}
	}
}
