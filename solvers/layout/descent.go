package layout

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// descent is one Arrange of t-SNE under way. Its vertices are in the order of a curve through the map,
// so that neighbours are near each other in memory.
type descent struct {
	TSNE
	p            *sparse.CSR
	n, axes      int
	columns      [2]int  // of the axes, those that the map has
	order        []int32 // the vertices of p
	curve        morton
	links        links
	repulsion    *repulsion
	held         *held[float64] // by vertex of p; nil: there is no reference
	at, next     []float64      // n × axes: the map, and the one after the step
	update, gain []float64
	low, high    []float64  // the corners of the map
	parts        [3][]place // sums and corners of blocks of vertices
}

// newDescent starts at y. A single column is the second of two: the grid's work is divided along it.
func newDescent(t TSNE, p *sparse.CSR, y *mat.Dense) *descent {
	n, dim := y.Dims()
	axes := max(dim, 2)
	of := func() []float64 { return make([]float64, n*axes) }
	d := &descent{TSNE: t, p: p, n: n, axes: axes, columns: [2]int{axes - dim, axes}, order: make([]int32, n),
		repulsion: newRepulsion(n, axes, t.Theta, t.Threads), at: of(), next: of(), update: of(), gain: of(),
		low: make([]float64, axes), high: make([]float64, axes)}
	for k := range d.parts {
		d.parts[k] = make([]place, (n+layoutRows-1)/layoutRows)
	}
	for i := range n {
		d.order[i] = int32(i)
		copy(d.at[i*axes:][d.columns[0]:d.columns[1]], y.RawRowView(i))
		for k := d.columns[0]; k < d.columns[1]; k++ {
			d.gain[i*axes+k] = 1
		}
	}
	return d
}

// store copies the map into y.
func (d *descent) store(y *mat.Dense) {
	for k, i := range d.order {
		copy(y.RawRowView(int(i)), d.at[k*d.axes:][d.columns[0]:d.columns[1]])
	}
}

func (d *descent) run(ctx context.Context) error {
	err := d.centre(ctx)
	for at := 0; at < d.Iterations && err == nil; at++ {
		if err = d.iterate(ctx, at); err == nil && d.Progress != nil {
			d.Progress(float64(at+1) / float64(d.Iterations))
		}
	}
	if err != nil || d.Objective == nil {
		return err
	}
	z, err := d.repulsion.sum(ctx, d.at, d.low, d.high)
	if err != nil {
		return err
	}
	return d.report(ctx, d.Iterations, z)
}

const objectiveEvery = 50 // iterations

func (d *descent) iterate(ctx context.Context, at int) error {
	if at == 50 || at%100 == 0 { // the map changes most at the start
		if err := d.renumber(ctx); err != nil {
			return err
		}
	}
	factor, momentum := d.Late, lateMomentum
	if at < *d.Early {
		factor, momentum = d.Exaggeration, earlyMomentum
	}
	rate := d.Rate
	if rate == 0 {
		rate = max(float64(d.n)/factor, minRate)
	}
	z, err := d.repulsion.sum(ctx, d.at, d.low, d.high)
	if err == nil && d.Objective != nil && at > 0 && at%objectiveEvery == 0 {
		err = d.report(ctx, at, z)
	}
	if err == nil {
		err = d.step(ctx, z, factor, momentum, rate)
	}
	if err == nil {
		err = d.centre(ctx)
	}
	if err != nil {
		return err
	}
	for k := range d.low {
		if width := d.high[k] - d.low[k]; width-width != 0 {
			return &RangeError{at + 1, rate}
		}
	}
	return nil
}

// RangeError is the error of a map that leaves the range of numbers.
type RangeError struct {
	Iteration int
	Rate      float64 // of its step
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("layout: the map of iteration %d is not finite; give a smaller Rate than %v", e.Iteration, e.Rate)
}

// report passes the divergence of the map to Objective.
func (d *descent) report(ctx context.Context, iteration int, z float64) error {
	v, err := d.links.divergence(ctx, d.Threads, d.at, d.axes, z)
	if err == nil {
		d.Objective(iteration, v)
	}
	return err
}

