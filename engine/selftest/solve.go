package selftest

import (
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

var solverChecks = []check{
	{name: "smallest eigenvalues of a sparse matrix", kind: "solver", formula: "|λ̂ − λ| / ‖A‖u", threshold: 100, run: smallestValues},
	{name: "their eigenvectors", kind: "solver", formula: "‖Ax − λx‖ / 1e-10 ‖A‖ and ‖XXᵀ − I‖ / 1e-10", threshold: 1, run: smallestVectors},
	{name: "projection onto a simplex", kind: "solver", formula: "|ẑ − z| / n max|v|u", threshold: 4, run: simplexes},
	{name: "nearest neighbours", kind: "solver", formula: "|d̂ − d| / (m + 3)du; a wrong neighbour counts 1", threshold: 0.999, sameBits: true, run: nearestOnes},
}

// torusNorm is the norm of the Laplacian of a torus, and wanted is the number of requested
// pairs, most of which have multiplicity four.
const (
	torusNorm = 8
	wanted    = 14
)

// smallestOf solves for the pairs above the constant one for a small torus, which the
// dense solver handles, and for a larger one; see gets the result.
func (t *trial) smallestOf(see func(a *sparse.CSR, ones []float64, known []float64, e *eigen.Eigen)) error {
	for _, s := range []struct{ rows, cols int }{{9, 11}, {torusRows, torusCols}} {
		a, err := torus(s.rows, s.cols)
		if err != nil {
			return err
		}
		ones := make([]float64, a.Rows)
		for i := range ones {
			ones[i] = 1 / math.Sqrt(float64(a.Rows))
		}
		e, err := t.smallest(t.ctx, a, [][]float64{ones}, wanted, eigen.Options{Kernels: t.kernels})
		if err != nil {
			return err
		}
		if !e.Converged {
			return errors.New("the eigensolver did not converge")
		}
		known := torusValues(s.rows, s.cols)
		slices.Sort(known)
		see(a, ones, known[1:], e)
	}
	return nil
}

func smallestValues(t *trial) error {
	return t.smallestOf(func(_ *sparse.CSR, _, known []float64, e *eigen.Eigen) {
		for j, v := range e.Values {
			t.ratio(math.Abs(v-known[j]) / (torusNorm * unit))
		}
	})
}

// smallestVectors checks the accuracy that the solver promises, which is less than rounding allows.
func smallestVectors(t *trial) error {
	const promised = 1e-10
	return t.smallestOf(func(a *sparse.CSR, ones, _ []float64, e *eigen.Eigen) {
		rows := slices.Clone(ones)
		for j, x := range e.Vectors {
			off := 0.0
			for i := range x {
				var s exact
				columns, values := a.Row(i)
				for p, c := range columns {
					s.addProduct(values[p], x[c])
				}
				s.addProduct(-e.Values[j], x[i])
				off += s.value() * s.value()
			}
			t.ratio(math.Sqrt(off) / (torusNorm * promised))
			rows = append(rows, x...)
		}
		t.ratio(fromUnit(wanted+1, a.Rows, rows) * float64(a.Rows) * unit / promised)
	})
}

// simplexes compares with the threshold found by sorting (Held, Wolfe and Crowder 1974).
func simplexes(t *trial) error {
	for _, n := range []int{1, 2, 7, 100, 1000} {
		v := t.uniform(n, -1)
		const total = 1.5
		sorted := slices.Clone(v)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		var sum exact
		theta := 0.0
		for i, x := range sorted {
			sum.add(x)
			if next := (sum.value() - total) / float64(i+1); i == n-1 || sorted[i+1] <= next {
				theta = next
				break
			}
		}
		got := make([]float64, n)
		t.simplex(got, v, total)
		for i, x := range v {
			t.ratio(math.Abs(got[i]-max(x-theta, 0)) / (float64(n) * unit))
		}
	}
	return nil
}

func nearestOnes(t *trial) error {
	for _, s := range []struct{ n, m, k int }{{300, 3, 7}, {260, 70, 5}} {
		x := neighbors.Points{N: s.n, M: s.m, Data: t.uniform(s.n*s.m, -1)}
		g, err := t.nearest(t.ctx, x, s.k, neighbors.Options{Kernels: t.kernels})
		if err != nil {
			return err
		}
		type other struct {
			at      int
			squared exact
		}
		for i := range s.n {
			all := make([]other, 0, s.n-1)
			for j := range s.n {
				if j == i {
					continue
				}
				var d exact
				for p, v := range x.Row(i) {
					d.addProduct(v-x.Row(j)[p], v-x.Row(j)[p])
				}
				all = append(all, other{j, d})
			}
			slices.SortFunc(all, func(a, b other) int {
				switch {
				case a.squared.value() < b.squared.value():
					return -1
				case a.squared.value() > b.squared.value():
					return 1
				}
				return a.at - b.at
			})
			for q, j := range g.Of(i) {
				t.exactly(int(j) == all[q].at)
				want := math.Sqrt(all[q].squared.value())
				t.ratio(math.Abs(g.Distances(i)[q]-want) / (float64(s.m+3) * want * unit))
			}
			t.seen(g.Distances(i))
		}
	}
	return nil
}
