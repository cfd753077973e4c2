package blas

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The definition of MulSigned, sum by sum.
func signedDefined(w, n int, c []float64, x []float64) (a, b []float64) {
	for at := 0; at+n <= len(c); at += n {
		for q := range w {
			var s, t [4]float64
			for j := range n {
				s[j%4] = fma(math.Max(c[at+j], 0), x[j*w+q], s[j%4])
				t[j%4] = fma(math.Max(-c[at+j], 0), x[j*w+q], t[j%4])
			}
			a = append(a, (s[0]+s[1])+(s[2]+s[3]))
			b = append(b, (t[0]+t[1])+(t[2]+t[3]))
		}
	}
	return a, b
}

// positive returns n numbers in (0, 1].
func positive(n int, seed uint64) []float64 {
	x := make([]float64, n)
	NewStream(seed).Uniforms(x)
	for i := range x {
		x[i] = 1 - x[i]
	}
	return x
}

func TestMulSignedIsItsDefinition(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		for _, w := range []int{4, 8, 12} {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 33, 1023, 1024, 1027, 2050} {
				rows := 9
				ld := n + n%3
				c := random(rows*ld, 1)
				c[0], c[len(c)/2] = 0, math.Copysign(0, -1)
				x := positive(n*w, 2)
				tight := make([]float64, 0, rows*n)
				for i := range rows {
					tight = append(tight, c[i*ld:i*ld+n]...)
				}
				wantA, wantB := signedDefined(w, n, tight, x)
				packed := slices.Repeat([]float64{math.NaN()}, PackedLen(n, w))
				PackSigned(n, w, x, packed)
				a, b := slices.Repeat([]float64{guard}, rows*w), slices.Repeat([]float64{guard}, rows*w)
				scratch := make([]float64, SignedScratch(w))
				MulSigned(w, 1, 8, n, c, ld, packed, a, b, scratch)
				for _, r := range []int{0, 8} {
					if a[r*w] != guard || b[r*w+w-1] != guard {
						t.Fatalf("w=%d n=%d: wrote to row %d, which was not asked for", w, n, r)
					}
				}
				MulSigned(w, 0, 1, n, c, ld, packed, a, b, scratch)
				MulSigned(w, 8, 9, n, c, ld, packed, a, b, scratch)
				if !equalBits(a, wantA) || !equalBits(b, wantB) {
					t.Fatalf("w=%d n=%d: differs from its definition", w, n)
				}
			}
		}
	})
}

func TestMulSignedKeepsNaN(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		const n, w = 9, 4
		for at := range n {
			c, packed := positive(4*n, 1), make([]float64, PackedLen(n, w))
			c[at] = math.NaN()
			PackSigned(n, w, positive(n*w, 2), packed)
			a, b := make([]float64, 4*w), make([]float64, 4*w)
			MulSigned(w, 0, 4, n, c, n, packed, a, b, make([]float64, SignedScratch(w)))
			if a[0] == a[0] || b[w-1] == b[w-1] || a[w] != a[w] {
				t.Errorf("NaN in column %d gives %g and %g", at, a, b)
			}
		}
	})
}

// panel returns an n × w panel of positive numbers with zeros beyond cols.
func panel(n, w, cols int, seed uint64) []float64 {
	x := positive(n*w, seed)
	for i := range x {
		if i%w >= cols {
			x[i] = 0
		}
	}
	return x
}

func TestPanelsAreTheirDefinitions(t *testing.T) {
	needFMA(t)
	type outcome struct{ grams, halfGrams, ratio, half, quartic, quarticHalf, moved []float64 }
	run := func(n, w, cols int) outcome {
		u, a, b := panel(n, w, cols, 1), panel(n, w, cols, 2), panel(n, w, cols, 3)
		a[0] = 0 // an entry that the floor must keep
		la, lb, s := panel(w, w, cols, 4), panel(w, w, cols, 5), panel(1, w, cols, 6)
		floor := make([]float64, w)
		for q := range cols {
			floor[q] = PanelFloor
		}
		lo, hi := n/5, n
		o := outcome{grams: make([]float64, 3*w*w), halfGrams: make([]float64, 2*w*w)}
		PanelGrams(w, lo, hi, u, a, b, o.grams)
		PanelGrams(w, lo, hi, u, a, nil, o.halfGrams)
		var moved [4][4]float64
		o.ratio = slices.Clone(a)
		PanelRatio(w, cols, lo, hi, u, o.ratio, b, la, lb, floor, &moved[0])
		o.half = slices.Clone(a)
		PanelRatio(w, cols, lo, hi, u, o.half, nil, la, nil, floor, &moved[1])
		o.quartic = slices.Clone(a)
		PanelQuartic(w, cols, lo, hi, u, o.quartic, b, la, s, floor, 0.7, &moved[2])
		o.quarticHalf = slices.Clone(a)
		PanelQuartic(w, cols, lo, hi, u, o.quarticHalf, nil, la, s, floor, 0.7, &moved[3])
		for _, m := range moved {
			o.moved = append(o.moved, m[:]...)
		}
		return o
	}
	for _, c := range [][3]int{{1, 4, 1}, {7, 4, 2}, {50, 4, 4}, {33, 8, 5}, {33, 12, 12}} {
		before := kernel
		kernel = &genericSet
		want := run(c[0], c[1], c[2])
		kernel = before
		everyLevel(t, func(t *testing.T) {
			got := run(c[0], c[1], c[2])
			for name, pair := range map[string][2][]float64{
				"grams": {got.grams, want.grams}, "grams of two": {got.halfGrams, want.halfGrams}, "ratio": {got.ratio, want.ratio}, "half ratio": {got.half, want.half},
				"quartic": {got.quartic, want.quartic}, "half quartic": {got.quarticHalf, want.quarticHalf}, "moved": {got.moved, want.moved},
			} {
				if !equalBits(pair[0], pair[1]) {
					t.Errorf("%v: %s differs from its definition: %g, want %g", c, name, pair[0], pair[1])
				}
			}
		})
	}
}

