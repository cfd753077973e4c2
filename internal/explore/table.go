package explore

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Table is what the numbers of a table say about how it can be scaled.
type Table struct {
	Samples, Columns int
	Sparse           bool
	Constant         []int // columns with a single value, from 0

	Least, Most float64
	Whole       bool    // all entries are whole numbers
	Zeros       float64 // share of all entries
	Ones        int64   // entries that are 1
	Tops        int64   // entries that are Most
	UnitRows    bool    // every sample that is not all zero has length 1
	LogRows     bool    // Σ(exp(v) − 1) is the same number for every sample that is not all zero: logarithms of counts that were divided by their sum

	columns []column // of those that are not constant
}

// column describes one column, the spread and the shape on a part of the samples.
type column struct {
	at          int
	least, most float64
	zeros       int
	spread      float64 // standard deviation
	skewness    float64 // third standardised moment
	kinds       int     // distinct values, counted to 3
}

// Rows of a matrix: dense rows as they are, compressed ones spread out.
type rows struct {
	x    mat.Matrix
	a    *sparse.CSR
	room []float64
}

func rowsOf(x mat.Matrix) *rows {
	_, m := x.Dims()
	r := &rows{x: x, room: make([]float64, m)}
	if a, is := x.(*sparse.CSR); is {
		r.a = a
	}
	return r
}

// row returns sample i, valid until the next call.
func (r *rows) row(i int) []float64 {
	if r.a != nil {
		clear(r.room)
		cols, vals := r.a.Row(i)
		for q, j := range cols {
			r.room[j] = vals[q]
		}
		return r.room
	}
	if d, is := r.x.(mat.RawRowViewer); is {
		return d.RawRowView(i)
	}
	return mat.Row(r.room, i, r.x)
}

// each takes the entries of sample i: all of a dense one, those that are stored of a compressed one.
func (r *rows) each(i int, take func(j int, v float64)) {
	if r.a != nil {
		cols, vals := r.a.Row(i)
		for q, j := range cols {
			take(int(j), vals[q])
		}
		return
	}
	for j, v := range r.row(i) {
		take(j, v)
	}
}

const (
	shapedRows = 4096  // samples by which the spread and the shape of columns are found, evenly spaced
	sumsAlike  = 1e-3  // relative difference of sums that are called the same
	checkRows  = 1024  // rows between two looks at the context
	rounding   = 1e-12 // spread relative to the size of a column, that counts as none
)

// Describe looks at all samples of a table, without changing them. Entries are finite. O(nm), or O(nm) for at most 4096
// samples and the number of nonzero entries for sparse ones.
func Describe(ctx context.Context, x mat.Matrix) (*Table, error) {
	n, m := x.Dims()
	t := &Table{Samples: n, Columns: m, Whole: true, UnitRows: true, LogRows: true, Least: math.Inf(1), Most: math.Inf(-1)}
	all := make([]column, m)
	for j := range all {
		all[j] = column{at: j, least: math.Inf(1), most: math.Inf(-1)}
	}
	r := rowsOf(x)
	t.Sparse = r.a != nil
	stored := make([]int, m) // entries of each column
	var first float64        // sum of the first sample for LogRows
	for i := range n {
		if i%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var sum, squares float64
		take := func(j int, v float64) {
			c := &all[j]
			c.least, c.most = min(c.least, v), max(c.most, v)
			stored[j]++
			if v == 0 {
				c.zeros++
			}
			if v == 1 {
				t.Ones++
			}
			t.Whole = t.Whole && v == math.Trunc(v)
			sum += math.Expm1(v)
			squares += v * v
		}
		r.each(i, take)
		if squares == 0 {
			continue
		}
		t.UnitRows = t.UnitRows && math.Abs(squares-1) < sumsAlike
		if first == 0 {
			first = sum
		}
		t.LogRows = t.LogRows && math.Abs(sum-first) <= sumsAlike*math.Abs(first)
	}
	var zeros int64
	for j := range all {
		c := &all[j]
		if t.Sparse && stored[j] < n {
			c.zeros += n - stored[j]
			c.least, c.most = min(c.least, 0), max(c.most, 0)
		}
		zeros += int64(c.zeros)
		t.Least, t.Most = min(t.Least, c.least), max(t.Most, c.most)
		if c.most-c.least <= rounding*max(math.Abs(c.most), math.Abs(c.least)) {
			t.Constant = append(t.Constant, j)
			continue
		}
		t.columns = append(t.columns, *c)
	}
	t.Zeros = float64(zeros) / (float64(n) * float64(m))
	return t, t.shape(ctx, r)
}

// shape finds the spread and the skewness of the columns, and how many entries are the largest.
func (t *Table) shape(ctx context.Context, r *rows) error {
	step := max(1, t.Samples/shapedRows)
	count := float64((t.Samples + step - 1) / step)
	mean, second, third := make([]float64, t.Columns), make([]float64, t.Columns), make([]float64, t.Columns)
	stored, kinds := make([]int, t.Columns), make([]int, t.Columns)
	seen := make([][3]float64, t.Columns)
	see := func(j int, v float64) {
		if k := kinds[j]; k < 3 && !slices.Contains(seen[j][:k], v) {
			seen[j][k] = v
			kinds[j]++
		}
	}
	pass := func(take func(j int, v float64)) error {
		for i := 0; i < t.Samples; i += step {
			if i/step%checkRows == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			r.each(i, take)
		}
		return nil
	}
	err := pass(func(j int, v float64) {
		mean[j] += v / count
		stored[j]++
		see(j, v)
		if v == t.Most {
			t.Tops++
		}
	})
	if err != nil {
		return err
	}
	t.Tops *= int64(step)
	add := func(j int, v, times float64) {
		d := v - mean[j]
		second[j] += d * d * times / count
		third[j] += d * d * d * times / count
	}
	if err := pass(func(j int, v float64) { add(j, v, 1) }); err != nil {
		return err
	}
	for j, n := range stored {
		if zeros := int(count) - n; zeros > 0 {
			add(j, 0, float64(zeros))
			see(j, 0)
		}
	}
	for at := range t.columns {
		c := &t.columns[at]
		c.kinds, c.spread = kinds[c.at], math.Sqrt(second[c.at])
		if c.spread > rounding*math.Abs(mean[c.at]) {
			c.skewness = third[c.at] / second[c.at] / c.spread
		}
	}
	return nil
}

// share is the share of the columns that are not constant for which is holds.
func (t *Table) share(is func(c column) bool) float64 {
	count := 0
	for _, c := range t.columns {
		if is(c) {
			count++
		}
	}
	return float64(count) / float64(max(len(t.columns), 1))
}
