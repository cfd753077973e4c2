package blas

import (
	"math"
	"slices"
	"testing"
)

func TestVectorsAreTheirDefinitions(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		for n := range 70 {
			x, y := random(n, 1), random(n, 2)
			if n%3 == 2 {
				x[n/2], y[n/3] = math.Copysign(0, -1), -5e-324
			}
			if n >= plainTerms {
				if got, want := Dot(x, y), dotGeneric(x, y); math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("Dot of %d terms: %g, want %g", n, got, want)
				}
				if got, want := SquaredDistance(x, y), squaredDistanceGeneric(x, y); got != want {
					t.Fatalf("SquaredDistance of %d terms: %g, want %g", n, got, want)
				}
			}
			if SquaredDistance(x, y) != SquaredDistance(y, x) || SquaredDistance(x, x) != 0 {
				t.Errorf("SquaredDistance of %d terms is not a distance", n)
			}
			z, want := append(random(n, 3), guard), append(random(n, 3), guard)
			for i := range x {
				want[i] = math.FMA(0.3, x[i], want[i])
			}
			if Axpy(0.3, x, z); !equalBits(z, want) {
				t.Fatalf("Axpy of %d terms: %g, want %g", n, z, want)
			}
			checkGemvDefinition(t, 7, n)
		}
	})
}

// Sixteen products that underflow to −0 leave −0, unless the padding adds to it.
func TestDotOfNegativeZeros(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		for n := 16; n < 36; n++ {
			x, y := slices.Repeat([]float64{-5e-324}, n), slices.Repeat([]float64{5e-324}, n)
			if got, want := Dot(x, y), dotGeneric(x, y); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%d terms: %g, want %g", n, got, want)
			}
		}
	})
}

func checkGemvDefinition(t *testing.T, m, n int) {
	t.Helper()
	lda := n + 1
	a, x := random(m*lda, 4), random(max(m, n), 5)
	for _, beta := range []float64{0, 1, -2} {
		got := slices.Repeat([]float64{math.NaN()}, m)
		if beta != 0 {
			copy(got, x)
		}
		want := slices.Clone(got)
		for i := range want {
			s := Dot(a[i*lda:i*lda+n], x[:n])
			if n == 0 {
				want[i] = beta * x[i] * 1
			} else if beta == 0 {
				want[i] = 0.5 * s
			} else {
				want[i] = math.FMA(0.5, s, beta*want[i])
			}
		}
		nativeBackend{}.Gemv(false, m, n, 0.5, a, lda, x, beta, got)
		if !slices.Equal(got, want) {
			t.Fatalf("Gemv %d×%d beta=%g: %g, want %g", m, n, beta, got, want)
		}
		got, want = make([]float64, n), make([]float64, n)
		for j := range want {
			got[j] = float64(j)
			want[j] = beta * float64(j)
			for i := range m {
				want[j] = math.FMA(0.5*x[i], a[i*lda+j], want[j])
			}
		}
		nativeBackend{}.Gemv(true, m, n, 0.5, a, lda, x, beta, got)
		if !slices.Equal(got, want) {
			t.Fatalf("Gemv transposed %d×%d beta=%g: %g, want %g", m, n, beta, got, want)
		}
	}
}

// Long sums go span by span, so that no kernel runs for long.
func TestLongSums(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		n := 2*spanTerms + 37
		x, y := random(n, 1), random(n, 2)
		var dot, square float64
		for lo := 0; lo < n; lo += spanTerms {
			hi := min(lo+spanTerms, n)
			dot += Dot(x[lo:hi], y[lo:hi])
			square += SquaredDistance(x[lo:hi], y[lo:hi])
		}
		if Dot(x, y) != dot || SquaredDistance(x, y) != square {
			t.Error("a long sum is not that of its spans")
		}
		z, want := random(n, 3), random(n, 3)
		for i := range want {
			want[i] = fma(2, x[i], want[i])
		}
		if Axpy(2, x, z); !slices.Equal(z, want) {
			t.Error("a long Axpy differs")
		}
	})
}

