package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// geodesic holds the squared lengths of shortest paths between all samples or
// between landmarks, and from those to all samples. Vertices are in the order of
// paths, and landmarks in that of their vertices.
type geodesic struct {
	paths   *sparse.Paths
	squares *solvers.Upper // of the samples, or of the landmarks

	landmarks []int32   // their vertices, ascending; nil: all samples
	lengths   []float64 // n × landmarks, not squared

	// By these a sample with squared lengths δ² is at −½L#ᵀ(δ² − μ); see
	// [classicalScaling].
	projection []float64 // −½L#, one row a landmark
	mean       []float64 // μ
}

// geodesicBytes is the memory of geodesics for n samples.
func geodesicBytes(n int64, o Options) int64 {
	search := 8 * blas.PathLanes * n * int64(blas.Threads(o.Threads))
	if l := min(int64(o.Landmarks), n); l > 0 {
		return 8*n*l + solvers.UpperBytes(l) + search
	}
	return solvers.UpperBytes(n) + search
}

// geodesics is the alignRule that measures distances along the graph.
func geodesics(p *problem, _ patchRule) (*alignment, error) {
	defer p.clock.Phase("alignment")()
	n := p.x.N
	g := &geodesic{}
	searches := n
	if p.landmarks != nil {
		if searches = len(p.landmarks); searches <= p.dim {
			return nil, fmt.Errorf("%s: %d landmark(s) among %d samples that are embedded together; give more landmarks or a smaller dim", p.name, searches, n)
		}
	}
	var err error
	if g.paths, err = sparse.NewPaths(p.ctx, unionGraph(p.graph), searches); err != nil {
		return nil, err
	}
	way := "Dijkstra's searches"
	if g.paths.Eliminated() {
		way = "elimination"
	}
	p.explain("alignment: shortest paths from %d of %d samples by %s, %s", searches, n, way, solvers.FormatBytes(geodesicBytes(int64(n), Options{Threads: p.options.Threads, Landmarks: len(p.landmarks)})))
	if p.landmarks == nil {
		err = g.betweenAll(p)
	} else {
		err = g.fromLandmarks(p)
	}
	return &alignment{geodesic: g}, err
}

// unionGraph joins i and j, at their distance, if either lists the other.
func unionGraph(g *neighbors.Graph) *sparse.CSR {
	type edge struct {
		to     int32
		length float64
	}
	n := g.Len()
	mutual := g.Mutual()
	ptr := make([]int, n+1)
	each := func(add func(i, j int32, length float64)) {
		for i := range n {
			for q, j := range g.Of(i) {
				length := g.Distances(i)[q]
				add(int32(i), j, length)
				if !mutual[g.Ptr[i]+q] {
					add(j, int32(i), length)
				}
			}
		}
	}
	each(func(i, _ int32, _ float64) { ptr[i+1]++ })
	for i := range n {
		ptr[i+1] += ptr[i]
	}
	edges, end := make([]edge, ptr[n]), slices.Clone(ptr[:n])
	each(func(i, j int32, length float64) {
		edges[end[i]] = edge{j, length}
		end[i]++
	})
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: ptr, Col: make([]int32, len(edges)), Val: make([]float64, len(edges))}
	for i := range n {
		slices.SortFunc(edges[ptr[i]:ptr[i+1]], func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	}
	for q, e := range edges {
		a.Col[q], a.Val[q] = e.to, e.length
	}
	return a
}

// setOut begins every search at a vertex of its own.
func setOut(vertex func(q int) int) func(int, func(int, float64)) {
	return func(q int, reach func(int, float64)) { reach(vertex(q), 0) }
}

// betweenAll fills squares for all samples. Row v needs the vertices from its
// panel's first column on, so that a search stops there.
func (g *geodesic) betweenAll(p *problem) error {
	const lanes = blas.PathLanes
	n := p.x.N
	g.squares = solvers.NewUpper(n)
	progress := counted(p.fraction("alignment"), n)
	err := g.paths.Search(p.ctx, p.options.Threads, n, g.squares.First, setOut(func(q int) int { return q }),
		func(_, lo, hi int, length []float64) {
			first := g.squares.First(lo) // of all rows of the block: panels are whole blocks
			var rows [lanes][]float64
			for q := lo; q < hi; q++ {
				rows[q-lo] = g.squares.Row(q)
			}
			for v := first; v < n; v++ {
				for l, d := range length[v*lanes : v*lanes+hi-lo] {
					rows[l][v-first] = d * d
				}
			}
			progress(hi - lo)
		})
	if err != nil {
		return err
	}
	g.squares.Mirror()
	return g.checkRange(p.name)
}

// fromLandmarks fills lengths, and from it squares for the landmarks.
func (g *geodesic) fromLandmarks(p *problem) error {
	const lanes = blas.PathLanes
	n, count := p.x.N, len(p.landmarks)
	for _, i := range p.landmarks {
		g.landmarks = append(g.landmarks, g.paths.Place()[i])
	}
	slices.Sort(g.landmarks)
	g.lengths = make([]float64, n*count)
	progress := counted(p.fraction("alignment"), count)
	err := g.paths.Search(p.ctx, p.options.Threads, count, nil, setOut(func(q int) int { return int(g.landmarks[q]) }),
		func(_, lo, hi int, length []float64) {
			for v := range n {
				copy(g.lengths[v*count+lo:v*count+hi], length[v*lanes:])
			}
			progress(hi - lo)
		})
	if err != nil {
		return err
	}
	g.squares = solvers.NewUpper(count)
	for i, v := range g.landmarks {
		row := g.squares.Row(i)
		for j, d := range g.lengths[int(v)*count+g.squares.First(i) : (int(v)+1)*count] {
			row[j] = d * d
		}
	}
	g.squares.Mirror()
	return g.checkRange(p.name)
}

// checkRange refuses lengths whose squares, or sums of them, overflow. The first
// row speaks for all: by way of its sample, no two are more than twice as far
// apart as it is from the farthest.
func (g *geodesic) checkRange(name string) error {
	if !(slices.Max(g.squares.Row(0)) <= math.MaxFloat64/1e20) {
		return fmt.Errorf("%s: the squares of distances along the graph overflow; divide the data by a power of ten", name)
	}
	return nil
}

// operator is B = −½JD²J, J = I − 11ᵀ/n. Only D² is stored: both J are applied
// to the vectors.
func (g *geodesic) operator(ctx context.Context, kernels *blas.Kernels, threads int) solvers.Operator {
	var inner []float64
	return solvers.Operator{Order: g.squares.Order(), Multiply: func(width int, x, y []float64) {
		inner = append(inner[:0], x...)
		centreColumns(inner, width)
		if ctx.Err() == nil { // a cancelled search is thrown away
			g.squares.Mul(kernels, threads, width, inner, y)
		}
		centreColumns(y, width)
		blas.Scale(-0.5, y)
	}}
}

// centreColumns subtracts its mean from every column of a block of rows.
func centreColumns(x []float64, width int) {
	mean := make([]float64, width)
	rows := len(x) / width
	for at := 0; at < len(x); at += width {
		for l, v := range x[at : at+width] {
			mean[l] += v
		}
	}
	blas.Scale(1/float64(rows), mean)
	for at := 0; at < len(x); at += width {
		for l, v := range mean {
			x[at+l] -= v
		}
	}
}
