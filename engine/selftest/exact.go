package selftest

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const wrongEntries = "wrong entries"

var exactChecks = []check{
	{name: "scans for candidates", kind: "exact", formula: wrongEntries, threshold: 0, run: scans},
	{name: "shortest lengths through a place", kind: "exact", formula: wrongEntries, threshold: 0, sameBits: true, run: shortest},
	{name: "numbers of five bytes", kind: "exact", formula: wrongEntries, threshold: 0, sameBits: true, run: fiveBytes},
}

// small returns n numbers k/4, whose sums and differences, and therefore ties, are exact.
func (t *trial) small(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(t.random.Below(41)-20) / 4
	}
	return v
}

func scans(t *trial) error {
	for _, n := range append([]int{65, 128, 200}, lengths...) {
		g, h, r := t.small(n), t.small(n), t.small(n)
		const c, least = 0.5, 4.75
		mask := make([]uint64, (n+63)/64)
		compare := func(any bool, want func(q int) bool) {
			some := false
			for q := range n {
				some = some || want(q)
				t.exactly(mask[q/64]>>(q%64)&1 == 1 == want(q))
			}
			t.exactly(any == some)
		}
		plain := func(q int) bool { return g[q]-h[q] >= least || g[q]-c >= r[q] }
		compare(t.scan(mask, g, h, r, c, least), plain)
		compare(t.scanSquares(mask, g, h, r, c, least), func(q int) bool { return g[q]*(r[q]-c)*(r[q]-c)+(h[q]-r[q]) >= least })
		g32, _ := singlePrecision(g)
		h32, _ := singlePrecision(h)
		r32, _ := singlePrecision(r)
		compare(t.scan32(mask, g32, h32, r32, c, least), plain)
		whole := func(v []float64) []int32 {
			w := make([]int32, n)
			for i, x := range v {
				w[i] = int32(4 * x)
			}
			return w
		}
		compare(t.scanCodes(mask, whole(g), whole(h), whole(r), 4*c, 4*least), func(q int) bool { return g[q]-h[q] > least || g[q]-c > r[q] })
	}
	return nil
}

func shortest(t *trial) error {
	const rows, w = 11, blas.PathLanes
	block := t.uniform(rows*w, 0)
	for i := range block {
		if t.random.Below(4) == 0 {
			block[i] = math.Inf(1)
		}
	}
	at := []int32{7, 0, 3, 10, 5}
	length := t.uniform(len(at), 0)
	from := append([]float64(nil), block[2*w:3*w]...)
	best, scattered, marked := append([]float64(nil), from...), append([]float64(nil), block...), append([]float64(nil), block...)
	lowered := make([]bool, rows)
	t.gather(at, length, block, best)
	t.scatter(at, length, from, scattered)
	t.mark(at, length, from, marked, lowered)
	least, after, moved := append([]float64(nil), from...), append([]float64(nil), block...), make([]bool, rows)
	for q, r := range at {
		for l := range w {
			place := int(r)*w + l
			least[l] = min(least[l], block[place]+length[q])
			if v := from[l] + length[q]; v < after[place] {
				after[place], moved[r] = v, true
			}
		}
	}
	for l := range w {
		t.exactly(best[l] == least[l])
	}
	for i := range after {
		t.exactly(scattered[i] == after[i])
		t.exactly(marked[i] == after[i])
	}
	for r := range rows {
		t.exactly(lowered[r] == moved[r])
	}
	t.seen(best)
	t.seen(scattered)
	return nil
}

func fiveBytes(t *trial) error {
	const n = 41
	f := blas.NewFixed40s(n)
	want := make([]float64, n)
	for i := range want {
		want[i] = math.Floor(t.random.Uniform() * (blas.MaxFixed40 - 1))
	}
	want[0], want[1] = 0, blas.MaxFixed40-1
	f.Set(0, 1, want)
	got := make([]float64, n)
	for _, from := range []int{0, 1, 3, 8} {
		t.fixed(f, from, got[from:])
		for i := from; i < n; i++ {
			t.exactly(got[i] == want[i])
		}
	}
	t.seen(got)
	return nil
}
