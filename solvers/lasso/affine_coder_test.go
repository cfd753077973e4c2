package lasso

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

func affineCost(x, data []float64, list []int32, s []float64) float64 {
	var cost float64
	for c, v := range x {
		for j, i := range list {
			v -= s[j] * data[int(i)*len(x)+c]
		}
		cost += math.Abs(v)
	}
	for _, v := range s {
		cost += math.Abs(v)
	}
	return cost
}

// For two samples the cost is a piecewise linear function of one weight, lowest at
// one of its corners; for three, at one of the crossings of two lines.
func TestAffineCoderAgainstAllVertices(t *testing.T) {
	const m = 7
	var l AffineCoder
	for seed := range uint64(30) {
		for k := 1; k <= 3; k++ {
			data, list := images(seed, k+1, m), firstRows(k)
			x := data[:m]
			s, r := l.Solve(x, data, list, nil)
			best := math.Inf(1)
			try := func(s ...float64) { best = min(best, affineCost(x, data, list, s)) }
			// Terms in the free weights: t − ρᵀs with the last weight 1 − the others.
			row := func(i int) (t float64, rho [2]float64) {
				b := func(j int) float64 {
					if i >= m {
						if i-m == j {
							return 1
						}
						return 0
					}
					return data[(j+1)*m+i]
				}
				if i < m {
					t = x[i]
				}
				for j := range k - 1 {
					rho[j] = b(j) - b(k-1)
				}
				return t - b(k-1), rho
			}
			switch k {
			case 1:
				try(1)
			case 2:
				for i := range m + k {
					if t, rho := row(i); rho[0] != 0 {
						try(t/rho[0], 1-t/rho[0])
					}
				}
			case 3:
				for i := range m + k {
					for j := range i {
						ti, ri := row(i)
						tj, rj := row(j)
						if det := ri[0]*rj[1] - ri[1]*rj[0]; math.Abs(det) > 1e-9 {
							u, v := (ti*rj[1]-tj*ri[1])/det, (ri[0]*tj-rj[0]*ti)/det
							try(u, v, 1-u-v)
						}
					}
				}
			}
			if cost := affineCost(x, data, list, s); !r.Converged || math.Abs(cost-best) > 1e-11 || math.Abs(cost-r.Objective) > 1e-12 {
				t.Errorf("k = %d, seed %d: cost %v (reported %v), the best vertex has %v", k, seed, cost, r.Objective, best)
			}
		}
	}
}

// The dual bound proves optimality for any size, also where terms tie.
func TestAffineCoderIsOptimal(t *testing.T) {
	const m = 60
	var l AffineCoder
	for name, change := range map[string]func(d []float64, k int){
		"as drawn":          func([]float64, int) {},
		"sample zero":       func(d []float64, _ int) { clear(d[:m]) },
		"all zero":          func(d []float64, _ int) { clear(d) },
		"a neighbour zero":  func(d []float64, k int) { clear(d[k*m : (k+1)*m]) },
		"a neighbour equal": func(d []float64, k int) { copy(d[k*m:(k+1)*m], d[:m]) },
		"all equal":         func(d []float64, _ int) { repeatRow(d, m) },
		"binary": func(d []float64, _ int) {
			for i, v := range d {
				d[i] = math.Round(4 * v)
			}
		},
		"large": func(d []float64, _ int) { blas.Scale(1e8, d) },
		"small": func(d []float64, _ int) { blas.Scale(1e-8, d) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []int{1, 2, 6, 25} {
				for seed := range uint64(6) {
					data, list := images(seed+50, k+1, m), firstRows(k)
					change(data, k)
					x := data[:m]
					for _, start := range [][]float64{nil, slices.Repeat([]float64{1 / float64(k)}, k), make([]float64, k)} {
						s, r := l.Solve(x, data, list, start)
						var total float64
						for _, v := range s {
							total += v
						}
						what := fmt.Sprintf("%s, k = %d, seed %d, start %v: %+v", name, k, seed, start != nil, r)
						// The shifts are 1e-12 of the largest entry, in m + k terms.
						if tol := 1e-10 * (1 + r.Objective); !r.Converged || !(math.Abs(r.Gap) <= tol) {
							t.Errorf("%s: not proven optimal", what)
						} else if cost := affineCost(x, data, list, s); math.Abs(cost-r.Objective) > tol {
							t.Errorf("%s: the cost is %v", what, cost)
						}
						if math.Abs(total-1) > 1e-12 {
							t.Errorf("%s: the weights sum to %v", what, total)
						}
					}
				}
			}
		})
	}
}

func TestAffineCoderReuse(t *testing.T) {
	const m, k = 50, 9
	data, list := images(4, k+1, m), firstRows(k)
	var used, fresh AffineCoder
	used.Solve(data[m:2*m], data, list[2:4], nil)
	used.Solve(data[m:2*m], data, list, slices.Repeat([]float64{1}, k))
	got, _ := used.Solve(data[:m], data, list, nil)
	want, _ := fresh.Solve(data[:m], data, list, nil)
	start := slices.Repeat([]float64{1}, k)
	var third AffineCoder
	near, _ := third.Solve(data[:m], data, list, start)
	var fourth AffineCoder
	fourth.Solve(data[m:2*m], data, list[2:], nil)
	if again, _ := fourth.Solve(data[:m], data, list, start); !slices.Equal(near, again) {
		t.Error("a used coder gives other bits than a new one from the same start")
	}
	if !slices.Equal(got, want) {
		t.Error("a used coder gives other bits than a new one")
	}
	if n := testing.AllocsPerRun(5, func() { used.Solve(data[:m], data, list, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAffineCoder(b *testing.B) {
	const n, m = 40, 1024
	data := images(1, n, m)
	for _, k := range []int{6, 20} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			var l AffineCoder
			list := firstRows(k)
			var steps float64
			at := 0
			for b.Loop() {
				i := k + 1 + at%(n-k-1)
				_, r := l.Solve(data[i*m:(i+1)*m], data, list, nil)
				steps += float64(r.Steps)
				at++
			}
			b.ReportMetric(steps/float64(at), "steps/op")
		})
	}
}
