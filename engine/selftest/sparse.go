package selftest

import (
	"math"

	"github.com/orthant-go/orthant/sparse"
)

var sparseChecks = []check{
	{name: "solutions by a sparse factor", kind: "sparse", formula: "‖b − Ax‖ / (‖A‖‖x‖ + ‖b‖)u", threshold: 30, run: solutions},
	{name: "determinant by a sparse factor", kind: "sparse", formula: "|ln det − Σ ln λ| / nu Σ|ln λ|", threshold: 1, run: determinant},
	{name: "lengths of shortest paths", kind: "sparse", formula: "wrong entries", threshold: 0, sameBits: true, run: gridPaths},
}

// torus is the Laplacian of a grid of rows × cols whose ends are joined; its
// eigenvalues are known.
func torus(rows, cols int) (*sparse.CSR, error) {
	var entries []sparse.Triplet
	at := func(i, j int) int { return (i+rows)%rows*cols + (j+cols)%cols }
	for i := range rows {
		for j := range cols {
			entries = append(entries, sparse.Triplet{Row: at(i, j), Col: at(i, j), Val: 4})
			for _, next := range []int{at(i+1, j), at(i-1, j), at(i, j+1), at(i, j-1)} {
				entries = append(entries, sparse.Triplet{Row: at(i, j), Col: next, Val: -1})
			}
		}
	}
	return sparse.FromTriplets(rows*cols, rows*cols, entries)
}

// torusValues returns its eigenvalues, in no particular order.
func torusValues(rows, cols int) []float64 {
	values := make([]float64, 0, rows*cols)
	for p := range rows {
		for q := range cols {
			a, b := math.Sin(math.Pi*float64(p)/float64(rows)), math.Sin(math.Pi*float64(q)/float64(cols))
			values = append(values, 4*a*a+4*b*b)
		}
	}
	return values
}

const (
	torusRows, torusCols = 37, 41
	torusShift           = 0.01
)

func solutions(t *trial) error {
	a, err := torus(torusRows, torusCols)
	if err != nil {
		return err
	}
	n := a.Rows
	c, err := t.factorise(t.ctx, a, torusShift, sparse.CholeskyOptions{Kernels: t.kernels})
	if err != nil {
		return err
	}
	for _, sides := range []int{1, 3, 4, 8, 11} {
		b := t.uniform(n*sides, -1)
		x := append([]float64(nil), b...)
		if err := t.solve(c, x, sides); err != nil {
			return err
		}
		for q := range sides {
			var off, most, size float64
			for i := range n {
				var s exact
				columns, values := a.Row(i)
				for p, j := range columns {
					s.addProduct(values[p], x[int(j)*sides+q])
				}
				s.addProduct(torusShift, x[i*sides+q])
				s.add(-b[i*sides+q])
				off = max(off, math.Abs(s.value()))
				most, size = max(most, math.Abs(x[i*sides+q])), max(size, math.Abs(b[i*sides+q]))
			}
			t.ratio(off / (((8+torusShift)*most + size) * unit))
		}
	}
	return nil
}

func determinant(t *trial) error {
	a, err := torus(torusRows, torusCols)
	if err != nil {
		return err
	}
	c, err := t.factorise(t.ctx, a, torusShift, sparse.CholeskyOptions{Kernels: t.kernels})
	if err != nil {
		return err
	}
	got, err := t.logDet(c)
	if err != nil {
		return err
	}
	var want exact
	for _, v := range torusValues(torusRows, torusCols) {
		want.add(math.Log(v + torusShift))
	}
	t.ratio(want.off(got, a.Rows, unit))
	return nil
}

// gridPaths measures a grid whose edges have length ¼, so sums of lengths are exact.
func gridPaths(t *trial) error {
	const rows, cols, step = 19, 23, 0.25
	var entries []sparse.Triplet
	for i := range rows {
		for j := range cols {
			if i+1 < rows {
				entries = append(entries, sparse.Triplet{Row: i*cols + j, Col: (i+1)*cols + j, Val: step})
			}
			if j+1 < cols {
				entries = append(entries, sparse.Triplet{Row: i*cols + j, Col: i*cols + j + 1, Val: step})
			}
		}
	}
	graph, err := sparse.FromTriplets(rows*cols, rows*cols, entries)
	if err != nil {
		return err
	}
	found, err := t.paths(t.ctx, graph, nil, sparse.PathOptions{})
	if err != nil {
		return err
	}
	distance := func(x, y int) int { return max(x-y, y-x) }
	for a := range rows * cols {
		row := found.RawRowView(a)
		for b, length := range row {
			t.exactly(length == step*float64(distance(a/cols, b/cols)+distance(a%cols, b%cols)))
		}
		t.seen(row)
	}
	return nil
}
