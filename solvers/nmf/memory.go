package nmf

import (
	"cmp"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Bytes is what [Factorize] takes besides the data and a graph for n × m data, of
// which entries are stored (0: all, dense): the factors and their copies, sums of
// chunks, tiles of workers, and the n × m matrix of losses that keep one. It is
// meant for limits: a few per cent too high or low.
func Bytes(n, m, entries int, o Options) int64 {
	r := max(1, o.Rank)
	o.Rank = r
	if o.Warm > 0 {
		warmed := o.warmed()
		o.Warm = 0
		return Bytes(n, m, entries, o) + Bytes(n, m, entries, warmed)
	}
	if o.Solver == MiniBatch {
		rows := max(1, min(n, cmp.Or(o.Batches.Rows, defaultBatch)))
		return SourceBytes(rows, m, entries/max(1, n)*rows, o) + 8*int64(n)*int64(r)
	}
	if o.Collection != nil {
		numbers := integrativeNumbers(n, m, entries > 0, o)
		if entries > 0 && o.wantsTranspose() {
			numbers += 3 * int64(entries) / 2
		}
		return 8 * numbers
	}
	f := sized(Data{Rows: max(1, n), Cols: max(1, m)}, o)
	f.cutRows()
	chunks := (f.n + f.chunk - 1) / f.chunk
	width, tiles := 1, f.loss.memory.tiles
	if f.loss.memory.wide {
		width = 2
	}
	panels := 1 // n × r
	if o.Graph.present() && o.Lambda > 0 {
		panels += 2
	}
	if o.Solver == HALS && (panels > 1 || o.Extrapolate) {
		panels += 2
	}
	if o.Fixed == HFixed {
		panels++ // X·Hᵀ
	}
	numbers := int64(panels)*int64(n)*int64(r) + 3*int64(m)*int64(r) + int64(chunks+1)*int64(r)*int64(width*f.m+r)
	if entries > 0 {
		if o.wantsTranspose() {
			numbers += 3 * int64(entries) / 2
		}
		numbers += int64(n) // the weights of samples
		tiles = f.loss.memory.rows
	}
	switch {
	case o.startsBySVD():
		numbers += int64(2*r+10) * int64(n+m)
	case o.Init == Rows || o.Init == Centres || o.Init == Extremes:
		numbers += 2*int64(r)*int64(m) + 6*int64(n)
	}
	numbers += int64(blas.Threads(o.Threads)) * int64(f.block) * int64(tiles*f.m+6*r)
	if f.loss.memory.whole != nil && f.loss.memory.whole(o) {
		if entries > 0 {
			numbers += int64(m) * int64(r) // the components before their step, in its place
		} else {
			numbers += int64(n) * int64(m)
		}
	}
	return 8 * numbers
}

// RunsBytes is what [FactorizeRuns] takes besides the data, of which entries are stored
// (0: all, dense), for runs of these ranks: the factors of those that run together, the
// sums of their products, the transpose of sparse data, and the factors of one that has
// ended.
func RunsBytes(n, m, entries int, ranks []int, o Options) int64 {
	var all, widest int64
	for _, r := range ranks {
		all, widest = all+int64(r), max(widest, int64(r))
	}
	d := Data{Rows: n, Cols: m}
	held := 8 * int64(n) * int64(m)
	if entries > 0 {
		d.Sparse, held = new(sparse.CSR), 12*int64(entries)
	}
	o.Loss = o.Loss.orDefault()
	if !o.stacks(d) {
		o.Rank = int(widest)
		return Bytes(n, m, entries, o)
	}
	least := widest + 7
	if o.Loss == KL {
		least = blas.StackLanes * widest
	}
	columns := max(least, min(all+7, stackedColumns(n, m, held)))
	// Half of W once more, while runs move together.
	numbers := columns*int64(n+n/2+3*m) + widest*int64(2*n+6*m)
	if o.Penalties.Present() {
		numbers += widest * int64(n) // W of a run that is measured
	}
	if entries > 0 {
		return 8*numbers + 10*int64(entries) + 8*int64(n/stackRows+1)*int64(m+1)
	}
	return 8 * (numbers + maxChunks*columns*int64(m))
}

// WeightedBytes is [Bytes] for data with weights of the entries: V∘X and, of stored weights,
// those that count and their transpose besides; with dense ones sums and tiles of twice the
// width, and for [HALS] V∘X and V by columns.
func WeightedBytes(n, m, entries int, v Weights, o Options) int64 {
	if !v.Present() {
		return Bytes(n, m, entries, o)
	}
	if o.Warm > 0 {
		warmed := o.warmed()
		o.Warm = 0
		return WeightedBytes(n, m, entries, v, o) + WeightedBytes(n, m, entries, v, warmed)
	}
	bytes := Bytes(n, m, entries, o)
	whole := 8 * int64(n) * int64(m)
	a := v.stored()
	if a == nil || v.Less != nil && entries == 0 {
		bytes += whole // V∘X
		if a != nil {
			bytes += whole
		}
		if entries > 0 {
			bytes += whole
		}
		if o.Solver == HALS {
			return bytes + 2*whole + 8*int64(n)*int64(o.Rank)
		}
		f := sized(Data{Rows: n, Cols: m, known: &known{v: []float64{}}}, o)
		f.cutRows()
		return bytes + 8*int64(f.chunks()+1)*int64(f.r)*int64(m) + 24*int64(blas.Threads(o.Threads))*int64(f.block)*int64(m)
	}
	stored := int64(a.NNZ())
	if o.Loss == L21 {
		bytes += 8 * int64(n) * int64(o.Rank+1) // W by the weights of the samples, and these
	}
	if v.Less != nil {
		return bytes + 12*stored + 12*int64(entries)
	}
	return bytes + 44*stored
}
