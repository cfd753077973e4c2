package neighbors

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// A search for a single query reads the bytes of all samples once, which takes longer than their
// products. Among many columns it reads a few coordinates of each sample instead: those along
// orthonormal axes, which never exceed distances. Axes of large variance leave few samples to measure.

const (
	projectedAxes    = 64
	projectedColumns = 4 * projectedAxes // from which a projection pays
	projectedSamples = 1 << 13
	projectedQueries = 2    // of a search that are answered one by one; eight take as long as one
	projectedAfter   = 3    // searches: one or two do not pay for a projection
	axesSample       = 1000 // samples that give the axes
	axesRounds       = 4
)

// projection holds the coordinates of the samples along the axes as bytes.
type projection struct {
	reference *Stored
	axes      []float64 // projectedAxes × m, orthonormal or zero
	scale     float64   // a power of two, by which coordinates are multiplied: samples become at most 1 long
	along     *codedIndex
	unclear   atomic.Bool // coordinates leave too many samples to measure
}

// newProjection takes O(nm) for each axis.
func newProjection(reference *Stored, kernels *blas.Kernels, threads int) (*projection, error) {
	p := &projection{reference: reference, axes: largeAxes(reference, kernels)}
	n, m, ctx := reference.n, reference.m, context.Background()
	norms := make([]float64, n)
	coordinates := make([]float32, n*projectedAxes)
	sweep := func(use func(lo int, rows Points)) error {
		memory := make([][]float64, blas.Threads(threads))
		return blas.For(ctx, threads, n, blockRows, func(w, lo, hi int) { use(lo, reference.block(lo, hi, &memory[w])) })
	}
	err := sweep(func(lo int, rows Points) {
		for i := range rows.N {
			norms[lo+i] = math.Sqrt(blas.Dot(rows.Row(i), rows.Row(i)))
		}
	})
	if err != nil {
		return nil, err
	}
	_, exponent := math.Frexp(slices.Max(norms))
	p.scale = math.Ldexp(1, -exponent)
	err = sweep(func(lo int, rows Points) {
		out := make([]float64, rows.N*projectedAxes)
		kernels.Gemm(false, true, rows.N, projectedAxes, m, p.scale, rows.Data, m, p.axes, m, 0, out, projectedAxes)
		for at, v := range out {
			coordinates[lo*projectedAxes+at] = float32(v)
		}
	})
	if err != nil {
		return nil, err
	}
	p.along, err = newCodedIndex(StoredOf(n, projectedAxes, coordinates), threads)
	if err == nil {
		p.along.reference = nil // the bytes suffice
	}
	return p, err
}

