package selftest

import "math"

var vectorChecks = []check{
	{name: "inner product", kind: "vector", formula: ofSum, threshold: 1, sameBits: true, run: dots},
	{name: "vector plus multiple of another", kind: "vector", formula: "|ŝ − s| / 2u(|ax| + |y|)", threshold: 1, sameBits: true, run: axpys},
	{name: "squared distance", kind: "vector", formula: "|d̂ − d| / (n + 2)u d", threshold: 1, sameBits: true, run: distances},
	{name: "exponential", kind: "vector", formula: "|ê − eˣ| / ulp", threshold: 3, sameBits: true, run: exponentials},
	{name: "rows of a factor from lanes", kind: "vector", formula: ofSum, threshold: 1, sameBits: true, run: lanes},
}

// lengths end within a vector, at its end and after it, and exceed the unrolled
// length.
var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 100, 1000}

func dots(t *trial) error {
	for _, n := range lengths {
		x, y := t.uniform(n, -1), t.uniform(n, -1)
		s := dot(n, x, 1, y, 1)
		got := t.dot(x, y)
		t.ratio(s.off(got, n, unit))
		t.seen([]float64{got})
	}
	return nil
}

func axpys(t *trial) error {
	for _, n := range lengths {
		x, y := t.uniform(n, -1), t.uniform(n, -1)
		before := append([]float64(nil), y...)
		t.axpy(0.3, x, y)
		for i := range y {
			var s exact
			s.addProduct(0.3, x[i])
			s.add(before[i])
			t.ratio(s.off(y[i], 2, unit))
		}
		t.seen(y)
	}
	return nil
}

func distances(t *trial) error {
	for _, n := range lengths {
		x, y := t.uniform(n, -1), t.uniform(n, -1)
		var s exact
		for i := range x {
			d := x[i] - y[i]
			s.addProduct(d, d)
		}
		got := t.distance(x, y)
		t.ratio(s.off(got, n+2, unit))
		t.seen([]float64{got})
	}
	return nil
}

func exponentials(t *trial) error {
	x := append(t.uniform(997, -1), 0, -745, -708.5, 709.7, -1e-300, 1e-17, math.Inf(-1), math.Inf(1), math.NaN())
	for i := range 997 {
		x[i] *= math.Exp2(float64(i%11 - 1))
	}
	got := make([]float64, len(x))
	t.exp(got, x)
	for i, v := range x {
		want := math.Exp(v)
		switch {
		case math.IsNaN(v):
			t.exactly(math.IsNaN(got[i]))
		case math.IsInf(v, 0) || math.IsInf(want, 0):
			t.exactly(got[i] == want)
		default:
			ulp := math.Nextafter(want, math.Inf(1)) - want
			t.ratio(math.Abs(got[i]-want) / ulp)
		}
	}
	t.seen(got[:len(got)-1])
	return nil
}

func lanes(t *trial) error {
	const rows = 23
	for _, count := range []int{4, 8} {
		for _, width := range []int{1, 4, 5, 16} {
			l, top, b := t.uniform(rows*width, -1), t.uniform(width*count, -1), t.uniform(rows*count, -1)
			places := make([]int32, rows)
			for i := range places {
				places[i] = int32(rows - 1 - i)
			}
			for _, at := range [][]int32{nil, places} {
				where := func(i int) int {
					if at != nil {
						return int(at[i])
					}
					return i
				}
				lower := append([]float64(nil), b...)
				t.subtract(count, width, rows, l, width, top, lower, at)
				upper := append([]float64(nil), top...)
				t.spread(count, width, rows, l, width, upper, b, at)
				for q := range count {
					for i := range rows {
						s := dot(width, l[i*width:], 1, top[q:], count)
						t.combination(lower[where(i)*count+q], -1, s, 1, b[where(i)*count+q], width)
					}
					for k := range width {
						var s exact
						for i := range rows {
							s.addProduct(l[i*width+k], b[where(i)*count+q])
						}
						t.combination(upper[k*count+q], -1, s, 1, top[k*count+q], rows)
					}
				}
				t.seen(lower)
				t.seen(upper)
			}
		}
	}
	return nil
}
