package align

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Geodesic holds the squared shortest path lengths between all samples, or
// between landmarks and the lengths from those to all samples. Vertices are in the order of
// Paths, and landmarks in that of their vertices. For given distances there are no paths, and
// vertices are samples.
type Geodesic struct {
	Paths   *sparse.Paths // nil: the distances were given
	Squares *eigen.Upper  // between the samples, or the landmarks

	Landmarks []int32   // their vertices, ascending; nil: all samples
	Lengths   []float64 // n × landmarks, not squared
}

// Sample returns the sample of a vertex.
func (g *Geodesic) Sample(vertex int) int {
	if g.Paths == nil {
		return vertex
	}
	return int(g.Paths.Order()[vertex])
}

// GeodesicBytes returns the peak memory of geodesics for n samples and the given number of landmarks;
// 0: all samples.
func GeodesicBytes(n int64, threads, landmarks int) int64 {
	search := 8 * blas.PathLanes * n * int64(blas.Threads(threads))
	if l := min(int64(landmarks), n); l > 0 {
		// The lengths by vertex, and by sample for a model.
		return 16*n*l + eigen.UpperBytes(l) + search
	}
	return eigen.UpperBytes(n) + search
}

// Geodesics returns the rule that measures distances along the graph, for dim coordinates.
func Geodesics(dim int) Rule[*Geodesic] {
	return func(in Input) (*Geodesic, error) {
		if count := len(in.Landmarks); in.Landmarks != nil && count <= dim {
			return nil, fmt.Errorf("%s: %d landmark(s) among %d samples that are embedded together; give more landmarks or a smaller dim", in.Method(), count, in.X.N())
		}
		if n := in.X.N(); in.Landmarks == nil && n > hintOrder {
			in.Warn("the paths between all %d samples are looked for; ‹landmarks=%d› would place the others by %d of them, in a fraction of the time and memory", n, hintLandmarks, hintLandmarks)
		}
		return geodesics(in)
	}
}

