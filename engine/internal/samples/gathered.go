package samples

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Gathered copies samples next to each other, as the rows of a small matrix. It is the workspace of one
// worker. For compressed samples the matrix has only the columns in which some of them have
// entries, in order of occurrence: other columns do not change products or
// distances.
//
// Differences within the rounding error of a column's entries are set to zero: samples
// that are copies up to rounding have the patch of copies, not one of rounding errors.
type Gathered struct {
	x     Samples
	data  []float64
	mean  []float64
	place []int32 // index of each column of compressed samples in the matrix, from 1; 0: not in it
	cols  []int32 // the columns in the matrix
}

// NewGathered returns a workspace for samples like x.
func NewGathered(x Samples) *Gathered { return &Gathered{x: x} }

// GatheredBytes returns the peak memory of the workspace of one worker for the given number of rows.
func (x Samples) GatheredBytes(rows int) int64 {
	if x.compressed == nil {
		return 8 * int64(rows) * int64(x.m)
	}
	return 4*int64(x.m) + 12*int64(rows)*min(int64(x.m), int64(rows)*int64(x.Longest()))
}

// Differences returns the rows x_j − x_i for the neighbours j of a sample i. They are
// valid until the next call.
func (l *Gathered) Differences(i int, list []int32) (rows []float64, width int) {
	return l.DifferencesTo(l.x, i, list)
}

// longRow is the length from which on vectors subtract a row faster than a loop, with the same bits.
const longRow = 32

// DifferencesTo returns the rows x_j − z_i for sample i of other samples with the same columns and
// form.
func (l *Gathered) DifferencesTo(z Samples, i int, list []int32) (rows []float64, width int) {
	k := len(list)
	if l.x.compressed == nil {
		m := l.x.m
		g, xi := l.room(k*m), z.Row(i)
		for a, j := range list {
			row := g[a*m : a*m+m]
			if m >= longRow {
				copy(row, l.x.Row(int(j)))
				blas.Axpy(-1, xi, row)
				continue
			}
			for c, v := range l.x.Row(int(j)) {
				row[c] = v - xi[c]
			}
		}
		for c, v := range xi {
			roundColumn(g, c, m, v)
		}
		return g, m
	}
	l.begin()
	own, vals := z.compressed.Row(i)
	l.take(own)
	for _, j := range list {
		cols, _ := l.x.compressed.Row(int(j))
		l.take(cols)
	}
	width = max(len(l.cols), 1)
	g := l.room(k * width)
	clear(g)
	for a, j := range list {
		row := g[a*width : (a+1)*width]
		l.put(int(j), row)
		for q, c := range own {
			row[l.place[c]-1] -= vals[q]
		}
	}
	for q, c := range own {
		roundColumn(g, int(l.place[c])-1, width, vals[q])
	}
	return g, width
}

// roundingOfEntries bounds the rounding error of a difference, relative to the entry.
const roundingOfEntries = 0x1p-46

// atRounding reports whether two entries differ by at most the rounding error of the first.
func atRounding(v, w float64) bool { return math.Abs(v-w) <= roundingOfEntries*math.Abs(v) }

// Same reports whether two samples are equal up to rounding.
func (x Samples) Same(i, j int) bool {
	if a := x.compressed; a != nil {
		own, vals := a.Row(i)
		cols, others := a.Row(j)
		for len(own) > 0 && len(cols) > 0 {
			var v, w float64
			c := min(own[0], cols[0])
			if own[0] == c {
				v, own, vals = vals[0], own[1:], vals[1:]
			}
			if cols[0] == c {
				w, cols, others = others[0], cols[1:], others[1:]
			}
			if !atRounding(v, w) {
				return false
			}
		}
		return vector.IsZero(vals) && vector.IsZero(others)
	}
	row := x.Row(j)
	for c, v := range x.Row(i) {
		if !atRounding(v, row[c]) {
			return false
		}
	}
	return true
}

// roundColumn sets a column of differences to an entry to zero if all are within rounding.
func roundColumn(rows []float64, c, width int, entry float64) {
	least := roundingOfEntries * math.Abs(entry)
	for at := c; at < len(rows); at += width {
		if math.Abs(rows[at]) > least {
			return
		}
	}
	for at := c; at < len(rows); at += width {
		rows[at] = 0
	}
}

// WithSelf returns the neighbours of a sample i and, as the last row, the sample itself.
// They are valid until the next call.
func (l *Gathered) WithSelf(i int, list []int32) (rows []float64, width int) {
	k := len(list)
	if l.x.compressed == nil {
		width = l.x.m
		rows = l.room((k + 1) * width)
		for a, j := range list {
			copy(rows[a*width:], l.x.Row(int(j)))
		}
		copy(rows[k*width:], l.x.Row(i))
		return rows, width
	}
	l.begin()
	own, _ := l.x.compressed.Row(i)
	l.take(own)
	for _, j := range list {
		cols, _ := l.x.compressed.Row(int(j))
		l.take(cols)
	}
	width = max(len(l.cols), 1)
	rows = l.room((k + 1) * width)
	clear(rows)
	for a, j := range list {
		l.put(int(j), rows[a*width:(a+1)*width])
	}
	l.put(i, rows[k*width:])
	return rows, width
}

// Centered returns the rows of a set of samples minus their mean. They are valid until
// the next call. The mean is computed from differences to the first sample, so rounding errors are
// those of the differences, however far from 0 the samples are.
func (l *Gathered) Centered(set []int32) (rows []float64, width int) {
	rows, width = l.Differences(int(set[0]), set)
	l.mean = slices.Grow(l.mean[:0], width)
	mean := l.mean[:width]
	clear(mean)
	for at := 0; at < len(rows); at += width {
		for c, v := range rows[at : at+width] {
			mean[c] += v
		}
	}
	blas.Scale(1/float64(len(set)), mean)
	for at := 0; at < len(rows); at += width {
		for c, v := range mean {
			rows[at+c] -= v
		}
	}
	return rows, width
}

// room returns space for the given number of entries.
func (l *Gathered) room(size int) []float64 {
	if cap(l.data) < size {
		l.data = slices.Grow(l.data[:0], size)
	}
	return l.data[:size]
}

// begin clears the columns of the preceding call.
func (l *Gathered) begin() {
	if l.place == nil {
		l.place = make([]int32, l.x.m)
	}
	for _, c := range l.cols {
		l.place[c] = 0
	}
	l.cols = l.cols[:0]
}

// take adds the columns that are not yet in the matrix.
func (l *Gathered) take(cols []int32) {
	for _, c := range cols {
		if l.place[c] == 0 {
			l.cols = append(l.cols, c)
			l.place[c] = int32(len(l.cols))
		}
	}
}

// put writes a compressed sample into a row.
func (l *Gathered) put(j int, row []float64) {
	cols, vals := l.x.compressed.Row(j)
	for q, c := range cols {
		row[l.place[c]-1] = vals[q]
	}
}
