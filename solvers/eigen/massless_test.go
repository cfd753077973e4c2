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

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// masslessCases are pencils with rows of zeros in M.
func masslessCases(t testing.TB, n int) map[string]Pencil {
	third, lumped := mat.NewVecDense(n, nil), mat.NewDiagDense(n, nil)
	for i := range n {
		if i%3 == 1 {
			third.SetVec(i, 1+float64(i%5))
		}
		if i%4 != 2 {
			lumped.SetDiag(i, 0.5)
		}
	}
	consistent := filled(t, n, func(put func(i, j int, v float64)) { // of every second element
		for i := 0; i+1 < n*2/3; i += 2 {
			put(i, i, 2.0/6)
			put(i+1, i+1, 2.0/6)
			put(i, i+1, 1.0/6)
			if i%8 == 0 {
				put(i+1, i+2, 0.01)
				put(i+2, i+2, 0.1)
			}
		}
	})
	held := chain(t, n, func(put func(i, j int, v float64)) { put(0, 0, 1) })
	penalties := chain(t, n, func(put func(i, j int, v float64)) {
		put(0, 0, 1e30) // without mass
		put(1, 1, 1e20) // with mass
		put(n/2, n/2, 3)
	})
	downwards := chain(t, n, func(put func(i, j int, v float64)) { // a row without mass has a negative diagonal
		put(3, 3, -5)
		put(n-1, n-1, 1)
	})
	return map[string]Pencil{
		"a third": {A: held, M: third}, "lumped": {A: held, M: lumped}, "consistent": {A: held, M: consistent},
		"penalties": {A: penalties, M: third}, "penalties, consistent": {A: penalties, M: consistent}, "negative": {A: downwards, M: third},
	}
}

// zeroRows counts the rows of M without entries.
func zeroRows(m mat.Matrix, n int) (count int) {
	for i := range n {
		empty := true
		for j := range n {
			empty = empty && m.At(i, j) == 0
		}
		if empty {
			count++
		}
	}
	return count
}

// Pairs of finite eigenvalues by every kind of search, dense and sparse, against an oracle; vectors satisfy the rows without mass.
func TestMasslessRows(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{12, 60, 240} {
		for name, p := range masslessCases(t, n) {
			a, m := p.A.(*sparse.CSR), diagonalOf(p.M)
			rows := zeroRows(m, n)
			want := bandedOf(a, m).positive(4)
			check := func(what string, e *Eigen, err error, want []float64) {
				t.Helper()
				t.Run(fmt.Sprintf("%s/%d/%s", name, n, what), func(t *testing.T) {
					near(t, e, err, want, 1e-9)
					if e.Infinite != rows || !strings.Contains(e.Plan.Reason, fmt.Sprintf("%d infinite eigenvalues left out", rows)) {
						t.Errorf("%d infinite eigenvalues of %d: %s", e.Infinite, rows, e.Plan.Reason)
					}
					for j, x := range e.Vectors {
						if len(x) != n || e.Residuals[j] > 1e-11 {
							t.Fatalf("vector %d has %d entries and a residual of %.2g", j, len(x), e.Residuals[j])
						}
						var mx, ax mat.VecDense
						v := mat.NewVecDense(n, x)
						mx.MulVec(m, v)
						ax.MulVec(a, v)
						for i := range n { // rows without mass one by one, over the sizes of their terms
							size := 0.0
							if m.At(i, i) != 0 {
								continue
							}
							cols, vals := a.Row(i)
							for p, c := range cols {
								size += math.Abs(vals[p] * x[c])
							}
							if off := math.Abs(ax.AtVec(i)); off > 1e-6*size {
								t.Errorf("vector %d: row %d is off by %.2g of %.2g", j, i, off, size)
							}
						}
						for k := range j + 1 {
							unit := 0.0
							if j == k {
								unit = 1
							}
							if d := mat.Dot(mat.NewVecDense(n, e.Vectors[k]), &mx); math.Abs(d-unit) > 1e-8 {
								t.Errorf("the M-product of vectors %d and %d is %g", k, j, d)
							}
						}
					}
				})
			}
			if name != "negative" { // there A is indefinite, and searched from inside
				e, err := p.Smallest(ctx, min(4, n-rows-1), Options{})
				check("smallest", e, err, want[:min(4, n-rows-1)])
				p.Sigma = -want[0]
				e, err = p.Smallest(ctx, 3, Options{})
				check("from below", e, err, want[:3])
			}
			p.Sigma = want[1] + 0.4*(want[2]-want[1])
			e, err := p.Nearest(ctx, 1, Options{})
			check("nearest", e, err, want[1:2])
			e, err = p.Between(ctx, (want[0]+want[1])/2, (want[2]+want[3])/2, Options{})
			check("between", e, err, want[1:3])
		}
	}
}

// A free chain, whose constant is known or not, with all of its finite eigenvalues.
func TestMasslessFree(t *testing.T) {
	for _, n := range []int{30, 300} {
		a := chain(t, n, func(func(i, j int, v float64)) {})
		m := mat.NewVecDense(n, nil)
		for i := 0; i < n; i += n / 6 {
			m.SetVec(i, 2)
		}
		want := bandedOf(a, m).positive(6) // the first is next to nothing
		for _, null := range [][][]float64{nil, {ones(n)}} {
			e := must.Get(Pencil{A: a, M: m, Null: null}.Smallest(context.Background(), 6-len(null), Options{}))(t)
			for j, v := range want[len(null):] {
				if math.Abs(e.Values[j]-v) > 1e-9 || !e.Converged {
					t.Errorf("order %d, %d null vectors: value %d is %g, want %g", n, len(null), j, e.Values[j], v)
				}
			}
		}
	}
}

