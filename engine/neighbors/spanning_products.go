package neighbors

import (
	"context"
	"math"
	mathbits "math/bits"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// spanningByProducts excludes most samples by products of blocks of rows, as [Index.Search] does, and measures the others.
func spanningByProducts(ctx context.Context, x *Stored, g *Graph, minSamples int, metric Metric, o Options) (*Spanning, error) {
	x, by, err := x.ordinary()
	if err != nil {
		return nil, err
	}
	s := newSpanning(coreOf(g, minSamples), g)
	rows, workers := centred{x, columnMeans(x)}, blas.Threads(o.Threads)
	pairs := spanningPairs{x: x, by: by, metric: metric}
	var search outsideSearch
	if o.Kernels.Single() {
		search = newProductsSearch(prepareSingle(newSingleSearch(rows, rows.squares()), x.m), pairs, rows, workers)
	} else {
		search = newProductsSearch(prepareDouble(rows, o.Kernels), pairs, rows, workers)
	}
	if err := s.run(ctx, search, o); err != nil {
		return nil, err
	}
	return &Spanning{From: s.from, To: s.to, Weight: s.weight, Core: s.core}, nil
}

// spanningPairs measures pairs of rows, with the bits of a search.
type spanningPairs struct {
	x      *Stored
	by     divided
	metric Metric
}

// square returns a squared distance of rows above which the distance is not below the given one.
func (p spanningPairs) square(distance float64) float64 {
	distance = magnitude.Times(distance, -p.by.exponent)
	if p.metric.directional() {
		return 2 * distance * (1 + 1e-12)
	}
	return distance * distance * (1 + 1e-12)
}

// distance returns the distance for the squared one of two rows.
func (p spanningPairs) distance(square float64) float64 {
	return magnitude.Times(p.metric.restored(math.Sqrt(square)), p.by.exponent)
}

// productsSearch compares blocks of samples with all others.
type productsSearch[T float32 | float64] struct {
	p       *prepared[T]
	pairs   spanningPairs
	rows    centred
	workers []productsBlock[T]
	uniform []int32 // the component of all samples of each block; −1: several
}

// productsBlock are the samples of one block that search.
type productsBlock[T float32 | float64] struct {
	of       []int32
	bound    []float64
	at       []int32
	length   []float64 // ‖x̃‖²/2, scaled
	reach    []T       // see [prepared]
	rows     []T
	products []T
	row      []float64
	into     [2][]float64
	mask     [blockRows / 64]uint64
}

func newProductsSearch[T float32 | float64](p *prepared[T], pairs spanningPairs, rows centred, workers int) *productsSearch[T] {
	return &productsSearch[T]{p: p, pairs: pairs, rows: rows, workers: make([]productsBlock[T], workers), uniform: make([]int32, (rows.n+blockRows-1)/blockRows)}
}

func (s *productsSearch[T]) begin(ctx context.Context, state *spanning) error {
	for b := range s.uniform {
		part := state.comp[b*blockRows : min((b+1)*blockRows, state.n)]
		s.uniform[b] = part[0]
		for _, c := range part[1:] {
			if c != part[0] {
				s.uniform[b] = -1
				break
			}
		}
	}
	return ctx.Err()
}

func (s *productsSearch[T]) find(worker int, state *spanning, samples []int32, known *bounds) {
	w, m, scale := &s.workers[worker], s.rows.m, math.Sqrt(s.p.scale)
	if w.products == nil {
		w.products, w.into = make([]T, spanningBlock*blockRows), [2][]float64{s.pairs.x.scratch(), s.pairs.x.scratch()}
	}
	w.of, w.bound, w.at, w.length, w.reach, w.rows = w.of[:0], w.bound[:0], w.at[:0], w.length[:0], w.reach[:0], w.rows[:0]
	alone := int32(-2) // the only component that searches
	for _, i := range samples {
		c := state.comp[i]
		if state.lower[i] >= known.weight[c] {
			continue
		}
		bound, at := state.firstInList(i, known.weight[c])
		known.lower(c, bound)
		w.of, w.bound, w.at = append(w.of, i), append(w.bound, bound), append(w.at, at)
		w.row = s.rows.rows(int(i), int(i)+1, w.row)
		w.length, w.reach = append(w.length, blas.Dot(w.row, w.row)/2*s.p.scale), append(w.reach, 0)
		for _, v := range w.row {
			w.rows = append(w.rows, T(v*scale))
		}
		if alone == -2 {
			alone = c
		} else if alone != c {
			alone = -1
		}
	}
	if len(w.of) == 0 {
		return
	}
	for at := 0; at < state.n; at += blockRows {
		if u := s.uniform[at/blockRows]; u >= 0 && u == alone {
			continue
		}
		width := min(blockRows, state.n-at)
		s.p.multiply(len(w.of), width, m, w.rows, s.p.centred[at*m:], w.products)
		for q, i := range w.of {
			w.share(q, known.weight[state.comp[i]])
			if state.lower[i] >= w.bound[q] || s.uniform[at/blockRows] == state.comp[i] {
				continue
			}
			s.limit(w, q)
			s.scan(state, w, q, at, w.products[q*width:(q+1)*width], known)
		}
	}
	for q, i := range w.of {
		w.share(q, known.weight[state.comp[i]])
		state.record(i, w.bound[q], w.at[q], known)
	}
}

// share drops what a sample found if another of its component found a nearer one.
func (w *productsBlock[T]) share(q int, bound float64) {
	if bound < w.bound[q] {
		w.bound[q], w.at[q] = bound, -1
	}
}

// limit sets the reach of a sample to its bound.
func (s *productsSearch[T]) limit(w *productsBlock[T], q int) {
	p := s.p
	w.reach[q] = down[T](w.length[q]*(1-2*p.margin) - p.tiny - s.pairs.square(w.bound[q])*p.scale/2)
}

// scan measures the samples of the block from lo on whose products reach the threshold.
func (s *productsSearch[T]) scan(state *spanning, w *productsBlock[T], q, lo int, row []T, known *bounds) {
	half, i := s.p.half[lo:lo+len(row)], w.of[q]
	if !s.p.candidates(w.mask[:], row, half, s.p.never[:len(row)], 0, w.reach[q]) {
		return
	}
	own := state.comp[i]
	for word := range (len(row) + 63) / 64 {
		for bits := w.mask[word]; bits != 0; bits &= bits - 1 {
			a := word*64 + mathbits.TrailingZeros64(bits)
			j := int32(lo + a)
			if state.comp[j] == own || state.core[j] >= w.bound[q] || row[a]-half[a] < w.reach[q] {
				continue
			}
			d := s.pairs.distance(blas.SquaredDistance(s.pairs.x.Row(int(i), w.into[0]), s.pairs.x.Row(int(j), w.into[1])))
			if d = max(d, state.core[i], state.core[j]); d < w.bound[q] {
				w.bound[q], w.at[q] = d, j
				known.lower(own, d)
				s.limit(w, q)
			}
		}
	}
}
