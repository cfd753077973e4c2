package quality

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

const (
	// Bounds on the number of samples whose neighbours are compared; in between, that number
	// times all samples is about askedPairs.
	minAsked, maxAsked, askedPairs = 32, 128, 1 << 23
	// searchedNumbers bounds the numbers read for distances in the data. For larger data
	// neighbours are searched among a part of the samples, evenly spaced by number.
	searchedNumbers = 1 << 26
	// A strict nearest sample in the data that is not among the loose nearest in the embedding
	// is torn; the other way round it is invented.
	strict, loose = 4, 32
	// dimensionNeighbors is the number of neighbours for the estimate of the dimension.
	dimensionNeighbors = 12
)

// keptCounts are the numbers of nearest samples to compare.
var keptCounts = [...]int{4, 8, 16, loose}

// Kept compares the nearest samples in the data and in the embedding. NaN: not measured.
type Kept struct {
	Share     []float64 // the share of the nearest 4, 8, 16 and 32 samples that are also nearest in the embedding
	Torn      float64   // the share of the nearest 4 in the data that are not among the nearest 32 in the embedding
	Invented  float64   // the share of the nearest 4 in the embedding that are not among the nearest 32 in the data
	Dimension float64   // estimated from the distances to the nearest (Levina, Bickel 2004)
	why       string    // why nothing was measured
}

// Score returns the mean of the shares over the numbers of neighbours; NaN if there are none.
func (k *Kept) Score() float64 {
	if len(k.Share) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range k.Share {
		sum += v
	}
	return sum / float64(len(k.Share))
}

func keptUnknown(why string) Kept {
	return Kept{Torn: math.NaN(), Invented: math.NaN(), Dimension: math.NaN(), why: why}
}

// nearby holds the comparison at one sample.
type nearby struct {
	shares         [len(keptCounts)]float64
	torn, invented float64
	log            float64 // mean of log(t_k/t_j) over the nearest, at distances t_j
}

// neighborComparer compares the nearest samples of one sample at a time. It is the workspace of one worker.
type neighborComparer struct {
	in      patch.Local
	y       *mat.Dense
	among   []int // samples to compare with
	lists   bool  // use the lists of the graph
	edges   *edges
	norms   []float64 // ‖x‖² of compressed samples, by place in among
	spread  []float64 // a compressed sample, made dense
	marked  []uint64  // a bit for each sample; all 0 between samples
	wide    []int32
	near    []place // nearest in the embedding
	data    []place // nearest in the data
	lengths []float64
	apart   []float64 // squared distances in the embedding, by place in among
}

// place is a sample with a squared distance.
type place struct {
	square float64
	sample int
}

// before orders by distance, ties by number.
func (p place) before(q place) bool {
	return p.square < q.square || p.square == q.square && p.sample < q.sample
}

// nearer inserts p if it is among the count nearest; the list is ascending.
func nearer(list []place, count int, p place) []place {
	if len(list) == count {
		if !p.before(list[count-1]) {
			return list
		}
		list = list[:count-1]
	}
	at := len(list)
	list = append(list, p)
	for ; at > 0 && p.before(list[at-1]); at-- {
		list[at] = list[at-1]
	}
	list[at] = p
	return list
}

// farthest returns the squared distance of the count-th of a list, beyond which no sample is among the count nearest; NaN: there are fewer.
func farthest(list []place, count int) float64 {
	if len(list) < count {
		return math.NaN()
	}
	return list[count-1].square
}

// CompareNeighbors compares the nearest samples in the data and in the coordinates. If the graph lists neighbours
// by distance, it uses those and their neighbours; otherwise, and for small data, it searches
// among up to all samples.
func CompareNeighbors(in patch.Local, y *mat.Dense) (Kept, error) {
	n, _ := y.Dims()
	if n < 2*loose {
		return keptUnknown(fmt.Sprintf("there are fewer than %d samples", 2*loose)), nil
	}
	lists := in.Graph != nil && in.Graph.Weight == nil && in.Graph.MaxDegree() >= strict
	if in.X.Absent() && !lists {
		return keptUnknown(unknown(in, "only the distances or weights of the samples are known")), nil
	}
	count, each := max(minAsked, min(maxAsked, askedPairs/n)), 1
	if !in.X.Absent() {
		each = max(1, in.X.M())
		if c := in.X.Compressed(); c != nil {
			each = max(1, len(c.Val)/n)
		}
		count = max(minAsked, min(count, searchedNumbers/(each*n)))
	}
	asked, among := spreadByNumber(in.X, count), Spread(n, n)
	if most := searchedNumbers / (count * each); most < n && !in.X.Absent() {
		lists, among = false, spreadByNumber(in.X, max(8*loose, most))
		for at := range asked {
			asked[at] = among[at*len(among)/len(asked)]
		}
	}
	found := make([]nearby, len(asked))
	workers := make([]*neighborComparer, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), len(asked), blockOf, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newNeighborComparer(in, y, among, lists)
		}
		for at := lo; at < hi; at++ {
			found[at] = workers[w].around(asked[at])
		}
	})
	if err != nil {
		return keptUnknown(""), err
	}
	return keptBy(found), nil
}