// A saddle point: rows without mass that have a zero block in A, as pressures have, give more infinite eigenvalues than rows.
func TestMasslessSaddle(t *testing.T) {
	for _, n := range []int{30, 330} {
		velocity := n * 2 / 3
		a := filled(t, n, func(put func(i, j int, v float64)) {
			for i := range velocity {
				put(i, i, 2)
				if i > 0 {
					put(i, i-1, -1)
				}
			}
			for i := velocity; i < n; i++ {
				put(i, 2*(i-velocity), 1)
				put(i, 2*(i-velocity)+1, -1)
			}
		})
		m := mat.NewVecDense(n, nil)
		for i := range velocity {
			m.SetVec(i, 1)
		}
		// Pairs of velocities are equal: a chain of half the order with masses of 2.
		half := velocity / 2
		reduced := filled(t, half, func(put func(i, j int, v float64)) {
			for i := range half {
				put(i, i, 2)
				if i > 0 {
					put(i, i-1, -1)
				}
			}
		})
		want := bandedOf(reduced, mat.NewDiagDense(half, slices.Repeat([]float64{2}, half))).positive(5)
		var below *BelowSigmaError
		if _, err := (Pencil{A: a, M: m}).Smallest(context.Background(), 3, Options{}); !errors.As(err, &below) {
			t.Errorf("smallest of an indefinite pencil: %v", err)
		}
		e, err := Pencil{A: a, M: m}.Nearest(context.Background(), 4, Options{})
		near(t, e, err, want[:4], 1e-9)
		e, err = Pencil{A: a, M: m}.Between(context.Background(), want[0]/2, (want[2]+want[3])/2, Options{})
		near(t, e, err, want[:3], 1e-9)
	}
}

// The number of threads changes no bit.
func TestMasslessSameBits(t *testing.T) {
	p := masslessCases(t, 400)["consistent"]
	for name, search := range map[string]func(o Options) (*Eigen, error){
		"smallest": func(o Options) (*Eigen, error) { return p.Smallest(context.Background(), 3, o) },
		"between":  func(o Options) (*Eigen, error) { return p.Between(context.Background(), 0, 0.001, o) },
	} {
		one, two := must.Get(search(Options{Threads: 1}))(t), must.Get(search(Options{Threads: 2}))(t)
		for j, x := range one.Vectors {
			if !slices.Equal(x, two.Vectors[j]) {
				t.Errorf("%s: threads change vector %d", name, j)
			}
		}
	}
}

// A row at which a factorisation fails is named as it was given.
func TestMasslessNamesTheRow(t *testing.T) {
	const n = 12
	a := chain(t, n, func(put func(i, j int, v float64)) {
		put(0, 0, 1e30)
		put(7, 7, -50)
	})
	m := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	for i := 1; i < 4; i++ {
		m.SetVec(i, 0)
	}
	var below *BelowSigmaError
	if _, err := (Pencil{A: a, M: m}).Smallest(context.Background(), 2, Options{}); !errors.As(err, &below) || below.Row != 7 {
		t.Errorf("%v does not name row 7", err)
	}
}

func TestMasslessRefuses(t *testing.T) {
	const n = 30
	a := chain(t, n, func(put func(i, j int, v float64)) { put(0, 0, 1) })
	m := mat.NewVecDense(n, nil)
	for i := range 5 {
		m.SetVec(i, 1)
	}
	loose := &sparse.CSR{Rows: n, Cols: n, Ptr: slices.Clone(a.Ptr), Col: a.Col, Val: a.Val}
	loose = filled(t, n, func(put func(i, j int, v float64)) {
		loose.DoNonZero(func(i, j int, v float64) {
			if i >= j && i != 20 && j != 20 {
				put(i, j, v)
			}
		})
	})
	sparseM := diagonalMatrix(slices.Clone(m.RawVector().Data))
	for says, c := range map[string]struct {
		p     Pencil
		count int
		o     Options
	}{
		"6 eigenpairs requested where M has entries in 5 of 30 rows":   {Pencil{A: a, M: m}, 6, Options{}},
		"give a number from 1 to 5":                                    {Pencil{A: a, M: sparseM}, 6, Options{}},
		"row 5 of M (counting from 0) has no entries, and an operator": {Pencil{Operator: operatorOf(a), M: m}, 2, Options{}},
		"and a certificate needs a positive definite M":                {Pencil{A: a, M: m}, 2, Options{Certified: true}},
		"row 20 (counting from 0) has entries neither in A nor in M":   {Pencil{A: loose, M: m}, 2, Options{}},
		"M is not positive definite: diagonal entry 0 in row 0":        {Pencil{A: a, M: mat.NewVecDense(n, nil)}, 2, Options{}},
		"vector 0 (counting from 0) is not a null vector of A":         {Pencil{A: a, M: m, Null: [][]float64{ones(n)}}, 2, Options{}},
	} {
		if _, err := c.p.Smallest(context.Background(), c.count, c.o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}
