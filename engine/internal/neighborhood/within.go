package neighborhood

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// MaxWithin bounds the neighbours of a sample within a radius, because the cost of patches
// is quadratic in them.
const MaxWithin = 64

// Within selects the samples within a distance, but at least the nearest Least and
// at most the nearest [MaxWithin].
type Within struct {
	Radius float64
	Least  int
}

// Find searches the largest possible number of neighbours and keeps those within the radius.
func (w Within) Find(job *run.Run, x samples.Samples) (Found, error) {
	least, most := min(w.Least, x.N()-1), min(MaxWithin, x.N()-1)
	wide, err := Nearest(most).find(job, x)
	if err != nil {
		return Found{}, err
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, x.N()+1)}
	few, many, all := 0, 0, make([]float64, 0, x.N())
	for i := range x.N() {
		from := wide.Ptr[i]
		list, distances := wide.Of(i), wide.Dist[from:wide.Ptr[i+1]]
		count, _ := slices.BinarySearchFunc(distances, w.Radius, func(d, r float64) int {
			if d <= r {
				return -1
			}
			return 1
		})
		switch {
		case count < least:
			few, count = few+1, least
		case count == most && most < x.N()-1:
			many++
		}
		all = append(all, distances[most-1])
		g.Index, g.Dist = append(g.Index, list[:count]...), append(g.Dist, distances[:count]...)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	job.Explain("neighbours: within %.6g, %.1f of a sample in the mean; of %d samples the %d nearest, as fewer are within", magnitude.Times(w.Radius, x.Exponent()), float64(len(g.Index))/float64(x.N()), few, least)
	if many > 0 {
		job.Warn("%d of %d samples have more than %d neighbours within the radius: the nearest %d are taken; half of the samples have at most as many within %.4g",
			many, x.N(), most, most, magnitude.Times(orderstat.LowerMedian(all), x.Exponent()))
	}
	return Found{Graph: g, usual: max((len(g.Index)+x.N()/2)/x.N(), 1)}, nil
}

// Widen prepares the graphs of the nearest samples, for the number that would connect the graph.
func (w Within) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	return Nearest(k).Widen(job, x, k)
}

// MedianRadius returns the median distance of the k-th nearest.
func MedianRadius(job *run.Run, x samples.Samples, k int) (float64, error) {
	if x.N() <= k {
		return 0, fmt.Errorf("%s: %d neighbours requested of %d samples; give at most %d", job.Method(), k, x.N(), x.N()-1)
	}
	g, err := Nearest(k).find(job, x)
	if err != nil {
		return 0, err
	}
	last := make([]float64, x.N())
	for i := range last {
		last[i] = g.Dist[g.Ptr[i+1]-1]
	}
	return orderstat.LowerMedian(last), nil
}
