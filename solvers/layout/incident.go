package layout

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// incident lists pairs by vertex, in which it is either: each step then gathers, and writes one vertex
// at a time. Vertices are numbered along a curve through the start, so that near ones are near each other
// in memory.
type incident struct {
	order  []int32 // the vertices along the curve
	number []int32 // of each vertex along the curve
	kinds  [3]adjacency
	local  float64 // if above 0, near pairs weigh local/√d: see [Local]
}

// Kinds of pairs.
const (
	near = iota
	midNear
	further
)

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
	in := &incident{order: along.order, number: make([]int32, n)}
	for at, i := range in.order {
		in.number[i] = int32(at)
	}
	for kind, list := range [3][]Pair{p.Near, p.MidNear, p.Further} {
		a := &in.kinds[kind]
		a.ptr, a.other = make([]int, n+1), make([]int32, 2*len(list))
		a.fill(func(yield func(i, j int32)) {
			for _, q := range list {
				yield(in.number[q.I], in.number[q.J])
			}
		})
	}
	return in, nil
}

// fill lists pairs, which are given twice, by both ends.
func (a *adjacency) fill(pairs func(yield func(i, j int32))) {
	clear(a.ptr)
	pairs(func(i, j int32) {
		a.ptr[i]++
		a.ptr[j]++
	})
	var sum int
	for i, size := range a.ptr {
		a.ptr[i] = sum // the next free entry of i, and in the end that of i+1
		sum += size
	}
	pairs(func(i, j int32) {
		a.other[a.ptr[i]] = j
		a.ptr[i]++
		a.other[a.ptr[j]] = i
		a.ptr[j]++
	})
	copy(a.ptr[1:], a.ptr)
	a.ptr[0] = 0
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
		if kind == further {
			scale = -scale
		}
		others := in.kinds[kind].of(i)
		switch nearby := kind == near && in.local > 0; {
		case nearby && len(g) == 2:
			nearbyInPlane(others, scale*T(in.local), T(reach), points(at), i, g)
		case nearby:
			nearbyInSpace(others, scale*T(in.local), T(reach), at, i, g)
		case len(g) == 2:
			gradientInPlane(others, scale, T(reach+1), points(at), i, g)
		default:
			gradientInSpace(others, scale, T(reach+1), at, i, g)
		}
	}
}

// objective is half the terms of the pairs of vertex i: each pair is one of two vertices.
func (in *incident) objective(w [3]float64, at []float32, i, dim int) float64 {
	var sum float64
	for kind := range in.kinds {
		for _, j := range in.kinds[kind].of(i) {
			s := squared(at[i*dim:(i+1)*dim], at[int(j)*dim:(int(j)+1)*dim])
			sum += float64(w[kind] * term(kind, float64(s)) / 2)
		}
	}
	return sum
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

// nearbyInPlane adds scale·(y_i − y_j)/((reach + d)²·√d), summed over others, with d = 1 + ‖y_i − y_j‖².
func nearbyInPlane[T float](others []int32, scale, reach T, at [][2]T, i int, g []T) {
	x, y := at[i][0], at[i][1]
	var gx, gy T
	for _, j := range others {
		q := &at[j]
		dx, dy := x-q[0], y-q[1]
		d := 1 + T(dx*dx) + T(dy*dy)
		c := scale / T(T((reach+d)*(reach+d))*T(math.Sqrt(float64(d))))
		gx += T(c * dx)
		gy += T(c * dy)
	}
	g[0] += gx
	g[1] += gy
}

// nearbyInSpace is nearbyInPlane in any number of columns.
func nearbyInSpace[T float](others []int32, scale, reach T, at []T, i int, g []T) {
	dim := len(g)
	p := at[i*dim : (i+1)*dim]
	for _, j := range others {
		q := at[int(j)*dim : (int(j)+1)*dim]
		d := T(1)
		for m := range p {
			d += T((p[m] - q[m]) * (p[m] - q[m]))
		}
		c := scale / T(T((reach+d)*(reach+d))*T(math.Sqrt(float64(d))))
		for m := range p {
			g[m] += T(c * (p[m] - q[m]))
		}
	}
}
