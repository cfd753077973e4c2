package layout

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// A vertex that comes to a finished layout moves alone: the places of all others are fixed, and vertices
// that come together do not act on each other, so that each has the same place in whatever company.

// Placement writes to y the places of new vertices among fixed ones, given their weights w to these.
type Placement func(ctx context.Context, w sparse.Edges, y *mat.Dense) error

// among is a placement among places that are looked at once.
func among(fixed *mat.Dense, place Placement) (Placement, error) {
	return func(ctx context.Context, w sparse.Edges, y *mat.Dense) error {
		if err := checkNew(w, fixed, y); err != nil {
			return err
		}
		return place(ctx, w, y)
	}, finite(fixed)
}

// checkNew refuses lists of new vertices that do not go with fixed places.
func checkNew(w sparse.Edges, fixed, y *mat.Dense) error {
	n, dim := fixed.Dims()
	rows, cols := y.Dims()
	if w.Len() != rows || cols != dim || len(w.Index) != len(w.Weight) || w.Ptr[0] != 0 || w.Ptr[rows] != len(w.Index) {
		return fmt.Errorf("layout: %d lists of %d entries with %d weights for %d × %d new places in %d columns", w.Len(), len(w.Index), len(w.Weight), rows, cols, dim)
	}
	for i := range rows {
		var most float64
		for q := w.Ptr[i]; q < w.Ptr[i+1]; q++ {
			j, v := w.Index[q], w.Weight[q]
			if uint(j) >= uint(n) || !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("layout: list %d (counting from 0) has the vertex %d of %d with the weight %v; give finite weights ≥ 0", i, j, n, v)
			}
			most = max(most, v)
		}
		if most == 0 {
			return fmt.Errorf("layout: list %d (counting from 0) has no weight above 0; leave it out", i)
		}
	}
	return nil
}

// listed is one of the lists.
func listed(w sparse.Edges, i int) (js []int32, weights []float64) {
	return w.Index[w.Ptr[i]:w.Ptr[i+1]], w.Weight[w.Ptr[i]:w.Ptr[i+1]]
}

// Among places new vertices: each starts
// at the mean of those that it has weights to, and takes the steps of [UMAP.Arrange] alone.
// O(Epochs · entries · (1 + Negatives) · columns).
func (u UMAP) Among(fixed *mat.Dense) (Placement, error) {
	u = u.withDefaults()
	attraction, repulsion := newForce(u.Curve.attraction), newForce(func(s float64) float64 { return u.Repulsion * u.Curve.repulsion(s) })
	n, _ := fixed.Dims()
	return among(fixed, func(ctx context.Context, w sparse.Edges, y *mat.Dense) error {
		return blas.For(ctx, u.Threads, w.Len(), 16, func(_, lo, hi int) {
			var next []float64
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				js, vals := listed(w, i)
				p := y.RawRowView(i)
				weightedMean(js, vals, fixed, p)
				var most float64
				for _, v := range vals {
					most = max(most, v)
				}
				next = next[:0]
				for _, v := range vals {
					next = append(next, most/v)
				}
				stream := blas.NewStream(u.Seed)
				for epoch := 1; epoch <= u.Epochs; epoch++ {
					rate := u.Rate * (1 - float64(epoch-1)/float64(u.Epochs))
					for q, j := range js {
						if next[q] > float64(epoch) {
							continue
						}
						next[q] += most / vals[q]
						move(p, fixed.RawRowView(int(j)), &attraction, rate)
						for range u.Negatives {
							move(p, fixed.RawRowView(stream.Below(n)), &repulsion, rate)
						}
					}
				}
			}
		})
	})
}

// move moves a place by a force from a fixed one.
func move(p, q []float64, by *force, rate float64) {
	s := blas.SquaredDistance(p, q)
	if s == 0 {
		return
	}
	c := float64(by.at(float32(s)))
	for k := range p {
		p[k] += float64(rate * min(max(c*(p[k]-q[k]), -maxStep), maxStep))
	}
}

// weightedMean writes the mean of places with weights.
func weightedMean(js []int32, weights []float64, fixed *mat.Dense, p []float64) {
	clear(p)
	var total float64
	for q, j := range js {
		total += weights[q]
		blas.Axpy(weights[q], fixed.RawRowView(int(j)), p)
	}
	blas.Scale(1/total, p)
}

