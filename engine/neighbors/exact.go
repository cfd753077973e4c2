package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Points are n samples of m columns, row after row.
type Points struct {
	N, M int
	Data []float64
}

// Row returns sample i.
func (x Points) Row(i int) []float64 { return x.Data[i*x.M : (i+1)*x.M] }

// Options of a search. The zero value uses all cores and the default kernels.
type Options struct {
	Kernels  *blas.Kernels // nil: blas.Select("")
	Threads  int           // 0: all cores
	Progress func(done float64)

	// ListsOnly has [Nearest], [NearestStored] and the searches that these make return the lists alone, with the same
	// bits, where Dist would take 8nk bytes: it is nil, and [DistancesOf] measures the distances again. The k-d tree of
	// few columns does without that memory throughout; the others free it at their end.
	ListsOnly bool

	method method // automatic unless a test asks for one
}

type method int

const (
	automatic method = iota
	tree
	blocked // products in floating point
	coded   // products of codes first
)

// treeColumns is the largest number of columns for which the k-d tree is taken.
// Measured on uniform data (the tree's worst case; BenchmarkExact): the tree
// wins up to 6 columns, draws at 8 and loses from 10 on, with the native kernels.
const treeColumns = 8

// Exact finds the k nearest neighbours of every sample among the others, by
// Euclidean distance, ties by lower index. k must be in [1, n−1] and all
// entries finite. Samples whose squares would overflow or vanish are compared over a
// power of two, of which nothing is seen; distances beyond the range of numbers are an
// error. O(n log n) for few columns; n²m
// multiplications, half of them saved by symmetry, for many.
func Exact(ctx context.Context, x Points, k int, o Options) (*Graph, error) {
	return ExactStored(ctx, x.Stored(), k, o)
}

// ExactStored is [Exact] for samples in the type in which they came, without a copy in float64
// but for few columns. The lists have the same bits as for such a copy.
func ExactStored(ctx context.Context, x *Stored, k int, o Options) (*Graph, error) {
	if err := checkCount(x.n, k); err != nil {
		return nil, err
	}
	x, by, err := x.ordinary()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	search, only := searchProducts, false // it fills all lists at a time
	if o.method == tree || o.method == automatic && x.m <= treeColumns {
		search, only = searchTree, o.ListsOnly
	}
	g := newLists(x.n, k, only)
	if err := search(ctx, x, k, o, g); err != nil {
		return nil, err
	}
	if o.ListsOnly {
		g.Dist = nil
	}
	g.takeRoots()
	return g, by.restore(g)
}

func (o Options) withDefaults() (Options, error) {
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return o, err
		}
		o.Kernels = kernels
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	return o, nil
}

// takeRoots ends a search, during which the distances are kept squared.
func (g *Graph) takeRoots() {
	for p, s := range g.Dist {
		g.Dist[p] = math.Sqrt(s)
	}
}

func check(x Points, k int) error {
	if err := checkCount(x.N, k); err != nil {
		return err
	}
	return checkFinite(x)
}

// checkCount refuses a number of neighbours that n samples do not have.
func checkCount(n, k int) error {
	if n < 2 {
		return fmt.Errorf("neighbors: %d sample has no neighbours; give at least 2", n)
	}
	if k < 1 || k >= n {
		return fmt.Errorf("neighbors: %d neighbours asked of %d samples; give a number from 1 to %d", k, n, n-1)
	}
	return nil
}

// list returns the place for the neighbours of sample i, as a collector.
func (g *Graph) list(i int) nearest {
	return nearest{square: g.Distances(i), index: g.Of(i)}
}

// listIn is list, with room for the squares where the graph has none.
func (g *Graph) listIn(squares []float64, i int) nearest {
	if g.Dist != nil {
		return g.list(i)
	}
	return nearest{square: squares, index: g.Of(i)}
}

// ExactBytes is the most memory that [Exact] takes in addition to n × m samples, its graph
// included.
func ExactBytes(n, m, k, threads int) int64 {
	return exactBytes(n, m, k, Options{Threads: threads}, 8)
}

// ExactStoredBytes is the same for [ExactStored] with these options.
func ExactStoredBytes(x *Stored, k int, o Options) int64 {
	if x.narrow == nil || x.m <= treeColumns {
		return exactBytes(x.n, x.m, k, o, 8) + x.WidenedBytes()
	}
	return exactBytes(x.n, x.m, k, o, 4)
}

// exactBytes is [ExactBytes] where centred rows take this many bytes an entry.
func exactBytes(n, m, k int, o Options, entry int64) int64 {
	rows, cols := int64(n), int64(m)
	bytes := GraphBytes(n, k)
	switch exactMethod(m, k) {
	case tree: // the samples in its order, that order, and nodes, whose list doubles
		return listsBytes(n, k, o.ListsOnly) + rows*(8*cols+4+24)
	case coded:
		bytes += codedBytes(n, m, k, o.Threads)
	}
	// Centred rows, thresholds, lists, tiles and the rows of a tile.
	tiles := int64(blas.Threads(o.Threads)) * blockRows * (12*blockRows + 16*cols)
	return max(bytes, GraphBytes(n, k)+rows*(entry*cols+8*2+8*3+72)+tiles)
}
