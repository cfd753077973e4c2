package neighbors

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// correlatedRows are compressed samples measured by correlation. A row less its mean is
// not sparse, but the entries that were not stored have one value between them.
type correlatedRows struct {
	a       *sparse.CSR // the stored entries of each row less its mean, over its length
	rest    []float64   // what the other entries of the row become
	without []bool      // rows of one value, which have no direction
	columns *sparse.CSR // a transposed
	longest int         // entries of a row
}

func newCorrelatedRows(x *sparse.CSR) (correlatedRows, error) {
	r := correlatedRows{rest: make([]float64, x.Rows), without: make([]bool, x.Rows)}
	turned := *x
	turned.Val = make([]float64, len(x.Val))
	for i := range x.Rows {
		cols, vals := x.Row(i)
		for p, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return r, fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", i+1, cols[p]+1, v)
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
		if _, left := magnitude.Largest(to); max(left, math.Abs(r.rest[i])) <= 0x1p-50 { // what rounding left of a constant
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

// begin finds Σuv over the columns that both rows store, of entries less the rest of their row. The
// correlation is that less m times the product of both rests.
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

// distances measures the pairs that products do not show to be beyond the bound: half the
// square of the rows' difference, which loses no digits between rows that are close.
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

// square is the squared difference of two rows.
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
