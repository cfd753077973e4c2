package projections

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// numbers draws a vector with ties, zeros and large offsets among its entries.
func numbers(t *rapid.T, n int) []float64 {
	seed := rapid.Uint64().Draw(t, "seed")
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	stream := blas.NewStream(seed)
	v := make([]float64, n)
	stream.Normals(v)
	for i := range v {
		switch kind {
		case 1:
			v[i] = math.Round(2 * v[i])
		case 2:
			v[i] *= math.Pow(10, 6*stream.Uniform()-3)
		case 3:
			v[i] += 1e6
		}
	}
	return v
}

// scale is the size of rounding in v.
func scale(v []float64) float64 {
	s := 1.0
	for _, x := range v {
		s = max(s, math.Abs(x))
	}
	return s
}

func sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

// sorted is the threshold of the simplex by sorting, the textbook form.
func sorted(v []float64, s float64) float64 {
	u := slices.Clone(v)
	slices.SortFunc(u, func(a, b float64) int {
		if a > b {
			return -1
		} else if a < b {
			return 1
		}
		return 0
	})
	theta, total := 0.0, 0.0
	for j, x := range u {
		total += x - u[0]
		if next := (total - s) / float64(j+1); x-u[0] > next {
			theta = next
		}
	}
	return u[0] + theta
}

func TestSimplexSolvesItsConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		s := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log s"))
		v := numbers(t, n)
		tol := 1e-13 * (scale(v) + s) * float64(n)
		z := make([]float64, n)
		theta := Simplex(z, v, s)
		if d := math.Abs(sum(z) - s); d > tol {
			t.Fatalf("the sum is off by %v", d)
		}
		for i, x := range v {
			if z[i] < 0 || math.Abs(z[i]-max(x-theta, 0)) > tol {
				t.Fatalf("entry %d of %v is %v with θ = %v", i, x, z[i], theta)
			}
		}
		if want := sorted(v, s); math.Abs(theta-want) > tol {
			t.Fatalf("θ = %v, by sorting %v", theta, want)
		}
		again := slices.Clone(v)
		Simplex(again, again, s)
		if !slices.Equal(again, z) {
			t.Fatal("in place the result differs")
		}
	})
}

func TestSparseSimplexIsTheSimplex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		s := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log s"))
		v := numbers(t, n)
		tol := 1e-13 * (scale(v) + s) * float64(n)
		guess := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 0, n, func(i int32) int32 { return i }).Draw(t, "guess")
		want := make([]float64, n)
		Simplex(want, v, s)
		at, z := SimplexSparse(v, s, guess, []int32{7}, []float64{7})
		if at[0] != 7 || z[0] != 7 {
			t.Fatalf("what was there is %v, %v", at[0], z[0])
		}
		if len(at) != len(z) {
			t.Fatalf("appended %d places and %d values", len(at)-1, len(z)-1)
		}
		if !slices.IsSorted(at[1:]) {
			t.Fatalf("appended in the order %v", at[1:])
		}
		got := make([]float64, n)
		for q, i := range at[1:] {
			if !(z[1+q] > 0) {
				t.Fatalf("entry %d is listed with %v", i, z[1+q])
			}
			got[i] = z[1+q]
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > tol {
				t.Fatalf("entry %d is %v, want %v", i, got[i], want[i])
			}
		}
	})
}

func TestQuadraticIsMinimalAmongFeasiblePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		delta := math.Pow(10, rapid.Float64Range(-2, 1).Draw(t, "log δ"))
		d := numbers(t, n)
		z := make([]float64, n)
		nu := Quadratic(z, d, delta)
		value := func(z []float64) float64 { return blas.Dot(d, z) + delta/2*blas.Dot(z, z) }
		tol := 1e-12 * (scale(d) + delta) * float64(n)
		for i := range z {
			if r := d[i] + delta*z[i] - nu; z[i] > 0 && math.Abs(r) > tol || z[i] == 0 && r < -tol {
				t.Fatalf("entry %d: z = %v, gradient − ν = %v", i, z[i], r)
			}
		}
		other := numbers(t, n)
		total := 0.0
		for i := range other {
			other[i] = math.Abs(other[i]) + 1e-9
			total += other[i]
		}
		for i := range other {
			other[i] /= total
		}
		if value(z) > value(other)+tol {
			t.Fatalf("%v is above the value %v of another point", value(z), value(other))
		}
	})
}

