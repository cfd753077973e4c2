package solving

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/sparse"
)

// problem is a matrix, or a pair of them, whose smallest eigenpairs beyond the constant
// are wanted, and which is factorised.
type problem struct {
	name, title string
	n           int                                                            // about this many rows
	build       func(ctx context.Context, n int) (a, m *sparse.CSR, err error) // m is nil where it is the identity
	alone       bool                                                           // no peer finishes it: see the text of the suite
	without     string                                                         // the peer of eigenpairs that does not
	full        bool                                                           // too long for --quick
	inside      float64                                                        // a shift among the eigenvalues; 0: no pairs are requested there
}

var problems = []problem{
	{name: "alignment-2d", title: "alignment matrix of LTSA, a sheet of two dimensions", n: 100_000, build: alignmentOf(2, 12), inside: 1},
	{name: "alignment-10d", title: "alignment matrix of LTSA, ten dimensions", n: 10_000, build: alignmentOf(10, 20)},
	{name: "roads", title: "Laplacian of a planar graph like one of roads", n: 100_000, build: plain(roads), inside: 3},
	{name: "lattice", title: "Laplacian of a cubic grid", n: 100_000, build: plain(lattice), full: true, inside: 3.1},
	{name: "friends", title: "Laplacian of a random graph like a social network", n: 20_000, build: plain(friends), without: "arpack", full: true},
	{name: "friends-100000", title: "random graph like a social network, whole", n: 100_000, build: plain(friends), alone: true, full: true},
	{name: "crowd-100000", title: "the same with ten friends for every new vertex", n: 100_000, build: plain(crowd), alone: true, full: true},
	{name: "recursive-100000", title: "recursive random graph (R-MAT), its largest component", n: 131_072, build: plain(recursive), alone: true, full: true},
	{name: "sphere", title: "finite elements on a sphere, stiffness and mass", n: 100_000, build: elementsOf(sphere), inside: 1000},
	{name: "sheet", title: "finite elements on a folded sheet, stiffness and mass", n: 100_000, build: elementsOf(sheet)},
}

// quickRows is about the most rows with --quick.
const quickRows = 2000

// rows is about how many the matrix has.
func (p *problem) rows(e *bench.Env) int {
	if e.Quick {
		return min(p.n, quickRows)
	}
	return p.n
}

// takenBy reports whether a peer computes the eigenpairs; ours, the empty name, always is.
func (p *problem) takenBy(peer string) bool { return peer == "" || !p.alone && p.without != peer }

func plain(graph func(n int) (*sparse.CSR, error)) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(_ context.Context, n int) (a, m *sparse.CSR, err error) {
		a, err = graph(n)
		return a, nil, err
	}
}

func elementsOf(surface func(n int) mesh) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(_ context.Context, n int) (a, m *sparse.CSR, err error) { return surface(n).elements() }
}

// alignmentOf is Φ of LTSA for samples drawn from a cube of this many dimensions, which is
// bent into one more.
func alignmentOf(dim, neighbors int) func(context.Context, int) (a, m *sparse.CSR, err error) {
	return func(ctx context.Context, n int) (a, m *sparse.CSR, err error) {
		x := mat.NewDense(n, dim+1, nil)
		if dim == 2 {
			roll, err := datasets.Generate("swiss-roll", n, 1, nil)
			if err != nil {
				return nil, nil, err
			}
			x = roll.X
		} else {
			s := blas.NewStream(6)
			for i := range n {
				row := x.RawRowView(i)
				for j := range dim {
					row[j] = s.Uniform()
				}
				row[0], row[dim] = math.Sin(row[0]), math.Cos(row[0]) // an arc, as long as it was
			}
		}
		a, err = engine.Alignment(ctx, x, engine.LTSA{Neighbors: neighbors, Dim: dim}, engine.Options{})
		return a, nil, err
	}
}