// spreadByNumber returns count samples, evenly spaced by the caller's numbers, so that all methods
// use the same samples.
func spreadByNumber(x samples.Samples, count int) []int {
	n, asked := x.N(), Spread(x.N(), count)
	if x.Absent() {
		return asked
	}
	var own []int
	for i := range n {
		number := x.Number(i) - 1
		if at := (number*len(asked) + n - 1) / n; at < len(asked) && asked[at] == number {
			own = append(own, i)
		}
	}
	if len(own) < len(asked) {
		return asked // a subset of the samples has other numbers
	}
	return own
}

// keptBy averages over the samples compared.
func keptBy(found []nearby) Kept {
	mean := func(of func(a *nearby) float64) float64 {
		var sum, count float64
		for at := range found {
			if v := of(&found[at]); !math.IsNaN(v) {
				sum, count = sum+v, count+1
			}
		}
		return sum / count // NaN if none is known
	}
	var k Kept
	for c := range keptCounts {
		if share := mean(func(a *nearby) float64 { return a.shares[c] }); !math.IsNaN(share) {
			k.Share = append(k.Share, share)
		}
	}
	k.Torn, k.Invented = mean(func(a *nearby) float64 { return a.torn }), mean(func(a *nearby) float64 { return a.invented })
	k.Dimension = 1 / mean(func(a *nearby) float64 { return a.log })
	return k
}

func newNeighborComparer(in patch.Local, y *mat.Dense, among []int, lists bool) *neighborComparer {
	n, _ := y.Dims()
	s := &neighborComparer{in: in, y: y, among: among, lists: lists, marked: make([]uint64, (n+63)/64), apart: make([]float64, len(among))}
	if !in.X.Absent() {
		s.edges = &edges{in: in, gathered: samples.NewGathered(in.X)}
	}
	if c := in.X.Compressed(); c != nil && !lists {
		s.spread, s.norms = make([]float64, in.X.M()), make([]float64, len(among))
		for at, i := range among {
			_, vals := c.Row(i)
			s.norms[at] = blas.Dot(vals, vals)
		}
	}
	return s
}

// around compares the nearest samples of one sample.
func (s *neighborComparer) around(i int) nearby {
	a := nearby{torn: math.NaN(), invented: math.NaN(), log: math.NaN()}
	data, limit := s.nearest(i)
	there := s.embedded(i, data)
	for c, count := range keptCounts {
		if a.shares[c] = math.NaN(); len(data) >= count {
			a.shares[c] = float64(common(data[:count], there[:min(count, len(there))])) / float64(count)
		}
	}
	if len(data) < strict {
		return a
	}
	a.torn = 1 - float64(common(data[:strict], there))/strict
	if !math.IsNaN(limit) {
		far := 0
		for at, square := range s.squares(i, there[:strict]) {
			if square > limit && !slices.ContainsFunc(data, func(p place) bool { return p.sample == there[at].sample }) {
				far++
			}
		}
		a.invented = float64(far) / strict
	}
	if k := min(len(data), dimensionNeighbors); !math.IsNaN(limit) && data[0].square > 0 && data[0].square < data[k-1].square {
		a.log = 0
		for _, p := range data[:k-1] {
			a.log += math.Log(data[k-1].square/p.square) / 2 / float64(k-1)
		}
	}
	return a
}

// common counts the samples that are in both lists.
func common(a, b []place) int {
	count := 0
	for _, p := range a {
		if slices.ContainsFunc(b, func(q place) bool { return p.sample == q.sample }) {
			count++
		}
	}
	return count
}

// embedded returns the loose nearest in the embedding. It begins with the nearest in the data, so that most of the others are
// too far, and cost one distance and one comparison.
func (s *neighborComparer) embedded(i int, data []place) []place {
	raw := s.y.RawMatrix()
	own := raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols]
	near := s.near[:0]
	s.mark(i)
	for _, p := range data {
		s.mark(p.sample)
		near = nearer(near, loose, place{squareTo(own, raw.Data[p.sample*raw.Stride:]), p.sample})
	}
	limit := farthest(near, loose)
	for at, square := range s.distances(own) {
		if j := s.among[at]; !(square > limit) && !s.isMarked(j) {
			near = nearer(near, loose, place{square, j})
			limit = farthest(near, loose)
		}
	}
	s.marked[i>>6] = 0
	for _, p := range data {
		s.marked[p.sample>>6] = 0
	}
	s.near = near
	return near
}

