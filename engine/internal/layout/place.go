// Package layout combines separately embedded pieces into one map.
package layout

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Piece is a set of samples with its own coordinates.
type Piece struct {
	Rows   []int
	Y      *mat.Dense // coordinates of the rows, in any unit, possibly with fewer columns than the map; nil: one sample
	Spread float64    // root mean square distance of its samples from their mean, in the data
}

// Place arranges pieces in d dimensions along the edges of a tree that joins them, from
// the first piece outwards. Every piece is scaled to the spread of its samples in the data
// and reflected so that its end of the edge faces the other end. It is placed in the
// direction of its mean from that of the preceding piece, according to axes (one row for each
// piece, its mean on the first principal axes of the means). Its distance is the smallest that the length
// of the edge and the balls around the pieces allow: no two balls overlap. The
// coordinates are returned on their principal axes, in columns of unit length and mean 0.
// O(nd² + c² log c) for c pieces.
func Place(kernels *blas.Kernels, n, d int, pieces []Piece, axes *mat.Dense, tree []neighborhood.Bridge) (*mat.Dense, error) {
	p := arrange(n, d, pieces, axes, tree)
	return p.y, principal(kernels, p.y)
}

// arrange is Place in the unit of the data.
func arrange(n, d int, pieces []Piece, axes *mat.Dense, tree []neighborhood.Bridge) *placing {
	p := &placing{d: d, y: mat.NewDense(n, d, nil), axes: axes, of: make([]int, n), balls: make([]ball, 0, len(pieces))}
	for c, piece := range pieces {
		for _, i := range piece.Rows {
			p.of[i] = c
		}
		p.spread(piece)
	}
	edges := make([][]int, len(pieces)) // of the tree, by piece
	for e, b := range tree {
		from, to := p.of[b.From], p.of[b.To]
		edges[from], edges[to] = append(edges[from], e), append(edges[to], e)
	}
	placed := make([]*ball, len(pieces))
	place := func(c int, at []float64) {
		p.balls = append(p.balls, ball{center: at, radius: p.radius(pieces[c])})
		placed[c] = &p.balls[len(p.balls)-1]
		for _, i := range pieces[c].Rows {
			blas.Axpy(1, at, p.y.RawRowView(i))
		}
	}
	place(0, make([]float64, d))
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		before := queue[0]
		slices.SortFunc(edges[before], func(a, b int) int { return cmp.Or(cmp.Compare(tree[a].Length, tree[b].Length), a-b) })
		for _, e := range edges[before] {
			end, c := tree[e].To, p.of[tree[e].To]
			if c == before {
				end, c = tree[e].From, p.of[tree[e].From]
			}
			if placed[c] != nil {
				continue
			}
			u := p.direction(before, c)
			p.face(pieces[c], int(end), u)
			place(c, p.free(placed[before], u, p.radius(pieces[c]), tree[e].Length))
			queue = append(queue, c)
		}
	}
	return p
}

// placing is the state of [Place].
type placing struct {
	d     int
	y     *mat.Dense
	axes  *mat.Dense
	of    []int // piece of each sample
	balls []ball
}

// ball encloses a piece that has been placed.
type ball struct {
	center []float64
	radius float64
}

// spread writes the coordinates of a piece around the origin, in the unit of the data.
func (p *placing) spread(piece Piece) {
	if piece.Y == nil {
		return
	}
	rows, own := piece.Y.Dims()
	mean := make([]float64, own)
	for q := range rows {
		blas.Axpy(1/float64(rows), piece.Y.RawRowView(q), mean)
	}
	var squares float64
	for q, i := range piece.Rows {
		row := p.y.RawRowView(i)[:own]
		copy(row, piece.Y.RawRowView(q))
		blas.Axpy(-1, mean, row)
		squares += blas.Dot(row, row)
	}
	if squares == 0 {
		return
	}
	by := piece.Spread / math.Sqrt(squares/float64(rows))
	for _, i := range piece.Rows {
		blas.Scale(by, p.y.RawRowView(i)[:own])
	}
}

