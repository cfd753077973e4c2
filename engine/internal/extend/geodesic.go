package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Geodesic is the rule of Isomap. A new sample x has the distance
//
//	δ_l = min over its k nearest training samples a of ‖x − x_a‖ + D_{la}
//
// from landmark l, and so the coordinates y = −½L#ᵀ(δ² − μ). With landmarks the
// model holds D, n × L. If all samples are landmarks it holds the neighbour
// graph instead, from which the paths are recomputed, which takes n·k numbers
// instead of n².
func Geodesic(f Fit, s *solve.GeodesicScaling) (*Extension, string, error) {
	g, n, k := s.Geodesic, f.X.N(), f.Found.Degree()
	count := len(s.Mean)
	dim := len(s.Projection) / count
	m := GeodesicMap{Searched: f.nearest(k), Projection: mat.NewDense(count, dim, nil), Mean: make([]float64, count)}
	landmark := func(l int) int { return l }
	if g.Landmarks == nil {
		// In the order of the samples, like the graph.
		landmark = func(l int) int { return int(g.Paths.Order()[l]) }
		graph := f.Found.OneWay()
		width := graph.MaxDegree()
		index, length := mat.NewDense(n, width, nil), mat.NewDense(n, width, nil)
		for i := range n {
			list := graph.Of(i)
			for q, j := range list {
				index.Set(i, q, float64(j))
			}
			for q := len(list); q < width; q++ {
				index.Set(i, q, float64(i))
			}
			copy(length.RawRowView(i), graph.Distances(i))
		}
		m.Lists, m.Lengths = index, length
	} else {
		distances := mat.NewDense(n, count, nil)
		for v, i := range g.Paths.Order() {
			distances.SetRow(int(i), g.Lengths[v*count:(v+1)*count])
		}
		m.Distances = distances
	}
	for l := range count {
		m.Projection.SetRow(landmark(l), s.Projection[l*dim:(l+1)*dim])
		m.Mean[landmark(l)] = s.Mean[l]
	}
	return &Extension{Map: m}, "", nil
}

// GeodesicMap maps by path lengths in the neighbour graph to landmarks, or to all samples.
type GeodesicMap struct {
	Searched
	Projection *mat.Dense // −½L#, landmarks × dim
	Mean       []float64  // of the squared distances of each landmark
	Distances  *mat.Dense // of the samples to the landmarks; nil: all samples are landmarks, and the graph is stored
	// The graph: the neighbours of each sample, padded with its own index, and their distances.
	Lists, Lengths *mat.Dense
}

// Kind returns "geodesic".
func (GeodesicMap) Kind() string { return "geodesic" }

// geodesicMapping places new samples by their distances along the graph.
type geodesicMapping struct {
	Resources
	samples    samples.Samples
	index      *samples.Index
	k, dim     int
	projection []float64 // −½L#, landmarks × dim; in the order of paths if there are paths
	mean       []float64
	paths      *sparse.Paths // through the graph; nil: there are distances to landmarks
	distances  []float64     // to the landmarks, n rows padded to whole lanes
}

func (by GeodesicMap) prepare(r Resources) (*Mapping, error) {
	m := &geodesicMapping{Resources: r, samples: by.Samples, k: by.Neighbors}
	n := m.samples.N()
	count, dim := by.Projection.Dims()
	// Path lengths to the landmarks or to all samples, and the graph.
	if err := r.fit(r.workers()*(blockRows+blas.PathLanes)*float64(count+blas.PathLanes), float64(n)); err != nil {
		return nil, err
	}
	m.dim, m.projection, m.mean = dim, samples.Of(by.Projection).Data(), by.Mean
	own, err := by.search(r)
	if err != nil {
		return nil, err
	}
	m.index = own.index
	if by.Distances == nil {
		return m.mapping(), m.preparePaths(samples.Of(by.Lists).Points(), samples.Of(by.Lengths).Points())
	}
	width := m.padded()
	m.distances = make([]float64, n*width)
	for i := range n {
		copy(m.distances[i*width:(i+1)*width], by.Distances.RawRowView(i))
	}
	return m.mapping(), nil
}

// padded returns the number of landmarks, rounded up to whole lanes.
func (m *geodesicMapping) padded() int {
	return (len(m.mean) + blas.PathLanes - 1) / blas.PathLanes * blas.PathLanes
}

