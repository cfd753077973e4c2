package layout

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Pair is an ordered pair of vertices.
type Pair struct{ I, J int32 }

// Pairs are those that a PaCMAP map is made by.
type Pairs struct {
	Near    []Pair // neighbours, which attract each other most
	MidNear []Pair // which bring parts together while these find their places
	Further []Pair // which repel each other
}

// PaCMAP is the layout of pairwise controlled manifold approximation (Wang, Huang, Rudin and
// Shaposhnik 2021, section 4): with d = 1 + ‖y_i − y_j‖² it lowers the sum, over pairs, of
//
//	near: w d/(10 + d),   mid-near: w d/(10000 + d),   further: w/(1 + d)
//
// by Adam, with weights w that change in three phases. O(iterations · pairs · columns).
type PaCMAP struct {
	Phases   [3]int  // iterations of each; zeros: 100, 100, 250
	Rate     float64 // of Adam; 0: 1
	Threads  int     // 0: all cores; it changes no bit
	Progress func(done float64)
}

// Arrange moves the rows of y, the start, by pairs. When ctx is cancelled, y is left as it is then.
func (o PaCMAP) Arrange(ctx context.Context, pairs Pairs, y *mat.Dense) error {
	n, dim := y.Dims()
	if o.Phases == [3]int{} {
		o.Phases = [3]int{100, 100, 250}
	}
	if o.Rate == 0 {
		o.Rate = 1
	}
	if err := finite(y); err != nil {
		return err
	}
	ends, err := pairs.ends(n)
	if err != nil {
		return err
	}
	at := mat.DenseCopyOf(y).RawMatrix().Data
	gradient, first, second := make([]float64, n*dim), make([]float64, n*dim), make([]float64, n*dim)
	total := o.Phases[0] + o.Phases[1] + o.Phases[2]
	const mean, square, least = 0.9, 0.999, 1e-7
	for t := 1; t <= total && err == nil; t++ {
		w := o.weights(t)
		if err = ends.gradient(ctx, o.Threads, w, dim, at, gradient); err != nil {
			break
		}
		rate := o.Rate * math.Sqrt(1-math.Pow(square, float64(t))) / (1 - math.Pow(mean, float64(t)))
		err = blas.For(ctx, o.Threads, n*dim, layoutRows*dim, func(_, lo, hi int) {
			for k := lo; k < hi; k++ {
				g := gradient[k]
				first[k] += float64((1 - mean) * (g - first[k]))
				second[k] += float64((1 - square) * (float64(g*g) - second[k]))
				at[k] -= float64(rate * first[k] / (math.Sqrt(second[k]) + least))
			}
		})
		if o.Progress != nil {
			o.Progress(float64(t) / float64(total))
		}
	}
	for i := range n {
		copy(y.RawRowView(i), at[i*dim:(i+1)*dim])
	}
	return err
}

// weights are those of near, mid-near and further pairs in iteration t, from 1 on.
func (o PaCMAP) weights(t int) [3]float64 {
	switch {
	case t <= o.Phases[0]:
		share := float64(t-1) / float64(o.Phases[0])
		return [3]float64{2, 1000*(1-share) + float64(3*share), 1}
	case t <= o.Phases[0]+o.Phases[1]:
		return [3]float64{3, 3, 1}
	}
	return [3]float64{1, 0, 1}
}

// incident lists the pairs of every vertex, in which it is either.
type incident struct {
	ptr   []int
	other []int32
	kind  []uint8
}

// ends lists the pairs by vertex: each step then gathers, and writes one vertex at a time.
func (p Pairs) ends(n int) (*incident, error) {
	in := &incident{ptr: make([]int, n+1)}
	kinds := [3][]Pair{p.Near, p.MidNear, p.Further}
	for _, list := range kinds {
		for _, q := range list {
			if uint(q.I) >= uint(n) || uint(q.J) >= uint(n) {
				return nil, fmt.Errorf("layout: a pair of the vertices %d and %d, of %d", q.I, q.J, n)
			}
			in.ptr[q.I+1]++
			in.ptr[q.J+1]++
		}
	}
	for i := range n {
		in.ptr[i+1] += in.ptr[i]
	}
	next := append([]int(nil), in.ptr...)
	in.other, in.kind = make([]int32, in.ptr[n]), make([]uint8, in.ptr[n])
	for kind, list := range kinds {
		for _, q := range list {
			in.other[next[q.I]], in.kind[next[q.I]] = q.J, uint8(kind)
			next[q.I]++
			in.other[next[q.J]], in.kind[next[q.J]] = q.I, uint8(kind)
			next[q.J]++
		}
	}
	return in, nil
}

// slopes are the derivatives of the three terms by d, without their weights.
func slopes(kind uint8, d float64) float64 {
	switch kind {
	case 0:
		return 10 / ((10 + d) * (10 + d))
	case 1:
		return 10000 / ((10000 + d) * (10000 + d))
	}
	return -1 / ((1 + d) * (1 + d))
}

// gradient fills dst with the gradient of the objective at places of dim columns.
func (in *incident) gradient(ctx context.Context, threads int, w [3]float64, dim int, at, dst []float64) error {
	return blas.For(ctx, threads, len(in.ptr)-1, layoutRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			y, g := at[i*dim:(i+1)*dim], dst[i*dim:(i+1)*dim]
			clear(g)
			for q := in.ptr[i]; q < in.ptr[i+1]; q++ {
				if w[in.kind[q]] == 0 {
					continue
				}
				j := int(in.other[q])
				z := at[j*dim : (j+1)*dim]
				c := 2 * w[in.kind[q]] * slopes(in.kind[q], 1+blas.SquaredDistance(y, z))
				for k := range g {
					g[k] += float64(c * (y[k] - z[k]))
				}
			}
		}
	})
}

// Objective is what [PaCMAP] lowers, with the weights of near, mid-near and further pairs.
func (p Pairs) Objective(y *mat.Dense, weights [3]float64) float64 {
	var sum float64
	for kind, list := range [3][]Pair{p.Near, p.MidNear, p.Further} {
		for _, q := range list {
			d := 1 + blas.SquaredDistance(y.RawRowView(int(q.I)), y.RawRowView(int(q.J)))
			switch kind {
			case 0:
				sum += float64(weights[0] * d / (10 + d))
			case 1:
				sum += float64(weights[1] * d / (10000 + d))
			default:
				sum += float64(weights[2] / (1 + d))
			}
		}
	}
	return sum
}
