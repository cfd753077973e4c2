package lasso

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// images are n nonnegative rows of m columns and unit length around a few shapes,
// with zeros, as small pictures are; a share of the entries of some is noise.
func images(seed uint64, n, m int) []float64 {
	stream := blas.NewStream(seed)
	shapes := make([]float64, 3*m)
	stream.Uniforms(shapes)
	data := make([]float64, n*m)
	for i := range n {
		row, shape := data[i*m:(i+1)*m], shapes[i%3*m:(i%3+1)*m]
		for j := range row {
			row[j] = max(0, shape[j]-0.2+0.2*stream.Uniform())
			if i%4 == 0 && stream.Uniform() < 0.15 {
				row[j] = 1
			}
		}
		if norm := math.Sqrt(blas.Dot(row, row)); norm > 0 {
			blas.Scale(1/norm, row)
		}
	}
	return data
}

// robustCost and its conditions of optimality are written down here once more, from
// the problem with e, for the test not to repeat the solver.
func robustCost(x, data []float64, list []int32, a []float64, xi1, xi2 float64) (cost, violation float64) {
	m := len(x)
	rest := slices.Clone(x)
	for j, i := range list {
		for c := range m {
			rest[c] -= a[j] * data[int(i)*m+c]
		}
	}
	for c, r := range rest { // e by its own condition, then what is left
		e := math.Copysign(max(math.Abs(r)-xi2/2, 0), r)
		rest[c] = r - e
		cost += rest[c]*rest[c] + xi2*math.Abs(e)
	}
	for j, i := range list {
		var slope float64
		for c := range m {
			slope -= 2 * rest[c] * data[int(i)*m+c]
		}
		if j > 0 {
			cost += xi1 * (a[j] - a[j-1]) * (a[j] - a[j-1])
			slope += 2 * xi1 * (a[j] - a[j-1])
		}
		if j+1 < len(a) {
			slope += 2 * xi1 * (a[j] - a[j+1])
		}
		cost += xi2 * math.Abs(a[j])
		if a[j] == 0 {
			violation = max(violation, math.Abs(slope)-xi2)
		} else {
			violation = max(violation, math.Abs(slope+math.Copysign(xi2, a[j])))
		}
	}
	return cost, violation / xi2
}

func firstRows(n int) []int32 {
	list := make([]int32, n)
	for j := range list {
		list[j] = int32(j + 1)
	}
	return list
}

func TestRobustLassoIsOptimal(t *testing.T) {
	kernels := blas.MustSelect("auto")
	for _, c := range []struct {
		p, m     int
		xi1, xi2 float64
	}{
		{1, 5, 0.01, 0.01}, {2, 1, 0.01, 0.01}, {5, 6, 0.01, 0.01}, {20, 64, 0.01, 0.01}, {40, 64, 0, 0.01},
		{60, 30, 0.01, 0.001}, {60, 30, 0, 1e-4}, {30, 200, 1, 0.01}, {30, 200, 0.01, 0.5}, {30, 200, 0.01, 10},
	} {
		for seed := range uint64(8) {
			t.Run(fmt.Sprintf("p=%d m=%d xi1=%g xi2=%g seed=%d", c.p, c.m, c.xi1, c.xi2, seed), func(t *testing.T) {
				data, list := images(seed+1, c.p+1, c.m), firstRows(c.p)
				x := data[:c.m]
				l := NewRobustLasso(kernels, c.xi1, c.xi2)
				a, r := l.Solve(x, data, list, nil)
				cost, violation := robustCost(x, data, list, a, c.xi1, c.xi2)
				if !r.Converged || violation > 2*robustTolerance {
					t.Fatalf("violation %.2e, reported %.2e, after %d steps", violation, r.Violation, r.Steps)
				}
				if math.Abs(cost-r.Objective) > 1e-13*(1+cost) {
					t.Errorf("objective %v, reported %v", cost, r.Objective)
				}
				// The problem is convex: what no step nearby improves is the minimum.
				stream := blas.NewStream(seed)
				near := make([]float64, c.p)
				for try := range 60 {
					size := math.Pow(10, -float64(try%6)) * 0.1
					for j := range near {
						near[j] = a[j] + size*(stream.Uniform()-0.5)
					}
					if lower, _ := robustCost(x, data, list, near, c.xi1, c.xi2); lower < cost-1e-14 {
						t.Fatalf("a code at distance %g costs %v, less than %v", size, lower, cost)
					}
				}
				again := slices.Clone(a)
				if _, r := l.Solve(x, data, list, again); r.Steps != 0 || !r.Converged {
					t.Errorf("%d steps from the solution", r.Steps)
				}
			})
		}
	}
}

