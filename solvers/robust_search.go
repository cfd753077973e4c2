package solvers

import (
	"cmp"
	"math"
	"slices"
)

// kink is a step length at which an entry passes zero, and by how much the slope of
// the cost jumps there.
type kink struct {
	at    float64
	entry int
	jump  float64
}

func sortKinks(kinks []kink) {
	slices.SortFunc(kinks, func(p, q kink) int {
		return cmp.Or(cmp.Compare(p.at, q.at), cmp.Compare(p.entry, q.entry))
	})
}

// search finds the step 0 < t ≤ 1 along l.d at which the cost is lowest. Where that
// is the zero of an entry, it is returned, too, else −1. t = 0: not downhill.
//
// The slope along the way grows piecewise linearly and jumps where entries pass
// zero: a search among these, then one by secants within the piece.
func (l *RobustLasso) search() (t float64, zeroed int) {
	if before, _ := l.slope(0, 1); before >= 0 {
		return 0, -1
	}
	l.kinks = l.kinks[:0]
	for j, v := range l.a {
		if d := l.d[j]; v*d < 0 && -v/d < 1 {
			l.kinks = append(l.kinks, kink{-v / d, j, 2 * l.Sparse * math.Abs(d)})
		}
	}
	sortKinks(l.kinks)
	low, high := 0.0, 1.0
	from, to := 0, len(l.kinks)
	for from < to {
		mid := (from + to) / 2
		at := l.kinks[mid].at
		left, _ := l.slope(at, -1)
		if left > 0 {
			to, high = mid, at
			continue
		}
		if right, _ := l.slope(at, 1); right >= 0 {
			return at, l.kinks[mid].entry
		}
		from, low = mid+1, at
	}
	return l.root(low, high), -1
}

// root finds the zero of the slope in a piece without kinks, where it is negative
// at low and, unless high is 1, positive at high.
func (l *RobustLasso) root(low, high float64) float64 {
	t := high
	for range 100 {
		slope, curvature := l.slope(t, -1)
		if t == 1 && slope <= 0 {
			return 1
		}
		if slope > 0 {
			high = t
		} else {
			low = t
		}
		// From within its piece a Newton step meets the zero exactly.
		next := t - slope/curvature
		if next == t || math.Abs(next-t) <= 0x1p-50*t {
			return t
		}
		if !(next > low && next < high) {
			if next = low + (high-low)/2; next <= low || next >= high {
				return t
			}
		}
		t = next
	}
	return t
}

// slope returns the derivative of the cost along l.d at step t, that from the left
// for side −1, from the right for 1, and how fast it grows there.
func (l *RobustLasso) slope(t, side float64) (slope, curvature float64) {
	c := l.Sparse / 2
	var sum, square float64
	step := l.step[:len(l.residual)]
	for i, r := range l.residual {
		v := step[i]
		if r -= t * v; r > c {
			sum += c * v
		} else if r < -c {
			sum -= c * v
		} else {
			sum += r * v
			square += v * v
		}
	}
	slope, curvature = -2*sum, 2*square
	var before, dBefore float64
	for j, v := range l.a {
		d := l.d[j]
		at := v + t*d
		if j > 0 {
			slope += 2 * l.Smooth * (at - before) * (d - dBefore)
			curvature += 2 * l.Smooth * (d - dBefore) * (d - dBefore)
		}
		before, dBefore = at, d
		if d == 0 {
			continue
		}
		// The sign at and beside a zero is that of the side.
		switch zero := -v / d; {
		case v != 0 && (t < zero || t == zero && side < 0) && zero > 0:
			slope += math.Copysign(l.Sparse, v) * d
		case v == 0 || zero > 0:
			slope += l.Sparse * math.Abs(d)
		default:
			slope += math.Copysign(l.Sparse, v) * d
		}
	}
	return slope, curvature
}
