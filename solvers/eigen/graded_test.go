package eigen

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// tridiagonal has a main diagonal and the entries next to it.
func tridiagonal(t testing.TB, diagonal, off []float64) *sparse.CSR {
	var entries []sparse.Triplet
	for i, d := range diagonal {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: d})
		if i > 0 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i - 1, Val: off[i-1]}, sparse.Triplet{Row: i - 1, Col: i, Val: off[i-1]})
		}
	}
	a := must.Get(sparse.FromTriplets(len(diagonal), len(diagonal), entries))(t)
	return a
}

// penalised is the path with ends held by a penalty: its small eigenvalues are those of the path of n − 2 rows.
func penalised(t testing.TB, n int, stiffness, penalty float64) (a *sparse.CSR, all []float64) {
	d, b := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = 2 * stiffness
	}
	for i := range b {
		b[i] = -stiffness
	}
	d[0], d[n-1] = penalty, penalty
	for k := 1; k <= n-2; k++ {
		all = append(all, stiffness*4*square(math.Sin(float64(k)*math.Pi/float64(2*(n-1)))))
	}
	return tridiagonal(t, d, b), append(all, penalty, penalty)
}

// near asserts values to a relative accuracy.
func near(t *testing.T, e *Eigen, err error, want []float64, accuracy float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Values) != len(want) || !e.Converged {
		t.Fatalf("%d values %.3g of %d, converged: %v, residuals %.2g", len(e.Values), e.Values[:min(len(e.Values), 8)], len(want), e.Converged, e.Residuals)
	}
	for j, v := range want {
		if !(math.Abs(e.Values[j]-v) <= accuracy*math.Abs(v)) {
			t.Errorf("value %d is %.12g, want %.12g (%s)", j, e.Values[j], v, e.Plan.Reason)
		}
		if off := math.Abs(e.Values[j] - v); off > 2*e.Errors[j]+1e-12*v {
			t.Errorf("value %d is off by %.2g, where the estimate is %.2g", j, off, e.Errors[j])
		}
	}
	if text := e.Doubt(); text != "" {
		t.Error(text)
	}
}

func TestPenalisedEnds(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n       int
		penalty float64
	}{{2000, 1e30}, {2000, 1e12}, {150, 1e12}, {150, 1e30}, {300, 1e100}} {
		a, all := penalised(t, c.n, 1, c.penalty)
		for _, sigma := range []float64{0, -1e-6} {
			e, err := Pencil{A: a, Sigma: sigma}.Smallest(ctx, 4, Options{})
			near(t, e, err, all[:4], 1e-7)
		}
		e, err := Pencil{A: a, Sigma: all[9]*1.001 + 1e-6}.Nearest(ctx, 3, Options{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, e, err, e.Values, 0)
		e, err = Pencil{A: a}.Between(ctx, (all[3]+all[4])/2, (all[12]+all[13])/2, Options{})
		near(t, e, err, all[4:13], 1e-7)
		e, err = Pencil{A: a}.Between(ctx, 5, c.penalty/2, Options{})
		near(t, e, err, nil, 0)
		e, err = Smallest(ctx, a, nil, 4, Options{})
		near(t, e, err, all[:4], 1e-7)
	}
}

// Stiffness and mass in SI units, ends held by penalties.
func TestPenalisedSteel(t *testing.T) {
	for _, n := range []int{150, 1500} {
		a, all := penalised(t, n, 2e11, 1e30)
		mass := mat.NewDiagDense(n, nil)
		const each = 7.8e3 * 1e-9
		for i := range n {
			mass.SetDiag(i, each)
		}
		full := tridiagonal(t, slices.Repeat([]float64{each}, n), make([]float64, n-1))
		full.Val[1] = 0
		for i := range all {
			all[i] /= each
		}
		for _, m := range []mat.Matrix{mass, full} {
			for _, sigma := range []float64{0, -1} {
				e, err := Pencil{A: a, M: m, Sigma: sigma}.Smallest(context.Background(), 4, Options{})
				near(t, e, err, all[:4], 1e-7)
			}
			e, err := Pencil{A: a, M: m}.Between(context.Background(), 0.5*all[0], 0.5*(all[4]+all[5]), Options{})
			near(t, e, err, all[:5], 1e-7)
		}
	}
}

