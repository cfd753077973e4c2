package layout

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// incident lists pairs by vertex, in which it is either: each step then gathers, and writes one vertex
// at a time. Vertices are numbered along a curve through the start, so that near ones are near each other
// in memory.
type incident struct {
	order []int32 // the vertices along the curve
	kinds [3]adjacency
}

// adjacency has the other ends of the pairs of vertex i in other[ptr[i]:ptr[i+1]].
type adjacency struct {
	ptr   []int
	other []int32
}

func (a *adjacency) of(i int) []int32 { return a.other[a.ptr[i]:a.ptr[i+1]] }

// incident lists the pairs of the rows of y.
func (p Pairs) incident(y *mat.Dense) (*incident, error) {
	n, _ := y.Dims()
	for _, list := range [3][]Pair{p.Near, p.MidNear, p.Further} {
		for _, q := range list {
			if uint(q.I) >= uint(n) || uint(q.J) >= uint(n) {
				return nil, fmt.Errorf("layout: a pair of the vertices %d and %d, of %d", q.I, q.J, n)
			}
		}
	}
	if err := finite(y); err != nil {
		return nil, err
	}
	var along tree
	along.sort(placesOf(y))
	in, number := &incident{order: along.order}, make([]int32, n)
	for at, i := range in.order {
		number[i] = int32(at)
	}
	for kind, list := range [3][]Pair{p.Near, p.MidNear, p.Further} {
		in.kinds[kind] = newAdjacency(n, len(list), func(k int) (i, j int32) { return number[list[k].I], number[list[k].J] })
	}
	return in, nil
}

// newAdjacency lists count pairs by both ends.
func newAdjacency(n, count int, pair func(k int) (i, j int32)) adjacency {
	a := adjacency{ptr: make([]int, n+1), other: make([]int32, 2*count)}
	for k := range count {
		i, j := pair(k)
		a.ptr[i]++
		a.ptr[j]++
	}
	var sum int
	for i, size := range a.ptr {
		sum += size
		a.ptr[i] = sum // the end, which filling moves to the start
	}
	for k := count - 1; k >= 0; k-- {
		i, j := pair(k)
		a.ptr[j]--
		a.other[a.ptr[j]] = i
		a.ptr[i]--
		a.other[a.ptr[i]] = j
	}
	return a
}

// The term of a pair in the objective has the slope ±reach/(reach + d)² by d, with these reaches, for
// near and mid-near pairs, and for further pairs with the other sign.
var reaches = [3]float64{10, 10000, 1}

// gradient fills g with the gradient of the objective by vertex i, in the numbers of the lists.
func gradient[T float](in *incident, w [3]float64, at []T, i int, g []T) {
	clear(g)
	for kind, reach := range reaches {
		if w[kind] == 0 {
			continue
		}
		scale := T(2 * w[kind] * reach)
		if kind == 2 {
			scale = -scale
		}
		if others := in.kinds[kind].of(i); len(g) == 2 {
			gradientInPlane(others, scale, T(reach+1), points(at), i, g)
		} else {
			gradientInSpace(others, scale, T(reach+1), at, i, g)
		}
	}
}

// gradientInPlane adds scale·(y_i − y_j)/(reach + ‖y_i − y_j‖²)², summed over others, in two columns.
func gradientInPlane[T float](others []int32, scale, reach T, at [][2]T, i int, g []T) {
	x, y := at[i][0], at[i][1]
	var gx, gy T
	for _, j := range others {
		q := &at[j]
		dx, dy := x-q[0], y-q[1]
		d := reach + T(dx*dx) + T(dy*dy)
		c := scale / T(d*d)
		gx += T(c * dx)
		gy += T(c * dy)
	}
	g[0] += gx
	g[1] += gy
}

// gradientInSpace is gradientInPlane in any number of columns.
func gradientInSpace[T float](others []int32, scale, reach T, at []T, i int, g []T) {
	dim := len(g)
	p := at[i*dim : (i+1)*dim]
	for _, j := range others {
		q := at[int(j)*dim : (int(j)+1)*dim]
		d := reach
		for m := range p {
			d += T((p[m] - q[m]) * (p[m] - q[m]))
		}
		c := scale / T(d*d)
		for m := range p {
			g[m] += T(c * (p[m] - q[m]))
		}
	}
}
