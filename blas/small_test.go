package blas

import (
	"math"
	"slices"
	"testing"
)

// symmetric fills an n×n matrix with the eigenvalues given, in a random basis.
func symmetric(values []float64, seed uint64) []float64 {
	n := len(values)
	s := NewStream(seed)
	q := make([]float64, n*n)
	s.Normals(q)
	for i := range n { // Gram–Schmidt, twice
		row := q[i*n : i*n+n]
		for range 2 {
			for j := range i {
				Axpy(-Dot(row, q[j*n:j*n+n]), q[j*n:j*n+n], row)
			}
		}
		Scale(1/math.Sqrt(Dot(row, row)), row)
	}
	a := make([]float64, n*n)
	for p, v := range values {
		for i := range n {
			for j := range n {
				a[i*n+j] += v * q[p*n+i] * q[p*n+j]
			}
		}
	}
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
	return a
}

func spectra(n int) map[string][]float64 {
	m := map[string][]float64{}
	for _, name := range []string{"spread", "repeated", "graded", "zero", "rank one"} {
		v := make([]float64, n)
		for i := range v {
			switch name {
			case "spread":
				v[i] = float64(i) - 2
			case "repeated":
				v[i] = float64(i / 3)
			case "graded":
				v[i] = math.Pow(10, -float64(n-1-i))
			case "rank one":
				if i == n-1 {
					v[i] = 5
				}
			}
		}
		m[name] = v
	}
	return m
}

func TestSymEigSmall(t *testing.T) {
	for n := 0; n <= 33; n++ {
		for name, want := range spectra(n) {
			a := symmetric(want, uint64(n+1))
			z := append([]float64(nil), a...)
			w, scratch := make([]float64, n), make([]float64, 2*n)
			if !SymEigSmall(n, z, w, true, scratch) {
				t.Fatalf("n=%d %s: no convergence", n, name)
			}
			checkEigen(t, n, a, w, z, want, name)
			only := make([]float64, n)
			if !SymEigSmall(n, append([]float64(nil), a...), only, false, scratch) {
				t.Fatalf("n=%d %s: no convergence without vectors", n, name)
			}
			for i := range w {
				if only[i] != w[i] {
					t.Errorf("n=%d %s: eigenvalue %d without vectors %g, with them %g", n, name, i, only[i], w[i])
				}
			}
		}
	}
}

// checkEigen holds eigenpairs to backward stability: residuals, orthogonality
// and eigenvalues to a modest multiple of n·ε·‖A‖.
func checkEigen(t *testing.T, n int, a, w, z, want []float64, name string) {
	t.Helper()
	var norm float64
	for _, v := range want {
		norm = max(norm, math.Abs(v))
	}
	tol := 20 * float64(n+1) * 0x1p-52 * max(norm, 1e-300)
	for j := range len(w) {
		v := z[j*n : j*n+n]
		if math.Abs(w[j]-want[j]) > tol {
			t.Errorf("n=%d %s: eigenvalue %d is %g, want %g", n, name, j, w[j], want[j])
		}
		for i := range n {
			if r := math.Abs(Dot(a[i*n:i*n+n], v) - w[j]*v[i]); r > tol {
				t.Errorf("n=%d %s: residual %g of pair %d", n, name, r, j)
				break
			}
		}
		for i := 0; i <= j; i++ {
			dot, unit := Dot(v, z[i*n:i*n+n]), 0.0
			if i == j {
				unit = 1
			}
			if math.Abs(dot-unit) > 20*float64(n+1)*0x1p-52 {
				t.Errorf("n=%d %s: vectors %d·%d = %g", n, name, i, j, dot)
			}
		}
	}
}

func TestSymEigSmallRefusesNaN(t *testing.T) {
	a := []float64{1, math.NaN(), math.NaN(), 1}
	if SymEigSmall(2, a, make([]float64, 2), true, make([]float64, 4)) {
		t.Error("NaN matrix: converged")
	}
}

func TestCholeskySmall(t *testing.T) {
	for n := 1; n <= 30; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = 1 + float64(i)
		}
		a := symmetric(values, uint64(n))
		x := make([]float64, n)
		NewStream(3).Normals(x)
		b := make([]float64, n)
		for i := range b {
			b[i] = Dot(a[i*n:i*n+n], x)
		}
		l := append([]float64(nil), a...)
		if !CholeskySmall(n, l) {
			t.Fatalf("n=%d: not positive definite", n)
		}
		CholeskySolveSmall(n, l, b)
		for i := range b { // condition number ≤ 30
			if math.Abs(b[i]-x[i]) > 1e-13*float64(n) {
				t.Errorf("n=%d: x[%d] = %g, want %g", n, i, b[i], x[i])
			}
		}
		a[0] = -1
		if CholeskySmall(n, a) {
			t.Errorf("n=%d: an indefinite matrix passed", n)
		}
	}
	if CholeskySmall(1, []float64{math.NaN()}) || CholeskySmall(1, []float64{math.Inf(1)}) {
		t.Error("a matrix that is not finite passed")
	}
}

