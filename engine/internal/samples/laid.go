package samples

import (
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Laid lays samples out side by side as the rows of a small matrix. It is one worker's
// scratch. Of compressed samples it lays out only the columns that some of them have
// entries in, in the order in which they come: the others add nothing to a product, nor
// to a distance.
type Laid struct {
	x     Samples
	data  []float64
	place []int32 // of each column of compressed samples among those laid out, from 1; 0: it is not
	cols  []int32 // the columns laid out
}

// NewLaid makes the scratch for samples like x.
func NewLaid(x Samples) *Laid { return &Laid{x: x} }

// LaidBytes is the most memory of the scratch of one worker for so many rows.
func (x Samples) LaidBytes(rows int) int64 {
	if x.compressed == nil {
		return 8 * int64(rows) * int64(x.m)
	}
	return 4*int64(x.m) + 12*int64(rows)*min(int64(x.m), int64(rows)*int64(x.Longest()))
}

// Differences lays out the rows x_j − x_i for the neighbours j of a sample i. They are
// valid up to the next call.
func (l *Laid) Differences(i int, list []int32) (rows []float64, width int) {
	return l.DifferencesTo(l.x, i, list)
}

// DifferencesTo lays out the rows x_j − z_i for sample i of others of the same columns and
// form.
func (l *Laid) DifferencesTo(z Samples, i int, list []int32) (rows []float64, width int) {
	k := len(list)
	if l.x.compressed == nil {
		m := l.x.m
		g, xi := l.room(k*m), z.Row(i)
		for a, j := range list {
			row := g[a*m : a*m+m]
			for c, v := range l.x.Row(int(j)) {
				row[c] = v - xi[c]
			}
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
	return g, width
}

// WithSelf lays out the neighbours of a sample i and, as the last row, the sample itself.
// They are valid up to the next call.
func (l *Laid) WithSelf(i int, list []int32) (rows []float64, width int) {
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

// Centered lays out the rows of a set of samples less their mean. They are valid up to
// the next call.
func (l *Laid) Centered(set []int32) (rows []float64, width int) {
	n := len(set)
	if l.x.compressed == nil {
		width = l.x.m
		rows = l.room((n + 1) * width)
		for a, j := range set {
			copy(rows[a*width:], l.x.Row(int(j)))
		}
	} else {
		l.begin()
		for _, j := range set {
			cols, _ := l.x.compressed.Row(int(j))
			l.take(cols)
		}
		width = max(len(l.cols), 1)
		rows = l.room((n + 1) * width)
		clear(rows)
		for a, j := range set {
			l.put(int(j), rows[a*width:(a+1)*width])
		}
	}
	mean := rows[n*width:]
	clear(mean)
	for a := range set {
		for c, v := range rows[a*width : (a+1)*width] {
			mean[c] += v
		}
	}
	blas.Scale(1/float64(n), mean)
	for a := range set {
		row := rows[a*width : (a+1)*width]
		for c := range row {
			row[c] -= mean[c]
		}
	}
	return rows[:n*width], width
}

// room is the space for so many entries.
func (l *Laid) room(size int) []float64 {
	if cap(l.data) < size {
		l.data = slices.Grow(l.data[:0], size)
	}
	return l.data[:size]
}

// begin forgets the columns of the call before.
func (l *Laid) begin() {
	if l.place == nil {
		l.place = make([]int32, l.x.m)
	}
	for _, c := range l.cols {
		l.place[c] = 0
	}
	l.cols = l.cols[:0]
}

// take lays out the columns that are not yet.
func (l *Laid) take(cols []int32) {
	for _, c := range cols {
		if l.place[c] == 0 {
			l.cols = append(l.cols, c)
			l.place[c] = int32(len(l.cols))
		}
	}
}

// put writes a compressed sample into a row.
func (l *Laid) put(j int, row []float64) {
	cols, vals := l.x.compressed.Row(j)
	for q, c := range cols {
		row[l.place[c]-1] = vals[q]
	}
}
