// Package samples holds the data between the steps: an immutable set of rows, dense or
// compressed. A step that needs other samples makes another value.
package samples

import (
	"cmp"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Samples are n rows of m entries, one row for each sample, with their classes if a
// method learns from them. They are immutable. Results that share their storage, as documented,
// must not be written.
type Samples struct {
	n, m       int
	data       []float64   // rows of m entries; nil where the rows are compressed
	rowOf      []int32     // the row of data of each sample; nil: they are in order
	compressed *sparse.CSR // nil where the rows are dense
	single     []float32   // in place of data, of samples that stay so
	labels     []int64     // nil where the method does not learn from them
	exponent   int         // of the power of two by which the entries were divided
	numbers    []int32     // of a subset: the index of each sample in the whole; nil: it is the whole
}

// ErrAbsent is the error of work without samples.
var ErrAbsent = errors.New("engine: no data given; give a matrix, one sample a row")

// Of makes samples of the rows of a matrix. It shares the storage of the matrix if that has float64
// without gaps.
func Of(x mat.Matrix) Samples {
	n, m := x.Dims()
	if stored, ok := x.(*neighbors.Stored); ok {
		return OfRows(n, m, stored.Points().Data)
	}
	if raw, ok := x.(mat.RawMatrixer); ok && raw.RawMatrix().Stride == m {
		return OfRows(n, m, raw.RawMatrix().Data)
	}
	return OfRows(n, m, mat.DenseCopyOf(x).RawMatrix().Data)
}

// OfRows makes samples of n × m entries, and takes ownership of the storage.
func OfRows(n, m int, data []float64) Samples { return Samples{n: n, m: m, data: data[:n*m]} }

// OfCompressed makes samples of compressed rows.
func OfCompressed(a *sparse.CSR) Samples {
	return Samples{n: a.Rows, m: a.Cols, compressed: a}
}

// Unknown returns n samples without entries, for a given graph.
func Unknown(n int) Samples { return Samples{n: n} }

// WithoutEntries returns the samples without entries but with their numbers.
func (x Samples) WithoutEntries() Samples { return Samples{n: x.n, numbers: x.numbers} }

// Absent reports whether the samples have no entries, only a number.
func (x Samples) Absent() bool { return x.m == 0 }

// Labeled returns the same samples with the class of each.
func (x Samples) Labeled(labels []int64) Samples {
	x.labels = labels
	return x
}

// N is the number of samples.
func (x Samples) N() int { return x.n }

// M returns the number of columns.
func (x Samples) M() int { return x.m }

// Row returns sample i of dense ones, without a copy.
func (x Samples) Row(i int) []float64 {
	if x.rowOf != nil {
		i = int(x.rowOf[i])
	}
	return x.data[i*x.m : (i+1)*x.m]
}

// Data returns all entries of dense samples, row after row: without a copy, unless they were
// [Samples.Reordered].
func (x Samples) Data() []float64 { return x.gathered().data }

// Compressed returns the compressed rows; nil: the samples are dense.
func (x Samples) Compressed() *sparse.CSR { return x.compressed }

// Number returns the number of sample i in messages, counting all samples from 1.
func (x Samples) Number(i int) int {
	if x.numbers != nil {
		i = int(x.numbers[i])
	}
	return i + 1
}

// Numbered returns the samples with the given indices, from 0, in the whole.
func (x Samples) Numbered(numbers []int32) Samples {
	x.numbers = numbers
	return x
}

// Labels returns the class of each sample; nil: the method does not learn from them.
func (x Samples) Labels() []int64 { return x.labels }

// Points are dense samples as the neighbour search takes them, with the copies of [Samples.Data].
func (x Samples) Points() neighbors.Points {
	return neighbors.Points{N: x.n, M: x.m, Data: x.Data()}
}

// Dense are the samples as a dense matrix; of dense ones with the copies of [Samples.Data].
func (x Samples) Dense() *mat.Dense {
	if x.compressed != nil {
		return x.compressed.Dense()
	}
	return mat.NewDense(x.n, x.m, x.Data())
}

// Matrix are the samples as a matrix of their own form, with the copies of [Samples.Data].
func (x Samples) Matrix() mat.Matrix {
	if x.compressed != nil {
		return x.compressed
	}
	return x.Dense()
}

// Bytes returns the memory of the entries.
func (x Samples) Bytes() int64 {
	if x.compressed != nil {
		return x.compressed.Bytes()
	}
	if x.single != nil {
		return 4 * int64(len(x.single))
	}
	return 8 * int64(x.n) * int64(x.m)
}

// OwnBytes is the memory of [Samples.Subset] or [Samples.Reordered] besides that of the samples
// they were made of.
func (x Samples) OwnBytes() int64 {
	if x.rowOf != nil {
		return 8 * int64(x.n) // its row and its number
	}
	return x.Bytes()
}

// Range are the samples lo ≤ i < hi, without a copy of their entries.
func (x Samples) Range(lo, hi int) Samples {
	part := x
	part.n = hi - lo
	if x.compressed != nil {
		part.compressed = x.compressed.RowRange(lo, hi)
	} else if x.single != nil {
		part.single = x.single[lo*x.m : hi*x.m]
	} else if x.rowOf != nil {
		part.rowOf = x.rowOf[lo:hi]
	} else {
		part.data = x.data[lo*x.m : hi*x.m]
	}
	if x.labels != nil {
		part.labels = x.labels[lo:hi]
	}
	if x.numbers != nil {
		part.numbers = x.numbers[lo:hi]
	}
	return part
}

// Subset copies some samples, with their labels and in the same form.
func (x Samples) Subset(which []int) Samples {
	part := x.listed(which)
	if x.compressed != nil {
		part.compressed = rowsOf(x.compressed, which)
	} else {
		part.data = pages.Make[float64](len(which) * x.m)
		for at, i := range which {
			copy(part.Row(at), x.Row(i))
		}
	}
	return part
}

// Reordered are all samples in another order. Dense ones stay where they are, and are looked up
// there; compressed ones are copied.
func (x Samples) Reordered(order []int) Samples {
	if x.compressed != nil || x.single != nil {
		return x.Subset(order)
	}
	part := x.listed(order)
	part.data, part.rowOf = x.data, make([]int32, len(order))
	for at, i := range order {
		if part.rowOf[at] = int32(i); x.rowOf != nil {
			part.rowOf[at] = x.rowOf[i]
		}
	}
	return part
}

// listed are some of the samples, with all that is known of them but their entries.
func (x Samples) listed(which []int) Samples {
	part := Samples{n: len(which), m: x.m, exponent: x.exponent, numbers: make([]int32, len(which))}
	for at, i := range which {
		part.numbers[at] = int32(x.Number(i) - 1)
	}
	if x.labels != nil {
		part.labels = make([]int64, len(which))
		for at, i := range which {
			part.labels[at] = x.labels[i]
		}
	}
	return part
}

// gathered are the samples with their entries in order: copied, where they were [Samples.Reordered].
func (x Samples) gathered() Samples {
	if x.rowOf == nil {
		return x
	}
	data := pages.Make[float64](x.n * x.m)
	for i := range x.n {
		copy(data[i*x.m:(i+1)*x.m], x.Row(i))
	}
	return x.WithData(data)
}

// Stored returns the samples in the order in which they are stored, without a copy, and the row of each of x among
// them; nil: they are x.
func (x Samples) Stored() (stored Samples, rowOf []int32) {
	if x.rowOf == nil {
		return x, nil
	}
	return OfRows(len(x.data)/x.m, x.m, x.data), x.rowOf
}

// Classes numbers the classes of the samples from 0 in ascending order of their
// labels. It returns the class of each sample and the size of each class.
func (x Samples) Classes() (of, sizes []int) {
	values := slices.Compact(slices.Sorted(slices.Values(x.labels)))
	of, sizes = make([]int, len(x.labels)), make([]int, len(values))
	for i, l := range x.labels {
		of[i], _ = slices.BinarySearchFunc(values, l, cmp.Compare[int64])
		sizes[of[i]]++
	}
	return of, sizes
}

// WithData returns the same dense samples with other n × m entries, and takes ownership of their
// storage.
func (x Samples) WithData(data []float64) Samples {
	x.data, x.rowOf = data[:x.n*x.m], nil
	return x
}

// Replaced returns the same samples with m other columns, dense, and takes ownership of their storage.
func (x Samples) Replaced(m int, data []float64) Samples {
	x.m, x.compressed, x.single, x.rowOf, x.data = m, nil, nil, nil, data[:x.n*m]
	return x
}

// Subtract subtracts a point from all samples in place. Only the sole owner of the samples may call it.
func (x Samples) Subtract(point []float64) {
	for i := range x.n {
		row := x.Row(i)
		for j, v := range point {
			row[j] -= v
		}
	}
}

// OfSingle makes samples of n × m entries in float32, and takes ownership of the storage. They are
// for solvers that use float32 ([Samples.Single]): Row and Data do not apply.
func OfSingle(n, m int, data []float32) Samples { return Samples{n: n, m: m, single: data[:n*m]} }

// Single returns all entries in float32, without a copy; nil: they are float64.
func (x Samples) Single() []float32 { return x.single }

// singleRow returns row i of entries in float32.
func (x Samples) singleRow(i int) []float32 { return x.single[i*x.m : (i+1)*x.m] }

// rowsOf copies some rows of a compressed matrix.
func rowsOf(a *sparse.CSR, which []int) *sparse.CSR {
	entries := 0
	for _, i := range which {
		entries += a.Ptr[i+1] - a.Ptr[i]
	}
	part := &sparse.CSR{Rows: len(which), Cols: a.Cols, Ptr: make([]int, 1, len(which)+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	for _, i := range which {
		cols, vals := a.Row(i)
		part.Col, part.Val = append(part.Col, cols...), append(part.Val, vals...)
		part.Ptr = append(part.Ptr, len(part.Col))
	}
	return part
}

// Longest returns the number of entries of the longest compressed row; for dense samples, the
// number of columns.
func (x Samples) Longest() int {
	if x.compressed == nil {
		return x.m
	}
	longest := 0
	for i := range x.n {
		longest = max(longest, x.compressed.Ptr[i+1]-x.compressed.Ptr[i])
	}
	return longest
}
