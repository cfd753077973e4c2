package smacof

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// placeSteps bounds the steps of a new object, and placeTolerance is the length of a step, relative to the mean
	// dissimilarity, at which it has its place.
	placeSteps, placeTolerance = 300, 1e-8
	// relaxed is the length of these steps in Guttman transforms. Up to 2 none raises the stress (de Leeuw and Heiser 1980).
	relaxed = 1.5
)

// Placement writes to y the places of new objects among fixed ones, given their dissimilarities to these as the weights of lists.
type Placement func(ctx context.Context, delta sparse.Edges, y *mat.Dense) error

// Among places each new object alone, where it has the least stress
//
//	Σⱼ wⱼ (δⱼ − ‖y − yⱼ‖)²,   wⱼ = δⱼ^(−power),
//
// to fixed objects, the lowest of the minima that it reaches from two means of the fixed objects and, in one column, from both sides of the nearest one.
// O(entries · columns) for each of at most 300 steps from each. A dissimilarity of 0 is an error if power > 0.
func Among(fixed *mat.Dense, power float64, threads int) (Placement, error) {
	n, dim := fixed.Dims()
	for i := range n {
		for c, v := range fixed.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("smacof: row %d, column %d (counting from 0) of the fixed coordinates is %v; give finite ones", i, c, v)
			}
		}
	}
	return func(ctx context.Context, delta sparse.Edges, y *mat.Dense) error {
		rows, columns := y.Dims()
		if delta.Len() != rows || columns != dim {
			return fmt.Errorf("smacof: %d lists for %d × %d new places in %d columns", delta.Len(), rows, columns, dim)
		}
		for i := range rows {
			for q := delta.Ptr[i]; q < delta.Ptr[i+1]; q++ {
				if j, d := delta.Index[q], delta.Weight[q]; uint(j) >= uint(n) || !(d >= 0) || math.IsInf(d, 1) || d == 0 && power > 0 {
					return fmt.Errorf("smacof: list %d (counting from 0) has the dissimilarity %v to object %d of %d", i, d, j, n)
				}
			}
			if delta.Ptr[i] == delta.Ptr[i+1] {
				return fmt.Errorf("smacof: list %d (counting from 0) is empty", i)
			}
		}
		return blas.For(ctx, threads, rows, 4, func(_, lo, hi int) {
			p := newPlacing(fixed, power, dim)
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				p.place(delta.Index[delta.Ptr[i]:delta.Ptr[i+1]], delta.Weight[delta.Ptr[i]:delta.Ptr[i+1]], y.RawRowView(i))
			}
		})
	}, nil
}

// placing is a worker's scratch.
type placing struct {
	fixed    *mat.Dense
	power    float64
	weight   []float64
	at, step []float64 // the place and its next step, but for a factor
}

func newPlacing(fixed *mat.Dense, power float64, dim int) *placing {
	return &placing{fixed: fixed, power: power, at: make([]float64, dim), step: make([]float64, dim)}
}

func (p *placing) place(js []int32, delta, y []float64) {
	p.weight = p.weight[:0]
	least, mean := math.Inf(1), 0.0
	for _, d := range delta {
		if mean += d; d > 0 {
			least = min(least, d)
		}
	}
	mean /= float64(len(delta))
	for _, d := range delta {
		w := 1.0
		if p.power > 0 {
			w = math.Pow(least/d, p.power)
		}
		p.weight = append(p.weight, w)
	}
	best := math.Inf(1)
	descend := func() {
		if stress := p.descend(js, delta, mean); stress < best {
			best = stress
			copy(y, p.at)
		}
	}
	for _, nearness := range []float64{2, 6} {
		p.mean(js, delta, least, nearness)
		descend()
	}
	if len(y) > 1 {
		return
	}
	// On a line no step goes past a fixed object: both sides of the nearest one are tried.
	nearest := 0
	for q, d := range delta {
		if d < delta[nearest] {
			nearest = q
		}
	}
	for _, side := range []float64{-1, 1} {
		p.at[0] = p.fixed.At(int(js[nearest]), 0) + side*delta[nearest]
		descend()
	}
}

// mean starts from the mean of the fixed places, weighted by a power of nearness.
func (p *placing) mean(js []int32, delta []float64, least, nearness float64) {
	clear(p.at)
	var total float64
	for q, j := range js {
		w := 1.0
		if delta[q] > least {
			w = math.Pow(least/delta[q], nearness)
		}
		total += w
		blas.Axpy(w, p.fixed.RawRowView(int(j)), p.at)
	}
	blas.Scale(1/total, p.at)
}

// descend moves the place, and returns the stress before the last step.
func (p *placing) descend(js []int32, delta []float64, mean float64) float64 {
	var total float64
	for _, w := range p.weight {
		total += w
	}
	var stress float64
	for range placeSteps {
		stress = 0
		clear(p.step)
		for q, j := range js {
			to, w := p.fixed.RawRowView(int(j)), p.weight[q]
			length := math.Sqrt(blas.SquaredDistance(p.at, to))
			e := delta[q] - length
			stress += float64(float64(w*e) * e)
			if length == 0 {
				p.step[q%len(p.step)] += float64(w * delta[q])
				continue
			}
			r := w * e / length
			for c, v := range p.at {
				p.step[c] += float64(r * (v - to[c]))
			}
		}
		blas.Axpy(relaxed/total, p.step, p.at)
		if math.Sqrt(blas.Dot(p.step, p.step))/total <= placeTolerance*mean {
			break
		}
	}
	return stress
}
