package eigen

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// beam has the stiffness and mass of a clamped beam of cubic elements: displacements and angles, in SI units of steel.
func beam(t testing.TB, n int, clamp float64) (stiffness, mass *sparse.CSR) {
	h := 2 / float64(n)
	k := [4][4]float64{{12, 6 * h, -12, 6 * h}, {6 * h, 4 * h * h, -6 * h, 2 * h * h}, {-12, -6 * h, 12, -6 * h}, {6 * h, 2 * h * h, -6 * h, 4 * h * h}}
	m := [4][4]float64{{156, 22 * h, 54, -13 * h}, {22 * h, 4 * h * h, 13 * h, -3 * h * h}, {54, 13 * h, 156, -22 * h}, {-13 * h, -3 * h * h, -22 * h, 4 * h * h}}
	elements := func(of [4][4]float64, scale float64) func(put func(i, j int, v float64)) {
		return func(put func(i, j int, v float64)) {
			for e := range n/2 - 1 {
				for i := range 4 {
					for j := range i + 1 {
						put(2*e+i, 2*e+j, of[i][j]*scale)
					}
				}
			}
		}
	}
	bending := 2.1e11 * 1e-8 / h / h / h
	stiffness = filled(t, n, func(put func(i, j int, v float64)) {
		elements(k, bending)(put)
		put(0, 0, 12*bending*clamp)
		put(1, 1, 12*bending*h*h*clamp)
	})
	return stiffness, filled(t, n, elements(m, 7.8e3*1e-4*h/420))
}

