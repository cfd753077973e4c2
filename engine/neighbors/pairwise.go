package neighbors

import (
	"math"

	"github.com/orthant-go/orthant/sparse"
)

// pairwise is a metric of two samples as sums over the columns: a column in which both are
// zero adds nothing.
type pairwise struct {
	// add takes in a column.
	add func(s sums, u, v float64) sums
	// distance is made of the sums of all columns.
	distance func(s sums) float64
	// scales reports that distances are in the unit of the samples.
	scales bool
}

type sums struct{ over, under float64 }

// pairwiseOf is the row of a metric that is made of sums; ok is false for others.
func pairwiseOf(m Metric) (p pairwise, ok bool) {
	share := func(s sums) float64 { // 0 of two samples of zeros
		if s.over == 0 {
			return 0
		}
		return s.over / s.under
	}
	over := func(s sums) float64 { return s.over }
	switch m {
	case Manhattan:
		return pairwise{func(s sums, u, v float64) sums { s.over += math.Abs(u - v); return s }, over, true}, true
	case Chebyshev:
		return pairwise{func(s sums, u, v float64) sums { s.over = max(s.over, math.Abs(u-v)); return s }, over, true}, true
	case Canberra:
		return pairwise{func(s sums, u, v float64) sums {
			if u != v {
				s.over += math.Abs(u-v) / (math.Abs(u) + math.Abs(v))
			}
			return s
		}, over, false}, true
	case BrayCurtis:
		return pairwise{func(s sums, u, v float64) sums {
			return sums{s.over + math.Abs(u-v), s.under + math.Abs(u+v)}
		}, share, false}, true
	}
	power, is := m.power()
	if !is {
		return pairwise{}, false
	}
	return pairwise{func(s sums, u, v float64) sums { s.over += math.Pow(math.Abs(u-v), power); return s },
		func(s sums) float64 { return math.Pow(s.over, 1/power) }, true}, true
}

// pairRows are dense samples measured column by column.
type pairRows struct {
	Points
	pairwise
}

func (pairRows) begin(int, *measureScratch) {}

func (r pairRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v, s := r.Row(j), sums{}
		for q, t := range u {
			s = r.add(s, t, v[q])
		}
		out[j-lo] = r.distance(s)
	}
}

// mergedRows are compressed samples measured in the columns that one of them has.
type mergedRows struct {
	a *sparse.CSR
	pairwise
}

func (mergedRows) begin(int, *measureScratch) {}

func (r mergedRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	cols, vals := r.a.Row(i)
	for j := lo; j < hi; j++ {
		others, values := r.a.Row(j)
		p, q, s := 0, 0, sums{}
		for p < len(cols) || q < len(others) {
			switch {
			case q == len(others) || p < len(cols) && cols[p] < others[q]:
				s = r.add(s, vals[p], 0)
				p++
			case p == len(cols) || others[q] < cols[p]:
				s = r.add(s, 0, values[q])
				q++
			default:
				s = r.add(s, vals[p], values[q])
				p++
				q++
			}
		}
		out[j-lo] = r.distance(s)
	}
}

// haversineRows are places on the unit sphere: latitude and longitude in radians.
type haversineRows struct{ Points }

func (haversineRows) begin(int, *measureScratch) {}

func (r haversineRows) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	u := r.Row(i)
	for j := lo; j < hi; j++ {
		v := r.Row(j)
		a, b := math.Sin((u[0]-v[0])/2), math.Sin((u[1]-v[1])/2)
		out[j-lo] = 2 * math.Asin(min(1, math.Sqrt(a*a+math.Cos(u[0])*math.Cos(v[0])*b*b)))
	}
}