// residual is the largest ‖Ax − λMx‖ over (|A| + λ|M|)‖x‖, in maximal row sums.
func residual(a, m *sparse.CSR, values []float64, vectors [][]float64) float64 {
	worst, y, z := 0.0, make([]float64, a.Rows), make([]float64, a.Rows)
	for j, value := range values {
		x, size := vectors[j], a.RowSumNorm()
		a.MulVec(1, x, y)
		if m == nil {
			blas.Axpy(-value, x, y)
		} else {
			m.MulVec(1, x, z)
			blas.Axpy(-value, z, y)
			size += math.Abs(value) * m.RowSumNorm()
		}
		worst = max(worst, math.Sqrt(blas.Dot(y, y)/blas.Dot(x, x))/size)
	}
	return worst
}

// ones is the constant vector, which every one of these matrices sends to zero.
func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// small is a shift that makes a matrix definite: a share of its largest diagonal entry.
func small(a *sparse.CSR, share float64) float64 {
	largest := 0.0
	for i := range a.Rows {
		largest = max(largest, a.At(i, i))
	}
	return share * largest
}

// edge joins two vertices with a weight.
type edge struct {
	a, b   int32
	weight float64
}

// laplacian is D − W of a graph whose vertices are numbered at random, so that no solver
// finds an order in the numbers.
func laplacian(n int, edges []edge, s *blas.Stream) (*sparse.CSR, error) {
	number := shuffled(n, s)
	t := make([]sparse.Triplet, 0, 4*len(edges))
	for _, e := range edges {
		a, b := int(number[e.a]), int(number[e.b])
		t = append(t, sparse.Triplet{Row: a, Col: b, Val: -e.weight}, sparse.Triplet{Row: b, Col: a, Val: -e.weight},
			sparse.Triplet{Row: a, Col: a, Val: e.weight}, sparse.Triplet{Row: b, Col: b, Val: e.weight})
	}
	return sparse.FromTriplets(n, n, t)
}

func shuffled(n int, s *blas.Stream) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := s.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// roads is a planar graph like one of roads: a square grid of about n crossings, from
// which two fifths of the streets across are taken but for the first, with lengths.
func roads(n int) (*sparse.CSR, error) {
	side, s := root(n, 2), blas.NewStream(1)
	var edges []edge
	for y := range side {
		for x := range side {
			at := int32(y*side + x)
			if x+1 < side && (y == 0 || s.Uniform() > 0.4) {
				edges = append(edges, edge{at, at + 1, 1 + s.Uniform()})
			}
			if y+1 < side {
				edges = append(edges, edge{at, at + int32(side), 1 + s.Uniform()})
			}
		}
	}
	return laplacian(side*side, edges, s)
}

// lattice is a cubic grid of about n vertices with weights between 1 and 2.
func lattice(n int) (*sparse.CSR, error) {
	side, s := root(n, 3), blas.NewStream(2)
	var edges []edge
	for z := range side {
		for y := range side {
			for x := range side {
				at := int32((z*side+y)*side + x)
				for _, next := range []struct {
					inside bool
					step   int
				}{{x+1 < side, 1}, {y+1 < side, side}, {z+1 < side, side * side}} {
					if next.inside {
						edges = append(edges, edge{at, at + int32(next.step), 1 + s.Uniform()})
					}
				}
			}
		}
	}
	return laplacian(side*side*side, edges, s)
}

// root is the whole number whose power is nearest to n.
func root(n, power int) int {
	side := 1
	for pow(side+1, power) <= n {
		side++
	}
	if pow(side+1, power)-n < n-pow(side, power) {
		side++
	}
	return side
}

func pow(base, power int) int {
	p := 1
	for range power {
		p *= base
	}
	return p
}

// friendships is the number of friends that a new vertex of [friends] makes.
const friendships = 5

