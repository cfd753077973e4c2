package layout

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Density is what densMAP (Narayan, Berger and Cho 2021) adds to [UMAP]: in the last epochs it raises
// the correlation of the logarithms of local radii in the original space and in the map, so that parts
// that are dense there are dense here. The local radius of a vertex is the mean squared distance to its
// neighbours, weighted by their edges there and by their similarities here.
type Density struct {
	Radii    []float64 // logarithms of the local radii in the original space, see [LocalRadii]
	Weight   float64   // λ, of the correlation; 0: 2
	Fraction float64   // of the epochs in which it counts, the last ones; 0: 0.3
	Shift    float64   // of the variance of the radii in the map, which may be 0 at the start; 0: 0.1
}

// radiusOffset is added to a local radius before its logarithm is taken.
const radiusOffset = 1e-8

// LocalRadii are the logarithms of the local radii of vertices in the original space, for a graph and
// the squared distance of each of its edges, in the order of its entries. A vertex without edges has the
// mean of the others.
func LocalRadii(w *sparse.CSR, squared []float64) ([]float64, error) {
	if len(squared) != w.NNZ() {
		return nil, fmt.Errorf("layout: %d squared distances for %d edges", len(squared), w.NNZ())
	}
	radii := make([]radius, w.Rows)
	for i := range radii {
		for q := w.Ptr[i]; q < w.Ptr[i+1]; q++ {
			if int(w.Col[q]) != i {
				radii[i].take(w.Val[q], squared[q])
			}
		}
	}
	return logarithms(radii), nil
}

// LocalRadii are the logarithms of the local radii of vertices at the rows of y, a map.
func (c Curve) LocalRadii(w *sparse.CSR, y *mat.Dense) []float64 {
	radii := make([]radius, w.Rows)
	for i := range radii {
		cols, _ := w.Row(i)
		for _, j := range cols {
			if int(j) != i {
				s := blas.SquaredDistance(y.RawRowView(i), y.RawRowView(int(j)))
				radii[i].take(c.similarity(s), s)
			}
		}
	}
	return logarithms(radii)
}

// radius is a local radius as its sums: of weights, and of squared distances by weights.
type radius struct{ mass, sum float64 }

func (r *radius) take(weight, squared float64) {
	r.mass += weight
	r.sum += float64(weight * squared)
}

// mean is the radius plus radiusOffset.
func (r *radius) mean() float64 { return radiusOffset + r.sum/r.mass }

func logarithms(radii []radius) []float64 {
	logs := make([]float64, len(radii))
	var sum, count float64
	for i := range radii {
		if radii[i].mass > 0 {
			logs[i] = math.Log(radii[i].mean())
			sum += logs[i]
			count++
		}
	}
	for i := range radii {
		if !(radii[i].mass > 0) {
			logs[i] = sum / max(count, 1)
		}
	}
	return logs
}

// density is the term of Density in one Arrange.
type density struct {
	Density
	curve      Curve
	similarity force
	w          *sparse.CSR
	blocks     *blocks
	least      float64 // weight of the edges that count
	total      float64 // weight of all edges, from both ends
	most       float64 // weight of an edge
	given      []float64
	radii      []radius // in the map, by place

	// The gradient of the correlation by the squared distance s of an edge is, for its similarity φ,
	//
	//	scale · φ · ((1 − B(1 − φ))·(near_i + near_j) − φ'/φ·(far_i + far_j)) / edge weight.
	parts []densityPart
	scale float32
}

type densityPart struct{ near, far float32 }

func newDensity(d Density, curve Curve, w *sparse.CSR, b *blocks, epochs int) (*density, error) {
	if len(d.Radii) != w.Rows {
		return nil, fmt.Errorf("layout: %d local radii for %d vertices", len(d.Radii), w.Rows)
	}
	if !(d.Weight >= 0 && d.Fraction >= 0 && d.Fraction <= 1 && d.Shift >= 0) || math.IsInf(d.Weight+d.Shift, 1) {
		return nil, errors.New("layout: the weight of the density and the shift of its variance have to be finite and ≥ 0, and the fraction of the epochs from 0 to 1")
	}
	if d.Weight == 0 {
		d.Weight = 2
	}
	if d.Fraction == 0 {
		d.Fraction = 0.3
	}
	if d.Shift == 0 {
		d.Shift = 0.1
	}
	l := &density{Density: d, curve: curve, similarity: newForce(curve.similarity), w: w, blocks: b, most: maxWeight(w),
		given: make([]float64, w.Rows), radii: make([]radius, w.Rows), parts: make([]densityPart, w.Rows)}
	l.least = l.most / float64(epochs)
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, v := range vals {
			if int(cols[q]) != i && v >= l.least {
				l.total += v
			}
		}
	}
	var mean, square float64
	for _, r := range d.Radii {
		mean += r / float64(w.Rows)
	}
	for i, r := range d.Radii {
		if r-r != 0 {
			return nil, fmt.Errorf("layout: the local radius of vertex %d (counting from 0) is %v; give finite logarithms", i, r)
		}
		square += float64((r-mean)*(r-mean)) / float64(w.Rows)
	}
	for p, i := range b.order {
		if square > 0 {
			l.given[p] = (d.Radii[i] - mean) / math.Sqrt(square)
		}
	}
	return l, nil
}

// counts reports whether the correlation counts in an epoch.
func (d *density) counts(epoch, epochs int) bool {
	return float64(epoch) > float64(epochs)*(1-d.Fraction)
}

// update takes the places at the beginning of an epoch, of dim columns.
func (d *density) update(ctx context.Context, threads, dim int, at []float32) error {
	n := len(d.radii)
	err := blas.For(ctx, threads, n, layoutRows, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			i := int(d.blocks.order[p])
			r := radius{}
			cols, vals := d.w.Row(i)
			for q, j := range cols {
				if int(j) != i && vals[q] >= d.least {
					other := int(d.blocks.place[j])
					s := squared(at[p*dim:(p+1)*dim], at[other*dim:(other+1)*dim])
					r.take(float64(d.similarity.at(s)), float64(s))
				}
			}
			d.radii[p] = r
		}
	})
	if err != nil {
		return err
	}
	logs := logarithms(d.radii)
	var mean, variance, covariance float64
	for _, v := range logs {
		mean += v / float64(n)
	}
	for p, v := range logs {
		variance += float64((v-mean)*(v-mean)) / float64(n)
		covariance += float64((v-mean)*d.given[p]) / max(float64(n-1), 1)
	}
	variance += d.Shift
	d.scale = float32(2 * d.Weight * d.total / (math.Sqrt(variance) * float64(n) * d.most))
	for p, v := range logs {
		d.parts[p] = densityPart{}
		if r := &d.radii[p]; r.mass > 0 {
			// Each edge is taken from both its ends, with half the gradient.
			far := (d.given[p] - float64(covariance*(v-mean))/variance) / (2 * r.mass)
			d.parts[p] = densityPart{float32(far / r.mean()), float32(far)}
		}
	}
	return nil
}

// pull is the factor of y_i − y_j in the step of y_i by the correlation, for an edge with a period in
// epochs whose attraction at the squared distance s is c.
func (d *density) pull(e ends, period, s, c float32) float32 {
	i, j := &d.parts[e.i], &d.parts[e.j]
	phi := d.similarity.at(s)
	near := float32((1 - float32(float32(d.curve.B)*(1-phi))) * (i.near + j.near))
	return d.scale * period * phi * (near - float32(c/2*(i.far+j.far)))
}
