package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Points holds n samples of m columns, row by row.
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

	// ListsOnly makes [Nearest], [NearestStored] and the searches that these use return only the lists, with the same
	// bits. Dist, which would take 8nk bytes, is nil; [DistancesOf] measures the distances again. The k-d tree for
	// few columns never allocates that memory; the other searches free it at their end.
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

// treeColumns is the largest number of columns for which the k-d tree is used.
// Measured on uniform data, the tree's worst case (BenchmarkExact): with the native kernels the tree is
// faster up to 6 columns, equally fast with 8 and slower from 10 on.
const treeColumns = 8

// Exact finds the k nearest neighbours of every sample among the others, by
// Euclidean distance, ties by lower index. k must be in [1, n−1] and all
// entries finite. Samples whose squares would overflow or underflow are scaled by a
// power of two internally. Distances that overflow are an
// error. O(n log n) for few columns; n²m
// multiplications, half of which symmetry saves, for many.
func Exact(ctx context.Context, x Points, k int, o Options) (*Graph, error) {
	return ExactStored(ctx, x.Stored(), k, o)
}

// ExactStored is [Exact] for samples in their original type. It makes a copy in float64
// only for few columns. The lists have the same bits as for such a copy.
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
	search, only := searchProducts, false // it fills all lists together
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

// takeRoots ends a search by replacing squared distances with distances.
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

// checkCount returns an error if n samples have fewer than k neighbours.
func checkCount(n, k int) error {
	if n < 2 {
		return fmt.Errorf("neighbors: %d sample has no neighbours; give at least 2", n)
	}
	if k < 1 || k >= n {
		return fmt.Errorf("neighbors: %d neighbours requested of %d samples; give a number from 1 to %d", k, n, n-1)
	}
	return nil
}

// list returns a collector for the neighbours of sample i.
func (g *Graph) list(i int) nearest {
	return nearest{square: g.Distances(i), index: g.Of(i)}
}

// listIn is list with the given storage for the squares if the graph has none.
func (g *Graph) listIn(squares []float64, i int) nearest {
	if g.Dist != nil {
		return g.list(i)
	}
	return nearest{square: squares, index: g.Of(i)}
}

// ExactBytes returns the peak memory of [Exact] in addition to n × m samples, including the
// graph.
func ExactBytes(n, m, k, threads int) int64 {
	return exactBytes(n, m, k, Options{Threads: threads}, 8)
}

// ExactStoredBytes returns the same for [ExactStored] with the given options.
func ExactStoredBytes(x *Stored, k int, o Options) int64 {
	if x.narrow == nil || x.m <= treeColumns {
		return exactBytes(x.n, x.m, k, o, 8) + x.WidenedBytes()
	}
	return exactBytes(x.n, x.m, k, o, 4)
}

// exactBytes is [ExactBytes] for centred rows with the given number of bytes for each entry.
func exactBytes(n, m, k int, o Options, entry int64) int64 {
	rows, cols := int64(n), int64(m)
	bytes := GraphBytes(n, k)
	switch exactMethod(m, k) {
	case tree: // the samples in tree order, that order, and the nodes, whose slice grows by doubling
		return listsBytes(n, k, o.ListsOnly) + rows*(8*cols+4+24)
	case coded:
		bytes += codedBytes(n, m, k, o.Threads)
	}
	// Centred rows, thresholds, lists, tiles and the rows of a tile.
	tiles := int64(blas.Threads(o.Threads)) * blockRows * (12*blockRows + 16*cols)
	return max(bytes, GraphBytes(n, k)+rows*(entry*cols+8*2+8*3+72)+tiles)
}
