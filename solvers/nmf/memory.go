package nmf

import "github.com/orthant-go/orthant/blas"

// Bytes is what [Factorize] takes besides the data and a graph for n × m data, of
// which entries are stored (0: all, dense): the factors and their copies, sums of
// chunks, tiles of workers, and the n × m matrix of losses that keep one. It is
// meant for limits: a few per cent too high or low.
func Bytes(n, m, entries int, o Options) int64 {
	r := max(1, o.Rank)
	o.Rank = r
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
	numbers := int64(panels)*int64(n)*int64(r) + 3*int64(m)*int64(r) + int64(chunks+1)*int64(r)*int64(width*f.m+r)
	if entries > 0 {
		numbers += 3 * int64(entries) / 2 // the transpose
		tiles = 0
	}
	numbers += int64(blas.Threads(o.Threads)) * int64(f.block) * int64(tiles*f.m+6*r)
	if f.loss.memory.whole != nil && f.loss.memory.whole(o) {
		numbers += int64(n) * int64(m)
	}
	return 8 * numbers
}
