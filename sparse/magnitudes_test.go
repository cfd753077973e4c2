package sparse

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// timesPower is A·2ᵉ, exactly where that has no fewer digits.
func timesPower(a *CSR, exponent int) *CSR {
	b := *a
	b.Val = slices.Clone(a.Val)
	for p := range b.Val {
		b.Val[p] = math.Ldexp(b.Val[p], exponent)
	}
	return &b
}

// Entries as small as the smallest numbers and as large as the largest have factors as any others.
func TestFactorsOfAnyMagnitude(t *testing.T) {
	path := func(n int, w float64) *CSR {
		var lower []Triplet
		for i := 1; i < n; i++ {
			lower = append(lower, Triplet{i, i - 1, w})
		}
		return fromPairs(t, n, lower)
	}
	for _, w := range []float64{1e-323, 1e-320, 1e-310, 1e-300, 1, 1e300, 1e308} {
		for n, want := range map[int][3]int{2: {1, 1, 0}, 3: {1, 1, 1}, 4: {2, 2, 0}, 5: {2, 2, 1}, 8: {4, 4, 0}} {
			a := path(n, w)
			in, err := mustLDLT(t, a, 0, 1).Inertia()
			if got := [3]int{in.Positive, in.Negative, in.Zero}; err != nil || got != want || in.Certain != (in.Zero == 0) {
				t.Errorf("a path of %d at %g: %v, certain %v, %v", n, w, in, in.Certain, err)
			}
			s := must.Get(Analyze(t.Context(), a))(t)
			if _, err := s.FactorIndefinite(t.Context(), blas.MustSelect(""), 1, a, 0, nil); err != nil {
				t.Errorf("a path of %d at %g: %v", n, w, err)
			}
		}
	}
	random := blas.NewStream(2)
	points := saddle(t, 30, 12, 2, random)
	definite := laplacian(grid(7, true))
	for i := range definite.Rows {
		definite.Val[definite.Ptr[i]+slices.Index(definite.Col[definite.Ptr[i]:definite.Ptr[i+1]], int32(i))] += 0.5
	}
	for _, exponent := range []int{-1040, -1000, -900, -500, 0, 500, 1000, 1018} {
		for name, a := range map[string]*CSR{"saddle": points, "definite": definite} {
			b := timesPower(a, exponent)
			want := make([]float64, a.Rows)
			for i := range want {
				want[i] = 1 + float64(i%3)
			}
			x := make([]float64, a.Rows)
			b.MulVec(1, want, x)
			off := func(x []float64) (off float64) {
				for i, v := range x {
					off = max(off, math.Abs(v-want[i]))
				}
				return off
			}
			y := slices.Clone(x)
			backward, err := mustLDLT(t, b, 0, 1).Solve(y, 1)
			if exponent > -1000 { // below, the entries themselves are rounded
				if err != nil || !(off(y) < 1e-11) {
					t.Errorf("%s · 2^%d: off by %g, backward error %g, %v", name, exponent, off(y), backward, err)
				}
			} else if err != nil {
				t.Errorf("%s · 2^%d: %v", name, exponent, err)
			}
			if name == "saddle" {
				continue
			}
			f, err := NewCholesky(t.Context(), b, 0, CholeskyOptions{Threads: 1})
			if err != nil {
				t.Errorf("Cholesky of %s · 2^%d: %v", name, exponent, err)
				continue
			}
			y = slices.Clone(x)
			if err := f.Solve(y, 1); err != nil || exponent > -1000 && !(off(y) < 1e-11) {
				t.Errorf("Cholesky of %s · 2^%d: off by %g, %v", name, exponent, off(y), err)
			}
			g := must.Get(NewCholesky(t.Context(), a, 0, CholeskyOptions{Threads: 1}))(t)
			one, _ := g.LogDet()
			two, _ := f.LogDet()
			if off := two - one - float64(a.Rows)*float64(exponent)*math.Ln2; exponent > -1000 && !(math.Abs(off) < 1e-9) {
				t.Errorf("Cholesky of %s · 2^%d: the determinant is off by %g", name, exponent, off)
			}
		}
	}
}