// sturm are the eigenvalues of a positive definite tridiagonal matrix, by bisection in 400 bits.
func sturm(diagonal, off []float64, count int) []float64 {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	below := func(x *big.Float) (negative int) {
		d := number(1)
		for i, v := range diagonal {
			next := number(v)
			next.Sub(next, x)
			if i > 0 {
				b := number(off[i-1])
				b.Mul(b, b)
				next.Sub(next, b.Quo(b, d))
			}
			if d = next; d.Sign() < 0 {
				negative++
			}
		}
		return negative
	}
	var out []float64
	for k := range count {
		low, high := -150.0*3, 150.0*3 // powers of two
		for range 70 {
			if mid := (low + high) / 2; below(number(math.Exp2(mid))) > k {
				high = mid
			} else {
				low = mid
			}
		}
		out = append(out, math.Exp2(low))
	}
	return out
}

// D·T·D with conditions up to 1e30: every eigenvalue to nearly all digits of those of T.
func TestGradedFamilies(t *testing.T) {
	for _, n := range []int{1, 2, 3, 40, 230} {
		for name, power := range map[string]func(i int) float64{
			"down":  func(i int) float64 { return -50 * float64(i) / float64(n) },
			"up":    func(i int) float64 { return 50 * float64(i) / float64(n) },
			"mixed": func(i int) float64 { return 50 * math.Mod(0.618*float64(i*i), 1) },
			"steps": func(i int) float64 { return float64(40 * (i % 2)) },
		} {
			d, b := make([]float64, n), make([]float64, n-1)
			for i := range d {
				d[i] = 2 * math.Exp2(2*math.Round(power(i)))
				if i > 0 {
					b[i-1] = -math.Exp2(math.Round(power(i)) + math.Round(power(i-1)))
				}
			}
			a := tridiagonal(t, d, b)
			count := min(n-1, 12)
			want := sturm(d, b, max(count, 1))
			if n > 1 {
				e, err := Pencil{A: a}.Smallest(context.Background(), count, Options{})
				t.Run(name, func(t *testing.T) { near(t, e, err, want[:count], 1e-9) })
			}
			e, err := Pencil{A: a}.Between(context.Background(), want[0]*0.999, want[0]*1.001, Options{})
			many := 0
			for _, v := range want {
				if v < want[0]*1.001 {
					many++
				}
			}
			t.Run(name, func(t *testing.T) { near(t, e, err, want[:many], 1e-9) })
		}
	}
}

// Laplacians of paths with weights of very different sizes: singular, with the constant as the null vector, given or not.
func TestGradedLaplacians(t *testing.T) {
	for _, n := range []int{60, 400} {
		d, b := make([]float64, n), make([]float64, n-1)
		for i := range b {
			weight := math.Exp2(math.Round(40 * math.Mod(0.618*float64(i*i), 1)))
			b[i] = -weight
			d[i] += weight
			d[i+1] += weight
		}
		a := tridiagonal(t, d, b)
		want := sturm(d, b, 6)
		for _, null := range [][][]float64{nil, {ones(n)}} {
			e := must.Get(Pencil{A: a, Null: null}.Smallest(context.Background(), 5, Options{}))(t)
			first := len(null)
			for j, v := range e.Values {
				exact := want[first+j]
				if first+j == 0 {
					exact = 0
				}
				if off := math.Abs(v - exact); !e.Converged || off > 1e-6*exact && off > 2*e.Errors[j] {
					t.Errorf("order %d, %d null vectors: value %d is %g, want %g, to %.2g; converged: %v", n, first, j, v, exact, e.Errors[j], e.Converged)
				}
			}

		}
	}
}