// distances returns the squared distances of coordinates from those of the samples to compare with.
func (s *neighborComparer) distances(own []float64) []float64 {
	raw := s.y.RawMatrix()
	into := s.apart
	if len(own) != 2 {
		for at, j := range s.among {
			into[at] = squareTo(own, raw.Data[j*raw.Stride:])
		}
		return into
	}
	x, y, all := own[0], own[1], raw.Data
	for at, j := range s.among {
		row := all[j*raw.Stride:][:2]
		a, b := x-row[0], y-row[1]
		into[at] = float64(a*a) + float64(b*b)
	}
	return into
}

func (s *neighborComparer) mark(i int) { s.marked[i>>6] |= 1 << (i & 63) }

func (s *neighborComparer) isMarked(i int) bool { return s.marked[i>>6]>>(i&63)&1 == 1 }

// squareTo returns the squared distance of coordinates from those that row begins with.
func squareTo(own, row []float64) float64 {
	var square float64
	for c, v := range own {
		d := v - row[c]
		square += float64(d * d)
	}
	return square
}

// nearest returns the nearest in the data, and the squared distance of the loose-th; NaN:
// unknown.
func (s *neighborComparer) nearest(i int) (near []place, limit float64) {
	near = s.data[:0]
	defer func() { s.data = near }()
	if s.lists {
		return s.listed(i, near)
	}
	if c := s.in.X.Compressed(); c != nil {
		cols, vals := c.Row(i)
		for q, col := range cols {
			s.spread[col] = vals[q]
		}
		own := blas.Dot(vals, vals)
		for at, j := range s.among {
			if j != i {
				cols, vals := c.Row(j)
				var dot float64
				for q, col := range cols {
					dot += vals[q] * s.spread[col]
				}
				near = nearer(near, loose, place{max(own+s.norms[at]-2*dot, 0), j})
			}
		}
		for _, col := range cols {
			s.spread[col] = 0
		}
	} else {
		row, most := s.in.X.Row(i), math.NaN()
		for _, j := range s.among {
			if square := blas.SquaredDistance(s.in.X.Row(j), row); !(square >= most) && j != i {
				near = nearer(near, loose, place{square, j})
				most = farthest(near, loose)
			}
		}
	}
	return near, near[len(near)-1].square
}

// listed returns the nearest among the neighbours in the graph and their neighbours.
func (s *neighborComparer) listed(i int, near []place) ([]place, float64) {
	list := s.in.Graph.Of(i)
	if s.edges == nil {
		for at, j := range list {
			near = append(near, place{float64(at), int(j)})
		}
		return near, math.NaN()
	}
	wide := s.twoSteps(i)
	lengths := s.lengthsTo(i, wide)
	for at, j := range wide {
		near = nearer(near, loose, place{lengths[at] * lengths[at], int(j)})
	}
	if len(near) == 0 {
		return near, math.NaN()
	}
	return near, near[len(near)-1].square
}

// twoSteps returns the neighbours of a sample and their neighbours, each once, without the sample. They
// are valid until the next call.
func (s *neighborComparer) twoSteps(i int) []int32 {
	wide := s.wide[:0]
	take := func(list []int32) {
		for _, j := range list {
			if !s.isMarked(int(j)) {
				s.mark(int(j))
				wide = append(wide, j)
			}
		}
	}
	s.mark(i)
	list := s.in.Graph.Of(i)
	take(list)
	for _, j := range list {
		take(s.in.Graph.Of(int(j)))
	}
	s.marked[i>>6] = 0
	for _, j := range wide {
		s.marked[j>>6] = 0
	}
	if s.in.X.Compressed() != nil {
		slices.Sort(wide) // rounding of compressed distances depends on the order of the columns
	}
	s.wide = wide
	return wide
}

func (s *neighborComparer) lengthsTo(i int, list []int32) []float64 {
	s.lengths = slices.Grow(s.lengths[:0], len(list))[:len(list)]
	s.edges.lengthsTo(i, list, s.lengths)
	return s.lengths
}

// squares returns the squared distances in the data, valid until the next call.
func (s *neighborComparer) squares(i int, to []place) []float64 {
	list := s.wide[:0]
	for _, p := range to {
		list = append(list, int32(p.sample))
	}
	s.wide = list
	lengths := s.lengthsTo(i, list)
	for at, v := range lengths {
		lengths[at] = v * v
	}
	return lengths
}
