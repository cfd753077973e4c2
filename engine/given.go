package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// structures lists the structures given in place of samples, or of a search among them.
func structures(o Options) []string {
	var all []string
	if o.Graph != nil {
		all = append(all, "a graph")
	}
	if !param.Absent(o.Affinities) {
		all = append(all, "affinities")
	}
	if !param.Absent(o.Distances) {
		all = append(all, "distances")
	}
	return all
}

// structure checks the given graph, affinities or distances. It returns the data,
// which then may be absent, and the method with the mean number of neighbours of the lists.
// Without a structure it returns both unchanged.
func (s state) structure(task string, x mat.Matrix, o Options) (state, mat.Matrix, error) {
	all := structures(o)
	if len(all) == 0 {
		return s, x, nil
	}
	if method.RowOf(s.method).Takes(method.AllPairs) {
		return s.ofPairs(x, o)
	}
	if len(all) > 1 {
		return s, nil, fmt.Errorf("%s: %s are given together; give one of them", s.Method(), strings.Join(all, " and "))
	}
	settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
	if err != nil {
		return s, nil, err
	}
	row, what := method.RowOf(settled), "graph"
	switch {
	case !param.Absent(o.Distances):
		return s.ofDistances(task, x, row, o)
	case row.Searches(task) == nil:
		return s, nil, fmt.Errorf("%s: it takes no neighbour graph: it looks for none, or chooses neighbours in its own way; leave the graph out", s.Method())
	case param.Absent(o.Affinities):
		if err := o.Graph.Validate(); err != nil {
			return s, nil, fmt.Errorf("%s: %w", s.Method(), err)
		}
		s.Run = s.Holding(o.Graph.Bytes())
		s.given.Graph = o.Graph
	case !row.Affine(task):
		return s, nil, fmt.Errorf("%s: it takes no affinities, because %s; give the graph of distances", s.Method(), row.NotAffine())
	default:
		if s, err = s.ofAffinities(o.Affinities); err != nil {
			return s, nil, err
		}
	}
	g := s.given.Graph
	if err := s.checkVertices(g); err != nil {
		return s, nil, err
	}
	if param.Absent(x) {
		if err := s.checkWithoutSamples(row, what, o); err != nil {
			return s, nil, err
		}
		x = unknownRows(g.Len())
	}
	n, cols := x.Dims()
	if n != g.Len() {
		return s, nil, fmt.Errorf("%s: a graph of %d samples for data of %d; give the graph of these samples", s.Method(), g.Len(), n)
	}
	if err := s.checkAllSamples(row, what, o); err != nil {
		return s, nil, err
	}
	least, mean, _ := g.Degrees()
	if !row.ChoosesAmongLists(task) {
		if s.method, err = s.withNeighbors(max(mean, 1)); err != nil {
			return s, nil, err
		}
	}
	return s, x, s.checkListLengths(row, least, cols)
}

// ofPairs is [state.structure] for a method of all pairs: distances, of which some may be unknown, or a graph of the known
// ones, in place of the samples, and weights.
func (s state) ofPairs(x mat.Matrix, o Options) (state, mat.Matrix, error) {
	row, n, what := method.RowOf(s.method), 0, ""
	switch {
	case !param.Absent(o.Distances) && o.Graph != nil:
		return s, nil, fmt.Errorf("%s: a graph and distances are given together; give one of them", s.Method())
	case !param.Absent(o.Distances):
		var err error
		if s, err = s.readDistances(o.Distances, neighbors.CheckKnownDistances); err != nil {
			return s, nil, err
		}
		n, what = s.given.Distances.N(), "matrix of distances"
	case o.Graph != nil:
		if err := o.Graph.Validate(); err != nil {
			return s, nil, fmt.Errorf("%s: %w", s.Method(), err)
		}
		s.Run = s.Holding(o.Graph.Bytes())
		s.given.Graph = o.Graph
		if err := s.checkVertices(o.Graph); err != nil {
			return s, nil, err
		}
		n, what = o.Graph.Len(), "graph"
	case param.Absent(x):
		return s, nil, fmt.Errorf("%s: weights are given without samples or distances; give these, too", s.Method())
	}
	if what != "" {
		if !param.Absent(x) {
			return s, nil, fmt.Errorf("%s: samples and a %s are given together; give one of them", s.Method(), what)
		}
		if err := s.checkWithoutSamples(row, what, o); err != nil {
			return s, nil, err
		}
		x = unknownRows(n)
	} else {
		n, _ = x.Dims()
		what = "matrix of weights"
	}
	if !param.Absent(o.Affinities) {
		weights, err := s.ofAffinities(o.Affinities)
		if err != nil {
			return s, nil, err
		}
		s.Run = weights.Run
		if s.given.Weights = weights.given.Graph; s.given.Weights.Len() != n {
			return s, nil, fmt.Errorf("%s: weights of %d samples for %d; give the weights of these samples", s.Method(), s.given.Weights.Len(), n)
		}
	}
	return s, x, s.checkAllSamples(row, what, o)
}