func geodesics(in Input) (*Geodesic, error) {
	defer in.Phase("alignment")()
	n := in.X.N()
	g := &Geodesic{}
	searches := n
	if in.Landmarks != nil {
		searches = len(in.Landmarks)
	}
	var err error
	if g.Paths, err = sparse.NewPaths(in.Context(), UnionGraph(in.Graph), searches); err != nil {
		return nil, err
	}
	in.Run = in.Holding(g.Paths.Bytes())
	bytes := GeodesicBytes(int64(n), in.Threads(), len(in.Landmarks))
	most := 0.0
	if in.Landmarks == nil && n >= fixedOrder {
		if most, err = g.evenSquares(in); err != nil {
			return nil, err
		}
		if most > 0 {
			bytes += eigen.FixedUpperBytes(int64(n)) - eigen.UpperBytes(int64(n))
		}
	}
	if err := in.Fit(bytes, fmt.Sprintf("the lengths of paths between %d samples need", n), "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	way := "Dijkstra's searches"
	if g.Paths.Eliminated() {
		way = "elimination"
	}
	in.Explain("alignment: shortest paths from %d of %d samples by %s, %s", searches, n, way, limits.FormatBytes(bytes))
	if in.Landmarks == nil {
		err = g.betweenAll(in, most)
	} else {
		err = g.fromLandmarks(in)
	}
	return g, err
}

// UnionGraph joins i and j, with their distance, if either lists the other.
func UnionGraph(g *neighbors.Graph) *sparse.CSR {
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

// setOut starts search q at vertex(q).
func setOut(vertex func(q int) int) func(int, func(int, float64)) {
	return func(q int, reach func(int, float64)) { reach(vertex(q), 0) }
}

const (
	// Above hintOrder samples, the message suggests hintLandmarks landmarks.
	hintOrder, hintLandmarks = 20000, 1000
	// fixedOrder is the number of samples from which squared lengths are rounded to
	// 39 bits of the largest: 62 MiB instead of 100. Over this many entries the rounding errors
	// average out to less than the residual of the solver.
	fixedOrder = 5000
	// evenRatio bounds the ratio of the largest and the mean square for that rounding.
	evenRatio = 64
)

// evenSquares bounds the squared lengths from above, by paths through samples spread over
// the vertices; 0: the bound is far above typical lengths, for example because of outliers.
func (g *Geodesic) evenSquares(in Input) (most float64, err error) {
	const lanes = blas.PathLanes
	n := in.X.N()
	var farthest, mean [lanes]float64
	err = g.Paths.Search(in.Context(), 1, lanes, nil, setOut(func(q int) int { return q * n / lanes }),
		func(_, lo, hi int, length []float64) {
			for v := range n {
				for l, d := range length[v*lanes : v*lanes+hi-lo] {
					farthest[lo+l] = max(farthest[lo+l], d)
					mean[lo+l] += d * d / float64(n)
				}
			}
		})
	// The path through any sample is at most twice its largest distance.
	most = 2 * slices.Min(farthest[:]) * (1 + 1e-9)
	most *= most
	if !(most <= evenRatio*slices.Min(mean[:])) {
		return 0, err
	}
	return most, err
}

// betweenAll computes the squares for all samples; none is above most, unless most is
// 0. Row v needs the vertices from its panel's first column on, so searches stop
// once these are reached.
func (g *Geodesic) betweenAll(in Input, most float64) error {
	const (
		lanes   = blas.PathLanes
		columns = 256 // of a row collected at a time
	)
	n := in.X.N()
	if most > 0 {
		g.Squares = eigen.NewFixedUpper(n, most)
	} else {
		g.Squares = eigen.NewUpper(n)
	}
	progress := in.Counted("alignment", n)
	err := g.Paths.Search(in.Context(), in.Threads(), n, g.Squares.First, setOut(func(q int) int { return q }),
		func(_, lo, hi int, length []float64) {
			var rows [lanes][columns]float64
			for at := g.Squares.First(lo); at < n; at += columns { // panels are whole blocks
				count := min(columns, n-at)
				for v := range count {
					for l, d := range length[(at+v)*lanes : (at+v)*lanes+hi-lo] {
						rows[l][v] = d * d
					}
				}
				for q := lo; q < hi; q++ {
					g.Squares.Set(q, at, rows[q-lo][:count])
				}
			}
			progress(hi - lo)
		})
	if err != nil {
		return err
	}
	g.Squares.Mirror()
	return g.checkRange(in.Method())
}

// fromLandmarks computes the lengths, and from them the squares for the landmarks.
func (g *Geodesic) fromLandmarks(in Input) error {
	const lanes = blas.PathLanes
	n, count := in.X.N(), len(in.Landmarks)
	for _, i := range in.Landmarks {
		g.Landmarks = append(g.Landmarks, g.Paths.Place()[i])
	}
	slices.Sort(g.Landmarks)
	g.Lengths = make([]float64, n*count)
	progress := in.Counted("alignment", count)
	err := g.Paths.Search(in.Context(), in.Threads(), count, nil, setOut(func(q int) int { return int(g.Landmarks[q]) }),
		func(_, lo, hi int, length []float64) {
			for v := range n {
				copy(g.Lengths[v*count+lo:v*count+hi], length[v*lanes:])
			}
			progress(hi - lo)
		})
	if err != nil {
		return err
	}
	g.Squares = eigen.NewUpper(count)
	row := make([]float64, count)
	for i, v := range g.Landmarks {
		for j, d := range g.Lengths[int(v)*count : (int(v)+1)*count] {
			row[j] = d * d
		}
		first := g.Squares.First(i)
		g.Squares.Set(i, first, row[first:])
	}
	g.Squares.Mirror()
	return g.checkRange(in.Method())
}

// checkRange refuses lengths whose squares, or sums of squares, overflow. The first
// row is enough: by paths through its sample, no two samples are farther apart than twice
// its largest distance.
func (g *Geodesic) checkRange(name string) error {
	row := make([]float64, g.Squares.Order())
	g.Squares.Entries(0, 0, row)
	if !(slices.Max(row) <= math.MaxFloat64/1e20) {
		return fmt.Errorf("%s: the squares of the distances overflow; divide the data by a power of ten", name)
	}
	return nil
}

// Operator returns B = −½JD²J, J = I − 11ᵀ/n. Only D² is stored: both J are applied
// to the vectors.
func (g *Geodesic) Operator(ctx context.Context, kernels *blas.Kernels, threads int) eigen.Operator {
	var inner []float64
	return eigen.Operator{Order: g.Squares.Order(), Multiply: func(width int, x, y []float64) {
		inner = append(inner[:0], x...)
		centerColumns(inner, width)
		if ctx.Err() == nil { // the result of a cancelled search is discarded
			g.Squares.Mul(kernels, threads, width, inner, y)
		}
		centerColumns(y, width)
		blas.Scale(-0.5, y)
	}}
}

// centerColumns subtracts the mean from every column of a block of rows.
func centerColumns(x []float64, width int) {
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

// Bytes returns its memory.
func (g *Geodesic) Bytes() int64 {
	return g.Squares.Bytes() + numbers(g.Lengths) + g.pathBytes()
}

func (g *Geodesic) pathBytes() int64 {
	if g.Paths == nil {
		return 0
	}
	return g.Paths.Bytes()
}
