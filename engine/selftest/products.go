package selftest

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// ofSum is the formula of everything that is a sum of products.
const ofSum = "|ŝ − s| / nu Σ|xᵢyᵢ|"

// A sum of n products rounds each term at most n times, in any order and whether
// products and sums are fused or not: its error is at most n·u·Σ|xᵢyᵢ| to first order. Most
// sums stay far below; a ratio above 1 has another cause than rounding.
var productChecks = []check{
	{name: "matrix product", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: gemms},
	{name: "matrix with its transpose", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: syrks},
	{name: "matrix times vector", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: gemvs},
	{name: "matrix product in single precision", kind: "product", formula: ofSum, threshold: 1, run: singles},
	{name: "gathered rows in single precision", kind: "product", formula: ofSum, threshold: 1, run: gathered},
	{name: "sparse matrix times vectors", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: csrs},
	{name: "positive and negative parts times a panel", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: signs},
	{name: "Gram matrices of a panel", kind: "product", formula: ofSum, threshold: 1, sameBits: true, run: panelGrams},
	{name: "products of codes", kind: "product", formula: "wrong entries", threshold: 0, run: codeProducts},
}

// Shapes end within a vector, at its end and after it, on both sides of a tile's rows,
// and beyond one block of a sum.
var (
	gemmRows = []int{1, 2, 5, 6, 7, 13, 14, 15, 29}
	gemmCols = []int{1, 3, 4, 7, 8, 9, 16, 17, 24, 25, 33}
	gemmSums = []int{1, 2, 9, 300}
)

func gemms(t *trial) error {
	trial := func(tA, tB bool, m, n, k int, alpha, beta float64) {
		rows, cols := m, k
		if tA {
			rows, cols = k, m
		}
		lda := cols + 1
		a := t.uniform(rows*lda, -1)
		rows, cols = k, n
		if tB {
			rows, cols = n, k
		}
		ldb := cols + 2
		b := t.uniform(rows*ldb, -1)
		ldc := n + 1
		c := t.uniform(m*ldc, -1)
		before := append([]float64(nil), c...)
		t.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		for i := range m {
			for j := range n {
				var s exact
				for p := range k {
					s.addProduct(element(a, lda, tA, i, p), element(b, ldb, tB, p, j))
				}
				t.combination(c[i*ldc+j], alpha, s, beta, before[i*ldc+j], k)
			}
			t.exactly(c[i*ldc+n] == before[i*ldc+n]) // the entries between the rows must not change
		}
		t.seen(c)
	}
	for _, m := range gemmRows {
		for _, n := range gemmCols {
			for q, k := range gemmSums {
				if k > 9 && m+n < 30 {
					continue
				}
				trial(q&1 != 0, (m+n)&1 != 0, m, n, k, 0.75, float64(q-1)/2)
			}
		}
	}
	for _, s := range []struct{ tA, tB bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		trial(s.tA, s.tB, 61, 70, 270, -1, 0)
	}
	return nil
}

// combination adds the ratio of a computed α·s + β·c, where s is a sum of k products.
func (t *trial) combination(computed, alpha float64, s exact, beta, c float64, k int) {
	var sum exact
	sum.addProduct(alpha, s.hi)
	sum.addProduct(alpha, s.lo)
	sum.addProduct(beta, c)
	sum.size = math.Abs(alpha)*s.size + math.Abs(beta*c)
	t.ratio(sum.off(computed, k+4, unit))
}

func syrks(t *trial) error {
	for _, n := range []int{1, 4, 7, 15, 40} {
		for _, k := range []int{1, 8, 33, 5000} {
			if k > 100 && n > 7 {
				continue
			}
			for _, trans := range []bool{false, true} {
				lda := k
				if trans {
					lda = n
				}
				a, c := t.uniform(n*k, -1), t.uniform(n*n, -1)
				before := append([]float64(nil), c...)
				t.syrk(trans, n, k, 2, a, lda, -1, c, n)
				for i := range n {
					for j := i; j < n; j++ {
						var s exact
						for p := range k {
							s.addProduct(element(a, lda, trans, i, p), element(a, lda, trans, j, p))
						}
						t.combination(c[i*n+j], 2, s, -1, before[i*n+j], k)
					}
					for j := range i {
						t.exactly(c[i*n+j] == before[i*n+j])
					}
				}
				t.seen(c)
			}
		}
	}
	return nil
}

func gemvs(t *trial) error {
	for _, m := range []int{1, 3, 8, 21, 100} {
		for _, n := range []int{1, 4, 7, 16, 130} {
			for _, trans := range []bool{false, true} {
				a := t.uniform(m*n, -1)
				rows, k := m, n
				if trans {
					rows, k = n, m
				}
				x, y := t.uniform(k, -1), t.uniform(rows, -1)
				before := append([]float64(nil), y...)
				t.gemv(trans, m, n, 0.5, a, n, x, 2, y)
				for i := range rows {
					var s exact
					for p := range k {
						s.addProduct(element(a, n, trans, i, p), x[p])
					}
					t.combination(y[i], 0.5, s, 2, before[i], k)
				}
				t.seen(y)
			}
		}
	}
	return nil
}

// singlePrecision rounds numbers to single precision, in both types.
func singlePrecision(v []float64) (short []float32, long []float64) {
	short, long = make([]float32, len(v)), make([]float64, len(v))
	for i, x := range v {
		short[i] = float32(x)
		long[i] = float64(short[i])
	}
	return short, long
}

