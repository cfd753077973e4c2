package blas

import (
	"slices"
	"testing"
)

// codesOf makes codes of random bytes, of which some are the extremes.
func codesOf(n, m int, seed uint64) (*Codes, [][]int8) {
	c, s := NewCodes(n, m), NewStream(seed)
	rows := make([][]int8, n)
	for i := range rows {
		rows[i] = make([]int8, m)
		for j := range rows[i] {
			rows[i][j] = int8(s.Below(256) - 128)
			if s.Below(4) == 0 || i == 0 {
				rows[i][j] = -128
			}
		}
		c.Set(i, rows[i])
	}
	return c, rows
}

func TestProductsOfCodesEqualSums(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, size := range []struct{ n, m int }{{1, 1}, {16, 4}, {17, 5}, {40, 30}, {50, 64}, {80, 257}, {33, 3}, {20, 0}} {
			c, rows := codesOf(size.n, size.m, 5)
			all := len(c.begin)
			for _, part := range []struct{ a, rows, b, cols, ld int }{{0, all, 0, all, all}, {all - 16, 16, 0, all, all + 16}, {0, 1, all - 16, 16, 16}} {
				out := slices.Repeat([]int32{7}, all*(all+16))
				c.Products(part.a, part.rows, part.b, part.cols, out, part.ld)
				for i := range part.rows {
					for j := range part.cols {
						var want int32
						if a, b := part.a+i, part.b+j; a < size.n && b < size.n {
							for p, v := range rows[a] {
								want += int32(v) * int32(rows[b][p])
							}
						}
						if got := out[i*part.ld+j]; got != want {
							t.Fatalf("%d × %d, samples %d and %d: %d, want %d", size.n, size.m, part.a+i, part.b+j, got, want)
						}
					}
				}
			}
		}
	})
}

func TestGatherIsSetOfEachRow(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, m := range []int{1, 4, 30, 64} {
			_, rows := codesOf(40, m, 6)
			flat, sums := slices.Concat(rows...), make([]int32, len(rows))
			for i, row := range rows {
				for _, v := range row {
					sums[i] += int32(v)
				}
			}
			at := []int32{3, 0, 39, 3, 20, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 39}
			got, want := NewCodes(48, m), NewCodes(48, m)
			got.Gather(16, flat, sums, at)
			for p, i := range at {
				want.Set(16+p, rows[i])
			}
			if !slices.Equal(got.bytes, want.bytes) || !slices.Equal(got.words, want.words) || !slices.Equal(got.begin, want.begin) {
				t.Errorf("%d columns: other codes", m)
			}
		}
	})
}

func TestCandidateCodes(t *testing.T) {
	s := NewStream(3)
	draw := func(n int) []int32 {
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(s.Below(9))
		}
		return v
	}
	everyLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 100, 256} {
			g, h, r := draw(n), draw(n), draw(n)
			mask := slices.Repeat([]uint64{^uint64(0)}, (n+63)/64)
			any := CandidateCodes(mask, g, h, r, 2, 4)
			some := false
			for q := range n {
				want := g[q]-h[q] > 4 || g[q]-2 > r[q]
				some = some || want
				if got := mask[q/64]>>(q%64)&1 != 0; got != want {
					t.Fatalf("n = %d: bit %d is %v", n, q, got)
				}
			}
			if any != some {
				t.Fatalf("n = %d: reports %v", n, any)
			}
		}
	})
}

func TestCodesRefuseMoreColumnsThanSumsHold(t *testing.T) {
	if MaxCodeColumns*128*128 >= 1<<31 {
		t.Error("a product may leave 32 bits")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewCodes(1, MaxCodeColumns+1)
}

func BenchmarkProductsOfCodes(b *testing.B) {
	c, _ := codesOf(512, 784, 1)
	out := make([]int32, 256*256)
	for b.Loop() {
		c.Products(0, 256, 256, 256, out, 256)
	}
	b.ReportMetric(2*256*256*784*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gop/s")
}
