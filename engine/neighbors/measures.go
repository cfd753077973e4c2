package neighbors

import (
	"math"
	"math/bits"

	"github.com/orthant-go/orthant/sparse"
)

// rowsMeasure measures samples against each other by a metric that no product serves.
type rowsMeasure interface {
	// begin prepares for sample i in the scratch of a worker.
	begin(i int, w *measureScratch)
	// distances writes those of sample i to the samples lo ≤ j < hi. One that exceeds the
	// bound may come out as any number above it.
	distances(i, lo, hi int, bound float64, w *measureScratch, out []float64)
}

// measureScratch is one worker's memory.
type measureScratch struct {
	common   []int32   // of sparse samples: what each other sample has in common with the one at hand
	products []float64 // and its product with it
}

// boundEvery is the number of columns after which a sum is compared with its bound.
const boundEvery = 64

type manhattanRows struct{ Points }

func (manhattanRows) begin(int, *measureScratch) {}

func (r manhattanRows) distances(i, lo, hi int, bound float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v, sum := r.Row(j), 0.0
		for from := 0; from < len(u) && sum <= bound; from += boundEvery {
			a, b := u[from:min(from+boundEvery, len(u))], v[from:]
			var s0, s1, s2, s3 float64
			for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
				s0 += math.Abs(a[0] - b[0])
				s1 += math.Abs(a[1] - b[1])
				s2 += math.Abs(a[2] - b[2])
				s3 += math.Abs(a[3] - b[3])
			}
			for q, t := range a {
				s0 += math.Abs(t - b[q])
			}
			sum += (s0 + s1) + (s2 + s3)
		}
		out[j-lo] = sum
	}
}

type chebyshevRows struct{ Points }

func (chebyshevRows) begin(int, *measureScratch) {}

func (r chebyshevRows) distances(i, lo, hi int, bound float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v, most := r.Row(j), 0.0
		for from := 0; from < len(u) && most <= bound; from += boundEvery {
			a, b := u[from:min(from+boundEvery, len(u))], v[from:]
			for q, t := range a {
				most = max(most, math.Abs(t-b[q]))
			}
		}
		out[j-lo] = most
	}
}

type hammingRows struct{ Points }

func (hammingRows) begin(int, *measureScratch) {}

func (r hammingRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v, count := r.Row(j)[:len(u)], 0
		for q, t := range u {
			if t != v[q] {
				count++
			}
		}
		out[j-lo] = float64(count) / float64(len(u))
	}
}

// setRows are sets as bits.
type setRows struct {
	words, columns int
	bits           []uint64
	size           []int32
	measure        setMeasure
}

func newSetRows(x Points, measure setMeasure) setRows {
	r := setRows{words: (x.M + 63) / 64, columns: x.M, size: make([]int32, x.N), measure: measure}
	r.bits = make([]uint64, x.N*r.words)
	for i := range x.N {
		for j, v := range x.Row(i) {
			if v != 0 {
				r.bits[i*r.words+j/64] |= 1 << (j % 64)
				r.size[i]++
			}
		}
	}
	return r
}

func (setRows) begin(int, *measureScratch) {}

func (r setRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.bits[i*r.words : (i+1)*r.words]
	for j := lo; j < hi; j++ {
		v, common := r.bits[j*r.words : (j+1)*r.words][:len(u)], 0
		for q, w := range u {
			common += bits.OnesCount64(w & v[q])
		}
		out[j-lo] = r.measure(common, int(r.size[i]), int(r.size[j]), r.columns)
	}
}

// countedRows are sparse samples compared by what they have in common, column by column.
type countedRows struct {
	a       *sparse.CSR // without stored zeros
	columns *sparse.CSR // transposed
	measure setMeasure  // nil: Hamming
}

// newCountedRows leaves stored zeros out.
func newCountedRows(a *sparse.CSR, measure setMeasure) countedRows {
	b := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1)}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if v != 0 {
				b.Col, b.Val = append(b.Col, cols[p]), append(b.Val, v)
			}
		}
		b.Ptr = append(b.Ptr, len(b.Col))
	}
	return countedRows{b, b.Transposed(), measure}
}

// begin counts the columns in common, by Hamming twice those in which the entries agree.
func (r countedRows) begin(i int, w *measureScratch) {
	if w.common == nil {
		w.common = make([]int32, r.a.Rows)
	}
	clear(w.common)
	cols, vals := r.a.Row(i)
	for p, c := range cols {
		others, values := r.columns.Row(int(c))
		if r.measure != nil {
			for _, j := range others {
				w.common[j]++
			}
			continue
		}
		for q, j := range others {
			w.common[j]++
			if values[q] == vals[p] {
				w.common[j]++
			}
		}
	}
}

func (r countedRows) distances(i, lo, hi int, _ float64, w *measureScratch, out []float64) {
	own := r.a.Ptr[i+1] - r.a.Ptr[i]
	for j := lo; j < hi; j++ {
		other, common := r.a.Ptr[j+1]-r.a.Ptr[j], int(w.common[j])
		if r.measure == nil {
			out[j-lo] = float64(own+other-common) / float64(r.a.Cols)
		} else {
			out[j-lo] = r.measure(common, own, other, r.a.Cols)
		}
	}
}

// productRows are sparse samples measured by Euclidean distance or cosine, those that
// products show to be within reach.
type productRows struct {
	s      *sparseSearch
	square float64 // of the reach, by Euclidean distance
	metric Metric
}

func (r productRows) begin(i int, w *measureScratch) {
	if w.products == nil {
		w.products = make([]float64, r.s.a.Rows)
	}
	clear(w.products)
	cols, vals := r.s.a.Row(i)
	for p, j := range cols {
		rows, others := r.s.row[r.s.ptr[j]:r.s.ptr[j+1]], r.s.value[r.s.ptr[j]:r.s.ptr[j+1]]
		for q, other := range rows {
			w.products[other] += vals[p] * others[q]
		}
	}
}

func (r productRows) distances(i, lo, hi int, _ float64, w *measureScratch, out []float64) {
	cols, _ := r.s.a.Row(i)
	rounding := r.s.rounding(len(cols))
	for j := lo; j < hi; j++ {
		sum := r.s.norms[i] + r.s.norms[j]
		if sum-2*w.products[j] > r.square+2*rounding*(sum+r.square) {
			out[j-lo] = math.Inf(1)
			continue
		}
		d := math.Sqrt(squareOfRows(r.s.a, i, j))
		if r.metric.turned() {
			d = d * d / 2
		}
		out[j-lo] = d
	}
}

// squareOfRows is the squared distance of two compressed rows.
func squareOfRows(a *sparse.CSR, i, j int) float64 {
	cols, vals := a.Row(i)
	others, values := a.Row(j)
	var sum float64
	p, q := 0, 0
	for p < len(cols) || q < len(others) {
		var d float64
		switch {
		case q == len(others) || p < len(cols) && cols[p] < others[q]:
			d = vals[p]
			p++
		case p == len(cols) || others[q] < cols[p]:
			d = values[q]
			q++
		default:
			d = vals[p] - values[q]
			p++
			q++
		}
		sum += d * d
	}
	return sum
}