// friends is a random graph like a social network (Holme and Kim 2002): every new vertex
// joins a vertex drawn in proportion to its degree, and then with probability 0.7 a
// neighbour of that one, else another so drawn, five in all. Degrees follow a power law,
// friends of friends are friends, and no small set of vertices cuts it in two.
func friends(n int) (*sparse.CSR, error) {
	pairs, s := friendPairs(n, friendships)
	edges := make([]edge, len(pairs))
	for i, p := range pairs {
		edges[i] = edge{p[0], p[1], 1}
	}
	return laplacian(n, edges, s)
}

// friendPairs are the edges, of which every new vertex makes this many, and the stream as it is then.
func friendPairs(n, friendships int) ([][2]int32, *blas.Stream) {
	s := blas.NewStream(3)
	var edges [][2]int32
	var ends []int32 // each vertex as often as it has edges
	lists := make([][]int32, n)
	join := func(a, b int32) bool {
		if a == b || slices.Contains(lists[a], b) {
			return false
		}
		lists[a], lists[b] = append(lists[a], b), append(lists[b], a)
		ends = append(ends, a, b)
		edges = append(edges, [2]int32{a, b})
		return true
	}
	for i := int32(1); int(i) <= friendships; i++ {
		for j := range i {
			join(i, j)
		}
	}
	for i := int32(friendships + 1); int(i) < n; i++ {
		last := int32(-1)
		for made := 0; made < friendships; {
			to := ends[s.Below(len(ends))]
			if last >= 0 && s.Uniform() < 0.7 {
				to = lists[last][s.Below(len(lists[last]))]
			}
			if to < i && join(i, to) {
				last = to
				made++
			} else if last >= 0 && s.Uniform() < 0.1 {
				last = -1 // all friends of that one may be friends already
			}
		}
	}
	return edges, s
}

// crowd is [friends] with ten friends for every new vertex.
func crowd(n int) (*sparse.CSR, error) {
	pairs, s := friendPairs(n, 2*friendships)
	return socialOf(n, pairs, s)
}

// mesh is a surface of triangles.
type mesh struct {
	vertices  [][3]float64
	triangles [][3]int32
}

// sphere is the unit sphere by about n vertices: an icosahedron whose triangles are cut
// into equal rows, and pushed out to the sphere.
func sphere(n int) mesh {
	const golden = math.Phi
	corners := [][3]float64{{-1, golden, 0}, {1, golden, 0}, {-1, -golden, 0}, {1, -golden, 0}, {0, -1, golden}, {0, 1, golden},
		{0, -1, -golden}, {0, 1, -golden}, {golden, 0, -1}, {golden, 0, 1}, {-golden, 0, -1}, {-golden, 0, 1}}
	faces := [][3]int{{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
		{3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}}
	rows := max(root((n-2)/10, 2), 1) // 10·rows² + 2 vertices
	var m mesh
	type key [4]int // the corners of the edge or face and the place on it
	known := map[key]int32{}
	vertex := func(f [3]int, i, j int) int32 { // weights i, j and the rest of rows
		w := [3]int{rows - i - j, i, j}
		k := placeOf(f, w)
		if at, there := known[k]; there {
			return at
		}
		var p [3]float64
		for c, share := range w {
			for d := range p {
				p[d] += float64(share) * corners[f[c]][d]
			}
		}
		length := math.Sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2])
		for d := range p {
			p[d] /= length
		}
		known[k] = int32(len(m.vertices))
		m.vertices = append(m.vertices, p)
		return known[k]
	}
	for _, f := range faces {
		for i := range rows {
			for j := range rows - i {
				m.triangles = append(m.triangles, [3]int32{vertex(f, i, j), vertex(f, i+1, j), vertex(f, i, j+1)})
				if i+j+1 < rows {
					m.triangles = append(m.triangles, [3]int32{vertex(f, i+1, j), vertex(f, i+1, j+1), vertex(f, i, j+1)})
				}
			}
		}
	}
	return m
}

