package eigen

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// refineGuard is the least number of vectors in addition to those wanted. What rounding in A
	// does to a vector falls off with the eigenvalues of those that it mixes in, so that
	// these few account for most of it.
	refineGuard = 3
	refineSteps = 12
	// refineTolerance is the angle up to which a span counts as refined: samples on a known
	// surface are placed no better than this. valueTolerance is the relative error up to
	// which eigenvalues do. Both are estimated with caution: where another step was taken
	// all the same, spans moved a tenth as far, and values a fortieth.
	refineTolerance = 3e-6
	valueTolerance  = 3e-5
	refineStall     = 1e-6 // movement under which a standstill counts
	// doubt is the factor on estimates of first order.
	doubt = 2
)

// refine restores eigenvalues that rounding has swallowed in the stored matrix:
// with A = BBᵀ, an eigenvalue is |Bᵀx|², which is accurate however small it is.
//
// The lowest Ritz vectors of A are turned first, by the singular value decomposition of
// BᵀX. How much rounding in A has mixed them shows how much there is of the vectors
// beyond: where that is little, the span is sound, and this pass over B is all. Otherwise
// locally optimal block steps (Knyazev 2001) run on B, with the factor of A + εI as
// preconditioner. Every Rayleigh–Ritz step is a singular value decomposition, never an
// eigenproblem of SᵀAS.
func (p *problem) refine(ctx context.Context, inverse *sparse.Factor, work *sparse.SolveWork, k *krylov, e *Eigen) error {
	rows, err := p.Factored()
	if err != nil {
		return err
	}
	r := newRefinement(p, inverse, work, k, rows, e.Vectors)
	e.Solves += len(e.Vectors)
	e.Vectors, k.beyond = nil, nil
	if err := r.ritz(ctx); err != nil {
		return err
	}
	e.Refinements = 1
	r.judge()
	for last, stalled := math.Inf(1), 0; (r.left > refineTolerance || r.leftOfValues > valueTolerance) && e.Refinements < refineSteps; {
		if err := r.step(ctx); err != nil {
			return err
		}
		e.Solves += r.moving
		e.Refinements++
		// The first steps may move further and further; two in a row that no longer
		// shrink, from where the span is known well, are rounding.
		if stalled++; r.moved < last/2 || r.moved > refineStall {
			stalled = 0
		}
		if stalled == 2 {
			break
		}
		last = r.moved
	}
	e.Angle = r.left
	for j := range e.Values {
		e.Values[j] = r.singular[j] * r.singular[j]
	}
	r.q.truncate(len(e.Values))
	e.Vectors = r.q.vectors()
	return nil
}

// refinement is the state of the block steps. The basis holds X alone between them.
type refinement struct {
	*krylov
	inverse      *sparse.Factor
	work         *sparse.SolveWork
	rows         *makers     // Bᵀ
	kept         int         // columns of X
	moving       int         // columns of W, no fewer than count
	last         [][]float64 // directions P of the last step, in blocks
	storage      imageStorage
	singular     []float64 // √λ, ascending
	turn         []float64 // the last turn: row j has new vector j in the basis that was
	moved        float64   // sine of the angle by which the last step moved the wanted span out of the span of X
	shrinks      float64   // what a step leaves of an error, estimated
	left         float64   // angle to the true span, estimated
	leftOfValues float64   // the largest relative error of an eigenvalue, estimated
}