func TestSmallKernelsDoNotAllocate(t *testing.T) {
	const n = 15
	a := symmetric(spectra(n)["spread"], 1)
	work, w, scratch := make([]float64, n*n), make([]float64, n), make([]float64, 2*n)
	if got := testing.AllocsPerRun(20, func() {
		copy(work, a)
		SymEigSmall(n, work, w, true, scratch)
		copy(work, a)
		CholeskySmall(n, work)
	}); got != 0 {
		t.Errorf("%v allocations a call", got)
	}
}

func BenchmarkSymEigSmall(b *testing.B) {
	for _, n := range []int{3, 10, 15, 20} {
		a := symmetric(spectra(n)["spread"], 1)
		work, w, scratch := make([]float64, n*n), make([]float64, n), make([]float64, 2*n)
		b.Run(string(rune('0'+n/10))+string(rune('0'+n%10)), func(b *testing.B) {
			for b.Loop() {
				copy(work, a)
				SymEigSmall(n, work, w, true, scratch)
			}
		})
	}
}

// TestSymEigSmallOfLowRank takes matrices whose reduction ends in noise. With the last entries of
// rankTwo computed without fused sums, QL did not converge on some of order 120, and in builds with
// GOAMD64=v3 on more.
func TestSymEigSmallOfLowRank(t *testing.T) {
	for _, n := range []int{70, 115, 120} {
		for name, want := range spectra(n) {
			for seed := range 3 {
				a := symmetric(want, uint64(n+seed))
				z, w := slices.Clone(a), make([]float64, n)
				if !SymEigSmall(n, z, w, true, make([]float64, 2*n)) {
					t.Fatalf("n=%d %s: no convergence", n, name)
				}
				checkEigen(t, n, a, w, z, want, name)
			}
		}
	}
}

// TestImplicitQLOfNoise gives QL the kind of matrix that low rank produces: next to numbers of size 1 a
// block of noise that each reflection makes smaller, down to where squares and then numbers
// themselves underflow. It has to end there, and its rotations have to stay rotations.
func TestImplicitQLOfNoise(t *testing.T) {
	s := NewStream(3)
	for _, size := range []float64{1, 1e-17, 1e-100, 1e-150, 1e-155, 1e-160, 1e-165, 1e-200, 1e-300, 1e-308, 1e-310, 1e-320} {
		for _, n := range []int{2, 3, 5, 10, 70} {
			for _, large := range []float64{0, 5} {
				d, e := make([]float64, n), make([]float64, n)
				s.Normals(d)
				s.Normals(e)
				for i := range d {
					d[i], e[i] = d[i]*size, e[i]*size
				}
				d[0] += large
				e[n-1] = 0
				checkImplicitQL(t, d, e)
			}
		}
	}
	// Sizes that differ from entry to entry.
	for range 200 {
		n := 2 + s.Below(40)
		d, e := make([]float64, n), make([]float64, n)
		s.Normals(d)
		s.Normals(e)
		for i := range d {
			d[i], e[i] = d[i]*math.Pow(10, -float64(s.Below(322))), e[i]*math.Pow(10, -float64(s.Below(322)))
		}
		e[n-1] = 0
		checkImplicitQL(t, d, e)
	}
}

// checkImplicitQL takes the eigenpairs of a tridiagonal matrix. They must be the eigenpairs of a
// matrix within rounding of it.
func checkImplicitQL(t *testing.T, d, e []float64) {
	t.Helper()
	n, norm := len(d), 0.0
	z := make([]float64, n*n)
	for i := range n {
		z[i*n+i] = 1
		norm = max(norm, math.Abs(d[i]), math.Abs(e[i]))
	}
	values := slices.Clone(d)
	if !implicitQL(nil, n, z, values, slices.Clone(e), true) {
		t.Errorf("order %d, norm %g: no convergence", n, norm)
		return
	}
	tolerance := 100 * float64(n) * 0x1p-53
	for p := range n {
		x := z[p*n : p*n+n]
		for q := range p + 1 {
			want := 0.0
			if p == q {
				want = 1
			}
			if got := Dot(x, z[q*n:q*n+n]); !(math.Abs(got-want) <= tolerance) {
				t.Fatalf("order %d, norm %g: the product of vectors %d and %d is %g", n, norm, p, q, got)
			}
		}
		for i := range n {
			r := (d[i] - values[p]) * x[i]
			if i > 0 {
				r += e[i-1] * x[i-1]
			}
			if i < n-1 {
				r += e[i] * x[i+1]
			}
			if !(math.Abs(r) <= tolerance*norm+0x1p-1022*float64(n)) {
				t.Fatalf("order %d, norm %g: pair %d has a residual of %g", n, norm, p, r)
			}
		}
	}
}
