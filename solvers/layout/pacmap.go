package layout

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Pair is an ordered pair of vertices.
type Pair struct{ I, J int32 }

// Pairs are the pairs of a PaCMAP map.
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
	Phases    [3]int     // iterations of each; zeros: 100, 100, 250
	Rate      float64    // of Adam; 0: 1
	Local     *Local     // LocalMAP's changes in the third phase; nil: none
	Threads   int        // 0: all cores; it changes no bit
	Reference *Reference // nil: none
	Progress  func(done float64)
	// Objective, unless nil, is given the objective after some 20 of the iterations, the last of which
	// is one, with the weights of the iteration and the further pairs that there are. A reference does not count in it.
	Objective func(iteration int, value float64)
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
	incident, err := pairs.incident(y)
	if err != nil {
		return err
	}
	at, err := single(y, incident.order)
	if err != nil {
		return err
	}
	held, err := holdAll[float32](o.Reference, y, incident.order)
	if err != nil {
		return err
	}
	var adjust *local
	if o.Local != nil {
		if adjust, err = newLocal(*o.Local, incident, pairs); err != nil {
			return err
		}
	}
	next, moments := make([]float32, n*dim), make([]moment, n*dim)
	total := o.Phases[0] + o.Phases[1] + o.Phases[2]
	for t := 1; t <= total && err == nil; t++ {
		w := o.weights(t)
		if third := t - o.Phases[0] - o.Phases[1]; adjust != nil && third > 0 {
			incident.local = adjust.Distance / 2
			if (third-1)%localEvery == 0 && third > 1 {
				if err = adjust.draw(ctx, o.Threads, t, dim, at); err != nil {
					break
				}
			}
		}
		rate := o.Rate * math.Sqrt(1-math.Pow(adamSquare, float64(t))) / (1 - math.Pow(adamMean, float64(t)))
		err = blas.For(ctx, o.Threads, n, layoutRows, func(_, lo, hi int) {
			g := make([]float32, dim)
			for i := lo; i < hi; i++ {
				gradient(incident, w, at, i, g)
				if held != nil {
					held.slope(i, at[i*dim:(i+1)*dim], g)
				}
				for m, slope := range g {
					k := i*dim + m
					next[k] = at[k] - moments[k].step(slope, float32(rate))
				}
			}
		})
		if err != nil {
			break
		}
		at, next = next, at
		if o.Objective != nil && due(t, total) {
			value, failed := sumOf(ctx, o.Threads, n, func(i int) float64 { return incident.objective(w, at, i, dim) })
			if err = failed; err == nil {
				o.Objective(t, value)
			}
		}
		if o.Progress != nil {
			o.Progress(float64(t) / float64(total))
		}
	}
	double(y, incident.order, at)
	return err
}

// weights returns the weights of near, mid-near and further pairs in iteration t, counted from 1.
func (o PaCMAP) weights(t int) [3]float64 {
	switch {
	case t <= o.Phases[0]:
		share := float64(t-1) / float64(o.Phases[0])
		return [3]float64{2, float64(1000*(1-share)) + float64(3*share), 1}
	case t <= o.Phases[0]+o.Phases[1]:
		return [3]float64{3, 3, 1}
	}
	return [3]float64{1, 0, 1}
}

// moment has the running means of Adam (Kingma and Ba 2015), of a slope and of its square.
type moment struct{ mean, square float32 }

const adamMean, adamSquare, adamEpsilon = 0.9, 0.999, 1e-7

// step takes the next slope in, and is what to go against it.
func (m *moment) step(slope, rate float32) float32 {
	m.mean += float32((1 - adamMean) * (slope - m.mean))
	m.square += float32((1 - adamSquare) * (float32(slope*slope) - m.square))
	return rate * m.mean / (float32(math.Sqrt(float64(m.square))) + adamEpsilon)
}

// Objective is what [PaCMAP] lowers, with the weights of near, mid-near and further pairs.
func (p Pairs) Objective(y *mat.Dense, weights [3]float64) float64 {
	var sum float64
	for kind, list := range [3][]Pair{p.Near, p.MidNear, p.Further} {
		for _, q := range list {
			sum += float64(weights[kind] * term(kind, blas.SquaredDistance(y.RawRowView(int(q.I)), y.RawRowView(int(q.J)))))
		}
	}
	return sum
}

// term is what a pair at the squared distance s adds to the objective, without its weight.
func term(kind int, s float64) float64 {
	d := 1 + s
	if kind == further {
		return 1 / (1 + d)
	}
	return d / (reaches[kind] + d)
}
