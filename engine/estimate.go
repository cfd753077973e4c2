package engine

import (
	"github.com/orthant-go/orthant/engine/method"
)

// solving is what a graph method takes at its peak, over its patches and their
// sum: the factors of the shifted matrix and the vectors of the search. Measured on
// swiss rolls of 10⁴ to 2·10⁵ samples (lle, ltsa, neml, le): between 1.2 and 3.6.
const solving = 3

// EstimateMemory estimates the bytes that a method takes at its peak on n × m data in memory,
// including their storage. It is accurate enough to tell how many runs fit into memory together. For
// sparse data add what [sparse.OfBytes] returns. k is the number of neighbours (0: the method's
// default); of the options Landmarks and Threads count. An unknown method counts as one that only
// reads the data. The estimate refuses nothing; Options.Memory does, with what is known after the data
// are read.
func EstimateMemory(name string, n, m, k int, o Options) int64 {
	rows, cols := int64(max(n, 0)), int64(max(m, 0))
	need := 24 * rows * cols // as read, a copy at work, the result
	made, err := New(name)
	if err != nil {
		return need
	}
	r := method.AtDefaults(made)
	if l := int64(o.Landmarks); l > 0 && r.Memory == nil {
		rows = min(rows, l)
	}
	if r.Memory != nil {
		need += r.Memory(rows, cols, o.Threads, o.Landmarks)
	}
	need += int64(r.Squares * 8 * float64(rows) * float64(rows))
	if k <= 0 && r.Neighbors != nil {
		k = *r.Neighbors
	}
	if size := min(int64(k)+1, rows); r.Neighbors != nil {
		need += solving * (rows*size*12 + rows*size*(size+1)*4 + 12*rows*min(rows, size*size/2))
	} else {
		order := min(rows, cols)
		need += 16 * order * order
	}
	return need
}
