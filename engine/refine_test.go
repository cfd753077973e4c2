package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/internal/twofold"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// bandedQR triangularises the rows of bt, whose entries lie close to a diagonal,
// by Givens rotations: the oracle for eigenvalues of BBᵀ far below the rounding
// of BBᵀ itself, in twice the precision: QR in float64 would itself be off by 1e-5 of
// the smallest eigenvalue below. Row i of the result holds columns i … i+width−1 of R.
func bandedQR(bt *sparse.CSR, width int) [][]twofold.Number {
	type sorted struct{ row, first int }
	rows := make([]sorted, bt.Rows)
	for i := range rows {
		cols, _ := bt.Row(i)
		rows[i] = sorted{i, int(slices.Min(cols))}
	}
	slices.SortStableFunc(rows, func(a, b sorted) int { return a.first - b.first })
	r := make([][]twofold.Number, bt.Cols)
	for i := range r {
		r[i] = make([]twofold.Number, width)
	}
	v := make([]twofold.Number, width)
	for _, at := range rows {
		cols, vals := bt.Row(at.row)
		clear(v)
		for q, c := range cols {
			v[int(c)-at.first] = twofold.Of(vals[q]) // panics where the band is too narrow
		}
		for j := at.first; j < bt.Cols; j++ {
			if r[j][0].Hi == 0 { // the first row to get here
				copy(r[j], v)
				break
			}
			if v[0].Hi != 0 {
				h := r[j][0].Times(r[j][0]).Plus(v[0].Times(v[0])).Root()
				c, s := r[j][0].Over(h), v[0].Over(h)
				for q := range width {
					x, y := r[j][q], v[q]
					if x.Hi == 0 && y.Hi == 0 {
						continue
					}
					r[j][q], v[q] = c.Times(x).Plus(s.Times(y)), c.Times(y).Minus(s.Times(x))
				}
			}
			copy(v, v[1:])
			v[width-1] = twofold.Number{}
		}
	}
	return r
}

// smallestByQR is inverse iteration with RᵀR on the complement of the constants,
// its null space: the last unknown is held at zero and the mean taken out.
func smallestByQR(r [][]twofold.Number, start []float64) float64 {
	n, width := len(r), len(r[0])
	x := make([]twofold.Number, n)
	for i, v := range start {
		x[i].Hi = v
	}
	for range 3 { // the gap makes each step worth four digits and more
		x[n-1] = twofold.Number{}
		for i := range n - 1 { // Rᵀu = x
			x[i] = x[i].Over(r[i][0])
			for q := 1; q < width && i+q < n-1; q++ {
				x[i+q] = x[i+q].Minus(r[i][q].Times(x[i]))
			}
		}
		for i := n - 2; i >= 0; i-- { // Ry = u
			for q := 1; q < width && i+q < n-1; q++ {
				x[i] = x[i].Minus(r[i][q].Times(x[i+q]))
			}
			x[i] = x[i].Over(r[i][0])
		}
		var total, square twofold.Number
		for _, v := range x {
			total = total.Plus(v)
		}
		mean := total.Over(twofold.Of(float64(n)))
		for i := range x {
			x[i] = x[i].Minus(mean)
			square = square.Plus(x[i].Times(x[i]))
		}
		norm := square.Root()
		for i := range x {
			x[i] = x[i].Over(norm)
		}
	}
	var lambda twofold.Number
	for i := range n {
		var y twofold.Number
		for q := 0; q < width && i+q < n; q++ {
			y = y.Plus(r[i][q].Times(x[i+q]))
		}
		lambda = lambda.Plus(y.Times(y))
	}
	return lambda.Hi
}

// A long curve: its smallest eigenvalue falls to 1e-20 of the matrix, which the
// stored matrix cannot know. The factors can.
func TestRefinementReachesWhatRoundingHides(t *testing.T) {
	for _, c := range []struct{ n, k int }{{3000, 8}, {10000, 8}, {30000, 8}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			if testing.Short() && c.n > 3000 {
				t.Skip("a long curve, left out by -short")
			}
			x := generate(t, "helix", c.n, 1).X
			rows := samples.Of(x)
			g := must(neighbors.Exact(t.Context(), rows.Points(), c.k, neighbors.Options{}))(t)
			a := must(align.SumOfPatches(align.Input{Local: patch.Local{Run: steptest.Run(t), X: rows, Graph: g}, Patch: patch.Tangent(1, false)}))(t)
			blocks := must(a.Factored())(t)
			bt := steptest.Whole(blocks)
			r := embed(t, x, LTSA{Neighbors: c.k, Dim: 1}, Options{})
			want := smallestByQR(bandedQR(bt, 4*c.k), r.Y.RawMatrix().Data)
			if math.Abs(r.Values[0]/want-1) > 1e-6 || r.Details["refinements"] == nil {
				t.Errorf("n=%d: λ = %.9g after %v refinements, by QR %.9g", c.n, r.Values[0], r.Details["refinements"], want)
			}
			t.Logf("n=%d: λ = %.9g, by QR %.9g, refinements %v", c.n, r.Values[0], want, r.Details["refinements"])
		})
	}
}