// TestBallSolvesItsConditions checks that the projection is feasible and that
// (a − b)ᵀ(x − b) ≤ 0 for feasible x, which characterises it.
func TestBallSolvesItsConditions(t *testing.T) {
	ctx := context.Background()
	for _, p := range []Norm{Max, Euclidean} {
		g := &Groups{Norm: p} // kept, so that calls begin at the bounds of others
		rapid.Check(t, func(t *rapid.T) {
			rows, groups := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "groups")
			radius := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log radius"))
			a := numbers(t, rows*groups)
			tol := 1e-12 * (scale(a) + radius) * float64(len(a))
			multiplier := must.Get(g.Project(ctx, rows, groups, a, radius))(t)
			if g.Steps > 50 {
				t.Fatalf("%d passes over %d × %d numbers", g.Steps, rows, groups)
			}
			b := applied(g, rows, groups, a)
			norm := groupNorm(p, rows, groups, b)
			if norm > radius+tol || multiplier > 0 && math.Abs(norm-radius) > tol {
				t.Fatalf("norm %v in the ball of radius %v, multiplier %v", norm, radius, multiplier)
			}
			x := numbers(t, len(a))
			shrink := radius / max(groupNorm(p, rows, groups, x), radius)
			var angle, size float64
			for i := range x {
				x[i] *= shrink
				angle += (a[i] - b[i]) * (x[i] - b[i])
				size += math.Abs((a[i] - b[i]) * (x[i] - b[i]))
			}
			if angle > 1e-11*size+tol*scale(a) {
				t.Fatalf("(a − b)ᵀ(x − b) = %v for a feasible x", angle)
			}
			fresh := &Groups{Norm: p, Threads: 3}
			must.Get(fresh.Project(ctx, rows, groups, a, radius))(t)
			for i, v := range applied(fresh, rows, groups, a) {
				if math.Abs(v-b[i]) > tol {
					t.Fatalf("entry %d is %v from the bounds of another matrix, %v from none", i, b[i], v)
				}
			}
		})
	}
}

// TestShrinkSolvesItsConditions: b minimises ½‖b − a‖² + t‖b‖_p of each group if
// a − b has the dual norm at most t and (a − b)ᵀb = t‖b‖_p.
func TestShrinkSolvesItsConditions(t *testing.T) {
	ctx := context.Background()
	for _, p := range []Norm{Max, Euclidean} {
		g := &Groups{Norm: p}
		rapid.Check(t, func(t *rapid.T) {
			rows, groups := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "groups")
			weight := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log t"))
			a := numbers(t, rows*groups)
			tol := 1e-12 * (scale(a) + weight) * float64(len(a))
			must.Do(t, g.Shrink(ctx, rows, groups, a, weight))
			b := applied(g, rows, groups, a)
			for i := range groups {
				var dual, inner, norm float64
				for j := range rows {
					u, w := a[j*groups+i]-b[j*groups+i], b[j*groups+i]
					inner += u * w
					if p == Max {
						dual += math.Abs(u)
						norm = max(norm, math.Abs(w))
					} else {
						dual = math.Hypot(dual, u)
						norm = math.Hypot(norm, w)
					}
				}
				if dual > weight+tol || math.Abs(inner-weight*norm) > tol*scale(a) {
					t.Fatalf("group %d: dual norm %v of %v, (a − b)ᵀb = %v, t‖b‖ = %v", i, dual, weight, inner, weight*norm)
				}
			}
		})
	}
}

