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
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// double is an unevaluated sum of two float64, about 32 digits (Dekker 1971). QR
// in float64 would itself be off by 1e-5 of the smallest eigenvalue below.
type double struct{ hi, lo float64 }

func twoSum(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

func (x double) plus(y double) double {
	s := twoSum(x.hi, y.hi)
	return twoSum(s.hi, s.lo+x.lo+y.lo)
}

func (x double) times(y double) double {
	p := x.hi * y.hi
	return twoSum(p, math.FMA(x.hi, y.hi, -p)+x.hi*y.lo+x.lo*y.hi)
}

func (x double) minus(y double) double { return x.plus(double{-y.hi, -y.lo}) }

func (x double) over(y double) double {
	q := double{x.hi / y.hi, 0}
	r := x.minus(q.times(y))
	return q.plus(double{r.hi / y.hi, 0})
}

func (x double) root() double {
	s := double{math.Sqrt(x.hi), 0}
	r := x.minus(s.times(s))
	return s.plus(double{r.hi / (2 * s.hi), 0})
}

// bandedQR triangularises the rows of bt, whose entries lie close to a diagonal,
// by Givens rotations: the oracle for eigenvalues of BBᵀ far below the rounding
// of BBᵀ itself. Row i of the result holds columns i … i+width−1 of R.
func bandedQR(bt *sparse.CSR, width int) [][]double {
	type sorted struct{ row, first int }
	rows := make([]sorted, bt.Rows)
	for i := range rows {
		cols, _ := bt.Row(i)
		rows[i] = sorted{i, int(slices.Min(cols))}
	}
	slices.SortStableFunc(rows, func(a, b sorted) int { return a.first - b.first })
	r := make([][]double, bt.Cols)
	for i := range r {
		r[i] = make([]double, width)
	}
	v := make([]double, width)
	for _, at := range rows {
		cols, vals := bt.Row(at.row)
		clear(v)
		for q, c := range cols {
			v[int(c)-at.first] = double{vals[q], 0} // panics where the band is too narrow
		}
		for j := at.first; j < bt.Cols; j++ {
			if r[j][0].hi == 0 { // the first row to get here
				copy(r[j], v)
				break
			}
			if v[0].hi != 0 {
				h := r[j][0].times(r[j][0]).plus(v[0].times(v[0])).root()
				c, s := r[j][0].over(h), v[0].over(h)
				for q := range width {
					x, y := r[j][q], v[q]
					if x.hi == 0 && y.hi == 0 {
						continue
					}
					r[j][q], v[q] = c.times(x).plus(s.times(y)), c.times(y).minus(s.times(x))
				}
			}
			copy(v, v[1:])
			v[width-1] = double{}
		}
	}
	return r
}

// smallestByQR is inverse iteration with RᵀR on the complement of the constants,
// its null space: the last unknown is held at zero and the mean taken out.
func smallestByQR(r [][]double, start []float64) float64 {
	n, width := len(r), len(r[0])
	x := make([]double, n)
	for i, v := range start {
		x[i].hi = v
	}
	for range 3 { // the gap makes each step worth four digits and more
		x[n-1] = double{}
		for i := range n - 1 { // Rᵀu = x
			x[i] = x[i].over(r[i][0])
			for q := 1; q < width && i+q < n-1; q++ {
				x[i+q] = x[i+q].minus(r[i][q].times(x[i]))
			}
		}
		for i := n - 2; i >= 0; i-- { // Ry = u
			for q := 1; q < width && i+q < n-1; q++ {
				x[i] = x[i].minus(r[i][q].times(x[i+q]))
			}
			x[i] = x[i].over(r[i][0])
		}
		var total, square double
		for _, v := range x {
			total = total.plus(v)
		}
		mean := total.over(double{float64(n), 0})
		for i := range x {
			x[i] = x[i].minus(mean)
			square = square.plus(x[i].times(x[i]))
		}
		norm := square.root()
		for i := range x {
			x[i] = x[i].over(norm)
		}
	}
	var lambda double
	for i := range n {
		var y double
		for q := 0; q < width && i+q < n; q++ {
			y = y.plus(r[i][q].times(x[i+q]))
		}
		lambda = lambda.plus(y.times(y))
	}
	return lambda.hi
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
			g, err := neighbors.Exact(t.Context(), rows.Points(), c.k, neighbors.Options{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := align.SumOfPatches(align.Input{Local: patch.Local{Run: steptest.Run(t), X: rows, Graph: g}, Patch: patch.Tangent(1, false)})
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := a.Factored()
			if err != nil {
				t.Fatal(err)
			}
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
