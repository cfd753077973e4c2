package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// DensityScores are the result of [DensityValidity].
type DensityScores struct {
	Value     float64   // Σ |Cᵢ|/n · V(Cᵢ) over the clusters
	Labels    []int64   // of the clusters, ascending
	OfCluster []float64 // V of each, from −1 to 1
	Noise     int       // samples that are noise; they count in n
}

// DensityValidity is DBCV, the density-based validity of clusters of any shape, from −1 to 1 (Moulavi, Jaskowiak, Campello, Zimek
// and Sander 2014). In a cluster of c samples, the core distance of sample o is ((1/(c − 1)) Σ d(o, p)⁻ᵐ)^(−1/m) over its other
// samples, in m columns (0 if another one equals it); the mutual reachability of two samples is the largest of their core
// distances and their distance. The sparseness of a cluster is the longest inner edge of its minimum spanning tree in
// mutual reachability, and the separation of two clusters the least mutual reachability between inner vertices (edges and
// vertices are inner if no end, or they, are no leaf). With S the least separation from another cluster and D the
// sparseness, V = (S − D) / max(S, D).
//
// The tree of a cluster without an inner edge (or vertex) has all of them. A cluster of one sample has no density and V = 0.
// Equal edges are common, as core distances decide, and other trees of the same length have another value: the tree grows from
// the first sample, to the lowest row that is nearest, from the lowest row that is as near.
// Noise has no density; it lowers the value by its share. Errors are those of [Silhouette]. O(n²m), memory O(n).
func DensityValidity(ctx context.Context, x mat.Matrix, labels []int64, o Options) (*DensityScores, error) {
	c, err := clusteredOf("dbcv", x, labels)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults("dbcv"); err != nil {
		return nil, err
	}
	s := &DensityScores{Labels: c.labels, OfCluster: make([]float64, len(c.labels)), Noise: c.noise}
	d := &density{clustered: c, core: make([]float64, c.N), inner: make([]bool, c.N), sparse: make([]float64, len(c.labels))}
	if err := d.measureCores(ctx, o.Threads); err != nil {
		return nil, err
	}
	if err := d.span(ctx, o.Threads); err != nil {
		return nil, err
	}
	apart, err := d.separations(ctx, o.Threads)
	if err != nil {
		return nil, err
	}
	for k := range s.OfCluster {
		separation, sparseness := math.Sqrt(apart[k]), math.Sqrt(d.sparse[k])
		if top := max(separation, sparseness); c.size(k) > 1 && top > 0 {
			s.OfCluster[k] = (separation - sparseness) / top
		}
		s.Value += float64(c.size(k)) / float64(len(labels)) * s.OfCluster[k]
	}
	return s, nil
}

// density is the work of [DensityValidity]. Distances are squared.
type density struct {
	*clustered
	core   []float64 // core distance of each sample
	inner  []bool    // whether it is an inner vertex of its cluster's tree
	sparse []float64 // sparseness of each cluster
}

// reachability returns the mutual reachability of two samples.
func (d *density) reachability(i, j int) float64 {
	return max(d.core[i], d.core[j], blas.SquaredDistance(d.Row(i), d.Row(j)))
}

// measureCores computes the core distances. The sum is relative to the nearest sample: powers of m of the distances themselves are
// beyond the range of numbers in many columns.
func (d *density) measureCores(ctx context.Context, threads int) error {
	room := make([][]float64, blas.Threads(threads))
	return blas.For(ctx, threads, d.N, 4, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, own := room[w][:0], d.of[i]
			nearest := math.Inf(1)
			for j := d.starts[own]; j < d.starts[own+1]; j++ {
				if j != i {
					row = append(row, blas.SquaredDistance(d.Row(i), d.Row(j)))
					nearest = min(nearest, row[len(row)-1])
				}
			}
			room[w] = row
			if len(row) == 0 || nearest == 0 {
				continue // alone, or equal to another one: 0
			}
			sum, power := 0.0, float64(d.M)/2
			for _, v := range row {
				sum += math.Pow(nearest/v, power)
			}
			d.core[i] = nearest * math.Pow(sum/float64(len(row)), -1/power)
		}
	})
}

// span grows the minimum spanning tree of each cluster (Prim 1957), and marks its inner vertices.
func (d *density) span(ctx context.Context, threads int) error {
	err := blas.For(ctx, threads, len(d.labels), 1, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			d.spanOne(ctx, k)
		}
	})
	if err != nil {
		return err
	}
	return ctx.Err()
}

func (d *density) spanOne(ctx context.Context, k int) {
	first, size := d.starts[k], d.size(k)
	reach, from, degree, done := make([]float64, size), make([]int, size), make([]int, size), make([]bool, size)
	edges := make([]float64, size) // of each vertex to the one it was reached from
	for i := range reach {
		reach[i] = math.Inf(1)
	}
	at := 0
	for range size - 1 {
		if ctx.Err() != nil {
			return
		}
		done[at] = true
		next := -1
		for i := range reach {
			if done[i] {
				continue
			}
			if r := d.reachability(first+at, first+i); r < reach[i] || r == reach[i] && at < from[i] {
				reach[i], from[i] = r, at
			}
			if next < 0 || reach[i] < reach[next] {
				next = i
			}
		}
		edges[next] = reach[next]
		degree[next]++
		degree[from[next]]++
		at = next
	}
	longest, longestInner, innerEdges, innerVertices := 0.0, 0.0, 0, 0
	for i := range degree {
		if degree[i] > 1 {
			innerVertices++
		}
		if i == 0 {
			continue // the root was reached from nowhere
		}
		longest = max(longest, edges[i])
		if degree[i] > 1 && degree[from[i]] > 1 {
			innerEdges++
			longestInner = max(longestInner, edges[i])
		}
	}
	if d.sparse[k] = longestInner; innerEdges == 0 {
		d.sparse[k] = longest
	}
	for i := range degree {
		d.inner[first+i] = degree[i] > 1 || innerVertices == 0
	}
}

// separations returns of each cluster the least mutual reachability of its inner vertices and those of others.
func (d *density) separations(ctx context.Context, threads int) ([]float64, error) {
	nearest := make([]float64, d.N)
	err := blas.For(ctx, threads, d.N, 4, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			nearest[i] = math.Inf(1)
			if !d.inner[i] || d.size(d.of[i]) == 1 {
				continue
			}
			for k := range d.labels {
				if k == d.of[i] || d.size(k) == 1 {
					continue
				}
				for j := d.starts[k]; j < d.starts[k+1]; j++ {
					if d.inner[j] {
						nearest[i] = min(nearest[i], d.reachability(i, j))
					}
				}
			}
		}
	})
	apart := make([]float64, len(d.labels))
	for k := range apart {
		apart[k] = math.Inf(1)
		for i := d.starts[k]; i < d.starts[k+1]; i++ {
			apart[k] = min(apart[k], nearest[i])
		}
	}
	return apart, err
}
