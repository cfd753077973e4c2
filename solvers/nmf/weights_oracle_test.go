package nmf

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// weightedSample is a problem with weights of every size, a third of them 0, in which no row
// and no column is without an entry.
func weightedSample(n, m, r int, seed uint64) (Data, []float64) {
	d := lowRankData(n, m, r, seed)
	random := blas.NewStream(seed + 7)
	v := make([]float64, n*m)
	for i := range n {
		for j := range m {
			if at := i*m + j; random.Below(3) > 0 || i%m == j || j%n == i {
				v[at] = 0.1 + 3*random.Uniform()
			}
		}
	}
	return d, v
}

// masked are weights 0 and 1 from others.
func masked(v []float64) []float64 {
	mask := slices.Clone(v)
	for at, w := range mask {
		if w > 0 {
			mask[at] = 1
		}
	}
	return mask
}

// storedWhere is a matrix in compressed rows of those numbers that a function wants.
func storedWhere(n, m int, x []float64, want func(v float64) bool) *sparse.CSR {
	a := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j, v := range x[i*m : (i+1)*m] {
			if want(v) {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

func notZero(v float64) bool { return v != 0 }

// weightedForms are the same data under the same weights in all forms that there are. Less is
// only for weights up to 1.
func weightedForms(d Data, v []float64) map[string]Data {
	n, m := d.Rows, d.Cols
	stored := Sparse(storedWhere(n, m, d.Dense, notZero))
	forms := map[string]Data{}
	for name, x := range map[string]Data{"dense": d, "sparse": stored} {
		with := x
		with.Weights = Weights{Dense: v}
		forms[name+", dense weights"] = with
		with.Weights = Weights{Sparse: storedWhere(n, m, v, notZero)}
		forms[name+", sparse weights"] = with
		if slices.Max(v) <= 1 {
			less := slices.Clone(v)
			for at, w := range less {
				less[at] = 1 - w
			}
			with.Weights = Weights{Less: storedWhere(n, m, less, notZero)}
			forms[name+", less"] = with
		}
	}
	return forms
}

// plainWeighted is the objective under weights, entry by entry, and Σ v(x − x̂)².
func plainWeighted(d Data, v []float64, loss *Loss, p Penalties, r int, w, h []float64) (objective, squares float64) {
	n, m := d.Rows, d.Cols
	model := plainProduct(n, m, r, w, h)
	for i := range n {
		var row float64
		for j := range m {
			at := i*m + j
			if v[at] == 0 {
				continue
			}
			x, y := d.Dense[at], model[at]
			row += v[at] * (x - y) * (x - y)
			if loss == KL {
				objective += v[at] * (y - x)
				if x > 0 {
					objective += v[at] * x * math.Log(x/y)
				}
			}
		}
		squares += row
		if loss == L21 {
			objective += math.Sqrt(row)
		}
	}
	if loss == Frobenius {
		objective = squares
	}
	w1, w2, h1, h2 := plainPenalties(p, n, m)
	times := 1.0
	if loss == Frobenius {
		times = 2
	}
	for _, x := range w {
		objective += times * (w1*x + w2*x*x/2)
	}
	for _, x := range h {
		objective += times * (h1*x + h2*x*x/2)
	}
	return objective, squares
}

// plainWeightedIteration updates H and then W under weights, by loops over single entries.
func plainWeightedIteration(d Data, v []float64, o Options, w, h []float64) {
	n, m, r := d.Rows, d.Cols, o.Rank
	w1, w2, h1, h2 := plainPenalties(o.Penalties, n, m)
	entry := func(i, j int) (x, y float64) {
		for k := range r {
			y += w[i*r+k] * h[k*m+j]
		}
		return d.Dense[i*m+j], y
	}
	sample := func(i int) float64 { // the weight of a sample
		if o.Loss != L21 {
			return 1
		}
		var squares float64
		for j := range m {
			if vij := v[i*m+j]; vij > 0 {
				x, y := entry(i, j)
				squares += vij * (x - y) * (x - y)
			}
		}
		return 1 / max(math.Sqrt(squares), minResidual)
	}
	samples := make([]float64, n)
	// update is the new value of a coordinate z with the factors b of the entries that it
	// reaches.
	update := func(z, l1, l2 float64, count int, at func(t int) (i, j int, b float64)) float64 {
		var num, den, slope, second float64
		for t := range count {
			i, j, b := at(t)
			vij := v[i*m+j]
			if vij == 0 {
				continue
			}
			x, y := entry(i, j)
			switch {
			case o.Solver == HALS:
				slope += vij * (x - y) * b
				second += vij * b * b
			case o.Loss == KL:
				num += vij * x / y * b
				den += vij * b
			default:
				num += samples[i] * vij * x * b
				den += samples[i] * vij * y * b
			}
		}
		switch {
		case o.Solver == HALS:
			return max(denominator, z+(slope-l1-l2*z)/(second+l2))
		case o.Loss == KL && l2 > 0:
			a, b := den+l1, z*num
			return 2 * b / (a + math.Sqrt(a*a+4*l2*b))
		case o.Loss == KL:
			return z * num / (den + l1)
		}
		return z * num / (den + l1 + l2*z)
	}
	half := func(factor []float64, rows int, place func(row, k int) int, l1, l2 float64, count int, at func(row, k, t int) (i, j int, b float64)) {
		for i := range n {
			samples[i] = sample(i)
		}
		news := slices.Clone(factor)
		for row := range rows {
			for k := range r {
				to := place(row, k)
				news[to] = update(factor[to], l1, l2, count, func(t int) (int, int, float64) { return at(row, k, t) })
				if o.Solver == HALS { // one coordinate after the other
					factor[to] = news[to]
				}
			}
		}
		copy(factor, news)
	}
	half(h, m, func(j, k int) int { return k*m + j }, h1, h2, n, func(j, k, i int) (int, int, float64) { return i, j, w[i*r+k] })
	half(w, n, func(i, k int) int { return i*r + k }, w1, w2, m, func(i, k, j int) (int, int, float64) { return i, j, h[k*m+j] })
}
