package selftest

import (
	"errors"
	"math"

	"github.com/orthant-go/orthant/blas"
)

var denseChecks = []check{
	{name: "eigenpairs of dense matrices", kind: "dense", formula: "‖A − ZᵀΛZ‖ / n‖A‖u and ‖ZZᵀ − I‖ / nu", threshold: 30, run: eigenpairs},
	{name: "some eigenpairs of dense matrices", kind: "dense", formula: "‖ZA − ΛZ‖ / n‖A‖u and ‖ZZᵀ − I‖ / nu", threshold: 30, run: someEigenpairs},
	{name: "eigenpairs of patches", kind: "dense", formula: "‖A − ZᵀΛZ‖ / n‖A‖u and ‖ZZᵀ − I‖ / nu", threshold: 30, sameBits: true, run: smallEigenpairs},
	{name: "singular values of dense matrices", kind: "dense", formula: "‖A − USVᵀ‖ / n‖A‖u, ‖UᵀU − I‖ / nu and ‖VᵀV − I‖ / nu", threshold: 30, run: singularValues},
	{name: "Cholesky factors of dense matrices", kind: "dense", formula: "‖A − LLᵀ‖ / n‖A‖u", threshold: 30, run: denseFactors},
}

// orders lie on both sides of the order at which the solver changes.
var orders = []int{1, 2, 9, 40, 130, 410}

// symmetric returns a symmetric matrix; if requested, it is graded by 1e-6 from its first row to its last.
func (t *trial) symmetric(n int, graded bool) []float64 {
	a := t.uniform(n*n, -1)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
	if graded {
		for i := range n {
			for j := range n {
				a[i*n+j] *= math.Pow(1e-6, float64(i+j)/float64(2*n))
			}
		}
	}
	return a
}

// pairs adds the ratios of p eigenpairs of A: how far ZA differs from ΛZ, and Z from
// orthonormal rows.
func (t *trial) pairs(n, p int, a, w, z []float64) {
	norm := oneNorm(n, n, a)
	for j := range p {
		row := z[j*n : (j+1)*n]
		total := 0.0
		for i := range n {
			s := dot(n, row, 1, a[i*n:], 1)
			s.addProduct(-w[j], row[i])
			total += math.Abs(s.value())
		}
		t.ratio(total / (float64(n) * norm * unit))
		t.exactly(j == 0 || w[j] >= w[j-1])
	}
	t.ratio(fromUnit(p, n, z))
}

func eigenpairs(t *trial) error {
	var work blas.Work
	for _, n := range orders {
		for _, graded := range []bool{false, true} {
			if n > 300 && graded {
				continue
			}
			a := t.symmetric(n, graded)
			z, w := append([]float64(nil), a...), make([]float64, n)
			if err := t.symEig(n, z, n, w, &work); err != nil {
				return err
			}
			p := min(n, 60) // at most 60 pairs are checked
			t.pairs(n, p, a, w[:p], z[:p*n])
			t.pairs(n, p, a, w[n-p:], z[(n-p)*n:])
			trace := exact{}
			for i := range n {
				trace.add(a[i*n+i])
				trace.add(-w[i])
			}
			t.ratio(math.Abs(trace.value()) / (float64(n) * oneNorm(n, n, a) * unit))
		}
	}
	return nil
}

func someEigenpairs(t *trial) error {
	var work blas.Work
	for _, n := range orders {
		a := t.symmetric(n, false)
		lo, hi := n/3, min(n/3+5, n)
		p := hi - lo
		scratch, w, z := append([]float64(nil), a...), make([]float64, p), make([]float64, p*n)
		if err := t.symEigRange(n, lo, hi, scratch, n, w, z, n, &work); err != nil {
			return err
		}
		t.pairs(n, p, a, w, z)
	}
	return nil
}

func smallEigenpairs(t *trial) error {
	var work blas.Work
	for _, n := range []int{1, 2, 3, 12, 13, 25} {
		a := t.symmetric(n, false)
		z, w := append([]float64(nil), a...), make([]float64, n)
		if !t.symEigSmall(n, z, w, true, make([]float64, 2*n)) {
			return errors.New("the QL iteration did not converge")
		}
		t.pairs(n, n, a, w, z)
		p := min(n, 3)
		scratch, largest, rows := append([]float64(nil), a...), make([]float64, p), make([]float64, p*n)
		if err := t.symEigLargest(n, p, scratch, largest, rows, &work); err != nil {
			return err
		}
		for j := range p {
			t.pairs(n, 1, a, largest[j:], rows[j*n:(j+1)*n])
			t.ratio(math.Abs(largest[j]-w[n-1-j]) / (float64(n) * oneNorm(n, n, a) * unit))
		}
		t.seen(w)
		t.seen(largest)
	}
	return nil
}

func singularValues(t *trial) error {
	var work blas.Work
	for _, s := range []struct{ m, n int }{{1, 1}, {7, 3}, {4, 30}, {60, 40}, {55, 110}, {90, 90}} {
		m, n, p := s.m, s.n, min(s.m, s.n)
		a := t.uniform(m*n, -1)
		scratch, values := append([]float64(nil), a...), make([]float64, p)
		u, vt := make([]float64, m*p), make([]float64, p*n)
		if err := t.svd(m, n, scratch, n, values, u, p, vt, n, &work); err != nil {
			return err
		}
		left := append([]float64(nil), u...)
		for i := range m {
			for j := range p {
				left[i*p+j] *= values[j]
			}
		}
		back := product(m, n, p, left, vt)
		for i := range back {
			back[i] -= a[i]
		}
		size := float64(max(m, n))
		t.ratio(oneNorm(m, n, back) / (size * oneNorm(m, n, a) * unit))
		t.ratio(fromUnit(p, m, transposed(m, p, u)))
		t.ratio(fromUnit(p, n, vt))
		for j := range p {
			t.exactly(values[j] >= 0 && (j == 0 || values[j] <= values[j-1]))
		}
	}
	return nil
}

func denseFactors(t *trial) error {
	for _, n := range []int{1, 2, 8, 40, 49, 50, 120} {
		x := t.uniform(n*n, -1)
		a := product(n, n, n, x, transposed(n, n, x))
		for i := range n {
			a[i*n+i] += 0.01
		}
		factor := func(l []float64) {
			for i := range n {
				for j := i + 1; j < n; j++ {
					l[i*n+j] = 0
				}
			}
			back := product(n, n, n, l, transposed(n, n, l))
			for i := range back {
				back[i] -= a[i]
			}
			t.ratio(oneNorm(n, n, back) / (float64(n) * oneNorm(n, n, a) * unit))
		}
		l := append([]float64(nil), a...)
		if !t.cholesky(n, l, n) {
			return errors.New("a positive definite matrix was refused")
		}
		factor(l)
		if n > 50 {
			continue
		}
		copy(l, a)
		if !t.choleskySmall(n, l) {
			return errors.New("a positive definite matrix of a patch was refused")
		}
		factor(l)
	}
	indefinite := []float64{1, 2, 2, 1}
	t.exactly(!t.cholesky(2, indefinite, 2))
	return nil
}