// newRefinement begins with orthonormal vectors in the order of the matrix, in the
// storage of a search that is over.
func newRefinement(p *problem, inverse *sparse.Factor, work *sparse.SolveWork, k *krylov, rows *RowBlocks, vectors [][]float64) *refinement {
	r := &refinement{krylov: k, inverse: inverse, work: work, rows: rows.makers(p.Threads)}
	r.storage.workers = make([]imageScratch, len(r.rows.of))
	k.problem, k.deflated, k.limit = p, p.null, 3*len(vectors)
	k.prepare()
	// Once more by the inverse: what the search leaves of large eigenvalues, in a vector that
	// is good enough for it, shows in the residuals.
	for lo := 0; lo < len(vectors); lo += k.block {
		x := k.next
		clear(x)
		part := vectors[lo:min(lo+k.block, len(vectors))]
		for l, v := range part {
			for i, e := range v {
				x[i*k.block+l] = e
			}
		}
		r.solve(x)
		unitLanes(x, k.block)
		r.extend(x, len(part))
	}
	r.kept = k.q.size
	r.moving = min((p.count+k.block-1)/k.block*k.block, r.kept)
	return r
}

// solve replaces a block by (A + εI)⁻¹ times it.
func (r *refinement) solve(x []float64) {
	b, perm := r.block, r.analysis.Permutation()
	for at, i := range perm {
		copy(r.spare[at*b:(at+1)*b], x[int(i)*b:])
	}
	r.inverse.SolveEliminated(r.spare, b, r.work)
	for at, i := range perm {
		copy(x[int(i)*b:(int(i)+1)*b], r.spare[at*b:])
	}
}

// ritz makes X the best vectors of the span of the basis: the right singular vectors of
// BᵀS for the smallest singular values.
func (r *refinement) ritz(ctx context.Context) error {
	size := r.q.size
	singular, v, err := r.decompose(ctx)
	if err != nil {
		return err
	}
	r.singular = singular[:r.kept]
	rows := make([]float64, size*(r.kept+r.moving))
	for j := range r.kept {
		for i := range size {
			rows[j*size+i] = v[i*size+j]
		}
	}
	r.turn = rows[:size*r.kept]
	total := r.kept
	if size > r.kept { // what moves X is the direction of the next step, too
		for j := range r.moving {
			copy(rows[(r.kept+j)*size+r.kept:(r.kept+j+1)*size], r.turn[j*size+r.kept:(j+1)*size])
		}
		total += r.moving
	}
	r.moved = 0
	for j := range r.count {
		r.moved = max(r.moved, norm(r.turn[j*size+r.kept:(j+1)*size]))
	}
	r.q.rotate(rows[:size*total], total)
	r.last = blocks(r.last, (total-r.kept+r.block-1)/r.block, r.n*r.block)
	for g, p := range r.last {
		lo := r.kept + g*r.block
		r.q.copyTo(p, lo, min(r.block, total-lo))
	}
	r.q.truncate(r.kept)
	return nil
}

// judge estimates from the first turn, of the Ritz vectors of A, how far rounding in A has
// brought the wanted ones out of the span of X. To first order it mixes into vector i a share
// η/(λⱼ − λᵢ) of vector j: η is seen in the vectors that are in X.
func (r *refinement) judge() {
	var coupling float64
	for j := range r.count {
		for i := r.count; i < r.kept; i++ {
			coupling = max(coupling, math.Abs(r.turn[j*r.kept+i])*r.singular[i]*r.singular[i])
		}
	}
	wanted, beyond := r.singular[r.count-1], r.singular[r.kept-1]
	beyond *= beyond
	r.left, r.shrinks = 1, 1
	if r.kept > r.count && beyond > 0 {
		r.left = min(1, doubt*coupling*math.Sqrt(float64(r.kept))/beyond)
		r.shrinks = min(1, r.left+doubt*wanted*wanted/beyond)
	}
	// The share of vector j in vector i adds its square times λⱼ to λᵢ.
	r.leftOfValues = 1
	if least := r.singular[0] * r.singular[0]; least > 0 {
		r.leftOfValues = r.left * r.left * beyond / least
	}
}