// radius returns the radius of the ball around a piece's mean that encloses it. The mean must
// be at the origin.
func (p *placing) radius(piece Piece) float64 {
	var most float64
	for _, i := range piece.Rows {
		row := p.y.RawRowView(i)
		most = max(most, blas.Dot(row, row))
	}
	return math.Sqrt(most)
}

// direction returns the unit vector from one piece's mean to another's along the axes.
func (p *placing) direction(from, to int) []float64 {
	u := make([]float64, p.d)
	_, known := p.axes.Dims()
	for j := range known {
		u[j] = p.axes.At(to, j) - p.axes.At(from, j)
	}
	if size := math.Sqrt(blas.Dot(u, u)); size > 0 {
		blas.Scale(1/size, u)
	} else {
		u[0] = 1
	}
	return u
}

// face reflects a piece about its mean so that one of its samples lies in the direction −u.
func (p *placing) face(piece Piece, end int, u []float64) {
	v := slices.Clone(p.y.RawRowView(end))
	size := math.Sqrt(blas.Dot(v, v))
	if size == 0 {
		return
	}
	blas.Scale(1/size, v)
	blas.Axpy(1, u, v) // normal of the mirror that maps the end's direction to −u
	square := blas.Dot(v, v)
	if square < 1e-24 {
		return // it lies there already
	}
	for _, i := range piece.Rows {
		row := p.y.RawRowView(i)
		blas.Axpy(-2*blas.Dot(v, row)/square, v, row)
	}
}

// free returns the first place on a ray from a ball's centre at which a ball of the given radius
// keeps the gap to all others.
func (p *placing) free(from *ball, u []float64, radius, gap float64) []float64 {
	type span struct{ from, to float64 }
	var taken []span
	to := make([]float64, p.d)
	for _, b := range p.balls {
		copy(to, b.center)
		blas.Axpy(-1, from.center, to)
		along, least := blas.Dot(to, u), b.radius+radius+gap
		if half := least*least - blas.Dot(to, to) + along*along; half > 0 {
			half = math.Sqrt(half)
			taken = append(taken, span{along - half, along + half})
		}
	}
	slices.SortFunc(taken, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	at := from.radius + radius + gap
	for _, s := range taken {
		if s.from > at {
			break
		}
		at = max(at, s.to)
	}
	center := slices.Clone(from.center)
	blas.Axpy(at, u, center)
	return center
}

// flatShare: a principal axis is flat if its variance is less than this share of the
// largest.
const flatShare = 1e-24

// principal rotates coordinates to their principal axes, in descending order of variance, and scales
// the columns to mean 0 and length 1, with positive largest entry. Flat columns are zero.
func principal(kernels *blas.Kernels, y *mat.Dense) error {
	n, d := y.Dims()
	mean := make([]float64, d)
	for i := range n {
		blas.Axpy(1/float64(n), y.RawRowView(i), mean)
	}
	gram := make([]float64, d*d)
	for i := range n {
		row := y.RawRowView(i)
		blas.Axpy(-1, mean, row)
		for j, v := range row {
			blas.Axpy(v, row, gram[j*d:j*d+d])
		}
	}
	values := make([]float64, d)
	if err := kernels.SymEig(d, gram, d, values, new(blas.Work)); err != nil {
		return err
	}
	turned := make([]float64, d)
	for i := range n {
		row := y.RawRowView(i)
		for j := range d {
			turned[j] = blas.Dot(row, gram[(d-1-j)*d:(d-j)*d])
		}
		copy(row, turned)
	}
	for j := range d {
		column := mat.Col(nil, j, y)
		if square := blas.Dot(column, column); square > flatShare*values[d-1] {
			blas.Scale(1/math.Sqrt(square), column)
		} else {
			clear(column)
		}
		vector.FixSign(column)
		y.SetCol(j, column)
	}
	return nil
}
