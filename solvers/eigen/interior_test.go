package eigen

import (
	"context"
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

// nearestOf are the count values nearest to sigma, ascending, and the one after them.
func nearestOf(all []float64, sigma float64, count int) (values []float64, next float64) {
	order := slices.Clone(all)
	slices.SortFunc(order, func(x, y float64) int {
		if math.Abs(x-sigma) < math.Abs(y-sigma) {
			return -1
		}
		return 1
	})
	values = slices.Sorted(slices.Values(order[:count]))
	return values, order[count]
}

// checkInside asserts what must hold of pairs inside a spectrum.
func checkInside(t *testing.T, a *sparse.CSR, m mat.Matrix, e *Eigen, want []float64) {
	t.Helper()
	if !e.Converged || len(e.Values) != len(want) || len(e.Vectors) != len(want) {
		t.Fatalf("%d values of %d, converged: %v, residuals %.2g", len(e.Values), len(want), e.Converged, e.Residuals)
	}
	scale := math.Abs(want[0]) + math.Abs(want[len(want)-1])
	for j, v := range e.Values {
		if math.Abs(v-want[j]) > 1e-8*scale {
			t.Errorf("value %d is %.12g, want %.12g", j, v, want[j])
		}
	}
	image := make([]float64, a.Rows)
	s := must.Get(massOf(m, a.Rows))(t)
	for j, x := range e.Vectors {
		s.multiply(1, 1, x, image)
		for i, y := range e.Vectors[:j+1] {
			unit := map[bool]float64{true: 1}[i == j]
			if d := blas.Dot(y, image); math.Abs(d-unit) > 1e-8 {
				t.Errorf("vectors %d and %d: M-product %g", i, j, d)
			}
		}
	}
	for j, r := range residualsOf(a, m, e) {
		if r > 1e-9 || math.Abs(r-e.Residuals[j]) > 1e-13 {
			t.Errorf("pair %d: residual %g, reported %g", j, r, e.Residuals[j])
		}
	}
}

// Nearest pairs for every kind of M and of shift, small and large, against dense solutions.
func TestNearestAgainstDense(t *testing.T) {
	for _, n := range []int{60, 400} {
		a := randomSymmetric(t, n, 3, -1, 1)
		for name, m := range masses(t, n) {
			all := denseSpectrum(t, a, m)
			for _, sigma := range []float64{all[n/2], 0.6*all[n/3] + 0.4*all[n/3+1], all[n-1] + 1, all[0] - 1, 0} {
				for _, count := range []int{1, 12} {
					t.Run(fmt.Sprintf("%s/%d/%.3g/%d", name, n, sigma, count), func(t *testing.T) {
						want, next := nearestOf(all, sigma, count)
						e := must.Get(Pencil{A: a, M: m, Sigma: sigma}.Nearest(context.Background(), count, Options{}))(t)
						checkInside(t, a, m, e, want)
						if math.Abs(e.Next-next) > 1e-5*(1+math.Abs(next)) {
							t.Errorf("next is %g, want %g", e.Next, next)
						}
					})
				}
			}
		}
	}
}

// A grid has eigenvalues many times over, a diagonal that a shift makes zero, and shifts that are eigenvalues.
func TestNearestOnAGrid(t *testing.T) {
	const side = 21
	var entries []sparse.Triplet
	for i := range side * side {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 4})
		for _, j := range []int{i + 1, i + side} {
			if j < side*side && (j != i+1 || j%side != 0) {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: -1}, sparse.Triplet{Row: j, Col: i, Val: -1})
			}
		}
	}
	a := must.Get(sparse.FromTriplets(side*side, side*side, entries))(t)
	var all []float64
	for i := range side {
		for j := range side {
			all = append(all, 4-2*math.Cos(float64(i+1)*math.Pi/(side+1))-2*math.Cos(float64(j+1)*math.Pi/(side+1)))
		}
	}
	for _, sigma := range []float64{4, 2.01, 1.3, 7.9} { // 4 is an eigenvalue of 21 vectors, and that of 2.01 has none
		count := 30
		want, _ := nearestOf(all, sigma, count)
		if far := math.Abs(want[0] - sigma); math.Abs(math.Abs(want[count-1]-sigma)-far) < 1e-9 {
			count-- // of two that are as near either will do
			want, _ = nearestOf(all, sigma, count)
		}
		e := must.Get(Pencil{A: a, Sigma: sigma}.Nearest(context.Background(), count, Options{}))(t)
		for j := range e.Values {
			if math.Abs(math.Abs(e.Values[j]-sigma)-math.Abs(want[j]-sigma)) > 1e-9 && sigma != 4 {
				t.Errorf("sigma = %g: value %d is %.10g, want %.10g", sigma, j, e.Values[j], want[j])
			}
		}
		if sigma == 4 {
			copies := 0
			for _, v := range e.Values {
				if math.Abs(v-4) < 1e-9 {
					copies++
				}
			}
			if copies != side || !strings.Contains(e.Plan.Reason, "sigma moved from 4 to 4.000") || !strings.HasPrefix(e.Moved, "sigma moved from 4 to 4.000") {
				t.Errorf("%d copies of 4, want %d; %s", copies, side, e.Plan.Reason)
			}
		}
		for j, r := range e.Residuals {
			if r > 1e-9 {
				t.Errorf("sigma = %g: pair %d: residual %g", sigma, j, r)
			}
		}
	}
}

// rowsToZero is k with a diagonal that makes it singular: its rows sum to zero.
func rowsToZero(k *sparse.CSR) *sparse.CSR {
	out := *k
	out.Val = slices.Clone(k.Val)
	for i := range out.Rows {
		cols, vals := out.Row(i)
		at, _ := slices.BinarySearch(cols, int32(i))
		vals[at] = 0
		for p, v := range vals {
			if p != at {
				vals[at] += math.Abs(v)
				vals[p] = -math.Abs(v)
			}
		}
	}
	return &out
}

func TestNearestRefuses(t *testing.T) {
	k, m := lattice(t, 16)
	singular := *m
	singular.Val = slices.Clone(m.Val)
	cols, vals := singular.Row(9)
	for p := range cols {
		if cols[p] != 9 {
			vals[p] *= 3
			singular.Row(int(cols[p]))
			back, backVals := singular.Row(int(cols[p]))
			at, _ := slices.BinarySearch(back, 9)
			backVals[at] *= 3
		}
	}
	for says, p := range map[string]Pencil{
		"of an operator only products are known": {Operator: operatorOf(k), Sigma: 1},
		"sigma is NaN":                           {A: k, Sigma: math.NaN()},
		"sigma is +Inf":                          {A: k, Sigma: math.Inf(1)},
		"the matrix is not symmetric":            {A: withEntry(k, 1, 0, 3), Sigma: 1},
		"M is not positive definite":             {A: k, M: &singular, Sigma: 1},
		"is NaN":                                 {A: withEntry(k, 1, 1, math.NaN()), Sigma: 1},
		"M is not positive definite: pivot":      {A: k, M: rowsToZero(k), Sigma: 1},
	} {
		if _, err := p.Nearest(context.Background(), 2, Options{}); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}