// FISTA comes near the same minimum, from above.
func TestRobustLassoAgainstFISTA(t *testing.T) {
	data, list := images(5, 11, 50), firstRows(10)
	l := NewRobustLasso(blas.MustSelect("auto"), 0.01, 0.01)
	_, exact := l.Solve(data[:50], data, list, nil)
	_, near := l.FISTA(data[:50], data, list)
	if gap := near.Objective - exact.Objective; gap < -1e-15 || gap > 1e-4*exact.Objective {
		t.Errorf("FISTA ends at %v after %d iterations, the minimum is %v", near.Objective, near.Steps, exact.Objective)
	}
}

func TestRobustLassoOrderReversed(t *testing.T) {
	data, list := images(3, 31, 80), firstRows(30)
	l := NewRobustLasso(blas.MustSelect("auto"), 0.05, 0.01)
	a, _ := l.Solve(data[:80], data, list, nil)
	forward := slices.Clone(a)
	slices.Reverse(list)
	back, _ := l.Solve(data[:80], data, list, nil)
	for j, v := range forward {
		// Both meet their conditions to 1e-11; ξ1 = 0.05 curves the cost by at least
		// the square of 0.05/30 in addition.
		if math.Abs(v-back[29-j]) > 1e-8 {
			t.Fatalf("entry %d is %v one way and %v the other", j, v, back[29-j])
		}
	}
}

// Samples that coincide, vanish, or are far out of scale.
func TestRobustLassoDegenerate(t *testing.T) {
	const m, p = 40, 12
	kernels := blas.MustSelect("auto")
	for name, change := range map[string]func(data []float64){
		"sample zero":        func(d []float64) { clear(d[:m]) },
		"all zero":           func(d []float64) { clear(d) },
		"a neighbour zero":   func(d []float64) { clear(d[3*m : 4*m]) },
		"a neighbour equal":  func(d []float64) { copy(d[3*m:4*m], d[:m]) },
		"neighbours equal":   func(d []float64) { copy(d[3*m:4*m], d[4*m:5*m]) },
		"all neighbours one": func(d []float64) { repeatRow(d[m:], m) },
		"all one":            func(d []float64) { repeatRow(d, m) },
		"large":              func(d []float64) { blas.Scale(100, d) },
		"small":              func(d []float64) { blas.Scale(1e-6, d) },
		"negative":           func(d []float64) { blas.Scale(-1, d[m:]) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, xi1 := range []float64{0, 0.01} {
				t.Run(fmt.Sprint(name, " ", xi1), func(t *testing.T) {
					data, list := images(9, p+1, m), firstRows(p)
					change(data)
					a, r := NewRobustLasso(kernels, xi1, 0.01).Solve(data[:m], data, list, nil)
					_, violation := robustCost(data[:m], data, list, a, xi1, 0.01)
					// Conditions are differences of products of the size of the data squared.
					tol := 2*robustTolerance + 1e-13*blas.Dot(data, data)/0.01
					if !(violation <= tol) || !(r.Violation <= tol) {
						t.Errorf("violation %.2e, reported %.2e, after %d steps", violation, r.Violation, r.Steps)
					}
				})
			}
		})
	}
}

func repeatRow(d []float64, m int) {
	for at := m; at < len(d); at += m {
		copy(d[at:at+m], d[:m])
	}
}

