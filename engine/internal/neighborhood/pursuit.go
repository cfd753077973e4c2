package neighborhood

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Pursuit is the neighbourhood of local non-negative pursuit: of the k nearest
// the few in whose convex hull, as far as it can be reached, the sample projects,
// with the weights of the projection. Lists are in increasing distance.
type Pursuit struct {
	Nearest    Nearest
	Cap        *int // most neighbours; nil: by the estimated dimension, 0: any number
	Coincident bool // whether samples at the same place may be neighbours
}

// allowed returns the number of neighbours that the cap allows, given the
// dimension found without one; 0: any number.
func (r Pursuit) allowed(dimension int) int {
	if r.Cap != nil {
		return *r.Cap
	}
	return max(dimension, 1) + 1
}

// Find searches for the nearest and pursues among them.
func (r Pursuit) Find(job *run.Run, x samples.Samples) (Found, error) {
	candidates, err := r.Nearest.find(job, x)
	if err != nil {
		return Found{}, err
	}
	g, about, most, err := r.among(job, x, candidates)
	if err != nil {
		return Found{}, err
	}
	found := represented(job, g, about)
	found.Cap = most
	job.Note("cap", most)
	job.Note("examined", about.Examined)
	return found, nil
}

// Widen searches once and pursues among fewer.
func (r Pursuit) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(job, x, k)
	return func(k int) (*neighbors.Graph, error) {
		g, _, _, err := r.among(job, x, wide.Truncated(k))
		return g, err
	}, err
}

// among runs the pursuit over the candidates of every sample, without a cap and,
// where lists exceed the cap, once more. The profile is that of the lists without one;
// most is the cap, 0: none.
func (r Pursuit) among(job *run.Run, x samples.Samples, candidates *neighbors.Graph) (g *neighbors.Graph, about Profile, most int, err error) {
	g, examined, err := r.pursue(job, x, candidates, math.MaxInt)
	if err != nil {
		return nil, about, 0, err
	}
	about = profileOf(g)
	about.Examined = examined
	if most = r.allowed(about.Support); most > 0 && most < g.MaxDegree() {
		// Selection is greedy: over the first ones it selects, in the order in which it
		// did, it selects just these.
		if g, _, err = r.pursue(job, x, g.Truncated(most), most); err != nil {
			return nil, about, 0, err
		}
	}
	byDistance(g)
	return g, about, most, nil
}

// pursue selects at most so many neighbours of every sample among candidates, and says
// how many of these it looked at; lists are in the order of acceptance.
func (r Pursuit) pursue(job *run.Run, x samples.Samples, candidates *neighbors.Graph, most int) (g *neighbors.Graph, examined int, err error) {
	least := 0.0
	if !r.Coincident {
		least = Coincidence(x)
	}
	g, about, err := represent(job, candidates, func() func(i int, out *Lists) {
		w := NewPursuer(job.Kernels())
		var c Candidates
		return func(i int, out *Lists) {
			list := candidates.Of(i)
			skip := c.Take(x, x, i, list, candidates.Distances(i), least)
			if skip == len(list) {
				out.addLowest(list, candidates.Distances(i))
				return
			}
			selected, weights := w.Select(c.Differences, c.Squares, c.Width, most)
			out.examined += w.Examined()
			for t, at := range selected {
				out.add(list[skip+at], candidates.Distances(i)[skip+at], weights[t])
			}
		}
	})
	return g, about.examined, err
}

// Candidates holds the differences of one point to its candidates.
type Candidates struct {
	Differences []float64 // rows a_j − a; the sign does not matter to any product of two
	Width       int       // entries of a row
	Squares     []float64 // their lengths, squared

	laid *samples.Laid
}

// Take computes the differences of sample i of z to those of its candidates among x whose
// squared distance exceeds least, and returns how many at the head of the list do not. z
// has the form of x, which must be the same at every call.
func (c *Candidates) Take(x, z samples.Samples, i int, list []int32, distances []float64, least float64) (skip int) {
	for skip < len(list) && least > 0 && distances[skip]*distances[skip] <= least {
		skip++
	}
	if c.laid == nil {
		c.laid = samples.NewLaid(x)
	}
	c.Differences, c.Width = c.laid.DifferencesTo(z, i, list[skip:])
	c.Squares = c.Squares[:0]
	for _, d := range distances[skip:] {
		c.Squares = append(c.Squares, d*d)
	}
	return skip
}

// Coincidence is the squared distance up to which two samples are at the same
// place: that of rounding in the data, never below the smallest number.
func Coincidence(x samples.Samples) float64 {
	return max(1e-24*x.SquaredRadius(), math.SmallestNonzeroFloat64)
}

// byDistance sorts every list by distance, ties by the lower index.
func byDistance(g *neighbors.Graph) {
	var list []entry
	for i := range g.Len() {
		list = list[:0]
		lo := g.Ptr[i]
		for a, j := range g.Of(i) {
			list = append(list, entry{j, g.Dist[lo+a], g.Weight[lo+a]})
		}
		slices.SortFunc(list, entry.compare)
		for a, e := range list {
			g.Index[lo+a], g.Dist[lo+a], g.Weight[lo+a] = e.index, e.dist, e.weight
		}
	}
}