func TestExp(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		special := []float64{0, 1, -1, 709, 709.79, 711, 1e300, math.Inf(1), -745.1, -745.2, -746.5, -1e300, math.Inf(-1), math.NaN(), 5e-324, math.Copysign(0, -1)}
		x := append(random(20000, 1), special...)
		for i := range 20000 {
			x[i] *= []float64{1, 1e-9, 40, 300}[i%4]
		}
		got := make([]float64, len(x)+1)
		got[len(x)] = guard
		Exp(got, x)
		if got[len(x)] != guard {
			t.Fatal("wrote outside the result")
		}
		for i, v := range x {
			want := math.Exp(v)
			if want == 0 && got[i] == math.SmallestNonzeroFloat64 {
				continue // math.Exp underflows a little early on arm64
			}
			if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
				if got[i] != want && !(math.IsNaN(want) && math.IsNaN(got[i])) {
					t.Errorf("exp(%g) = %g, want %g", v, got[i], want)
				}
				continue
			}
			// One unit of ours and one of math.Exp.
			if ulp := math.Nextafter(want, math.Inf(1)) - want; math.Abs(got[i]-want) > 2*ulp {
				t.Errorf("exp(%g) = %g, off by %g units", v, got[i], (got[i]-want)/ulp)
			}
			if hasFMA && got[i] != expGeneric(v) {
				t.Fatalf("exp(%g) = %g, defined as %g", v, got[i], expGeneric(v))
			}
		}
		// math.Exp overflows a little early on amd64; the largest number has the
		// logarithm 709.7827….
		high := []float64{709.7827}
		if Exp(high, high); math.IsInf(high[0], 1) {
			t.Error("exp(709.7827) overflows")
		}
		for n := range 40 {
			part := make([]float64, n)
			if Exp(part, x[:n]); !slices.Equal(part, got[:n]) {
				t.Errorf("%d numbers give other values than many", n)
			}
		}
	})
}

func TestCandidatesSquared(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 200} {
			g, h, r := random(n, 1), random(n, 2), random(n, 3)
			for i := range n {
				// Multiples of 1/16: all that follows is exact.
				for _, x := range [][]float64{g, h, r} {
					x[i] = math.Floor(16*x[i]) / 16
				}
				switch i % 9 {
				case 3:
					g[i] = math.NaN()
				case 4:
					g[i], h[i] = 0, math.Inf(-1)
				case 5:
					g[i], h[i] = 0, math.Inf(1)
				case 7:
					h[i] = r[i] + 0.5 - g[i]*(r[i]-0.25)*(r[i]-0.25) // ties pass
				}
			}
			for _, limit := range []float64{0.5, math.Inf(-1), 50} {
				mask := slices.Repeat([]uint64{1<<64 - 1}, (n+63)/64+1)
				any, want := CandidatesSquared(mask, g, h, r, 0.25, limit), false
				for i := range g {
					pass := g[i]*(r[i]-0.25)*(r[i]-0.25)+(h[i]-r[i]) >= limit
					want = want || pass
					if mask[i/64]>>(i%64)&1 == 1 != pass {
						t.Fatalf("n=%d limit=%g: entry %d", n, limit, i)
					}
				}
				if any != want || mask[(n+63)/64] != 1<<64-1 || n%64 > 0 && mask[n/64]>>(n%64) != 0 {
					t.Errorf("n=%d limit=%g: any=%v, mask %x", n, limit, any, mask)
				}
			}
		}
	})
}

func TestCandidates(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 200} {
			g, h, r := random(n, 1), random(n, 2), random(n, 3)
			for i := range n {
				switch i % 9 {
				case 3:
					g[i] = math.NaN()
				case 5:
					r[i] = math.Inf(1)
				case 7:
					g[i] = h[i] + 0.5 // ties pass
				}
				// Exact in single precision too, with their differences.
				for _, x := range [][]float64{g, h, r} {
					x[i] = math.Floor(64*x[i]) / 64
				}
			}
			for _, limit := range []float64{0.5, math.Inf(-1), 50} {
				mask := slices.Repeat([]uint64{1<<64 - 1}, (n+63)/64+1)
				any, want := Candidates(mask, g, h, r, 0.25, limit), false
				narrow := make([]uint64, len(mask))
				narrow[len(mask)-1] = 1<<64 - 1
				if Candidates32(narrow, single(g), single(h), single(r), 0.25, float32(limit)) != any || !slices.Equal(narrow, mask) {
					t.Errorf("n=%d limit=%g: single precision gives %x, double %x", n, limit, narrow, mask)
				}
				for i, v := range g {
					pass := v-h[i] >= limit || v-0.25 >= r[i]
					want = want || pass
					if mask[i/64]>>(i%64)&1 == 1 != pass {
						t.Fatalf("n=%d limit=%g: entry %d", n, limit, i)
					}
				}
				if any != want || mask[(n+63)/64] != 1<<64-1 || n%64 > 0 && mask[n/64]>>(n%64) != 0 {
					t.Errorf("n=%d limit=%g: any=%v, mask %x", n, limit, any, mask)
				}
			}
		}
	})
}