// renumber orders the vertices along a curve through the map.
func (d *descent) renumber(ctx context.Context) error {
	d.curve.sortFlat(d.at, d.axes)
	order := make([]int32, d.n)
	for k, i := range d.curve.order {
		order[k] = d.order[i]
	}
	d.order = order
	for _, s := range []*[]float64{&d.at, &d.update, &d.gain} {
		for k, i := range d.curve.order {
			copy(d.next[k*d.axes:(k+1)*d.axes], (*s)[int(i)*d.axes:])
		}
		*s, d.next = d.next, *s
	}
	return d.links.take(ctx, d.Threads, d.p, d.order)
}

// step moves all vertices down the gradient of a quarter of the divergence for probabilities factor·p.
func (d *descent) step(ctx context.Context, z, factor, momentum, rate float64) error {
	err := blas.For(ctx, d.Threads, d.n, layoutRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			g := d.gradient(i, z, factor)
			for k := d.columns[0]; k < d.columns[1]; k++ {
				g, q := g[k], i*d.axes+k
				if (g > 0) == (d.update[q] > 0) {
					d.gain[q] = max(d.gain[q]*0.8, minGain)
				} else {
					d.gain[q] += 0.2
				}
				d.update[q] = float64(momentum*d.update[q]) - float64(rate*d.gain[q]*g)
				d.next[q] = d.at[q] + d.update[q]
			}
			if d.held != nil {
				d.hold(i, rate)
			}
		}
	})
	if err == nil {
		d.at, d.next = d.next, d.at
	}
	return err
}

// hold moves the next place of a vertex towards its reference, and takes that into the update: the momentum of a map
// in balance is 0.
func (d *descent) hold(i int, rate float64) {
	for k, r := range d.held.of(int(d.order[i])) {
		q := i*d.axes + d.columns[0] + k
		d.next[q] = drawn(d.next[q], r, d.held.weight*rate*d.gain[q]/float64(4*d.n))
		d.update[q] = d.next[q] - d.at[q]
	}
}

// gradient is a quarter of the gradient of the divergence by the place of a vertex.
func (d *descent) gradient(i int, z, factor float64) (g place) {
	if d.axes == 2 {
		g[0], g[1] = d.links.pull2(i, d.at)
	} else {
		g[0], g[1], g[2] = d.links.pull3(i, d.at)
	}
	for k, push := range d.repulsion.push[i*d.axes:][:d.axes] {
		g[k] = float64(factor*g[k]) - push/z
	}
	return g
}

// centre moves all places so that their mean is 0, unless there is a reference, and finds the corners of the map.
func (d *descent) centre(ctx context.Context) error {
	sums, lows, highs := d.parts[0], d.parts[1], d.parts[2]
	err := blas.For(ctx, d.Threads, d.n, layoutRows, func(_, lo, hi int) {
		var sum place
		for i := lo * d.axes; i < hi*d.axes; i += d.axes {
			for k, v := range d.at[i : i+d.axes] {
				sum[k] += v
			}
		}
		sums[lo/layoutRows] = sum
	})
	if err != nil {
		return err
	}
	var mean place
	for _, sum := range sums {
		for k := range mean {
			mean[k] += sum[k] / float64(d.n)
		}
	}
	if d.held != nil {
		mean = place{}
	}
	err = blas.For(context.WithoutCancel(ctx), d.Threads, d.n, layoutRows, func(_, lo, hi int) {
		var low, high place
		for i := lo; i < hi; i++ {
			for k := range d.axes {
				v := d.at[i*d.axes+k] - mean[k]
				d.at[i*d.axes+k] = v
				if i == lo {
					low[k], high[k] = v, v
				}
				low[k], high[k] = min(low[k], v), max(high[k], v)
			}
		}
		lows[lo/layoutRows], highs[lo/layoutRows] = low, high
	})
	for k := range d.axes {
		d.low[k], d.high[k] = lows[0][k], highs[0][k]
		for b := range lows {
			d.low[k], d.high[k] = min(d.low[k], lows[b][k]), max(d.high[k], highs[b][k])
		}
	}
	return err
}