// The steps against their formulas in plain arithmetic, and against the meaning of the halves.
func TestPanelStepsAgainstFormulas(t *testing.T) {
	const n, w, cols, alpha = 11, 4, 3, 0.7
	u, a, b := panel(n, w, cols, 1), panel(n, w, cols, 2), panel(n, w, cols, 3)
	la, lb, s := panel(w, w, cols, 4), panel(w, w, cols, 5), panel(1, w, cols, 6)
	floor := []float64{PanelFloor, 0.4, PanelFloor, 0}
	everyLevel(t, func(t *testing.T) {
		for _, half := range []bool{false, true} {
			b, lb := b, lb
			if half {
				b, lb = nil, nil
			}
			ratio, quartic := slices.Clone(a), slices.Clone(a)
			var moved, moved2 [4]float64
			PanelRatio(w, cols, 0, n, u, ratio, b, la, lb, floor, &moved)
			PanelQuartic(w, cols, 0, n, u, quartic, b, la, s, floor, alpha, &moved2)
			at := func(x []float64, i int) float64 {
				if x == nil {
					return 0
				}
				return x[i]
			}
			var total float64
			for i := range n {
				for q := range w {
					num, den, fourth := a[i*w+q], at(b, i*w+q), 0.0
					for p := range w {
						num += u[i*w+p] * at(lb, p*w+q)
						den += u[i*w+p] * la[p*w+q]
						fourth += u[i*w+p] * la[p*w+q]
					}
					v := u[i*w+q]
					want := math.Max(v*math.Sqrt(num/math.Max(den, PanelFloor)), floor[q])
					if got := ratio[i*w+q]; math.Abs(got-want) > 1e-13 {
						t.Fatalf("half=%v: ratio (%d, %d) is %g, want %g", half, i, q, got, want)
					}
					total += (want - v) * (want - v)
					bq, cq := s[q]*at(b, i*w+q), s[q]*a[i*w+q]+alpha*v
					want = math.Max(v*math.Sqrt(2*cq/math.Max(bq+math.Sqrt(bq*bq+4*fourth*cq), PanelFloor)), floor[q])
					if got := quartic[i*w+q]; math.Abs(got-want) > 1e-13 {
						t.Fatalf("half=%v: quartic (%d, %d) is %g, want %g", half, i, q, got, want)
					}
				}
			}
			if got := moved[0] + moved[1] + moved[2] + moved[3]; math.Abs(got-total) > 1e-12*total || moved[3] != 0 {
				t.Errorf("half=%v: moved %g, want %g in the first three", half, moved, total)
			}
		}
	})
}

func BenchmarkMulSigned(b *testing.B) {
	const n = 4000
	c := random(n*n, 1)
	for _, w := range []int{4, 8} {
		packed, x, y := make([]float64, PackedLen(n, w)), make([]float64, n*w), make([]float64, n*w)
		PackSigned(n, w, positive(n*w, 2), packed)
		scratch := make([]float64, SignedScratch(w))
		b.Run(fmt.Sprintf("w=%d", w), func(b *testing.B) {
			b.SetBytes(8 * n * n)
			for b.Loop() {
				MulSigned(w, 0, n, n, c, n, packed, x, y, scratch)
			}
		})
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(8 * n * n)
		for b.Loop() {
			sink += Dot(c, c)
		}
	})
}

// sink keeps the results of a benchmark.
var sink float64
