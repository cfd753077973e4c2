package neighborhood

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Pursuit selects neighbours by local non-negative pursuit: from the k nearest
// by Euclidean distance, the few whose convex hull contains the projection of the sample, as far as
// it can be reached, with the weights of the projection. Lists are in increasing distance.
type Pursuit struct {
	Nearest    Nearest
	Cap        *int // largest number of neighbours; nil: by the estimated dimension, 0: any number
	Coincident bool // samples at the same place may be neighbours
}

// allowed returns the number of neighbours that the cap allows, given the
// dimension estimated without a cap; 0: any number.
func (r Pursuit) allowed(dimension int) int {
	if r.Cap != nil {
		return *r.Cap
	}
	return max(dimension, 1) + 1
}

// Find searches the nearest samples and selects among them.
func (r Pursuit) Find(job *run.Run, x samples.Samples) (Found, error) {
	candidates, err := r.Nearest.find(run.Euclidean(job), x)
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

// Widen searches once, and the returned function selects among fewer candidates.
func (r Pursuit) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(run.Euclidean(job), x, k)
	return func(k int) (*neighbors.Graph, error) {
		g, _, _, err := r.among(job, x, wide.Truncated(k))
		return g, err
	}, err
}

// among runs the pursuit over the candidates of every sample, first without a cap and,
// if lists exceed the cap, once more. The profile is that of the uncapped lists;
// most is the cap, 0: none.
func (r Pursuit) among(job *run.Run, x samples.Samples, candidates *neighbors.Graph) (g *neighbors.Graph, about Profile, most int, err error) {
	g, examined, err := r.pursue(job, x, candidates, math.MaxInt)
	if err != nil {
		return nil, about, 0, err
	}
	about = profileOf(g)
	about.Examined = examined
	if most = r.allowed(about.Support); most > 0 && most < g.MaxDegree() {
		// The selection is greedy: restricted to its first selections, in the order of
		// selection, it selects exactly these.
		if g, _, err = r.pursue(job, x, g.Truncated(most), most); err != nil {
			return nil, about, 0, err
		}
	}
	byDistance(g)
	return g, about, most, nil
}

// pursue selects at most the given number of neighbours for every sample among candidates, and
// returns the number of candidates examined; lists are in the order of acceptance.
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

// Candidates holds the differences between one point and its candidates.
type Candidates struct {
	Differences []float64 // rows a_j − a; the sign cancels in all products of two
	Width       int       // length of a row
	Squares     []float64 // squared lengths of the rows

	gathered *samples.Gathered
}

// Take computes the differences between sample i of z and its candidates among x whose
// squared distance exceeds least, and returns the number of leading candidates that are no farther. z
// must have the form of x, and x must be the same in every call.
func (c *Candidates) Take(x, z samples.Samples, i int, list []int32, distances []float64, least float64) (skip int) {
	for skip < len(list) && least > 0 && distances[skip]*distances[skip] <= least {
		skip++
	}
	if c.gathered == nil {
		c.gathered = samples.NewGathered(x)
	}
	c.Differences, c.Width = c.gathered.DifferencesTo(z, i, list[skip:])
	c.Squares = c.Squares[:0]
	for _, d := range distances[skip:] {
		c.Squares = append(c.Squares, d*d)
	}
	return skip
}

// Coincidence returns the squared distance up to which two samples are considered coincident:
// the rounding error of the data, and at least the smallest positive number.
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

const (
	// pursuitTolerance: a coefficient of a projection counts as negative if it is less than
	// −pursuitTolerance. Coefficients have no unit, so the value suits data of any scale.
	pursuitTolerance = 1e-12
	// dependentShare: a candidate counts as dependent if its squared distance from the span of the
	// selected candidates is below this share of its squared length.
	dependentShare = 1e-12
)

// Pursuer selects the neighbours of one point at a time by local
// non-negative pursuit (Chen, Lv and Yi 2014, Algorithm 1). It is the workspace of one worker:
// after the first points it allocates nothing.
//
// With g_j = a − a_j and A = GᵀG over the selected candidates, a candidate qualifies if
// all its coefficients p = A⁻¹Gᵀg are negative. Then the weights y = A⁻¹1, scaled
// to sum 1, stay positive when it is added. Instead of A⁻¹, the rows below hold p
// and b = Gᵀg of all candidates. They are updated after each selected point, with
// coefficients P and squared distance S from the span:
//
//	t = (b_new − Pᵀb)/S,   p ← [p − t·P; t],   y ← [y − z·P; z],   z = (1 − 1ᵀP)/S.
type Pursuer struct {
	kernels *blas.Kernels

	b, p  [][]float64 // a row for each selected point, an entry for each candidate
	own   []float64   // P of the last selected point
	off   []float64   // its component orthogonal to the span of the points before it
	y     []float64   // times ‖g₁‖², which keeps it near 1
	taken []bool

	stop func() bool // nil: never

	selected  []int     // positions among the candidates, in order of acceptance
	weights   []float64 // one for each
	residuals []float64 // squared distance to the point reached, after each acceptance
	examined  int       // candidates examined, over all rounds
}

