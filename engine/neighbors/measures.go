package neighbors

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// rowsMeasure computes distances between samples by a metric that matrix products cannot compute.
type rowsMeasure interface {
	// begin prepares for sample i in the scratch space of a worker.
	begin(i int, w *measureScratch)
	// distances writes the distances of sample i to the samples lo ≤ j < hi. A distance beyond the
	// bound may be replaced by any number above the bound.
	distances(i, lo, hi int, bound float64, w *measureScratch, out []float64)
}

// measureScratch is the workspace of one worker.
type measureScratch struct {
	common   []int32   // of sparse samples: number of columns that each sample has in common with the current one
	products []float64 // and its product with it
	pairs    *distances
}

// boundEvery is the number of columns after which a sum is compared with its bound.
const boundEvery = 64

// euclideanRows are samples in their own type; by cosine and correlation, those that [Metric.ToEuclidean] makes of them.
type euclideanRows struct {
	x      *Stored
	metric Metric
}

func (r euclideanRows) begin(_ int, w *measureScratch) {
	if w.pairs == nil {
		w.pairs = new(r.x.distances())
	}
}

func (r euclideanRows) distances(i, lo, hi int, _ float64, w *measureScratch, out []float64) {
	for j := lo; j < hi; j++ {
		out[j-lo] = r.metric.restored(math.Sqrt(w.pairs.square(int32(i), int32(j))))
	}
}

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

type innerRows struct{ Points }

func (innerRows) begin(int, *measureScratch) {}

func (r innerRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		out[j-lo] = 0 - blas.Dot(u, r.Row(j)) // never −0
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

// setMeasure is a distance of two sets of nonzero columns, from the numbers of columns
// in both, in each, and in total. 0/0 is 0.
type setMeasure func(common, a, b, columns int) float64

// setMeasures are the metrics of sets, in SciPy's definitions.
var setMeasures = map[Metric]setMeasure{
	Jaccard: func(common, a, b, _ int) float64 { return share(a+b-2*common, a+b-common) },
	Dice:    func(common, a, b, _ int) float64 { return share(a+b-2*common, a+b) },
	RogersTanimoto: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(2*differ, columns+differ)
	},
	RussellRao: func(common, _, _, columns int) float64 { return share(columns-common, columns) },
	SokalMichener: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(2*differ, columns+differ)
	},
	SokalSneath: func(common, a, b, _ int) float64 {
		differ := a + b - 2*common
		return share(2*differ, common+2*differ)
	},
	Yule: func(common, a, b, columns int) float64 {
		odd := float64(a-common) * float64(b-common)
		if odd == 0 {
			return 0
		}
		return 2 * odd / (float64(common)*float64(columns-a-b+common) + odd)
	},
	Kulsinski: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(differ-common+columns, differ+columns)
	},
}

func share(part, whole int) float64 {
	if part == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// setRows are sets stored as bits.
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

// countedRows are sparse samples compared by their common entries, column by column.
type countedRows struct {
	a       *sparse.CSR // without stored zeros
	columns *sparse.CSR // transposed
	measure setMeasure  // nil: Hamming
}

// newCountedRows drops stored zeros.
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

// begin counts the columns in common; for Hamming, twice those in which the entries agree.
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

// productRows are sparse samples measured by Euclidean distance or cosine, but only those
// within reach according to products.
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
		out[j-lo] = r.metric.restored(math.Sqrt(squareOfRows(r.s.a, i, j)))
	}
}

// squareOfRows returns the squared distance of two compressed rows.
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

// pairwise is a metric computed from sums over the columns; a column in which both samples are
// zero adds nothing.
type pairwise struct {
	// add adds a column.
	add func(s sums, u, v float64) sums
	// distance computes the distance from the sums over all columns.
	distance func(s sums) float64
	// power is the power of the unit of the samples in the distances.
	power int
}

type sums struct{ over, under float64 }

// pairwiseOf returns the definition of a metric that is computed from sums; ok is false for others.
func pairwiseOf(m Metric) (p pairwise, ok bool) {
	share := func(s sums) float64 { // 0 for two samples of zeros
		if s.over == 0 {
			return 0
		}
		return s.over / s.under
	}
	over := func(s sums) float64 { return s.over }
	switch m {
	case Manhattan:
		return pairwise{func(s sums, u, v float64) sums { s.over += math.Abs(u - v); return s }, over, 1}, true
	case Chebyshev:
		return pairwise{func(s sums, u, v float64) sums { s.over = max(s.over, math.Abs(u-v)); return s }, over, 1}, true
	case Canberra:
		return pairwise{func(s sums, u, v float64) sums {
			if u != v {
				s.over += math.Abs(u-v) / (math.Abs(u) + math.Abs(v))
			}
			return s
		}, over, 0}, true
	case BrayCurtis:
		return pairwise{func(s sums, u, v float64) sums {
			return sums{s.over + math.Abs(u-v), s.under + math.Abs(u+v)}
		}, share, 0}, true
	case InnerProduct:
		return pairwise{func(s sums, u, v float64) sums { s.over -= u * v; return s }, over, 2}, true
	}
	power, is := m.Power()
	if !is {
		return pairwise{}, false
	}
	return pairwise{func(s sums, u, v float64) sums { s.over += math.Pow(math.Abs(u-v), power); return s },
		func(s sums) float64 { return math.Pow(s.over, 1/power) }, 1}, true
}

// pairRows are dense samples measured column by column.
type pairRows struct {
	Points
	pairwise
}

func (pairRows) begin(int, *measureScratch) {}

