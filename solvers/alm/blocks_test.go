package alm

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

func normals(n int, seed uint64) []float64 {
	x := make([]float64, n)
	blas.NewStream(seed).Normals(x)
	return x
}

func uniforms(n int, seed uint64) []float64 {
	x := make([]float64, n)
	blas.NewStream(seed).Uniforms(x)
	return x
}

// randomGraph joins each sample to a few others with random weights.
func randomGraph(t testing.TB, n int, seed uint64) *sparse.CSR {
	t.Helper()
	random := blas.NewStream(seed)
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, n)
		for range 3 {
			z[i][random.Below(n)] = random.Uniform()
		}
	}
	return affinity(t, z)
}

// lagrangian is the augmented Lagrangian, term by term.
func lagrangian(s *state, l1, e, h, wPlus, w []float64, lap [][]float64) float64 {
	n, m, r := s.n, s.m, s.r
	var total float64
	for i := range n {
		var length float64
		for j := range m {
			v := s.x[i*m+j] - e[i*m+j] + l1[i*m+j]/s.mu
			for k := range r {
				v -= w[i*r+k] * h[k*m+j]
			}
			total += s.mu / 2 * v * v
			length += e[i*m+j] * e[i*m+j]
		}
		total += math.Sqrt(length)
		for k := range r {
			v := w[i*r+k] - wPlus[i*r+k] + s.l2[i*r+k]/s.mu
			total += s.mu / 2 * v * v
			for j := range n {
				total += s.lambda * w[i*r+k] * lap[i][j] * wPlus[j*r+k]
			}
		}
	}
	return total
}

func laplacianOf(s *sparse.CSR) [][]float64 {
	l := make([][]float64, s.Rows)
	for i := range l {
		l[i] = make([]float64, s.Rows)
		cols, vals := s.Row(i)
		for q, j := range cols {
			l[i][i] += vals[q]
			l[i][j] -= vals[q]
		}
	}
	return l
}

// Each step minimises the augmented Lagrangian over its own block: no perturbation of
// any size within the block's constraints lowers it.
func TestEachStepMinimizesItsBlock(t *testing.T) {
	n, m, r := 17, 6, 3
	ctx := context.Background()
	for seed := range uint64(4) {
		mu := []float64{0.05, 0.7, 3, 40}[seed]
		l1, l2 := normals(n*m, seed+10), normals(n*r, seed+20)
		s := prepared(t, n, m, uniforms(n*m, seed), uniforms(r*m, seed+30), uniforms(n*r, seed+40), l1, l2, Options{Rank: r, Lambda: 0.3, Mu: mu})
		a := randomGraph(t, n, seed+50)
		lap := laplacianOf(a)
		e, h, wPlus, w := append([]float64(nil), s.e...), append([]float64(nil), s.h...), append([]float64(nil), s.wPlus...), append([]float64(nil), s.w...)
		value := func() float64 { return lagrangian(s, l1, e, h, wPlus, w, lap) }
		check := func(block string, to, from []float64, feasible func(u []float64)) {
			copy(to, from)
			least := value()
			for q, size := range []float64{1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5} {
				for try := range uint64(5) {
					d := normals(len(to), 100*seed+10*uint64(q)+try)
					for i := range to {
						to[i] = from[i] + size*d[i]
					}
					feasible(to)
					// Rounding of a sum of about n(m + r) terms.
					if v := value(); v < least-1e-13*float64(n*(m+r))*math.Abs(least) {
						t.Errorf("seed %d: a change of %s by %g lowers the Lagrangian from %.15g by %g", seed, block, size, least, least-v)
					}
				}
			}
			copy(to, from)
		}
		free := func([]float64) {}
		must.Do(t, s.sweep(ctx, mu))
		check("E", e, s.e, free)
		s.takeAffinity(a)
		must.Do(t, s.stepFactors(ctx))
		check("H", h, s.h, free)
		check("W₊", wPlus, s.wPlus, func(u []float64) {
			for i, v := range u {
				u[i] = max(0, v)
			}
		})
		check("W", w, s.w, func(u []float64) {
			must.Do(t, newFrame(n, r, s.kernels, 1).orthonormalize(ctx, append([]float64(nil), u...), u))
		})
	}
}

