package sparse

import (
	"slices"
	"sort"

	"github.com/orthant-go/orthant/blas"
)

// fromNeighbors builds a symmetric matrix with the given off-diagonal
// neighbours, random values from the stream, and a diagonal that dominates its
// row, hence positive definite.
func fromNeighbors(neighbors [][]int32, random *blas.Stream) *CSR {
	n := len(neighbors)
	a := &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	for i, row := range neighbors {
		row = append(slices.Clone(row), int32(i))
		slices.Sort(row)
		a.Col = append(a.Col, slices.Compact(row)...)
		a.Ptr[i+1] = len(a.Col)
	}
	fillValues(a, random)
	return a
}

// fillValues gives a symmetric pattern new values, the same for (i, j) and
// (j, i), with a dominant diagonal where the pattern has one.
func fillValues(a *CSR, random *blas.Stream) {
	a.Val = make([]float64, len(a.Col))
	sums := make([]float64, a.Rows)
	next := slices.Clone(a.Ptr[:a.Rows])
	for i := range a.Rows {
		for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
			j := int(a.Col[p])
			if j >= i {
				continue
			}
			v := 2*random.Uniform() - 1
			a.Val[p] = v
			for a.Col[next[j]] != int32(i) {
				next[j]++
			}
			a.Val[next[j]] = v
			sums[i] += max(v, -v)
			sums[j] += max(v, -v)
		}
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		if p, ok := slices.BinarySearch(cols, int32(i)); ok {
			vals[p] = sums[i] + 0.1 + random.Uniform()
		}
	}
}

// grid is the side × side grid with 4 or 8 neighbours a point.
func grid(side int, diagonals bool) *CSR {
	neighbors := make([][]int32, side*side)
	for y := range side {
		for x := range side {
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					u, v := x+dx, y+dy
					if u < 0 || v < 0 || u >= side || v >= side || (!diagonals && dx*dy != 0) {
						continue
					}
					neighbors[y*side+x] = append(neighbors[y*side+x], int32(v*side+u))
				}
			}
		}
	}
	return fromNeighbors(neighbors, blas.NewStream(1))
}

// cliques is the pattern of an alignment matrix: n uniform points in the unit
// cube, an entry for every two that are in one neighbourhood of k points.
func cliques(n, dim, k int, seed uint64) *CSR {
	random := blas.NewStream(seed)
	points := make([]float64, n*dim)
	random.Uniforms(points)
	patches := nearest(points, n, dim, k)
	neighbors := make([][]int32, n)
	for _, patch := range patches {
		for _, i := range patch {
			neighbors[i] = append(neighbors[i], patch...)
		}
	}
	for i := range neighbors {
		slices.Sort(neighbors[i])
		neighbors[i] = slices.Compact(neighbors[i])
	}
	return fromNeighbors(neighbors, random)
}

// nearest finds the k nearest points of each, itself included, among points of
// like first coordinate first, so that few candidates are looked at in 2-d.
func nearest(points []float64, n, dim, k int) [][]int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	first := func(i int32) float64 { return points[int(i)*dim] }
	sort.Slice(order, func(p, q int) bool { return first(order[p]) < first(order[q]) })
	type candidate struct {
		i int32
		d float64
	}
	patches := make([][]int32, n)
	for at, i := range order {
		x := points[int(i)*dim : int(i+1)*dim]
		best := []candidate{{i, 0}}
		scan := func(j int32) bool {
			gap := first(j) - x[0]
			if len(best) == k && gap*gap >= best[k-1].d {
				return false
			}
			d := blas.SquaredDistance(x, points[int(j)*dim:int(j+1)*dim])
			p := sort.Search(len(best), func(p int) bool { return best[p].d > d })
			if p < k {
				if len(best) == k {
					best = best[:k-1]
				}
				best = slices.Insert(best, p, candidate{j, d})
			}
			return true
		}
		for q := at + 1; q < n && scan(order[q]); q++ {
		}
		for q := at - 1; q >= 0 && scan(order[q]); q-- {
		}
		for _, c := range best {
			patches[i] = append(patches[i], c.i)
		}
	}
	return patches
}

// scattered is a symmetric pattern of about perRow random entries a row.
func scattered(n, perRow int, random *blas.Stream) *CSR {
	neighbors := make([][]int32, n)
	for range n * perRow / 2 {
		i, j := random.Below(n), random.Below(n)
		neighbors[i] = append(neighbors[i], int32(j))
		neighbors[j] = append(neighbors[j], int32(i))
	}
	for i := range neighbors {
		slices.Sort(neighbors[i])
		neighbors[i] = slices.Compact(neighbors[i])
	}
	return fromNeighbors(neighbors, random)
}
