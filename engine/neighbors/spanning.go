package neighbors

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Spanning is a minimum spanning tree of samples by their mutual reachability distances max(core(a), core(b), d(a, b)), where
// core(a) is the distance within which a has a given number of samples, itself included (Campello, Moulavi and Sander 2013).
type Spanning struct {
	From, To []int32 // the ends of the n − 1 edges
	Weight   []float64
	Core     []float64 // of each sample
}

// SpanningTree finds a minimum spanning tree of the rows of a *mat.Dense, a [*Stored] or a *sparse.CSR, with core distances to the
// minSamples-th sample, itself included: 1 is single linkage. minSamples must be in [1, n] and all entries finite.
// The result has the same bits on any number of threads.
//
// Borůvka's algorithm: in each round every component but the largest finds its nearest sample outside, with a k-d tree for few
// columns. A sample keeps what it finds as long as that is outside its component, and a bound after that. About O(n log n)
// for few columns; O(n²m) a round for many and for metrics that compare all pairs.
func SpanningTree(ctx context.Context, x mat.Matrix, minSamples int, metric Metric, o Options) (*Spanning, error) {
	n, m := x.Dims()
	if err := checkSpanning(n, minSamples); err != nil {
		return nil, err
	}
	if err := metric.CheckDistances(); err != nil {
		return nil, fmt.Errorf("neighbors: %w", err)
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	k := min(max(minSamples-1, 1), n-1)
	a, compressed := x.(*sparse.CSR)
	if !compressed && (metric == Euclidean || metric.directional()) && (m <= spanningColumns && o.method == automatic || o.method == tree) {
		mapped, err := metric.ToEuclidean(storedOf(x).Points())
		if err != nil {
			return nil, err
		}
		return spanningByTree(ctx, mapped.Stored(), k, minSamples, metric, o)
	}
	var g *Graph
	part := o
	part.Progress, part.method = func(done float64) { o.Progress(done / 4) }, automatic
	if compressed {
		g, err = NearestSparse(ctx, a, k, metric, part)
	} else {
		g, err = NearestStored(ctx, storedOf(x), k, metric, part)
	}
	if err != nil {
		return nil, err
	}
	if !compressed && (metric == Euclidean || metric.directional()) {
		mapped, err := metric.ToEuclidean(storedOf(x).Points())
		if err != nil {
			return nil, err
		}
		return spanningByProducts(ctx, mapped.Stored(), g, minSamples, metric, o)
	}
	d := &PairDistances{workers: make([]measureScratch, blas.Threads(o.Threads))}
	if compressed {
		d.measure, d.by, err = sparsePairsOf(a, metric)
	} else {
		d.measure, d.by, err = pairsOf(storedOf(x), metric)
	}
	if err != nil {
		return nil, err
	}
	return spanningByRows(ctx, d, g, minSamples, o)
}

// SpanningTreeOfDistances is [SpanningTree] for a full n × n matrix of distances, which must pass [CheckDistances]. Of the two distances of a pair
// that differ by rounding, the one in the row of either end may be taken. O(n²) a round.
func SpanningTreeOfDistances(ctx context.Context, d Points, minSamples int, o Options) (*Spanning, error) {
	if err := checkSpanning(d.N, minSamples); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	g, err := FromDistances(ctx, d, min(max(minSamples-1, 1), d.N-1), o)
	if err != nil {
		return nil, err
	}
	return spanningByRows(ctx, &PairDistances{measure: givenRows{d}, workers: make([]measureScratch, blas.Threads(o.Threads))}, g, minSamples, o)
}

func checkSpanning(n, minSamples int) error {
	if n < 2 {
		return fmt.Errorf("neighbors: %d sample has no neighbours; give at least 2", n)
	}
	if minSamples < 1 || minSamples > n {
		return fmt.Errorf("neighbors: core distances to the %d-th of %d samples; give a number from 1 to %d", minSamples, n, n)
	}
	return nil
}

// spanningColumns is the largest number of columns for which the k-d tree is used.
const spanningColumns = 16

// SpanningBytes returns the peak memory of [SpanningTree] in addition to n × m dense samples.
func SpanningBytes(n, m, minSamples int, metric Metric, o Options) int64 {
	k := min(max(minSamples-1, 1), max(n-1, 1))
	rows, cols := int64(n), int64(m)
	bytes := rows * (4 + 8 + 8 + 4 + 4 + 8 + 8 + 4 + 16 + int64(blas.Threads(o.Threads))*12) // of spanning
	switch {
	case metric.directional(), metric == Euclidean:
		bytes += 16 * rows * cols // mapped or in the order of the tree, and centred
	}
	return bytes + MetricBytes(n, m, k, o.Threads, metric)
}

// spanning is the state of Borůvka's algorithm. Samples are numbered as the search for outside samples numbers them.
type spanning struct {
	n     int
	core  []float64 // like all weights, in the search's scale: an increasing function of the distance
	lists *Graph    // the nearest of each sample, with distances in that scale

	comp    []int32   // the component of each sample: one of its samples
	lower   []float64 // no sample outside is nearer
	outside []int32   // the sample at distance lower outside the component, when it was found; −1: none was found
	largest int32     // the component that does not search

	best []reached // of each component

	from, to []int32
	weight   []float64
}

// reached is an edge out of a component.
type reached struct {
	weight   float64
	from, to int32
}

// outsideSearch finds the nearest samples outside the components.
type outsideSearch interface {
	// begin prepares for the components of a round.
	begin(ctx context.Context, s *spanning) error
	// find sets lower and outside of the samples that b does not exclude.
	find(worker int, s *spanning, samples []int32, b *bounds)
}

// bounds are the smallest weights that a worker knows for the components in a block of samples.
type bounds struct {
	weight  []float64 // +Inf for those that are not in the block
	touched []int32
}

func (b *bounds) lower(comp int32, weight float64) {
	if weight < b.weight[comp] {
		b.weight[comp] = weight
		b.touched = append(b.touched, comp)
	}
}

func (b *bounds) clear() {
	for _, c := range b.touched {
		b.weight[c] = math.Inf(1)
	}
	b.touched = b.touched[:0]
}

const (
	// spanningBlock is the number of samples that share what they find in a round at once.
	spanningBlock = 256
	// spanningWave is the number of blocks after which all share what was found.
	spanningWave = 64
)

func newSpanning(core []float64, lists *Graph) *spanning {
	n := len(core)
	s := &spanning{n: n, core: core, lists: lists, comp: make([]int32, n), lower: append([]float64(nil), core...),
		outside: make([]int32, n), largest: -1, best: make([]reached, n),
		from: make([]int32, 0, n-1), to: make([]int32, 0, n-1), weight: make([]float64, 0, n-1)}
	for i := range s.comp {
		s.comp[i], s.outside[i] = int32(i), -1
	}
	return s
}

// run adds edges until all samples are joined. Fixed blocks search at the same bounds in every run, so the edges do not depend on the number of
// threads.
func (s *spanning) run(ctx context.Context, search outsideSearch, o Options) error {
	parent := make([]int32, s.n)
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	workers := make([]bounds, blas.Threads(o.Threads))
	for w := range workers {
		workers[w].weight = make([]float64, s.n)
		for i := range workers[w].weight {
			workers[w].weight[i] = math.Inf(1)
		}
	}
	sizes, stale := make([]int32, s.n), make([]int32, 0, s.n)
	for len(s.from) < s.n-1 {
		if err := search.begin(ctx, s); err != nil {
			return err
		}
		stale = stale[:0]
		for c := range s.best {
			s.best[c].weight = math.Inf(1)
		}
		for i, c := range s.comp {
			if c == s.largest {
				continue
			}
			if j := s.outside[i]; j >= 0 && s.comp[j] != c {
				s.offer(int32(i))
				continue
			}
			stale = append(stale, int32(i))
		}
		kept := stale[:0]
		for _, i := range stale {
			if s.inList(i) {
				s.offer(i)
			} else {
				kept = append(kept, i)
			}
		}
		stale = kept
		blocks := (len(stale) + spanningBlock - 1) / spanningBlock
		waves := (blocks + spanningWave - 1) / spanningWave
		for wave := range waves { // of blocks that are spread over the samples
			mine := (blocks - wave + waves - 1) / waves
			of := func(b int) []int32 {
				lo := (wave + b*waves) * spanningBlock
				return stale[lo:min(lo+spanningBlock, len(stale))]
			}
			err := blas.For(ctx, o.Threads, mine, 1, func(worker, at, _ int) {
				b := &workers[worker]
				for _, i := range of(at) {
					b.lower(s.comp[i], s.best[s.comp[i]].weight)
				}
				search.find(worker, s, of(at), b)
				b.clear()
			})
			if err != nil {
				return err
			}
			for at := range mine {
				for _, i := range of(at) {
					if j := s.outside[i]; j >= 0 && s.comp[j] != s.comp[i] {
						s.offer(i)
					}
				}
			}
		}
		clear(sizes)
		before := len(s.from)
		for c := range s.best {
			if e := s.best[c]; e.weight < math.Inf(1) && s.comp[c] == int32(c) && int32(c) != s.largest {
				if a, b := find(e.from), find(e.to); a != b {
					parent[max(a, b)] = min(a, b)
					s.from, s.to, s.weight = append(s.from, e.from), append(s.to, e.to), append(s.weight, e.weight)
				}
			}
		}
		if len(s.from) == before {
			return fmt.Errorf("neighbors: distances are not finite or not comparable; divide the data by 10")
		}
		for i := range s.comp {
			s.comp[i] = find(int32(i))
			sizes[s.comp[i]]++
		}
		s.largest = 0
		for c, size := range sizes {
			if size > sizes[s.largest] {
				s.largest = int32(c)
			}
		}
		o.Progress(0.25 + 0.75*float64(len(s.from))/float64(s.n-1))
	}
	return nil
}

// offer considers what sample i found for its component.
func (s *spanning) offer(i int32) {
	b := &s.best[s.comp[i]]
	if w := s.lower[i]; w < b.weight || w == b.weight && i < b.from {
		*b = reached{w, i, s.outside[i]}
	}
}

// inList reports whether the nearest outside sample is in the list of sample i: no other sample is nearer than its last one.
func (s *spanning) inList(i int32) bool {
	list, dist := s.lists.Of(int(i)), s.lists.Distances(int(i))
	best, at := math.Inf(1), int32(-1)
	for q, j := range list {
		if dist[q] >= best {
			break
		}
		if s.comp[j] == s.comp[i] {
			continue
		}
		if w := max(dist[q], s.core[i], s.core[j]); w < best {
			best, at = w, j
		}
	}
	beyond := max(s.core[i], s.lower[i])
	if len(dist) > 0 {
		beyond = max(beyond, dist[len(dist)-1])
	}
	if at < 0 || best > beyond {
		if at < 0 {
			s.lower[i] = beyond // everything outside is beyond the list
		}
		return false
	}
	s.lower[i], s.outside[i] = best, at
	return true
}

// firstInList returns the nearest outside sample in the list of sample i, if it is nearer than the bound; −1: none.
func (s *spanning) firstInList(i int32, bound float64) (float64, int32) {
	dist, at := s.lists.Distances(int(i)), int32(-1)
	for q, j := range s.lists.Of(int(i)) {
		if dist[q] >= bound {
			break
		}
		if s.comp[j] != s.comp[i] {
			if w := max(dist[q], s.core[i], s.core[j]); w < bound {
				bound, at = w, j
			}
		}
	}
	return bound, at
}

// record keeps what a search below the bound found for sample i: at −1, nothing.
func (s *spanning) record(i int32, weight float64, at int32, b *bounds) {
	s.lower[i], s.outside[i] = max(s.lower[i], weight), at
	if at >= 0 {
		b.lower(s.comp[i], weight)
	}
}

// coreOf are the distances to the minSamples-th sample, itself included.
func coreOf(lists *Graph, minSamples int) []float64 {
	core := make([]float64, lists.Len())
	if minSamples > 1 {
		for i := range core {
			d := lists.Distances(i)
			core[i] = d[minSamples-2]
		}
	}
	return core
}