// step takes X to the best vectors of the span of X, the preconditioned residuals
// W = (A + εI)⁻¹(BBᵀX − XΛ) of those that move, and the last directions.
func (r *refinement) step(ctx context.Context) error {
	w, err := r.image(ctx, r.moving)
	if err != nil {
		return err
	}
	for g, y := range w {
		lambda := make([]float64, r.block)
		for l := range min(r.block, r.kept-g*r.block) {
			lambda[l] = r.singular[g*r.block+l] * r.singular[g*r.block+l]
		}
		x := r.q.pieces[g]
		for at := range y {
			y[at] -= lambda[at%r.block] * x[at]
		}
		// The residuals differ by many orders.
		unitLanes(y, r.block)
		r.solve(y)
		unitLanes(y, r.block)
	}
	for g, y := range slices.Concat(w, r.last) {
		r.extend(y, min(r.block, r.moving-g%len(w)*r.block))
	}
	before := slices.Clone(r.singular)
	if err := r.ritz(ctx); err != nil {
		return err
	}
	r.left, r.leftOfValues = r.moved*r.shrinks, 0
	for j, sigma := range r.singular[:r.count] {
		if change := before[j]/sigma - 1; sigma > 0 {
			r.leftOfValues = max(r.leftOfValues, 2*math.Abs(change)*r.shrinks)
		}
	}
	return nil
}

// extend adds what is new in the leading columns of a block to the basis.
func (r *refinement) extend(block []float64, width int) {
	lengths, coupling := make([]float64, r.block), make([]float64, r.block*r.block)
	copy(r.next, block)
	r.removeLocal(0, -1, width, lengths)
	width = r.orthonormalize(width, lengths, coupling)
	width = r.settle(-1, width, width, coupling)
	r.enter(width)
}

// blocks returns count zero blocks of this many numbers, in storage as far as that goes.
func blocks(storage [][]float64, count, size int) [][]float64 {
	storage = storage[:min(len(storage), count)]
	for _, block := range storage {
		clear(block)
	}
	for len(storage) < count {
		storage = append(storage, pages.Make[float64](size))
	}
	return storage
}

// norm is the length of a short vector.
func norm(x []float64) float64 { return math.Sqrt(blas.Dot(x, x)) }

// unitLanes scales the columns of a block to unit length; zero columns stay.
func unitLanes(x []float64, lanes int) {
	scale := make([]float64, lanes)
	for i := 0; i < len(x); i += lanes {
		for l, v := range x[i : i+lanes] {
			scale[l] += v * v
		}
	}
	for l, v := range scale {
		if scale[l] = 0; v > 0 {
			scale[l] = 1 / math.Sqrt(v)
		}
	}
	for i := 0; i < len(x); i += lanes {
		for l := range x[i : i+lanes] {
			x[i+l] *= scale[l]
		}
	}
}

// imageScratch is what one goroutine needs to multiply with a block of Bᵀ.
type imageScratch struct {
	image    []float64   // of the block, in lanes
	columns  [][]float64 // the same, column by column
	triangle []float64   // of a block
	place    []int32     // where the sums of a row of B are; -1: nowhere yet
}

// blockSums are what one block of rows of Bᵀ adds to BBᵀX.
type blockSums struct {
	row []int32   // of B, in the order in which they are met
	sum []float64 // of each, in lanes, group after group
}

// imageStorage is scratch that the products with B use one after the other.
type imageStorage struct {
	workers []imageScratch
	window  []blockSums
	stacked []float64   // column after column of all triangles
	image   [][]float64 // BBᵀX
}

// times is the product of a block of rows of Bᵀ with piece p of the basis, in lanes.
func (s *imageScratch) times(q *krylovBasis, p int, rows *sparse.CSR) []float64 {
	s.image = grown(s.image, rows.Rows*q.lanes)
	blas.MulCSRBlock(q.lanes, 0, rows.Rows, rows.Ptr, rows.Col, rows.Val, q.pieces[p], s.image)
	return s.image
}