// entries is a matrix by its nonzero entries, a row a block.
type entries struct {
	rows, groups int
	a            []float64
}

func (e entries) Blocks() int { return e.rows }

func (e entries) Block(b int) (group []int32, value []float64) {
	for i, v := range e.a[b*e.groups : (b+1)*e.groups] {
		if v != 0 {
			group, value = append(group, int32(i)), append(value, v)
		}
	}
	return group, value
}

func TestSparseBallIsTheBall(t *testing.T) {
	ctx := context.Background()
	for _, p := range []Norm{Max, Euclidean} {
		dense, sparse := &Groups{Norm: p}, &Groups{Norm: p, Threads: 2}
		rapid.Check(t, func(t *rapid.T) {
			rows, groups := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "groups")
			radius := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log radius"))
			a := numbers(t, rows*groups)
			for i := range a {
				if i%3 > 0 {
					a[i] = 0
				}
			}
			tol := 1e-12 * (scale(a) + radius) * float64(len(a)+1)
			want := must.Get(dense.Project(ctx, rows, groups, a, radius))(t)
			got := must.Get(sparse.ProjectSparse(ctx, groups, entries{rows, groups, a}, radius))(t)
			if math.Abs(got-want) > tol {
				t.Fatalf("t = %v, want %v", got, want)
			}
			b := applied(dense, rows, groups, a)
			for at, v := range a {
				if u := sparse.At(int32(at%groups), v); math.Abs(u-b[at]) > tol {
					t.Fatalf("entry %d is %v, want %v", at, u, b[at])
				}
			}
		})
	}
}

func groupNorm(p Norm, rows, groups int, b []float64) float64 {
	var total float64
	for i := range groups {
		var norm float64
		for j := range rows {
			if p == Max {
				norm = max(norm, math.Abs(b[j*groups+i]))
			} else {
				norm = math.Hypot(norm, b[j*groups+i])
			}
		}
		total += norm
	}
	return total
}

func TestThreadsChangeNoBit(t *testing.T) {
	ctx := context.Background()
	rows, groups := 300, 700
	a := make([]float64, rows*groups)
	blas.NewStream(5).Normals(a)
	for _, p := range []Norm{Max, Euclidean} {
		one, two := &Groups{Norm: p, Threads: 1}, &Groups{Norm: p, Threads: 2}
		t1, err1 := one.Project(ctx, rows, groups, a, 20)
		t2, err2 := two.Project(ctx, rows, groups, a, 20)
		if err1 != nil || err2 != nil {
			t.Fatalf("norm %d: one thread %v, two %v", p, err1, err2)
		}
		if t1 != t2 {
			t.Fatalf("norm %d: one thread t = %v, two %v", p, t1, t2)
		}
		if !slices.Equal(one.Bounds(), two.Bounds()) {
			t.Fatalf("norm %d: threads change bounds", p)
		}
	}
}

func TestEdges(t *testing.T) {
	ctx := context.Background()
	z := []float64{3, 4}
	Simplex(z, z, 0)
	if z[0] != 0 || z[1] != 0 {
		t.Errorf("the simplex of sum 0 gave %v", z)
	}
	g := &Groups{}
	if _, err := g.Project(ctx, 2, 2, []float64{1, 2, 3, 4}, 0); err != nil || g.Bounds()[0] != 0 || g.Bounds()[1] != 0 {
		t.Errorf("the ball of radius 0 gave caps %v (%v)", g.Bounds(), err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := g.Project(stopped, 2, 2, []float64{1, 2, 3, 4}, 1); err == nil {
		t.Error("a cancelled projection gave no error")
	}
	if err := g.Shrink(stopped, 2, 2, []float64{1, 2, 3, 4}, 1); err == nil {
		t.Error("a cancelled shrinking gave no error")
	}
}