// checkVertices refuses a graph of one sample.
func (s state) checkVertices(g *neighbors.Graph) error {
	if g.Len() < 2 {
		return fmt.Errorf("%s: a graph of %d sample has no places to find; give one of at least 2 samples", s.Method(), g.Len())
	}
	return nil
}

// readDistances reads a full matrix of distances that passes a check.
func (s state) readDistances(d mat.Matrix, check func(neighbors.Points) error) (state, error) {
	if _, _, isSparse := sparse.OfBytes(d); isSparse {
		return s, fmt.Errorf("%s: the distances are sparse; give them as a graph, or a full matrix", s.Method())
	}
	if n, cols := d.Dims(); n != cols || n < 2 {
		return s, fmt.Errorf("%s: the distances are %d × %d; give a square matrix, with a row and a column for each of at least 2 samples", s.Method(), n, cols)
	}
	s.Run = s.Holding(heldDense(d))
	s.given.Distances = samples.Of(d)
	if err := check(s.given.Distances.Points()); err != nil {
		return s, fmt.Errorf("%s: %w", s.Method(), err)
	}
	return s, nil
}

// ofDistances is [state.structure] for distances.
func (s state) ofDistances(task string, x mat.Matrix, row method.Row, o Options) (state, mat.Matrix, error) {
	d := o.Distances
	switch {
	case !row.Takes(method.AllDistances) && row.Searches(task) == nil:
		return s, nil, fmt.Errorf("%s: it takes no distances: it has no neighbour search, or chooses neighbours in its own way; leave the distances out", s.Method())
	case row.Searches(task) == nil && !param.Absent(x):
		return s, nil, fmt.Errorf("%s: samples and distances are given together; give one of them", s.Method())
	}
	s, err := s.readDistances(d, neighbors.CheckDistances)
	if err != nil {
		return s, nil, err
	}
	if param.Absent(x) {
		if row.Searches(task) != nil {
			if err := s.checkWithoutSamples(row, "distances", o); err != nil {
				return s, nil, err
			}
		}
		x = unknownRows(s.given.Distances.N())
	}
	if n, _ := x.Dims(); n != s.given.Distances.N() {
		return s, nil, fmt.Errorf("%s: distances of %d samples for %d samples of data; give the distances of these samples", s.Method(), s.given.Distances.N(), n)
	}
	return s, x, s.checkAllSamples(row, "matrix of distances", o)
}

// ofAffinities checks a matrix of affinities, and makes lists of its positive off-diagonal
// entries, which have no distances. They are the rows of the matrix itself if it has no other entries.
func (s state) ofAffinities(w mat.Matrix) (state, error) {
	held, copied, isSparse := sparse.OfBytes(w)
	if !isSparse {
		return s, fmt.Errorf("%s: the affinities are not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse", s.Method())
	}
	s.Run = s.Holding(held)
	if err := s.Fit(copied, "the affinities need", "give fewer entries, or raise the limit"); err != nil {
		return s, err
	}
	s.Run = s.Holding(copied)
	a, _, err := sparse.Of(w)
	if err != nil {
		return s, fmt.Errorf("%s: the affinities: %w", s.Method(), err)
	}
	if a.Rows != a.Cols {
		return s, fmt.Errorf("%s: the affinities are %d × %d; give a square matrix, with a row and a column for each sample", s.Method(), a.Rows, a.Cols)
	}
	zeros, loops, err := s.checkAffinities(a)
	if err != nil {
		return s, err
	}
	if method.RowOf(s.method).Kernel() {
		s.given.Diagonal = diagonalOf(a)
	} else if loops > 0 {
		s.Warn("%d entries on the diagonal of the affinities do not count: an edge from a sample to itself changes neither D − W nor, here, D", loops)
	}
	if err := a.CheckSymmetric(); err != nil {
		if e, is := errors.AsType[*sparse.AsymmetryError](err); is {
			return s, fmt.Errorf("%s: the affinities are not symmetric: row %d, column %d (counting from 1) is %v and its mirror is %v; give (W + Wᵀ)/2",
				s.Method(), e.Row+1, e.Column+1, e.Value, e.Mirror)
		}
		return s, fmt.Errorf("%s: the affinities: %w", s.Method(), err)
	}
	s.given.Graph, s.given.Affine = &neighbors.Graph{Ptr: a.Ptr, Index: a.Col, Weight: a.Val}, true
	if zeros+loops == 0 {
		return s, nil // the lists are the rows of the matrix
	}
	need := 12 * int64(a.NNZ()-zeros-loops)
	if err := s.Fit(need, "the lists of the affinities need", "remove the zeros and the diagonal from the matrix, give fewer entries, or raise the limit"); err != nil {
		return s, err
	}
	s.Run = s.Holding(need)
	s.given.Graph = positive(a, a.NNZ()-zeros-loops)
	return s, nil
}

