package scale

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// grid has the numbers of neighbours at which spectra are computed, each about √2 times the preceding
// one.
var grid = []int{6, 8, 12, 17, 24, 34, 48, 68, 96, 136, 192, 272, 384, 543, 768, 1024}

const (
	centersFew  = 320 // number of centres with spectra
	centersMany = 160 // the same, if a spectrum has many columns
)

// Level summarises the local spectra at one number of neighbours. Medians are over the centres.
type Level struct {
	Neighbors int
	Tangent   float64 // T: the median variance along one of d tangents
	Off       float64 // S: the median variance off them, divided by the remaining degrees of freedom
	Share     float64 // the 90 % quantile of the share off the tangents
}

// levels computes the spectra of centres among the samples at the grid's numbers of neighbours.
func levels(ctx context.Context, near *neighbors.UnorderedIndex, m, d int, s Settings) ([]Level, error) {
	n, count := near.N(), centersFew
	if m > treeColumns {
		count = centersMany
	}
	count = min(count, n)
	var list []Level
	for _, k := range grid {
		if k > d+2 && k <= max(12, n/4) && k < n {
			list = append(list, Level{Neighbors: k})
		}
	}
	stream := blas.NewStream(s.Seed)
	places := make([]int, count)
	for c := range places {
		places[c] = stream.Below(n)
	}
	slices.Sort(places)
	found := make([][2]float64, count*len(list)) // T and S
	workers := make([]*centre, blas.Threads(s.Threads))
	err := blas.For(ctx, s.Threads, count, 8, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newCentre(near, m, d)
		}
		for c := lo; c < hi; c++ {
			workers[w].spectra(near.At(places[c]), list, found[c*len(list):])
		}
	})
	if err != nil {
		return nil, err
	}
	of, share := make([]float64, count), make([]float64, count)
	for g := range list {
		for c := range of {
			of[c] = found[c*len(list)+g][0]
		}
		list[g].Tangent = orderstat.LowerMedian(of)
		for c := range of {
			t, off := found[c*len(list)+g][0], found[c*len(list)+g][1]
			of[c], share[c] = off, 0
			if off > 0 {
				share[c] = off / (off + float64(d)*t)
			}
		}
		list[g].Off = orderstat.LowerMedian(of)
		slices.Sort(share)
		list[g].Share = share[(9*count-1)/10]
	}
	return list, nil
}

// centre computes the spectra around one sample at a time.
type centre struct {
	search *neighbors.Searcher // nil: the neighbours are listed
	points neighbors.Points
	lists  *neighbors.Graph // of the points
	listed int              // the point around which to look
	m, d   int
	leading
	sum, products, covariance, from []float64
	order                           []ranked
}

type ranked struct {
	square float64
	place  int32
}

func newCentre(near *neighbors.UnorderedIndex, m, d int) *centre {
	c := beginCentre(m, d)
	c.search = near.NewSearcher()
	return c
}

// newListedCentre examines points whose neighbours are known.
func newListedCentre(x neighbors.Points, lists *neighbors.Graph, d int) *centre {
	c := beginCentre(x.M, d)
	c.points, c.lists = x, lists
	return c
}

func beginCentre(m, d int) *centre {
	c := &centre{m: m, d: d, sum: make([]float64, m), products: make([]float64, m*m), covariance: make([]float64, m*m), from: make([]float64, m)}
	c.leading.begin(m, d)
	return c
}

// at returns the sample at a place.
func (c *centre) at(place int32) []float64 {
	if c.search == nil {
		return c.points.Row(int(place))
	}
	return c.search.At(int(place))
}

// nearest finds the k nearest, the sample included, and orders them.
func (c *centre) nearest(z []float64, k int) {
	if c.search == nil {
		c.order = append(c.order[:0], ranked{0, int32(c.listed)})
		for _, j := range c.lists.Of(c.listed)[:k-1] {
			c.order = append(c.order, ranked{blas.SquaredDistance(c.points.Row(int(j)), z), j})
		}
		return
	}
	c.search.Nearest(z, k)
	c.order = ordered(c.order[:0], c.search)
}

// ordered returns the search results, nearest first.
func ordered(list []ranked, found *neighbors.Searcher) []ranked {
	for q, place := range found.Places {
		list = append(list, ranked{found.Squares[q], place})
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.square, b.square), cmp.Compare(a.place, b.place))
	})
	return list
}

// spectra computes T and S at all levels. The sums are extended from one level to the next.
func (c *centre) spectra(z []float64, list []Level, out [][2]float64) {
	c.nearest(z, list[len(list)-1].Neighbors+1)
	clear(c.sum)
	clear(c.products)
	m, taken := c.m, 0
	for g, level := range list {
		for ; taken <= level.Neighbors; taken++ {
			x := c.at(c.order[taken].place)
			for j, v := range z {
				c.from[j] = x[j] - v
			}
			for i, v := range c.from {
				c.sum[i] += v
				blas.Axpy(v, c.from, c.products[i*m:(i+1)*m])
			}
		}
		share, all := 1/float64(taken), 0.0
		for i, v := range c.sum {
			row := c.covariance[i*m : (i+1)*m]
			for j := range row {
				row[j] = (c.products[i*m+j] - v*c.sum[j]*share) * share
			}
			all += row[i]
		}
		c.leading.find(c.covariance)
		free := float64(taken) / float64(taken-1-c.d)
		out[g] = [2]float64{c.leading.sum / float64(c.d), max(all-c.leading.sum, 0) * free}
	}
}