// Penalties, stiff couplings, graded masses and units of every size, by both solvers and every kind of search: an eigenvalue has the
// accuracy that its estimate says, and one without three digits has a warning. Where scaling keeps the digits, there is none.
func TestGradedPencilsInManyBits(t *testing.T) {
	for _, n := range []int{40, 210} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		penalties := func(size float64) *sparse.CSR {
			return chain(t, n, func(put func(i, j int, v float64)) {
				for range 3 {
					i := random.IntN(n)
					put(i, i, size*math.Exp2(3*random.Float64()))
				}
			})
		}
		couplings := func(size float64) *sparse.CSR {
			return chain(t, n, func(put func(i, j int, v float64)) {
				put(0, 0, 1)
				for range 3 {
					i := random.IntN(n - 2)
					spring(put, i, i+2, size)
				}
			})
		}
		weights, light := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			weights.SetVec(i, math.Exp2(80*random.Float64()-40))
			light.SetVec(i, []float64{1, 1, 1e-14}[i%3])
		}
		graded := make([]float64, n)
		for i := range graded {
			graded[i] = math.Exp2(100*random.Float64() - 50)
		}
		steel := filled(t, n, func(put func(i, j int, v float64)) {
			for i := range n {
				put(i, i, 4*7.8e-6)
				if i > 0 {
					put(i, i-1, 7.8e-6)
				}
			}
		})
		stiffness, mass := beam(t, n, 1e8)
		for name, c := range map[string]struct {
			a    *sparse.CSR
			m    mat.Matrix
			lost bool // digits are lost whatever the scale
		}{
			"penalties 1e5": {a: penalties(1e5)}, "penalties 1e6": {a: penalties(1e6)}, "penalties 1e12": {a: penalties(1e12)}, "penalties 1e30": {a: penalties(1e30)},
			"couplings 1e8": {a: couplings(1e8), lost: true}, "couplings 1e14": {a: couplings(1e14), lost: true},
			"a band times weights": {a: filled(t, n, func(put func(i, j int, v float64)) {
				for i, d := range graded {
					put(i, i, 3*d*d)
					if i > 2 {
						put(i, i-1, (2*random.Float64()-1)*d*graded[i-1])
						put(i, i-3, (random.Float64()-0.5)*d*graded[i-3])
					}
				}
			})},
			"a soft support": {a: chain(t, n, func(put func(i, j int, v float64)) { put(0, 0, 1e-9) }), lost: true},
			"weights":        {a: penalties(1e3), m: weights},
			"light rows":     {a: penalties(1), m: light},
			"steel":          {a: penalties(1e30), m: steel},
			"a beam":         {a: stiffness, m: mass},
			"springs of many magnitudes": {a: chain(t, n, func(put func(i, j int, v float64)) {
				put(0, 0, 1)
				for i := range n - 1 {
					spring(put, i, i+1, math.Exp2(30*random.Float64()))
				}
			}), lost: true},
		} {
			want := bandedOf(c.a, c.m).positive(4)
			check := func(what string, e *Eigen, err error, want []float64) {
				t.Helper()
				if err != nil {
					if !c.lost {
						t.Errorf("%s of order %d, %s: %v", name, n, what, err)
					}
					return
				}
				if !e.Converged || len(e.Values) != len(want) {
					if e.Doubt() == "" {
						t.Errorf("%s of order %d, %s: %d values of %d, converged: %v", name, n, what, len(e.Values), len(want), e.Converged)
					}
					return
				}
				for j, v := range want {
					off := math.Abs(e.Values[j] - v)
					if off > 2*e.Errors[j]+1e-12*v {
						t.Errorf("%s of order %d, %s: value %d is %.12g, not %.12g, which the estimate %.2g does not cover", name, n, what, j, e.Values[j], v, e.Errors[j])
					}
					if off > fewDigits*v && e.Doubt() == "" {
						t.Errorf("%s of order %d, %s: value %d is %.12g, not %.12g, without a warning", name, n, what, j, e.Values[j], v)
					}
					if !c.lost && off > 1e-7*v {
						t.Errorf("%s of order %d, %s: value %d is %.12g, not %.12g", name, n, what, j, e.Values[j], v)
					}
				}
				if text := e.Doubt(); !c.lost && text != "" {
					t.Errorf("%s of order %d, %s: %s", name, n, what, text)
				}
			}
			p, ctx := Pencil{A: c.a, M: c.m}, context.Background()
			e, err := p.Smallest(ctx, 4, Options{})
			check("smallest", e, err, want)
			e, err = p.Nearest(ctx, 3, Options{})
			check("nearest to 0", e, err, want[:3])
			p.Sigma = -want[0]
			e, err = p.Smallest(ctx, 4, Options{})
			check("smallest from below", e, err, want)
			if p.Sigma = want[1] + 0.4*(want[2]-want[1]); want[2]-want[1] > 1e-6*want[1] {
				e, err = p.Nearest(ctx, 1, Options{})
				check("nearest", e, err, want[1:2])
			}
			if want[3]-want[2] > 1e-6*want[3] {
				e, err = p.Between(ctx, want[0]/2, (want[2]+want[3])/2, Options{})
				check("between", e, err, want[:3])
			}
		}
	}
}

// The bending of a long beam: the smallest eigenvalues are hidden by the rounding of 6, and a warning says so; of a short one they are not.
func TestDigitsOfBending(t *testing.T) {
	for n, hidden := range map[int]bool{300: false, 4000: true} {
		a := filled(t, n, func(put func(i, j int, v float64)) {
			for i := range n {
				put(i, i, 6)
				if i > 0 {
					put(i, i-1, -4)
				}
				if i > 1 {
					put(i, i-2, 1)
				}
			}
		})
		want := bandedOf(a, nil).positive(2)
		e, err := Pencil{A: a}.Smallest(context.Background(), 2, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range want {
			if off := math.Abs(e.Values[j] - v); off > 2*e.Errors[j] {
				t.Errorf("value %d is %g, not %g, which the estimate %.2g does not cover", j, e.Values[j], v, e.Errors[j])
			}
		}
		if sure := e.Digits(); (e.Doubt() != "") != hidden || (sure[0] < 3) != hidden {
			t.Errorf("order %d: %g, to %.2g: %d digits, %q", n, e.Values, e.Errors, sure, e.Doubt())
		}
	}
}