// largeAxes are axes along which samples vary much, by iterations with the covariance of some of them.
func largeAxes(x *Stored, kernels *blas.Kernels) []float64 {
	const p = projectedAxes
	sample := sampleRows(x.n, min(x.n, axesSample), 1)
	s, m := len(sample), x.m
	rows, mean, largest := make([]float64, s*m), make([]float64, m), 0.0
	for q, i := range sample {
		row := rows[q*m : (q+1)*m]
		copy(row, x.Row(int(i), row))
		for j, v := range row {
			mean[j] += v / float64(s)
			largest = max(largest, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(largest)
	for at := range rows {
		rows[at] = math.Ldexp(rows[at]-mean[at%m], -exponent)
	}
	axes, along := make([]float64, p*m), make([]float64, s*p)
	blas.NewStream(1).Normals(axes)
	orthonormalRows(axes, m)
	for range axesRounds {
		kernels.Gemm(false, true, s, p, m, 1, rows, m, axes, m, 0, along, p)
		kernels.Gemm(true, false, p, m, s, 1, along, p, rows, m, 0, axes, m)
		orthonormalRows(axes, m)
	}
	return axes
}

// orthonormalRows makes each row orthogonal to the earlier ones and of length 1; rows that depend on earlier ones become
// zeros.
func orthonormalRows(a []float64, m int) {
	for lo := 0; lo < len(a); lo += m {
		row := a[lo : lo+m]
		before := math.Sqrt(blas.Dot(row, row))
		blas.OrthogonalizeRows(a[:lo], row)
		if after := math.Sqrt(blas.Dot(row, row)); after > 1e-8*before {
			for j := range row {
				row[j] /= after
			}
		} else {
			clear(row)
		}
	}
}

// search fills the list of query i of some, and returns false where the query is too far from all samples for
// codes, or too many samples are left to measure: coordinates of other queries would leave as many.
func (p *projection) search(queries *Stored, i int, g *Graph) bool {
	query := queries.Row(i, queries.scratch())
	coordinates := make([]float64, projectedAxes)
	for a := range coordinates {
		coordinates[a] = blas.Dot(p.axes[a*len(query):(a+1)*len(query)], query) * p.scale
	}
	k := g.Ptr[i+1] - g.Ptr[i]
	own := &Graph{Ptr: []int{0, k}, Index: g.Of(i), Dist: g.Distances(i)}
	b := p.along.block(StoredOf(1, projectedAxes, coordinates), own, 0)
	if b.far[0] {
		return false
	}
	s := projectedSearch{projection: p, query: query, found: &b.found[0], into: p.reference.scratch()}
	// Coordinates are rounded to 24 bits, of a sample and of the query; axes are orthonormal to far more.
	lost := 0x1p-23 * (1 + math.Sqrt(blas.Dot(query, query))*p.scale)
	s.margin = lost/p.along.step + b.err[0] + p.along.err
	s.limit = farthest

	square, nearest := p.squares(b, 2*k)
	for _, c := range nearest {
		s.measure(c.index)
		square[c.index] = math.MaxInt32
	}
	var left []int32
	for j, v := range square {
		if v <= s.limit {
			left = append(left, int32(j))
		}
	}
	if len(left) > p.reference.n/16 {
		p.unclear.Store(true)
		return false
	}
	for at, j := range left {
		if at+1 < len(left) {
			p.reference.prefetch(int(left[at+1]))
		}
		if square[j] <= s.limit {
			s.measure(j)
		}
	}
	s.found.finish()
	return true
}

// squares are the squared distances between the codes of a query and of all samples, and the nearest
// few by them.
func (p *projection) squares(b *queryRows, few int) (square []int32, nearest []codedPair) {
	n := len(p.along.square)
	square, nearest = make([]int32, n), make([]codedPair, 0, min(few, n))
	products := make([]int32, 8*blockRows) // eight rows are written for one
	for lo := 0; lo < n; lo += blockRows {
		width := min(blockRows, n-lo)
		b.codes.ProductsWith(0, 1, p.along.codes, lo, width, products, blockRows)
		for q := range width {
			v := b.square[0] + p.along.square[lo+q] - 2*products[q]
			square[lo+q] = v
			at := len(nearest)
			if at < cap(nearest) {
				nearest = nearest[:at+1]
			} else if at--; v >= nearest[at].square {
				continue
			}
			for at > 0 && nearest[at-1].square > v {
				nearest[at] = nearest[at-1]
				at--
			}
			nearest[at] = codedPair{v, int32(lo + q)}
		}
	}
	return square, nearest
}

// projectedSearch is a search for the neighbours of one query.
type projectedSearch struct {
	*projection
	query  []float64
	found  *nearest
	into   []float64
	margin float64 // by which codes may be farther apart than coordinates, in steps
	limit  int32   // the largest squared distance between codes of a neighbour
}

// measure offers a sample at its exact distance.
func (s *projectedSearch) measure(j int32) {
	if s.found.closed(j) {
		return
	}
	s.found.offer(blas.SquaredDistance(s.query, s.reference.Row(int(j), s.into)), j)
	if s.found.full() {
		s.limit = below(math.Sqrt(s.found.bound())*s.scale*(1+1e-9)/s.along.step + s.margin)
	}
}
