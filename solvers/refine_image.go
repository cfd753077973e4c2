package solvers

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

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
// and one-sided Jacobi keep small columns accurate beside large ones.
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
