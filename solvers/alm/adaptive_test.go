package alm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// learned are the rows of S from all distances, by definition.
func learned(n, m, r, k int, x, w []float64, lambda float64) []float64 {
	s := make([]float64, n*n)
	for i := range n {
		d, order := make([]float64, n), []int{}
		for j := range n {
			d[j] = blas.SquaredDistance(x[i*m:(i+1)*m], x[j*m:(j+1)*m]) + lambda*blas.SquaredDistance(w[i*r:(i+1)*r], w[j*r:(j+1)*r])
			if j != i {
				order = append(order, j)
			}
		}
		sort.SliceStable(order, func(a, b int) bool { return d[order[a]] < d[order[b]] })
		total, last := 0.0, d[order[k]]
		for _, j := range order[:k] {
			total += last - d[j]
		}
		for _, j := range order[:k] {
			s[i*n+j] = 1 / float64(k)
			if total > evenly {
				s[i*n+j] = (last - d[j]) / total
			}
		}
	}
	return s
}

// Lists and the search among all samples where they do not reach give the S of the
// definition, for any weight of the indicators.
func TestAdaptiveByDefinition(t *testing.T) {
	n, m, r, k := 400, 5, 3, 6
	x := blobs(n, m, 4, 0.1, 2)
	ctx := context.Background()
	for _, lambda := range []float64{0, 0.01, 1, 1000} {
		t.Run(fmt.Sprintf("λ = %g", lambda), func(t *testing.T) {
			a := must.Get(NewAdaptive(ctx, n, m, x, k, Options{Lambda: lambda}))(t)
			lean := must.Get(NewAdaptive(ctx, n, m, x, k, Options{Lambda: lambda, Lean: true}))(t)
			for pass := range 3 {
				w := normals(n*r, uint64(pass))
				blas.Scale(1/math.Sqrt(float64(n)), w)
				for _, one := range []*Adaptive{a, lean} {
					must.Get(one.Update(ctx, w, w, Step{Rank: r}))(t)
				}
				if lambda == 1000 && pass == 0 && len(a.missed) < n/2 {
					t.Errorf("only %d samples are looked for among all", len(a.missed))
				}
				if lambda <= 0.01 && len(a.missed) > 0 {
					t.Errorf("λ = %g: %d lists did not do", lambda, len(a.missed))
				}
				want := learned(n, m, r, k, x, w, lambda)
				got, leanly := a.Affinity().Dense().RawMatrix().Data, lean.Affinity().Dense().RawMatrix().Data
				for i := range n {
					for j := range i {
						// A difference of distances, each wrong by rounding, over their sum.
						if w := (want[i*n+j] + want[j*n+i]) / 2; math.Abs(got[i*n+j]-w) > 1e-9 || got[i*n+j] != got[j*n+i] || math.Abs(leanly[i*n+j]-w) > 1e-9 {
							t.Fatalf("λ = %g, pass %d: s of %d and %d is %v, want %v", lambda, pass, i, j, got[i*n+j], w)
						}
					}
				}
			}
		})
	}
}

// largestOfQ is ‖Q‖₂, from the whole of Q.
func largestOfQ(t *testing.T, p *Projection) float64 {
	q := make([]float64, p.features*p.features)
	for i := range p.features {
		unit := make([]float64, p.features)
		unit[i] = 1
		must.Do(t, p.quadratic(context.Background(), unit, 1, q[i*p.features:(i+1)*p.features]))
	}
	values := make([]float64, p.features)
	must.Do(t, p.kernels.SymEig(p.features, q, p.features, values, &p.work))
	return values[p.features-1]
}

// The step of the directions never raises what it minimises, keeps them orthonormal,
// and gives the same projection whether or not the samples are turned into their
// row space first.
func TestProjectionStep(t *testing.T) {
	n, m, d, k := 14, 12, 3, 4
	x, ctx := blobs(n, m, 3, 0.2, 4), context.Background()
	must.Get(Normalize(ctx, n, m, x, Options{}))(t)
	wide := make([]float64, n*(n+9)) // features of zeros change nothing
	for i := range n {
		copy(wide[i*(n+9):], x[i*m:(i+1)*m])
	}
	p := must.Get(NewProjection(ctx, n, m, x, d, k, Options{}))(t)
	q := must.Get(NewProjection(ctx, n, n+9, wide, d, k, Options{}))(t)
	target, w := normals(n*d, 5), normals(n*d, 6)
	value := func() float64 { // μ/2‖XW − P‖² + 2 tr(WᵀXᵀLXW), from scratch
		y := make([]float64, n*d)
		p.project(p.v, d, y)
		l := laplacianOf(p.Affinity())
		total := p.penalty * blas.SquaredDistance(y, target)
		for i := range n {
			for j := range n {
				total += 2 * l[i][j] * blas.Dot(y[i*d:(i+1)*d], y[j*d:(j+1)*d])
			}
		}
		return total
	}
	for pass, mu := range []float64{0.01, 0.3, 5} {
		step := Step{Pass: pass + 1, Rank: d, Mu: mu}
		y, turned := make([]float64, n*d), make([]float64, n*d)
		p.penalty = mu / 2
		before := value()
		must.Do(t, p.Project(ctx, target, y, step))
		if norm := largestOfQ(t, p); p.multiple < norm*(1-1e-12) || p.multiple > norm*(1+2*normTolerance) {
			t.Errorf("μ = %g: ‖Q‖₂ = %v is bounded by %v", mu, norm, p.multiple)
		}
		last := value()
		if last > before*(1+1e-12) {
			t.Errorf("μ = %g: from %v to %v", mu, before, last)
		}
		for range 5 {
			must.Do(t, p.stepDirections(ctx))
			if now := value(); now > last*(1+1e-12) {
				t.Errorf("μ = %g: a step raises %v to %v", mu, last, now)
			} else {
				last = now
			}
		}
		// Back to where both are.
		p.project(p.v, d, p.y)
		must.Do(t, q.Project(ctx, target, turned, step))
		for range 5 {
			must.Do(t, q.stepDirections(ctx))
		}
		q.project(q.v, d, q.y)
		for i, v := range p.y {
			if math.Abs(v-q.y[i]) > 1e-8 {
				t.Fatalf("μ = %g: entry %d of Y is %v, in the row space %v", mu, i, v, q.y[i])
			}
		}
		for _, one := range []struct {
			p *Projection
			m int
		}{{p, m}, {q, n + 9}} {
			v := one.p.Directions(one.m)
			for a := range d {
				for b := range d {
					dot := blas.Dot(v[a*one.m:(a+1)*one.m], v[b*one.m:(b+1)*one.m])
					if a == b {
						dot--
					}
					if math.Abs(dot) > 1e-11 {
						t.Errorf("directions %d and %d: WᵀW − I is %g", a, b, dot)
					}
				}
			}
		}
		p.measure()
		q.measure()
		for _, one := range []*Projection{p, q} {
			must.Get(one.Update(ctx, w, w, step))(t)
		}
	}
	if !slices.Equal(p.Data(), p.y) {
		t.Error("Data is not Y")
	}
}