// The sweep's way to the multiplier, by A alone, is Λ₁ += μ(X − WH − E).
func TestSweepUpdatesTheMultiplier(t *testing.T) {
	n, m, r := 15, 5, 2
	mu, next := 0.4, 0.5
	x, l1 := uniforms(n*m, 1), normals(n*m, 2)
	s := prepared(t, n, m, x, uniforms(r*m, 3), uniforms(n*r, 4), l1, normals(n*r, 5), Options{Rank: r, Lambda: 0.3, Mu: mu})
	ctx := context.Background()
	must.Do(t, s.sweep(ctx, mu))
	e := append([]float64(nil), s.e...)
	s.takeAffinity(randomGraph(t, n, 6))
	must.Do(t, s.stepFactors(ctx))
	must.Do(t, s.sweep(ctx, next))
	var squares float64
	for i := range n {
		b := make([]float64, m)
		for j := range m {
			left := x[i*m+j] - e[i*m+j]
			for k := range r {
				left -= s.w[i*r+k] * s.h[k*m+j]
			}
			squares += left * left
			b[j] = left + e[i*m+j] + (l1[i*m+j]+mu*left)/next
		}
		scale := max(0, 1-1/(next*math.Sqrt(blas.Dot(b, b))))
		for j := range m {
			if want := scale * b[j]; math.Abs(s.e[i*m+j]-want) > 1e-12 {
				t.Fatalf("E of sample %d is %v, want %v", i, s.e[i*m+j], want)
			}
		}
	}
	norm := math.Sqrt(blas.Dot(x, x))
	if got := s.point(1, mu, 0).Residuals[0]; math.Abs(got-math.Sqrt(squares)/norm) > 1e-12 {
		t.Errorf("the residual is %v, want %v", got, math.Sqrt(squares)/norm)
	}
}

// The orthonormal factor is orthonormal to rounding and maximises tr(WᵀN), whose
// maximum is the sum of the singular values, for any condition of N.
func TestOrthonormalFactor(t *testing.T) {
	n, r := 40, 4
	kernels := blas.MustSelect("")
	frame := newFrame(n, r, kernels, 1)
	u, v := make([]float64, n*r), make([]float64, r*r)
	ctx := context.Background()
	for _, q := range []struct {
		rows int
		to   []float64
	}{{n, u}, {r, v}} {
		must.Do(t, newFrame(q.rows, r, kernels, 1).orthonormalize(ctx, normals(q.rows*r, uint64(q.rows)), q.to))
	}
	for name, values := range map[string][]float64{
		"identity": {1, 1, 1, 1}, "ordinary": {3, 2, 1, 0.5}, "1e3": {1, 1, 1e-2, 1e-3}, "1e5": {1, 0.5, 1e-5, 1e-5}, "9e5": {9e5, 1e3, 2, 1},
		"1e8": {1, 1, 1, 1e-8}, "singular": {2, 1, 1, 0}, "rank 1": {1, 0, 0, 0}, "zero": {0, 0, 0, 0}, "tiny": {1e-170, 1e-170, 1e-170, 1e-170},
	} {
		t.Run(name, func(t *testing.T) {
			to := make([]float64, n*r)
			from, scaled := make([]float64, n*r), make([]float64, r*r)
			var nuclear float64
			for k, s := range values {
				nuclear += s
				for l := range r {
					scaled[k*r+l] = s * v[l*r+k]
				}
			}
			kernels.Gemm(false, false, n, r, r, 1, u, r, scaled, r, 0, from, r)
			given := append([]float64(nil), from...)
			if err := frame.orthonormalize(ctx, from, to); err != nil {
				t.Fatal(name, err)
			}
			for k := range r {
				for l := range r {
					var dot float64
					for i := range n {
						dot += to[i*r+k] * to[i*r+l]
					}
					if k == l {
						dot--
					}
					if math.Abs(dot) > 1e-11 { // cleanShare lets 2⁻⁵²·10⁴ through
						t.Errorf("columns %d and %d: WᵀW − I is %g", k, l, dot)
					}
				}
			}
			if got := blas.Dot(to, given); math.Abs(got-nuclear) > 1e-11*max(nuclear, 1e-300) {
				t.Errorf("tr(WᵀN) is %v, the nuclear norm %v", got, nuclear)
			}
		})
	}
	bad := normals(n*r, 1)
	bad[7] = math.NaN()
	if err := frame.orthonormalize(ctx, bad, make([]float64, n*r)); err == nil {
		t.Error("NaN has an orthonormal factor")
	}
}

// A pass allocates nothing on one thread but for what each parallel loop does, of
// which it has seven.
func TestPassDoesNotAllocate(t *testing.T) {
	if !blas.MustSelect("").Single() {
		t.Skip("the products of other backends than native allocate")
	}
	if testing.Short() {
		t.Skip("the race detector makes pools forget what they hold")
	}
	n, m, r := 300, 40, 5
	x, ctx := uniforms(n*m, 1), context.Background()
	begin := must.Get(Start(ctx, n, m, x, r, Options{}))(t)
	o := must.Get(Options{Rank: r, Lambda: 0.1, Threads: 1, W: begin.W, H: begin.H}.filled(n, m))(t)
	s, graph := newState(n, m, x, o), Fixed(randomGraph(t, n, 3))
	must.Do(t, s.begin(ctx, o.Mu))
	if got := testing.AllocsPerRun(10, func() {
		if _, err := s.pass(ctx, graph, Step{Pass: 1, Rank: r, Mu: s.mu, Next: s.mu * 1.1}); err != nil {
			t.Error(err)
		}
	}); got > 7 {
		t.Errorf("%v allocations in a pass", got)
	}
}