func TestCSRProducts(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		const rows, columns = 60, 41
		s := NewStream(1)
		ptr := []int{0}
		var col []int32
		for i := range rows {
			for j := range columns {
				if s.Below(40) < i%23 {
					col = append(col, int32(j))
				}
			}
			ptr = append(ptr, len(col))
		}
		val := random(len(col), 2)
		for _, w := range []int{1, 3, 4, 8, 16, 17} {
			x, y := random(columns*w, 3), slices.Repeat([]float64{guard}, rows*w)
			MulCSRBlock(w, 5, rows-5, ptr, col, val, x, y)
			for i := range rows {
				for q := range w {
					var s [2]float64
					for p := ptr[i]; p < ptr[i+1]; p++ {
						s[(p-ptr[i])%2] = math.FMA(val[p], x[int(col[p])*w+q], s[(p-ptr[i])%2])
					}
					want := s[0] + s[1]
					if i < 5 || i >= rows-5 {
						want = guard
					}
					if y[i*w+q] != want {
						t.Fatalf("width %d: (%d, %d) is %g, want %g", w, i, q, y[i*w+q], want)
					}
				}
			}
		}
		x, y := random(columns, 3), slices.Repeat([]float64{guard}, rows)
		MulCSR(0, rows-1, ptr, col, val, x, y)
		for i := range rows {
			var s [4]float64
			for p := ptr[i]; p < ptr[i+1]; p++ {
				s[(p-ptr[i])%4] = math.FMA(val[p], x[col[p]], s[(p-ptr[i])%4])
			}
			want := (s[0] + s[1]) + (s[2] + s[3])
			if i == rows-1 {
				want = guard
			}
			if y[i] != want {
				t.Fatalf("row %d: %g, want %g", i, y[i], want)
			}
		}
		for name, call := range map[string]func(){
			"column too large": func() { MulCSR(0, rows, ptr, col, val, x[:columns-2], y) },
			"negative column":  func() { MulCSR(0, 1, []int{0, 1}, []int32{-1}, val, x, y) },
			"values missing":   func() { MulCSR(0, rows, ptr, col, val[:9], x, y) },
			"descending":       func() { MulCSR(0, 2, []int{0, 2, 1}, col, val, x, y) },
		} {
			if !panics(call) {
				t.Errorf("%s: no panic", name)
			}
		}
	})
}

func TestGathered(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, width := range []int{8, 16, 56} {
			const count = 31
			rows := single(random(count*width, 1))
			at := []int32{3, 0, 30, 3, 7, 11, 29, 1, 2}
			x := rows[5*width : 6*width]
			squares, dots := make([]float32, 8), make([]float32, len(at))
			GatheredSquares32(x, rows, at[:8], squares)
			GatheredDots32(x, rows, at, dots)
			for p, r := range at {
				var square, dot, size float64
				for i, v := range rows[int(r)*width : (int(r)+1)*width] {
					d := float64(x[i]) - float64(v)
					square += d * d
					dot += float64(x[i]) * float64(v)
					size += math.Abs(float64(x[i]) * float64(v))
				}
				if p < 8 && math.Abs(float64(squares[p])-square) > float64(width)*0x1p-23*square {
					t.Errorf("width %d: squared distance %g, want %g", width, squares[p], square)
				}
				if math.Abs(float64(dots[p])-dot) > float64(width)*0x1p-23*size {
					t.Errorf("width %d: product %g, want %g", width, dots[p], dot)
				}
			}
			// Both ways round, the same bits.
			back := make([]float32, 4)
			GatheredSquares32(rows[3*width:4*width], rows, []int32{5, 5, 5, 5}, back)
			if back[0] != squares[0] || back[3] != squares[0] {
				t.Errorf("width %d: %g one way, %g the other", width, squares[0], back)
			}
		}
	})
}

// The kernel has the bits of the loop that it takes the place of, for rows of every length and of
// entries whose products and sums round; so has the loop itself, also where the compiler may fuse.
func TestRankTwo(t *testing.T) {
	s := NewStream(7)
	for n := range 41 {
		x, y, row := make([]float64, n), make([]float64, n), make([]float64, n+2)
		s.Normals(x)
		s.Normals(y)
		s.Normals(row)
		ab := make([]float64, 2)
		s.Normals(ab)
		want := append([]float64(nil), row...)
		for i := range n {
			p, q := float64(ab[0]*x[i]), float64(ab[1]*y[i])
			want[i] -= float64(p + q)
		}
		rankTwo(row[:n], ab[0], x, ab[1], y)
		for i := range row {
			if math.Float64bits(row[i]) != math.Float64bits(want[i]) {
				t.Fatalf("entry %d of %d: %v, not %v", i, n, row[i], want[i])
			}
		}
	}
}
