package exemplars

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/solvers/projections"
	"github.com/orthant-go/orthant/sparse"
)

// Encoding is an n × n matrix Z of mostly zeros, by columns, most often points of the
// simplex: column j says which samples represent sample j, and how much. It keeps its
// storage from one matrix to the next.
type Encoding struct {
	n      int
	blocks []encodingBlock
}

// encodingBlock is columnBlock columns: column q has the places end[q−1] ≤ p < end[q].
type encodingBlock struct {
	end   [columnBlock]int
	index []int32
	value []float64
}

// NewEncoding returns the matrix of zeros of order n.
func NewEncoding(n int) *Encoding {
	return &Encoding{n, make([]encodingBlock, (n+columnBlock-1)/columnBlock)}
}

// Order returns n.
func (z *Encoding) Order() int { return z.n }

// Column returns the rows, ascending, and values of the nonzero entries of column j,
// in storage that is z's own.
func (z *Encoding) Column(j int) (rows []int32, values []float64) {
	b, q := &z.blocks[j/columnBlock], j%columnBlock
	lo := 0
	if q > 0 {
		lo = b.end[q-1]
	}
	return b.index[lo:b.end[q]], b.value[lo:b.end[q]]
}

// Entries returns the number of nonzero entries.
func (z *Encoding) Entries() int {
	count := 0
	for b := range z.blocks {
		count += len(z.blocks[b].index)
	}
	return count
}

// Blocks implements [projections.Sparse], for rows as groups.
func (z *Encoding) Blocks() int { return len(z.blocks) }

// Block implements [projections.Sparse].
func (z *Encoding) Block(b int) (rows []int32, values []float64) {
	return z.blocks[b].index, z.blocks[b].value
}

// Dense returns Z row after row.
func (z *Encoding) Dense() []float64 {
	dense := make([]float64, z.n*z.n)
	for j := range z.n {
		rows, values := z.Column(j)
		for q, i := range rows {
			dense[int(i)*z.n+j] = values[q]
		}
	}
	return dense
}

// Rows returns Z in compressed rows.
func (z *Encoding) Rows() *sparse.CSR {
	a := &sparse.CSR{Rows: z.n, Cols: z.n, Ptr: make([]int, z.n+1), Col: make([]int32, z.Entries()), Val: make([]float64, z.Entries())}
	for b := range z.blocks {
		for _, i := range z.blocks[b].index {
			a.Ptr[i+1]++
		}
	}
	for i := range z.n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	next := slices.Clone(a.Ptr[:z.n])
	for j := range z.n {
		rows, values := z.Column(j)
		for q, i := range rows {
			a.Col[next[i]], a.Val[next[i]] = int32(j), values[q]
			next[i]++
		}
	}
	return a
}

// Writer collects a block of columns of an [Encoding], each of which replaces the
// one that was there once all are known.
type Writer struct{ fresh encodingBlock }

// Begin empties the writer.
func (w *Writer) Begin() { w.fresh.index, w.fresh.value = w.fresh.index[:0], w.fresh.value[:0] }

// Simplex adds column j of z, the projection of v on the simplex of sum s, and
// returns its entries, which may still be scaled. The support of the column that it
// is going to replace is the guess.
func (w *Writer) Simplex(z *Encoding, j int, v []float64, s float64) (rows []int32, values []float64) {
	guess, _ := z.Column(j)
	f, start := &w.fresh, len(w.fresh.index)
	f.index, f.value = projections.SimplexSparse(v, s, guess, f.index, f.value)
	f.end[j%columnBlock] = len(f.index)
	return f.index[start:], f.value[start:]
}

// vanished is where entries become zeros, before they are denormal and slow.
const vanished = 1e-300

// Add adds an entry to the column that is under way: rows ascend. What is zero, or as
// good as that, is left out.
func (w *Writer) Add(row int32, value float64) {
	if math.Abs(value) > vanished {
		w.fresh.index, w.fresh.value = append(w.fresh.index, row), append(w.fresh.value, value)
	}
}

// End ends column j, which Add has filled.
func (w *Writer) End(j int) { w.fresh.end[j%columnBlock] = len(w.fresh.index) }

// Store puts the columns of a block, all of which were added in order, into z.
func (w *Writer) Store(z *Encoding, lo int) {
	b := &z.blocks[lo/columnBlock]
	b.end = w.fresh.end
	b.index, b.value = append(b.index[:0], w.fresh.index...), append(b.value[:0], w.fresh.value...)
}