// preparePaths builds the graph of the given lists, and brings the data of its vertices
// into the order of its paths.
func (m *geodesicMapping) preparePaths(index, length neighbors.Points) error {
	// The lists, their edges in both directions as pairs, and as rows.
	if err := m.fit(8.5*float64(len(index.Data)) + 10*float64(index.N)); err != nil {
		return err
	}
	listed := make([]int32, index.N) // the last sample, counting from 1, that lists each
	g := &neighbors.Graph{Ptr: make([]int, 1, index.N+1), Index: make([]int32, 0, len(index.Data)), Dist: make([]float64, 0, len(index.Data))}
	for q, j := range index.Data {
		if j < 0 || j >= float64(index.N) || j != math.Trunc(j) || length.Data[q] < 0 {
			return fmt.Errorf("model: sample %d has a neighbour %v at distance %v among %d samples", q/index.M+1, j, length.Data[q], index.N)
		}
		if i := q / index.M; int(j) != i { // the sample itself pads a shorter list
			if listed[int(j)] == int32(i)+1 {
				return fmt.Errorf("model: sample %d lists the neighbour %d twice", i+1, int(j)+1)
			}
			listed[int(j)] = int32(i) + 1
			g.Index, g.Dist = append(g.Index, int32(j)), append(g.Dist, length.Data[q])
		}
		if (q+1)%index.M == 0 {
			g.Ptr = append(g.Ptr, len(g.Index))
		}
	}
	var err error
	fit := func(bytes int64) error { return m.fit(float64(bytes) / 8) }
	if m.paths, err = sparse.NewPathsWithin(context.Background(), align.UnionGraph(g), index.N, fit); err != nil {
		return err
	}
	projection, mean := make([]float64, 0, len(m.projection)), make([]float64, 0, index.N)
	for _, i := range m.paths.Order() {
		projection, mean = append(projection, m.projection[int(i)*m.dim:(int(i)+1)*m.dim]...), append(mean, m.mean[i])
	}
	m.projection, m.mean = projection, mean
	return nil
}

func (m *geodesicMapping) mapping() *Mapping {
	mapping := mappingAmong(m.samples, m.dim, m.apply)
	mapping.RowBytes = 16 * int64(m.k)
	return mapping
}

func (m *geodesicMapping) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := m.index.Search(ctx, points, m.k)
	if err != nil {
		return err
	}
	if m.paths != nil {
		return m.throughGraph(ctx, g, dst)
	}
	return m.fromLandmarks(ctx, g, dst)
}

// throughGraph computes the distances to all training samples by a search for each
// point, starting at its nearest samples.
func (m *geodesicMapping) throughGraph(ctx context.Context, g *neighbors.Graph, dst *mat.Dense) error {
	const lanes = blas.PathLanes
	y := dst.RawMatrix()
	return m.paths.Search(ctx, m.Threads, g.Len(), nil, func(q int, reach func(int, float64)) {
		for at, a := range g.Of(q) {
			reach(int(m.paths.Place()[a]), g.Distances(q)[at])
		}
	}, func(_, lo, hi int, length []float64) {
		for v, mean := range m.mean {
			row := length[v*lanes : (v+1)*lanes]
			for l, d := range row {
				row[l] = d*d - mean
			}
		}
		m.Kernels.Gemm(true, false, hi-lo, m.dim, len(m.mean), 1, length, lanes, m.projection, m.dim, 0, y.Data[lo*y.Stride:], y.Stride)
	})
}

// fromLandmarks computes the distances to the landmarks from those of the nearest
// samples.
func (m *geodesicMapping) fromLandmarks(ctx context.Context, g *neighbors.Graph, dst *mat.Dense) error {
	const lanes = blas.PathLanes
	width, y := m.padded(), dst.RawMatrix()
	return blas.For(ctx, m.Threads, g.Len(), blockRows, func(_, lo, hi int) {
		rest, at := make([]float64, (hi-lo)*width), make([]int32, m.k)
		for i := lo; i < hi; i++ {
			row := rest[(i-lo)*width : (i-lo+1)*width]
			for from := 0; from < width; from += lanes {
				best := row[from : from+lanes]
				for l := range best {
					best[l] = math.Inf(1)
				}
				for q, a := range g.Of(i) {
					at[q] = int32((int(a)*width + from) / lanes)
				}
				blas.ShortenGather(at, g.Distances(i), m.distances, best)
			}
			for l, mean := range m.mean {
				row[l] = row[l]*row[l] - mean
			}
		}
		m.Kernels.Gemm(false, false, hi-lo, m.dim, len(m.mean), 1, rest, width, m.projection, m.dim, 0, y.Data[lo*y.Stride:], y.Stride)
	})
}
