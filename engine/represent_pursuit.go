package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// pursuit is the neighbourhood of local non-negative pursuit: of the k nearest
// the few in whose convex hull, as far as it can be reached, the sample projects,
// with the weights of the projection. Lists are in increasing distance.
type pursuit struct {
	nearest    nearest
	cap        *int // most neighbours; nil: by the estimated dimension, 0: any number
	coincident bool // whether samples at the same place may be neighbours
}

// allowed returns the number of neighbours that the cap allows, given the
// dimension found without one; 0: any number.
func (r pursuit) allowed(dimension int) int {
	if r.cap != nil {
		return *r.cap
	}
	return max(dimension, 1) + 1
}

func (r pursuit) find(p *problem) (*neighbors.Graph, error) {
	candidates, err := r.nearest.find(p)
	if err != nil {
		return nil, err
	}
	g, about, err := r.among(p, candidates)
	if err != nil {
		return nil, err
	}
	about.tell(p, g)
	p.details["cap"] = about.cap
	return g, nil
}

func (r pursuit) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := r.nearest.graph(p, k)
	return func(k int) (*neighbors.Graph, error) {
		g, _, err := r.among(p, wide.Truncated(k))
		return g, err
	}, err
}

// among runs the pursuit over the candidates of every sample, without a cap and,
// where lists exceed the cap, once more.
func (r pursuit) among(p *problem, candidates *neighbors.Graph) (*neighbors.Graph, profile, error) {
	g, err := r.pursue(p, candidates, math.MaxInt)
	if err != nil {
		return nil, profile{}, err
	}
	about := profileOf(g)
	if about.cap = r.allowed(about.support); about.cap > 0 && about.cap < g.MaxDegree() {
		// Selection is greedy: over the first ones it selects, in the order in which it
		// did, it selects just these.
		if g, err = r.pursue(p, g.Truncated(about.cap), about.cap); err != nil {
			return nil, profile{}, err
		}
	}
	byDistance(g)
	return g, about, nil
}

// pursue selects at most so many neighbours of every sample among candidates;
// lists are in the order of acceptance.
func (r pursuit) pursue(p *problem, candidates *neighbors.Graph, most int) (*neighbors.Graph, error) {
	least := 0.0
	if !r.coincident {
		least = coincidence(p.x)
	}
	return represent(p, candidates, func() func(i int, out *sparseList) {
		w := &pursuer{kernels: p.kernels}
		var c candidateSet
		return func(i int, out *sparseList) {
			list := candidates.Of(i)
			skip := c.take(p.x, p.x.Row(i), list, candidates.Distances(i), least)
			if skip == len(list) {
				out.addLowest(list, candidates.Distances(i))
				return
			}
			selected, weights := w.of(c.differences, c.squares, p.x.M, most)
			for t, at := range selected {
				out.add(list[skip+at], candidates.Distances(i)[skip+at], weights[t])
			}
		}
	})
}

// candidateSet holds the differences of one point to its candidates.
type candidateSet struct {
	differences []float64 // rows a_j − a; the sign does not matter to any product of two
	squares     []float64
}

// take computes the differences to the candidates of the list whose squared
// distance exceeds least, and returns how many at its head do not.
func (c *candidateSet) take(x neighbors.Points, point []float64, list []int32, distances []float64, least float64) (skip int) {
	for skip < len(list) && least > 0 && distances[skip]*distances[skip] <= least {
		skip++
	}
	k, m := len(list)-skip, x.M
	if cap(c.squares) < k {
		c.squares, c.differences = make([]float64, k), make([]float64, k*m)
	}
	c.squares, c.differences = c.squares[:k], c.differences[:k*m]
	for a, j := range list[skip:] {
		c.squares[a] = distances[skip+a] * distances[skip+a]
		row := c.differences[a*m : a*m+m]
		for q, v := range x.Row(int(j)) {
			row[q] = v - point[q]
		}
	}
	return skip
}

// coincidence is the squared distance up to which two samples are at the same
// place: that of rounding in the data, never below the smallest number.
func coincidence(x neighbors.Points) float64 {
	mean := make([]float64, x.M)
	for i := range x.N {
		blas.Axpy(1/float64(x.N), x.Row(i), mean)
	}
	var radius float64
	for i := range x.N {
		radius = max(radius, blas.SquaredDistance(x.Row(i), mean))
	}
	return max(1e-24*radius, math.SmallestNonzeroFloat64)
}

// profile is what a representation says of the dimension of the data.
type profile struct {
	rho          []float64 // mean of the sorted weights, with one 0 behind the last
	gap, support int       // the dimension by either rule
	cap          int       // on the lists; 0: none
}

func profileOf(g *neighbors.Graph) profile {
	lists := weightLists(g)
	rho := measures.WeightProfile(lists)
	return profile{rho: rho, gap: measures.GapDimension(rho), support: measures.SupportDimension(lists)}
}

// weightLists views the weights of a graph as a list for each sample.
func weightLists(g *neighbors.Graph) [][]float64 {
	lists := make([][]float64, g.Len())
	for i := range lists {
		lists[i] = g.Weights(i)
	}
	return lists
}

// tell enters the profile of a representation, and the closed classes of the
// lists that were made of it, among the details of a run.
func (f profile) tell(p *problem, g *neighbors.Graph) {
	p.details["rho"], p.details["gap_dimension"], p.details["support_dimension"] = f.rho, f.gap, f.support
	p.details["closed_classes"] = closedClasses(g)
}

// byDistance sorts every list by distance, ties by the lower index.
func byDistance(g *neighbors.Graph) {
	type entry struct {
		index        int32
		dist, weight float64
	}
	var list []entry
	for i := range g.Len() {
		list = list[:0]
		lo := g.Ptr[i]
		for a, j := range g.Of(i) {
			list = append(list, entry{j, g.Dist[lo+a], g.Weight[lo+a]})
		}
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.index, b.index))
		})
		for a, e := range list {
			g.Index[lo+a], g.Dist[lo+a], g.Weight[lo+a] = e.index, e.dist, e.weight
		}
	}
}