// What a solver was used for before changes nothing, and it does not allocate.
func TestRobustLassoReuse(t *testing.T) {
	kernels := blas.MustSelect("auto")
	data, list := images(2, 41, 60), firstRows(40)
	used := NewRobustLasso(kernels, 0.01, 0.01)
	used.Solve(data[60:120], data, list[5:9], nil)
	used.FISTA(data[60:120], data, list)
	used.Solve(data[120:180], data, list, nil)
	got, _ := used.Solve(data[:60], data, list, nil)
	want, _ := NewRobustLasso(kernels, 0.01, 0.01).Solve(data[:60], data, list, nil)
	if !slices.Equal(got, want) {
		t.Error("a used solver gives other bits than a new one")
	}
	if testing.Short() {
		return // the race detector empties the pools of the kernels
	}
	if n := testing.AllocsPerRun(5, func() { used.Solve(data[:60], data, list, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The 1440 images of 1024 pixels that the graph of COIL-20 is about have the same
// sizes; these are as hard.
func BenchmarkRobustLasso(b *testing.B) {
	const n, m, p = 128, 1024, 100
	data := images(1, n, m)
	list := firstRows(p)
	for _, c := range []struct {
		name string
		run  func(l *RobustLasso, i int) LassoReport
	}{
		{"newton", func(l *RobustLasso, i int) LassoReport {
			_, r := l.Solve(data[i*m:(i+1)*m], data, list, nil)
			return r
		}},
		{"fista", func(l *RobustLasso, i int) LassoReport {
			_, r := l.FISTA(data[i*m:(i+1)*m], data, list)
			return r
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := NewRobustLasso(blas.MustSelect(""), 0.01, 0.01)
			var steps, violation float64
			at := 0
			for b.Loop() {
				r := c.run(l, p+1+at%(n-p-1))
				steps, violation = steps+float64(r.Steps), max(violation, r.Violation)
				at++
			}
			b.ReportMetric(steps/float64(at), "steps/op")
			b.ReportMetric(violation, "violation")
		})
	}
}

// Weights of any size end the search: where rounding, or another weight, leaves no step that
// counts, the code that is reached is reported with what it misses.
func TestRobustLassoOfAnyWeights(t *testing.T) {
	data, list := images(9, 60, 12), firstRows(59)
	for _, xi2 := range []float64{1e-300, 1e-150, 1e-6, 0.01, 1e150, math.MaxFloat64} {
		for _, xi1 := range []float64{0, 1e-300, 1e3, 1e9, 1e15, 1e18, 1e50, 1e150, 1e300, math.MaxFloat64} {
			l := NewRobustLasso(blas.MustSelect("auto"), xi1, xi2)
			steps := 0
			l.model.lasso.stop = func() bool { steps++; return false }
			a, r := l.Solve(data[:12], data, list, nil)
			for _, v := range a {
				if v-v != 0 {
					t.Fatalf("ξ1 = %g, ξ2 = %g: the code %v", xi1, xi2, a)
				}
			}
			// Each Newton step solves a lasso, in a few exact steps of its own.
			if steps > 30*r.Steps+100 || xi1 >= 1e18 && r.Steps > 100 {
				t.Errorf("ξ1 = %g, ξ2 = %g: %d steps and %d within them", xi1, xi2, r.Steps, steps)
			}
		}
	}
}

// A patience ends after this many rounds in a row without a fall, and at once without a number.
func TestPatience(t *testing.T) {
	still := patience{rounds: 3}
	for i, c := range []struct {
		err  float64
		lost bool
	}{{5, false}, {4.99, false}, {5, false}, {4, false}, {4, false}, {9, false}, {3.999, true}} {
		if still.lost(c.err) != c.lost {
			t.Errorf("round %d, error %v: lost is %v", i, c.err, !c.lost)
		}
	}
	if still = (patience{rounds: 3}); !still.lost(math.NaN()) {
		t.Error("NaN is waited for")
	}
}
