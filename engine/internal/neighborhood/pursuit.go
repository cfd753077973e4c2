package neighborhood

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Pursuit is the neighbourhood of local non-negative pursuit: of the k nearest
// by Euclidean distance the few in whose convex hull, as far as it can be reached, the sample projects,
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

// Widen searches once and pursues among fewer.
func (r Pursuit) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(run.Euclidean(job), x, k)
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

// pursue selects at most this many neighbours of every sample among candidates, and says
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

	gathered *samples.Gathered
}

// Take computes the differences of sample i of z to those of its candidates among x whose
// squared distance exceeds least, and returns how many at the head of the list do not. z
// has the form of x, which must be the same at every call.
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

const (
	// pursuitTolerance: a coefficient of a projection counts as negative below its
	// negative. Coefficients have no unit, so it fits every scale of the data.
	pursuitTolerance = 1e-12
	// dependentShare: a candidate whose squared distance from the span of the
	// selected ones is below this share of its squared length lies in it.
	dependentShare = 1e-12
)

// Pursuer selects the neighbours of one point after the other by local
// non-negative pursuit (Chen, Lv and Yi 2014, Algorithm 1). It is one worker's
// scratch: after the first points it allocates nothing.
//
// With g_j = a − a_j and A = GᵀG over the selected ones, a candidate qualifies if
// all its coefficients p = A⁻¹Gᵀg are negative; then the weights y = A⁻¹1, scaled
// to sum 1, stay positive when it joins. Instead of A⁻¹, the rows below hold p
// and b = Gᵀg of all candidates at once, and are brought up to date with each
// selected point, of coefficients P and squared distance S from the span:
//
//	t = (b_new − Pᵀb)/S,   p ← [p − t·P; t],   y ← [y − z·P; z],   z = (1 − 1ᵀP)/S.
type Pursuer struct {
	kernels *blas.Kernels

	b, p  [][]float64 // a row for each selected point, an entry for each candidate
	own   []float64   // P of the point selected last
	off   []float64   // its part off the span of those before it
	y     []float64   // times ‖g₁‖², which keeps it near 1
	taken []bool

	stop func() bool // nil: never

	selected  []int     // positions among the candidates, in order of acceptance
	weights   []float64 // one for each
	residuals []float64 // squared distance to the point reached, after each acceptance
	examined  int       // candidates that were looked at, round after round
}

// Select runs the pursuit over the rows of g, the differences to candidates in
// increasing distance, with their squared lengths, and selects at most this many.
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
	total := 1.0 // of y
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
			// The point lies in the simplex. The weights are a limit, for A is singular.
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

// count adds the candidates of a round that ended at j, or at none: those not selected
// yet, from the nearest on.
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

// Examined is how many candidates the last selection looked at in all its rounds, each
// until the first that qualified.
func (w *Pursuer) Examined() int { return w.examined }

// outside takes the coefficients P of a candidate and returns its squared distance
// from the span of the selected ones, and 1ᵀP. The distance is that of a vector:
// ‖g‖² − Pᵀb would be all rounding where the span is nearly that of fewer.
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

// NewPursuer makes a pursuer without scratch.
func NewPursuer(kernels *blas.Kernels) *Pursuer { return &Pursuer{kernels: kernels} }

// Until makes the pursuer give up once stop says so: its selection means nothing then.
func (w *Pursuer) Until(stop func() bool) *Pursuer {
	w.stop = stop
	return w
}

// begin makes ready for a number of candidates.
func (w *Pursuer) begin(candidates int) {
	w.selected, w.weights, w.residuals, w.y = w.selected[:0], w.weights[:0], w.residuals[:0], w.y[:0]
	if len(w.taken) < candidates {
		w.taken = make([]bool, candidates)
		w.b, w.p = nil, nil
	}
	clear(w.taken[:candidates])
}

// update brings the rows up to the point that was selected last, whose squared
// distance from the span of those before it is s.
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

// qualified returns the nearest candidate all of whose coefficients are
// negative, and −1 where there is none. One that failed before may qualify now.
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
