package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// mostInClass bounds the table of distances within a class (4 GiB).
const mostInClass = 1 << 15

// ClassifyNFL gives each test point the class of the nearest feature line: the
// infinite line through two training points of one class (Li and Lu 1999). A
// class of one point, and a pair of equal points, count with the distance to
// the point. Of equally near classes the smallest label wins.
//
// Errors are those of [ClassifyNN], and a class of more than 32768 points. Time
// is O(tests·(n·m + Σ c²/2)) over the sizes c of the classes, on all cores;
// memory 4c² bytes for the largest class.
func ClassifyNFL(train mat.Matrix, labels []int64, test mat.Matrix) ([]int64, error) {
	x, y, err := trainingAndTest("nfl", train, labels, test)
	if err != nil {
		return nil, err
	}
	classes := map[int64][]int{}
	for i, l := range labels {
		classes[l] = append(classes[l], i)
	}
	names := distinct(labels)
	for _, l := range names {
		if size := len(classes[l]); size > mostInClass {
			return nil, fmt.Errorf("nfl: class %d has %d training points, want at most %d; train on a part of them", l, size, mostInClass)
		}
	}
	predicted, nearest := make([]int64, y.n), make([]float64, y.n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	scratch := make([][]float64, blas.Threads(0))
	for _, l := range names {
		c := newLines(x, classes[l])
		parallel(y.n, 4, func(worker, lo, hi int) {
			if len(scratch[worker]) < len(c.of) {
				scratch[worker] = make([]float64, len(c.of))
			}
			for i := lo; i < hi; i++ {
				if d := c.nearest(y.row(i), nearest[i], scratch[worker]); d < nearest[i] {
					nearest[i], predicted[i] = d, l
				}
			}
		})
	}
	return predicted, nil
}

// lines are the feature lines of one class.
type lines struct {
	x    points
	of   []int     // the points of the class
	dist []float64 // squared distance of points a > b at a(a−1)/2 + b
}

func newLines(x points, of []int) lines {
	c := lines{x, of, make([]float64, len(of)*(len(of)-1)/2)}
	parallel(len(of), 16, func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			for b := range a {
				c.dist[a*(a-1)/2+b] = blas.SquaredDistance(x.row(of[a]), x.row(of[b]))
			}
		}
	})
	return c
}

// nearest returns the squared distance of a point to the nearest line of the
// class, or something not below the given bound where none is nearer than that.
//
// With r the squared distances to the points and D that of two of them, the
// foot of the point on the line through a and b is at the share
// s = (r_a + D − r_b)/2D of the way, and its squared distance is r_a − s²D:
// three operations a line, but inaccurate where s is large or the line near. So
// the short formula, lowered by a bound of its error, only rules lines out; the
// few that remain are measured in full.
func (c lines) nearest(point []float64, bound float64, r []float64) float64 {
	best := bound
	for a, i := range c.of {
		r[a] = blas.SquaredDistance(point, c.x.row(i))
		best = math.Min(best, r[a]) // no line is farther than its points
	}
	// Each r and D is right to (m+2)·2⁻⁵³ of itself.
	eps := 4 * float64(c.x.m+8) * 0x1p-53
	for a := 1; a < len(c.of); a++ {
		ra, dist := r[a], c.dist[a*(a-1)/2:a*(a-1)/2+a]
		for b, d := range dist {
			if d == 0 {
				continue
			}
			p := ra + d - r[b] // 2sD
			slack := eps * (ra + d + r[b])
			short := ra - p*p/(4*d)
			if short-slack*(1+(math.Abs(p)+slack)/d) < best {
				best = math.Min(best, lineDistance(point, c.x.row(c.of[a]), c.x.row(c.of[b])))
			}
		}
	}
	return best
}

// lineDistance is the squared distance of a point to the line through a and b,
// which differ, from the end that is nearer to it.
func lineDistance(x, a, b []float64) float64 {
	if blas.SquaredDistance(x, b) < blas.SquaredDistance(x, a) {
		a, b = b, a
	}
	uv, vv := 0.0, 0.0
	for i, o := range a {
		v := b[i] - o
		uv += (x[i] - o) * v
		vv += v * v
	}
	if vv == 0 {
		return blas.SquaredDistance(x, a)
	}
	share, sum := uv/vv, 0.0
	for i, o := range a {
		d := x[i] - o - share*(b[i]-o)
		sum += d * d
	}
	return sum
}