// medoid writes the place of the vertex that has the least sum of costs to the others.
func medoid(js []int32, weights []float64, fixed *mat.Dense, p []float64, cost func(s float64) float64) {
	least := math.Inf(1)
	for _, j := range js {
		at := fixed.RawRowView(int(j))
		var sum float64
		for q, other := range js {
			sum += float64(weights[q] * cost(blas.SquaredDistance(at, fixed.RawRowView(int(other)))))
		}
		if sum < least {
			least = sum
			copy(p, at)
		}
	}
}

// placeSteps is the number of steps in which a vertex finds its place by attraction alone; each step lowers
// its objective.
const placeSteps = 100

// NearAmong places new vertices where they have the least
// Σⱼ wⱼ d/(10 + d) with d = 1 + ‖y − y_j‖², which is the term of the near pairs of [PaCMAP]. From the best
// of the places of those it takes steps to weighted means, none of which raises the sum.
// O(entries · (entries of a row + 100) · columns).
func NearAmong(threads int, fixed *mat.Dense) (Placement, error) {
	return among(fixed, func(ctx context.Context, w sparse.Edges, y *mat.Dense) error {
		return blas.For(ctx, threads, w.Len(), 16, func(_, lo, hi int) {
			var pull []float64
			for i := lo; i < hi; i++ {
				js, vals := listed(w, i)
				p := y.RawRowView(i)
				medoid(js, vals, fixed, p, func(s float64) float64 { return (1 + s) / (11 + s) })
				for range placeSteps {
					pull = pull[:0]
					for q, j := range js {
						d := 11 + blas.SquaredDistance(p, fixed.RawRowView(int(j)))
						pull = append(pull, vals[q]/(d*d))
					}
					weightedMean(js, pull, fixed, p)
				}
			}
		})
	})
}

// Among places new vertices by the probabilities with which each
// picks the fixed ones: the least divergence of the probabilities from the probabilities of the map,
//
//	Σⱼ p_j log(p_j/q_j),   q_j = k_j/Σ k,   k = 1/(1 + ‖y − y_j‖²),
//
// from the best of the places of its most probable ones. It takes O(log n) for each
// of 100 steps, by the tree, and with Theta = 0 or for few vertices O(n).
func (t TSNE) Among(fixed *mat.Dense) (Placement, error) {
	n, dim := fixed.Dims()
	if dim > maxColumns {
		return nil, fmt.Errorf("layout: t-SNE in %d columns; give one to three", dim)
	}
	t = t.withDefaults()
	theta := float64(defaultTheta)
	if n <= exactUpTo {
		theta = 0
	}
	if t.Theta != nil {
		theta = *t.Theta
	}
	var all tree
	axes := max(dim, 2)
	at := make([]float64, n*axes) // a single column is the first of two
	for i := range n {
		copy(at[i*axes:], fixed.RawRowView(i))
	}
	all.build(at, axes)
	return among(fixed, func(ctx context.Context, w sparse.Edges, y *mat.Dense) error {
		return blas.For(ctx, t.Threads, w.Len(), 4, func(_, lo, hi int) {
			var list []mass
			for i := lo; i < hi; i++ {
				js, vals := listed(w, i)
				p := y.RawRowView(i)
				medoid(js, vals, fixed, p, math.Log1p)
				for range placeSteps {
					own := mass{count: 1}
					own.x = p[0]
					if dim > 1 {
						own.y = p[1]
					}
					if dim > 2 {
						own.z = p[2]
					}
					list = all.around(own, own, theta, list[:0])
					var push place
					var z, total float64
					push[0], push[1], push[2], z = pushes3(own.x, own.y, own.z, list)
					var pull place
					for q, j := range js {
						other := fixed.RawRowView(int(j))
						c := vals[q] / (1 + blas.SquaredDistance(p, other))
						total += c
						for k, v := range other {
							pull[k] += float64(c * v)
						}
					}
					// The step to the weighted mean minimises a bound on the attraction's part; the part of the
					// repulsion is in the same measure.
					for k := range p {
						p[k] = (pull[k] + push[k]/(t.Late*z)) / total
					}
				}
			}
		})
	})
}
