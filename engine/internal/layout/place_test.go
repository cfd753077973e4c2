package layout

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/internal/must"
)

// Balls around pieces keep apart, by the edge's length at least, and pieces have their
// spread, in the unit of the data.
func TestPiecesKeepApart(t *testing.T) {
	for _, d := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			const count, size = 40, 6
			s := blas.NewStream(uint64(d))
			pieces, axes := make([]Piece, count), mat.NewDense(count, min(d, 2), nil)
			s.Normals(axes.RawMatrix().Data)
			var tree []neighborhood.Bridge
			for c := range pieces {
				y := mat.NewDense(size, min(d, 2), nil)
				s.Normals(y.RawMatrix().Data)
				pieces[c] = Piece{Y: y, Spread: 0.2 + s.Uniform()}
				for q := range size {
					pieces[c].Rows = append(pieces[c].Rows, c*size+q)
				}
				if c > 0 { // a star at one sample, then a path
					tree = append(tree, neighborhood.Bridge{From: int32(max(0, c-20) * size), To: int32(c*size + 1), Length: 0.5})
				}
			}
			p := arrange(count*size, d, pieces, axes, tree)
			for a, one := range p.balls {
				for b, other := range p.balls[:a] {
					apart := math.Sqrt(blas.SquaredDistance(one.center, other.center))
					if least := one.radius + other.radius + 0.5; apart < least*(1-1e-9) {
						t.Errorf("balls %d and %d are %v apart, at least %v would be", a, b, apart, least)
					}
				}
			}
			for c, piece := range pieces {
				center := make([]float64, d)
				for _, i := range piece.Rows {
					blas.Axpy(1.0/size, p.y.RawRowView(i), center)
				}
				var squares float64
				for _, i := range piece.Rows {
					squares += blas.SquaredDistance(p.y.RawRowView(i), center) / size
				}
				if math.Abs(math.Sqrt(squares)-piece.Spread) > 1e-9 {
					t.Errorf("piece %d has spread %v, in the data %v", c, math.Sqrt(squares), piece.Spread)
				}
			}
		})
	}
}

// One sample a piece, all at one place: the picture is flat if nothing separates them.
func TestPlaceOfPoints(t *testing.T) {
	kernels := must.Get(blas.Select(""))(t)
	pieces := []Piece{{Rows: []int{0}}, {Rows: []int{1}}, {Rows: []int{2}}}
	tree := []neighborhood.Bridge{{From: 0, To: 1}, {From: 1, To: 2}}
	y := must.Get(Place(kernels, 3, 2, pieces, mat.NewDense(3, 1, nil), tree))(t)
	for _, v := range y.RawMatrix().Data {
		if v != 0 {
			t.Fatalf("coordinates %v", mat.Formatted(y))
		}
	}
}