// Select runs the pursuit over the rows of g, the differences to candidates in
// increasing distance, with their squared lengths, and selects at most the given number.
// The results are valid until the next call. O(k(K m + kK)) for k selected of K.
func (w *Pursuer) Select(g, squares []float64, m, most int) (selected []int, weights []float64) {
	w.begin(len(squares))
	first := squares[0]
	w.selected, w.own, w.y = append(w.selected, 0), w.own[:0], append(w.y, 1)
	w.residuals = append(w.residuals, first)
	w.taken[0] = true
	w.examined = 0
	if first == 0 {
		w.weights = append(w.weights, 1)
		return w.selected, w.weights
	}
	total := 1.0 // sum of y
	for s := first; len(w.selected) < most && (w.stop == nil || !w.stop()); {
		w.update(g, len(squares), m, s)
		j := w.qualified(len(squares))
		w.count(j, len(squares))
		if j < 0 {
			break
		}
		var sum float64
		s, sum = w.outside(g, m, j)
		w.selected = append(w.selected, j)
		w.taken[j] = true
		if s <= dependentShare*squares[j] {
			// The point lies in the simplex. A is singular, and the weights are a limit.
			for _, c := range w.own {
				w.weights = append(w.weights, -c/(1-sum))
			}
			w.weights = append(w.weights, 1/(1-sum))
			w.residuals = append(w.residuals, 0)
			return w.selected, w.weights
		}
		z := (1 - sum) * first / s
		total = z
		for l, c := range w.own {
			w.y[l] -= z * c
			total += w.y[l]
		}
		w.y = append(w.y, z)
		w.residuals = append(w.residuals, first/total)
	}
	for _, v := range w.y {
		w.weights = append(w.weights, v/total)
	}
	return w.selected, w.weights
}

// count adds the candidates examined in a round that ended at j, or at none (j < 0): those not yet
// selected, from the nearest on.
func (w *Pursuer) count(j, candidates int) {
	if j < 0 {
		w.examined += candidates - len(w.selected)
		return
	}
	w.examined += j + 1
	for _, at := range w.selected {
		if at < j {
			w.examined--
		}
	}
}

// Examined returns the number of candidates that the last selection examined in all rounds. Each
// round ends at the first candidate that qualifies.
func (w *Pursuer) Examined() int { return w.examined }

// outside computes the coefficients P of a candidate and returns its squared distance
// from the span of the selected candidates, and 1ᵀP. It computes the distance from a vector, because
// ‖g‖² − Pᵀb would be mostly rounding error for nearly dependent candidates.
func (w *Pursuer) outside(g []float64, m, j int) (s, sum float64) {
	w.off = append(w.off[:0], g[j*m:j*m+m]...)
	w.own = w.own[:0]
	for l, at := range w.selected {
		c := w.p[l][j]
		w.own = append(w.own, c)
		sum += c
		blas.Axpy(-c, g[at*m:at*m+m], w.off)
	}
	if len(w.own) >= m {
		return 0, sum // the span is the whole space
	}
	return blas.Dot(w.off, w.off), sum
}

// NewPursuer returns a pursuer without scratch space.
func NewPursuer(kernels *blas.Kernels) *Pursuer { return &Pursuer{kernels: kernels} }

// Until makes the pursuer stop once stop returns true; the selection is then meaningless.
func (w *Pursuer) Until(stop func() bool) *Pursuer {
	w.stop = stop
	return w
}

// begin prepares for the given number of candidates.
func (w *Pursuer) begin(candidates int) {
	w.selected, w.weights, w.residuals, w.y = w.selected[:0], w.weights[:0], w.residuals[:0], w.y[:0]
	if len(w.taken) < candidates {
		w.taken = make([]bool, candidates)
		w.b, w.p = nil, nil
	}
	clear(w.taken[:candidates])
}

// update adds the last selected point to the rows; s is its squared
// distance from the span of the points before it.
func (w *Pursuer) update(g []float64, candidates, m int, s float64) {
	q := len(w.selected) - 1
	if q == len(w.b) {
		w.b, w.p = append(w.b, make([]float64, len(w.taken))), append(w.p, make([]float64, len(w.taken)))
	}
	b, t := w.b[q][:candidates], w.p[q][:candidates]
	at := w.selected[q]
	w.kernels.Gemv(false, candidates, m, 1, g, m, g[at*m:at*m+m], 0, b)
	copy(t, b)
	for l, c := range w.own {
		blas.Axpy(-c, w.b[l][:candidates], t)
	}
	blas.Scale(1/s, t)
	for l, c := range w.own {
		blas.Axpy(-c, t, w.p[l][:candidates])
	}
}

// qualified returns the nearest candidate whose coefficients are all
// negative, or −1. A candidate that failed before may qualify now.
func (w *Pursuer) qualified(candidates int) int {
	last := len(w.selected) - 1
	for j, v := range w.p[last][:candidates] {
		if !(v < -pursuitTolerance) || w.taken[j] {
			continue
		}
		ok := true
		for l := last - 1; ok && l >= 0; l-- {
			ok = w.p[l][j] < -pursuitTolerance
		}
		if ok {
			return j
		}
	}
	return -1
}
