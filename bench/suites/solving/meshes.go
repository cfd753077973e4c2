package solving

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

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

// placeOf tells a point of a face by what is common to the faces that share it: its
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