// decompose returns the singular values of BᵀS, ascending, for the basis S, and the right
// singular vectors (columns of v). BᵀS is never held whole: every block of it is
// triangularised, and then the triangles (Demmel, Grigori, Hoemmen and Langou 2012). That
// and one-sided Jacobi keep small columns accurate next to large ones.
func (r *refinement) decompose(ctx context.Context) (singular, v []float64, err error) {
	w, lanes := r.q.size, r.q.lanes
	height := r.rows.Blocks * w
	r.storage.stacked = grown(r.storage.stacked, height*w)
	clear(r.storage.stacked)
	stacked := make([][]float64, w)
	for j := range stacked {
		stacked[j] = r.storage.stacked[j*height : (j+1)*height]
	}
	err = r.rows.each(ctx, 0, r.rows.Blocks, func(worker, b int, rows *sparse.CSR) {
		s := &r.storage.workers[worker]
		for len(s.columns) < w {
			s.columns = append(s.columns, nil)
		}
		s.triangle = grown(s.triangle, w*w)
		for j := range w {
			s.columns[j] = grown(s.columns[j], rows.Rows)
		}
		for p := range r.q.used() {
			image := s.times(&r.q, p, rows)
			for j, column := range s.columns[p*lanes : min((p+1)*lanes, w)] {
				for i := range column {
					column[i] = image[i*lanes+j]
				}
			}
		}
		Triangularize(s.columns[:w], s.triangle)
		for i := range w {
			for j := i; j < w; j++ {
				stacked[j][b*w+i] = s.triangle[i*w+j]
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	triangle := make([]float64, w*w)
	Triangularize(stacked, triangle)
	singular, v = JacobiSVD(triangle, w)
	return singular, v, nil
}

// imageWindow is the number of blocks whose sums are held at a time.
const imageWindow = 64

// image returns BBᵀX for the leading columns of the basis, in blocks of lanes that the next
// call overwrites. Each block
// of rows of Bᵀ is summed by itself, on whatever thread, and the sums are added in order.
func (r *refinement) image(ctx context.Context, columns int) ([][]float64, error) {
	lanes := r.q.lanes
	r.storage.image = blocks(r.storage.image, (columns+lanes-1)/lanes, r.n*lanes)
	y := r.storage.image
	if r.storage.window == nil {
		r.storage.window = make([]blockSums, min(imageWindow, r.rows.Blocks))
	}
	window := r.storage.window
	for lo := 0; lo < r.rows.Blocks; lo += imageWindow {
		hi := min(lo+imageWindow, r.rows.Blocks)
		err := r.rows.each(ctx, lo, hi, func(worker, b int, rows *sparse.CSR) {
			s, to := &r.storage.workers[worker], &window[b-lo]
			if s.place == nil {
				s.place = make([]int32, r.n)
				for i := range s.place {
					s.place[i] = -1
				}
			}
			to.row = to.row[:0]
			for _, i := range rows.Col {
				if s.place[i] < 0 {
					s.place[i] = int32(len(to.row))
					to.row = append(to.row, i)
				}
			}
			size := len(to.row) * lanes
			to.sum = grown(to.sum, len(y)*size)
			clear(to.sum)
			for g := range y {
				image, sum := s.times(&r.q, g, rows), to.sum[g*size:(g+1)*size]
				for i := range rows.Rows {
					c := image[i*lanes : (i+1)*lanes]
					cols, vals := rows.Row(i)
					for at, j := range cols {
						addLanes(vals[at], c, sum[int(s.place[j])*lanes:])
					}
				}
			}
			for _, i := range to.row {
				s.place[i] = -1
			}
		})
		if err != nil {
			return nil, err
		}
		for _, from := range window[:hi-lo] {
			for g := range y {
				sum := from.sum[g*len(from.row)*lanes:]
				for t, i := range from.row {
					addLanes(1, sum[t*lanes:(t+1)*lanes], y[g][int(i)*lanes:])
				}
			}
		}
	}
	return y, nil
}

// addLanes adds v·x to y. x has 4 or 8 lanes.
func addLanes(v float64, x, y []float64) {
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		y[0] += v * x[0]
		y[1] += v * x[1]
		y[2] += v * x[2]
		y[3] += v * x[3]
	}
}
