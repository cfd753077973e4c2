package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// spectrumMatrix is Q·diag(values)·Qᵀ for a Q made of Householder reflections.
func spectrumMatrix(values []float64, seed uint64) *Upper {
	n := len(values)
	full := make([]float64, n*n)
	for i, v := range values {
		full[i*n+i] = v
	}
	s := blas.NewStream(seed)
	u, w := make([]float64, n), make([]float64, n)
	for range 3 {
		s.Normals(u)
		blas.Scale(1/math.Sqrt(blas.Dot(u, u)), u)
		// (I − 2uuᵀ)A(I − 2uuᵀ) = A − 2uwᵀ − 2wuᵀ + 4(uᵀw)uuᵀ with w = Au
		for i := range n {
			w[i] = blas.Dot(full[i*n:i*n+n], u)
		}
		uw := blas.Dot(u, w)
		for i := range n {
			blas.Axpy(-2*u[i], w, full[i*n:i*n+n])
			blas.Axpy(-2*w[i]+4*uw*u[i], u, full[i*n:i*n+n])
		}
	}
	upper := NewUpper(n)
	for i := range n {
		upper.Set(i, upper.First(i), full[i*n+upper.First(i):(i+1)*n])
	}
	upper.Mirror()
	return upper
}

func (u *Upper) operator(threads int) Operator {
	kernels := blas.MustSelect("auto")
	return Operator{Order: u.n, Multiply: func(width int, x, y []float64) { u.Mul(kernels, threads, width, x, y) }}
}

func TestLargest(t *testing.T) {
	spectra := map[string]func(i, n int) float64{
		"decaying": func(i, n int) float64 { return 100 * math.Pow(0.7, float64(i)) },
		"two then flat": func(i, n int) float64 {
			return map[bool]float64{true: 50 - float64(i), false: -1e-3 * float64(i)}[i < 2]
		},
		"indefinite": func(i, n int) float64 { return float64(n/8 - i) },
		"repeated":   func(i, n int) float64 { return math.Floor(10 / (1 + float64(i/3))) },
		"negative":   func(i, n int) float64 { return -1 - float64(i) },
		"zero":       func(i, n int) float64 { return 0 },
		"rank one":   func(i, n int) float64 { return map[bool]float64{true: 7}[i == 0] },
	}
	for name, spectrum := range spectra {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 5, 33, 150, 333} {
				values := make([]float64, n)
				for i := range values {
					values[i] = spectrum(i, n)
				}
				slices.SortFunc(values, func(a, b float64) int { return map[bool]int{true: 1, false: -1}[a < b] })
				scale := max(math.Abs(values[0]), math.Abs(values[n-1]))
				a := spectrumMatrix(values, 3)
				for _, count := range []int{1, 4, 100} {
					if count > n {
						continue
					}
					e, err := Largest(context.Background(), a.operator(1), count, Options{Seed: 1})
					if err != nil {
						t.Fatalf("n = %d: %v", n, err)
					}
					if !e.Converged || len(e.Values) != count || len(e.Vectors) != count {
						t.Errorf("%d of %d: converged %v, residuals %g", count, n, e.Converged, e.Residuals)
					}
					for j, v := range e.Values {
						// An eigenvalue is as accurate as its residual.
						if math.Abs(v-values[j]) > 1e-11*scale {
							t.Errorf("%d of %d: eigenvalue %d is %.15g, want %.15g", count, n, j, v, values[j])
						}
						for i := range j + 1 {
							want := map[bool]float64{true: 1}[i == j]
							if d := blas.Dot(e.Vectors[i], e.Vectors[j]); math.Abs(d-want) > 1e-10 {
								t.Errorf("%d of %d: vectors %d and %d have product %g", count, n, i, j, d)
							}
						}
					}
					if count < n && math.Abs(e.Next-values[count]) > 1e-5*scale || count == n && !math.IsNaN(e.Next) {
						t.Errorf("%d of %d: the next eigenvalue is %g", count, n, e.Next)
					}
				}
			}
		})
	}
}

func TestUpperProduct(t *testing.T) {
	kernels := blas.MustSelect("auto")
	for _, n := range []int{1, 31, 32, 33, 100, 700} {
		u, fixed := NewUpper(n), NewFixedUpper(n, 1)
		s := blas.NewStream(uint64(n))
		for i := range n {
			row := make([]float64, n-u.First(i))
			s.Uniforms(row)
			u.Set(i, u.First(i), row)
			fixed.Set(i, u.First(i), row)
		}
		u.Mirror()
		fixed.Mirror()
		for _, width := range []int{1, 4, 7} {
			x, y, again := make([]float64, n*width), make([]float64, n*width), make([]float64, n*width)
			s.Normals(x)
			u.Mul(kernels, 1, width, x, y)
			u.Mul(kernels, 3, width, x, again)
			if !slices.Equal(y, again) {
				t.Errorf("n = %d, width %d: threads change the product", n, width)
			}
			near := make([]float64, n*width)
			fixed.Mul(kernels, 2, width, x, near)
			for i := range n {
				for l := range width {
					var want, rounded, lengths float64
					for j := range n {
						want += u.At(i, j) * x[j*width+l]
						rounded += math.Abs(fixed.At(i, j)-u.At(i, j)) * math.Abs(x[j*width+l])
						lengths += math.Abs(x[j*width+l])
					}
					if d := math.Abs(near[i*width+l] - want); d > rounded+1e-12*float64(n) || rounded > 0x1p-40*lengths*1.0001 {
						t.Fatalf("n = %d, width %d: entry (%d, %d) of the fixed product is %g away, entries are rounded by %g", n, width, i, l, d, rounded)
					}
					if math.Abs(y[i*width+l]-want) > 1e-12*float64(n) {
						t.Fatalf("n = %d, width %d: entry (%d, %d) is %g, want %g", n, width, i, l, y[i*width+l], want)
					}
				}
			}
		}
	}
}

func TestLargestRefuses(t *testing.T) {
	a := spectrumMatrix(make([]float64, 300), 1)
	for _, count := range []int{0, -1, 301} {
		must.Refuse(t, "give a number from 1 to 300")(Largest(context.Background(), a.operator(1), count, Options{}))
	}
	must.Refuse(t, "the limit is 1000 B")(Largest(context.Background(), a.operator(1), 2, Options{Memory: 1000}))
	for _, n := range []int{100, 300} {
		bad := NewUpper(n)
		bad.Set(3, n-1, []float64{math.NaN()})
		if _, err := Largest(context.Background(), bad.operator(1), 2, Options{}); err == nil {
			t.Errorf("order %d: a matrix with NaN was solved", n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Largest(ctx, a.operator(1), 2, Options{}); err == nil {
		t.Error("a cancelled search was finished")
	}
}