// checkAffinities counts the zeros, and the other entries on the diagonal. It is an error if an entry is negative or not finite.
func (s state) checkAffinities(a *sparse.CSR) (zeros, loops int, err error) {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, v := range vals {
			switch {
			case !(v >= 0) || math.IsInf(v, 1):
				return 0, 0, fmt.Errorf("%s: row %d, column %d (counting from 1) of the affinities is %v; give finite numbers ≥ 0", s.Method(), i+1, cols[q]+1, v)
			case v == 0:
				zeros++
			case int(cols[q]) == i:
				loops++
			}
		}
	}
	return zeros, loops, nil
}

// diagonalOf is the diagonal of a sparse matrix.
func diagonalOf(a *sparse.CSR) []float64 {
	diagonal := make([]float64, a.Rows)
	for i := range diagonal {
		diagonal[i] = a.At(i, i)
	}
	return diagonal
}

// positive lists the positive entries off the diagonal, of which there are this many.
func positive(a *sparse.CSR, entries int) *neighbors.Graph {
	g := &neighbors.Graph{Ptr: make([]int, 1, a.Rows+1), Index: make([]int32, 0, entries), Weight: make([]float64, 0, entries)}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if vals[q] > 0 && int(j) != i {
				g.Index, g.Weight = append(g.Index, j), append(g.Weight, vals[q])
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// checkAllSamples refuses options that would make the structure differ from that of the embedded
// samples.
func (s state) checkAllSamples(row method.Row, what string, o Options) error {
	if o.Duplicates == "merge" {
		return wording.Errorf("%s: ‹duplicates=merge› with a given %s of all samples; keep them", s.Method(), what)
	}
	if landmarksOf(o).asked() && !row.OwnLandmarks {
		return fmt.Errorf("%s: landmarks with a given %s, which is for other samples than the landmarks; leave one of them out", s.Method(), what)
	}
	return nil
}

// checkWithoutSamples refuses a graph or distances without samples if the method needs samples.
func (s state) checkWithoutSamples(row method.Row, what string, o Options) error {
	if row.GraphOnly == nil {
		return fmt.Errorf("%s: it needs the samples in addition to their %s; give both", s.Method(), what)
	}
	enough := s.given.Affine || row.Takes(method.AllDistances) && s.given.Distances.N() > 0
	if needs, remedy := row.GraphOnly(); needs != "" && !enough {
		return wording.Errorf("%s: %s needs the samples in addition to their %s; give both, or %s", s.Method(), needs, what, remedy)
	}
	switch {
	case o.Model:
		return wording.Errorf("%s: there is no rule for new samples%s; leave the model out, or give the samples, too", s.Method(), extend.WithoutSamples)
	case o.Components == "bridge" && !row.Takes(method.AllPairs):
		return wording.Errorf("%s: ‹components=bridge› measures between samples, which are not given; choose ‹components=auto›", s.Method())
	case o.Landmarks > 0 && landmarksOf(o).choiceFor(row) != "random":
		return wording.Errorf("%s: landmarks far from each other are measured between samples, which are not given; choose ‹landmark_choice=random›", s.Method())
	}
	return nil
}

// withNeighbors returns the method with k neighbours. It is an error if the method was given a number.
func (s state) withNeighbors(k int) (Method, error) {
	for _, f := range param.Fields(s.method) {
		if replaced := f.Key == "weights" || f.Key == "t" || f.Key == "epsilon" || f.Key == "graph"; replaced && s.given.Affine && !f.Value.IsZero() {
			return nil, wording.Errorf("%s: ‹%s› is given together with affinities, which are the weights of the edges; leave one of them out", s.Method(), f.Key)
		}
		if f.Key == param.Neighbors && !f.Value.IsZero() {
			return nil, wording.Errorf("%s: ‹neighbors› is given together with a graph, which already lists the neighbours; leave one of them out", s.Method())
		}
	}
	return param.WithCount(s.method, param.Neighbors, k), nil
}

// checkListLengths returns an error if lists are shorter than the patches of a method need.
func (s state) checkListLengths(row method.Row, least, cols int) error {
	g := s.given.Graph
	if least == 0 && row.Layout { // a sample without neighbours is a component, and no patch is made of it
		return nil
	}
	if row.Embed == nil || s.given.Affine || row.Embed().Patch.AnyLists || row.OwnLandmarks {
		return nil
	}
	shortest := func() int { // index of the first of them, from 1
		for i := range g.Len() {
			if len(g.Of(i)) == least {
				return i + 1
			}
		}
		return 0
	}
	if least == 0 {
		return fmt.Errorf("%s: row %d (counting from 1) of the graph lists no neighbours, and its sample has no patch; give it some, or leave it out", s.Method(), shortest())
	}
	fewest := param.WithCount(s.method, param.Neighbors, least)
	m, err := param.Resolve(fewest.Name(), fewest, g.Len(), func(string, ...any) {})
	if err != nil {
		return err
	}
	if check := method.RowOf(m).Check; check != nil {
		if err := check(g.Len(), cols); err != nil {
			return fmt.Errorf("%w (row %d, counting from 1, of the graph lists %d)", err, shortest(), least)
		}
	}
	return nil
}

// rescaleAffinities divides affinities of unusual magnitude by a power of two, if that only changes
// the unit of coordinates; otherwise it refuses them.
type rescaleAffinities struct {
	task string
	w    mat.Matrix // nil: none were given
}

func (g rescaleAffinities) apply(s state) (state, undo, error) {
	if !s.given.Affine {
		return s, nil, nil
	}
	row, col, value := largestAffinity(g.w)
	e := magnitude.Exponent(value)
	if e == 0 {
		return s, nil, nil
	}
	settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
	if err != nil {
		return s, nil, err
	}
	r := method.RowOf(settled)
	normalized := g.task == "cluster" && r.Cluster(2).Plan.Factors == nil || g.task == "embed" && r.UnitsOf().Affinities != 0
	if normalized {
		own := 8 * int64(len(s.given.Graph.Weight))
		if err := s.Fit(own, "the affinities in another unit need", "divide them by the largest one, or raise the limit"); err != nil {
			return s, nil, err
		}
		s.Run = s.Holding(own)
		weight := slices.Clone(s.given.Graph.Weight) // those of the list may be those of the matrix
		magnitude.Scale(-e, weight)
		magnitude.Scale(-e, s.given.Diagonal) // which belongs to the run
		s.given.Graph = &neighbors.Graph{Ptr: s.given.Graph.Ptr, Index: s.given.Graph.Index, Weight: weight}
		return s, rescaledAffinities(e), nil
	}
	if value >= minAffinity && value <= 1/minAffinity {
		return s, nil, nil
	}
	return s, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the affinities is %.4g, the largest, and results would be beyond the range of numbers; %s",
		s.Method(), row+1, col+1, value, strings.Replace(magnitude.Unit{Value: value}.Remedy(), "the data", "the affinities", 1))
}

// rescaledAffinities is the exponent of the power of two by which affinities were divided.
type rescaledAffinities int

// back converts coordinates to the unit of the given affinities.
func (e rescaledAffinities) back(f *fitted) error {
	if o := f.coordinates; o != nil && o.Y != nil {
		o.Y = mat.DenseCopyOf(o.Y)
		magnitude.Scale(int(method.RowOf(f.method).UnitsOf().Affinities*float64(e)), o.Y.RawMatrix().Data)
	}
	return nil
}

// largestAffinity returns the largest off-diagonal affinity and its place.
func largestAffinity(w mat.Matrix) (row, col int, value float64) {
	if param.Absent(w) {
		return 0, 0, 0
	}
	a, _, err := sparse.Of(w)
	if err != nil {
		return 0, 0, 0
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if int(j) != i && vals[q] > value {
				row, col, value = i, int(j), vals[q]
			}
		}
	}
	return row, col, value
}

// minAffinity, and its reciprocal, bound the largest affinity for which products with samples and
// parameters neither underflow nor overflow.
const minAffinity = 0x1p-300

// longestEdge returns the largest distance of a graph and its place.
func longestEdge(g *neighbors.Graph) (row, col int, value float64) {
	row, col = -1, -1
	if g.Dist == nil { // affinities have none
		return row, col, 0
	}
	for i := range g.Len() {
		if d := g.Distances(i); len(d) > 0 && d[len(d)-1] > value {
			row, col, value = i, int(g.Of(i)[len(d)-1]), d[len(d)-1]
		}
	}
	return row, col, value
}