func (r pairRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v, s := r.Row(j), sums{}
		for q, t := range u {
			s = r.add(s, t, v[q])
		}
		out[j-lo] = r.distance(s)
	}
}

// mergedRows are compressed samples measured in the columns that one of them has.
type mergedRows struct {
	a *sparse.CSR
	pairwise
}

func (mergedRows) begin(int, *measureScratch) {}

func (r mergedRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	cols, vals := r.a.Row(i)
	for j := lo; j < hi; j++ {
		others, values := r.a.Row(j)
		p, q, s := 0, 0, sums{}
		for p < len(cols) || q < len(others) {
			switch {
			case q == len(others) || p < len(cols) && cols[p] < others[q]:
				s = r.add(s, vals[p], 0)
				p++
			case p == len(cols) || others[q] < cols[p]:
				s = r.add(s, 0, values[q])
				q++
			default:
				s = r.add(s, vals[p], values[q])
				p++
				q++
			}
		}
		out[j-lo] = r.distance(s)
	}
}

// haversineRows are points on the unit sphere: latitude and longitude in radians.
type haversineRows struct{ Points }

func (haversineRows) begin(int, *measureScratch) {}

func (r haversineRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v := r.Row(j)
		a, b := math.Sin((u[0]-v[0])/2), math.Sin((u[1]-v[1])/2)
		out[j-lo] = 2 * math.Asin(min(1, math.Sqrt(a*a+math.Cos(u[0])*math.Cos(v[0])*b*b)))
	}
}

// correlatedRows are compressed samples measured by correlation. A row minus its mean is
// not sparse, but all its entries that were not stored have the same value.
type correlatedRows struct {
	a       *sparse.CSR // the stored entries of each row minus its mean, divided by its length
	rest    []float64   // transformed value of the other entries of the row
	without []bool      // constant rows, which have no direction
	columns *sparse.CSR // a transposed
	longest int         // largest number of entries of a row
}

func newCorrelatedRows(x *sparse.CSR) (correlatedRows, error) {
	r := correlatedRows{rest: make([]float64, x.Rows), without: make([]bool, x.Rows)}
	turned := *x
	turned.Val = make([]float64, len(x.Val))
	for i := range x.Rows {
		cols, vals := x.Row(i)
		for p, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return r, fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", i+1, cols[p]+1, v)
			}
		}
		r.longest = max(r.longest, len(vals))
		to := turned.Val[x.Ptr[i]:x.Ptr[i+1]]
		if _, largest := magnitude.Largest(vals); largest > 0 {
			mean := 0.0
			for p, v := range vals {
				to[p] = v / largest
				mean += to[p] / float64(x.Cols)
			}
			for p := range to {
				to[p] -= mean
			}
			if x.Cols > len(vals) {
				r.rest[i] = -mean
			}
		}
		if _, left := magnitude.Largest(to); max(left, math.Abs(r.rest[i])) <= 0x1p-50 { // rounding errors of a constant row
			clear(to)
			r.rest[i], r.without[i] = 0, true
			continue
		}
		length := math.Sqrt(blas.Dot(to, to) + float64(x.Cols-len(vals))*r.rest[i]*r.rest[i])
		blas.Scale(1/length, to)
		r.rest[i] /= length
	}
	r.a, r.columns = &turned, turned.Transposed()
	return r, nil
}

// begin computes Σuv over the columns that both rows store, after subtracting the rest of each row. The
// correlation is that minus m times the product of both rests.
func (r correlatedRows) begin(i int, w *measureScratch) {
	if w.products == nil {
		w.products = make([]float64, r.a.Rows)
	}
	clear(w.products)
	cols, vals := r.a.Row(i)
	for p, c := range cols {
		others, values := r.columns.Row(int(c))
		v := vals[p] - r.rest[i]
		for q, j := range others {
			w.products[j] += v * (values[q] - r.rest[j])
		}
	}
}

// distances measures the pairs that may be within the bound according to products: half the
// square of the rows' difference, which is accurate for close rows.
func (r correlatedRows) distances(i, lo, hi int, bound float64, w *measureScratch, out []float64) {
	m := float64(r.a.Cols)
	for j := lo; j < hi; j++ {
		switch {
		case r.without[i] && r.without[j]:
			out[j-lo] = 0
			continue
		case r.without[i] || r.without[j]:
			out[j-lo] = 1
			continue
		}
		size := math.Sqrt((1 + m*r.rest[i]*r.rest[i]) * (1 + m*r.rest[j]*r.rest[j]))
		rounding := 16 * float64(r.longest+4) * 0x1p-53 * size
		if 1-(w.products[j]-m*r.rest[i]*r.rest[j]) > bound+rounding {
			out[j-lo] = math.Inf(1)
			continue
		}
		out[j-lo] = r.square(i, j) / 2
	}
}

// square returns the squared difference of two rows.
func (r correlatedRows) square(i, j int) float64 {
	cols, vals := r.a.Row(i)
	others, values := r.a.Row(j)
	var sum float64
	p, q, union := 0, 0, 0
	for ; p < len(cols) || q < len(others); union++ {
		own := q == len(others) || p < len(cols) && cols[p] <= others[q]
		other := p == len(cols) || q < len(others) && others[q] <= cols[p]
		u, v := r.rest[i], r.rest[j]
		if own {
			u = vals[p]
			p++
		}
		if other {
			v = values[q]
			q++
		}
		sum += (u - v) * (u - v)
	}
	d := r.rest[i] - r.rest[j]
	return sum + float64(r.a.Cols-union)*d*d
}