// placeOf identifies a point of a face by what is common to the faces that share it: its
// corner, the place on its edge, or the face and the place on that.
func placeOf(f, w [3]int) [4]int {
	k := [4]int{-1, -1, 0, 0}
	var held []int
	for c, share := range w {
		if share > 0 {
			held = append(held, c)
		}
	}
	switch len(held) {
	case 1:
		k[0] = f[held[0]]
	case 2:
		a, b := f[held[0]], f[held[1]]
		share := w[held[0]]
		if a > b {
			a, b, share = b, a, w[held[1]]
		}
		k = [4]int{a, b, share, 0}
	default:
		k = [4]int{100 + f[0]*400 + f[1]*20 + f[2], 0, w[1], w[2]}
	}
	return k
}

// sheet is a folded sheet of about n vertices: a rectangle of 4 × 1 in uneven triangles,
// bent into three folds without stretching them much.
func sheet(n int) mesh {
	s := blas.NewStream(4)
	short := max(root(n/4, 2), 2)
	long := 4 * short
	var m mesh
	for i := range long {
		for j := range short {
			u, v := 4*float64(i)/float64(long-1), float64(j)/float64(short-1)
			if i > 0 && i < long-1 && j > 0 && j < short-1 {
				u += 0.5 * (s.Uniform() - 0.5) / float64(short)
				v += 0.5 * (s.Uniform() - 0.5) / float64(short)
			}
			m.vertices = append(m.vertices, [3]float64{0.5 * u, v, 0.35 * math.Sin(1.5*math.Pi*u)})
		}
	}
	at := func(i, j int) int32 { return int32(i*short + j) }
	for i := range long - 1 {
		for j := range short - 1 {
			if s.Uniform() < 0.5 {
				m.triangles = append(m.triangles, [3]int32{at(i, j), at(i+1, j), at(i+1, j+1)}, [3]int32{at(i, j), at(i+1, j+1), at(i, j+1)})
			} else {
				m.triangles = append(m.triangles, [3]int32{at(i, j), at(i+1, j), at(i, j+1)}, [3]int32{at(i+1, j), at(i+1, j+1), at(i, j+1)})
			}
		}
	}
	return m
}

// elements are the stiffness and the mass matrix of linear finite elements on a mesh: the
// cotangent weights (Pinkall and Polthier 1993), and a twelfth of a triangle's area for
// each pair of its corners, a sixth for a corner itself. Vertices are numbered at random.
// They are made one after the other: what makes them counts in the peak of memory.
func (m mesh) elements() (stiffness, mass *sparse.CSR, err error) {
	// −½cot of the angle between two sides, at the third corner
	stiffness, err = m.assemble(func(area float64, side [3][3]float64, a, b int) float64 { return dot(side[a], side[b]) / (4 * area) })
	if err != nil {
		return nil, nil, err
	}
	mass, err = m.assemble(func(area float64, _ [3][3]float64, a, b int) float64 {
		if a == b {
			return area / 6
		}
		return area / 12
	})
	return stiffness, mass, err
}

// assemble sums what each triangle has for each pair of its corners. Side c is across from
// corner c.
func (m mesh) assemble(entry func(area float64, side [3][3]float64, a, b int) float64) (*sparse.CSR, error) {
	n := len(m.vertices)
	number := shuffled(n, blas.NewStream(5))
	list := make([]sparse.Triplet, 0, 9*len(m.triangles))
	for _, t := range m.triangles {
		var side [3][3]float64
		for c := range 3 {
			for d := range 3 {
				side[c][d] = m.vertices[t[(c+2)%3]][d] - m.vertices[t[(c+1)%3]][d]
			}
		}
		area := length(cross(side[0], side[1])) / 2
		for a := range 3 {
			for b := range 3 {
				list = append(list, sparse.Triplet{Row: int(number[t[a]]), Col: int(number[t[b]]), Val: entry(area, side, a, b)})
			}
		}
	}
	return sparse.FromTriplets(n, n, list)
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func length(a [3]float64) float64 { return math.Sqrt(dot(a, a)) }