func singles(t *trial) error {
	for _, m := range []int{1, 6, 14, 31} {
		for _, n := range []int{1, 8, 16, 33, 50} {
			for _, k := range []int{1, 7, 64, 300} {
				a, la := singlePrecision(t.uniform(m*k, -1))
				b, lb := singlePrecision(t.uniform(n*k, -1))
				c := make([]float32, m*n)
				t.single(m, n, k, a, k, b, k, c, n)
				for i := range m {
					for j := range n {
						s := dot(k, la[i*k:], 1, lb[j*k:], 1)
						t.ratio(s.off(float64(c[i*n+j]), k, unit32))
					}
				}
			}
		}
	}
	return nil
}

func gathered(t *trial) error {
	for _, m := range []int{8, 16, 24, 104} { // widths are multiples of 8
		const rows = 12
		x, lx := singlePrecision(t.uniform(m, -1))
		y, ly := singlePrecision(t.uniform(rows*m, -1))
		at := []int32{11, 0, 5, 5, 3, 7, 1, 10}
		squares, dots := make([]float32, len(at)), make([]float32, len(at))
		t.squares32(x, y, at, squares)
		t.dots32(x, y, at, dots)
		for q, r := range at {
			row := ly[int(r)*m : int(r+1)*m]
			s := dot(m, lx, 1, row, 1)
			t.ratio(s.off(float64(dots[q]), m, unit32))
			var d exact
			for i, v := range row {
				d.addProduct(v-lx[i], v-lx[i])
			}
			t.ratio(d.off(float64(squares[q]), m+2, unit32))
		}
	}
	return nil
}

// sparseRows is a random matrix in compressed rows, some of them empty.
func (t *trial) sparseRows(rows, cols int) (ptr []int, col []int32, val []float64) {
	ptr = make([]int, 1, rows+1)
	for range rows {
		for j := t.random.Below(5); j < cols; j += 1 + t.random.Below(9) {
			col = append(col, int32(j))
		}
		if t.random.Below(6) == 0 {
			col = col[:ptr[len(ptr)-1]]
		}
		ptr = append(ptr, len(col))
	}
	return ptr, col, t.uniform(len(col), -1)
}

func csrs(t *trial) error {
	const rows, cols = 50, 70
	ptr, col, val := t.sparseRows(rows, cols)
	for _, w := range []int{1, 3, 4, 8, 16} {
		x, y := t.uniform(cols*w, -1), make([]float64, rows*w)
		if w == 1 {
			t.mulCSR(0, rows, ptr, col, val, x, y)
		} else {
			t.mulBlock(w, 0, rows, ptr, col, val, x, y)
		}
		for i := range rows {
			for q := range w {
				var s exact
				for p := ptr[i]; p < ptr[i+1]; p++ {
					s.addProduct(val[p], x[int(col[p])*w+q])
				}
				t.ratio(s.off(y[i*w+q], max(ptr[i+1]-ptr[i], 1), unit))
			}
		}
		t.seen(y)
	}
	return nil
}

func signs(t *trial) error {
	for _, n := range []int{1, 5, 33, 1030} {
		const w, rows = 8, 9
		c, x := t.uniform(rows*n, -1), t.uniform(n*w, 0)
		packed := make([]float64, blas.PackedLen(n, w))
		blas.PackSigned(n, w, x, packed)
		a, b := make([]float64, rows*w), make([]float64, rows*w)
		t.mulSigned(w, 0, rows, n, c, n, packed, a, b, make([]float64, blas.SignedScratch(w)))
		for i := range rows {
			for q := range w {
				var plus, minus exact
				for j := range n {
					plus.addProduct(max(c[i*n+j], 0), x[j*w+q])
					minus.addProduct(max(-c[i*n+j], 0), x[j*w+q])
				}
				t.ratio(plus.off(a[i*w+q], n, unit))
				t.ratio(minus.off(b[i*w+q], n, unit))
			}
		}
		t.seen(a)
		t.seen(b)
	}
	return nil
}

func panelGrams(t *trial) error {
	for _, w := range []int{4, 8, 12} {
		const rows = 45
		u, a, b := t.uniform(rows*w, 0), t.uniform(rows*w, -1), t.uniform(rows*w, -1)
		g := make([]float64, 3*w*w)
		t.grams(w, 0, rows, u, a, b, g)
		for q, y := range [][]float64{u, a, b} {
			for i := range w {
				for j := range w {
					s := dot(rows, u[i:], w, y[j:], w)
					t.ratio(s.off(g[(q*w+i)*w+j], rows, unit))
				}
			}
		}
		t.seen(g)
	}
	return nil
}

func codeProducts(t *trial) error {
	const n = 2 * blas.CodeGroup
	for _, m := range []int{1, 16, 100, 784} {
		c := blas.NewCodes(n, m)
		rows := make([][]int8, n)
		for i := range rows {
			rows[i] = make([]int8, m)
			for j := range rows[i] {
				rows[i][j] = int8(t.random.Below(255) - 127)
			}
			c.Set(i, rows[i])
		}
		out := make([]int32, n*n)
		t.codes(c, 0, n, 0, n, out, n)
		for i, x := range rows {
			for j, y := range rows {
				var want int32
				for p := range x {
					want += int32(x[p]) * int32(y[p])
				}
				t.exactly(out[i*n+j] == want)
			}
		}
	}
	return nil
}
