package nmf

import (
	"fmt"
	"math"
	"testing"

)

// plainBalanced takes one iteration of the multiplicative rules with a balanced term by the
// formulas, entry by entry, and returns the objective before it.
func plainBalanced(x, phi []float64, n, m, r int, o Options, w, h []float64) (objective float64) {
	at := func(a []float64, cols, i, j int) float64 { return a[i*cols+j] }
	var model, p []float64
	refresh := func(weights bool) {
		model = make([]float64, n*m)
		for i := range n {
			for j := range m {
				for k := range r {
					model[i*m+j] += at(w, r, i, k) * at(h, m, k, j)
				}
			}
		}
		if !weights {
			return
		}
		p = make([]float64, n*m)
		for at := range p {
			p[at] = 1
			if o.Loss == Correntropy {
				p[at] = math.Exp(-(x[at] - model[at]) * (x[at] - model[at]) / (2 * o.Sigma.Fixed))
			}
		}
	}
	rough := func(k int) (q float64) {
		for i := range n {
			for j := range n {
				q += at(w, r, i, k) * at(phi, n, i, j) * at(w, r, j, k)
			}
		}
		return q
	}
	length := func(k int) (l float64) {
		for j := range m {
			l += at(h, m, k, j) * at(h, m, k, j)
		}
		return l
	}
	refresh(true)
	for at := range x {
		switch e := x[at] - model[at]; o.Loss {
		case KL:
			objective += model[at] - x[at]
			if x[at] > 0 {
				objective += x[at] * math.Log(x[at]/model[at])
			}
		case Correntropy:
			objective += 1 - p[at]
		default:
			objective += e * e
		}
	}
	next := make([]float64, r*m)
	for k := range r {
		q := rough(k)
		objective += o.Lambda * length(k) * q
		var sum float64
		for i := range n {
			sum += at(w, r, i, k)
		}
		for j := range m {
			var num, den float64
			for i := range n {
				c := at(w, r, i, k)
				if o.Loss == KL {
					num += c * at(x, m, i, j) / at(model, m, i, j)
					continue
				}
				num += c * at(p, m, i, j) * at(x, m, i, j)
				den += c * at(p, m, i, j) * at(model, m, i, j)
			}
			old := at(h, m, k, j)
			if o.Loss == KL { // the root of 2λq h² + sum·h − old·num = 0
				a := 2 * o.Lambda * q
				next[k*m+j] = (-sum + math.Sqrt(sum*sum+4*a*old*num)) / (2 * a)
				continue
			}
			next[k*m+j] = old * num / (den + o.Lambda*q*old)
		}
	}
	copy(h, next)
	refresh(false)
	nextW := make([]float64, n*r)
	for k := range r {
		weight := o.Lambda * length(k)
		var sum float64
		for j := range m {
			sum += at(h, m, k, j)
		}
		for i := range n {
			var num, den, plus, minus float64
			for l := range n {
				v := at(phi, n, i, l)
				plus += max(v, 0) * at(w, r, l, k)
				minus += max(-v, 0) * at(w, r, l, k)
			}
			for j := range m {
				c := at(h, m, k, j)
				if o.Loss == KL {
					num += c * at(x, m, i, j) / at(model, m, i, j)
					continue
				}
				num += c * at(p, m, i, j) * at(x, m, i, j)
				den += c * at(p, m, i, j) * at(model, m, i, j)
			}
			old := at(w, r, i, k)
			if o.Loss == KL {
				a, b := 2*weight*plus/old, old*num+2*weight*minus*old
				nextW[i*r+k] = 2 * b / (sum + math.Sqrt(sum*sum+4*a*b))
				continue
			}
			nextW[i*r+k] = old * (num + weight*minus) / (den + weight*plus)
		}
	}
	copy(w, nextW)
	return objective
}

// The rules with a balanced term agree with the formulas.
func TestBalancedIsPlain(t *testing.T) {
	const n, m, r = 23, 11, 3
	for _, loss := range []*Loss{Frobenius, KL, Correntropy} {
		t.Run(fmt.Sprint(loss), func(t *testing.T) {
			d, o := sample(n, m, r, 5)
			o.Loss, o.Balanced, o.Lambda, o.Iterations, o.Init = loss, true, 0.7, 4, Given
			if loss == Correntropy {
				o.Sigma.Fixed = 0.4
			}
			o.W, o.H = uniformFactors(n, m, r, 9)
			got := factorize(t, d, o)
			w, h := append([]float64(nil), o.W...), append([]float64(nil), o.H...)
			for step := range o.Iterations {
				if before := plainBalanced(d.Dense, o.Graph.Dense, n, m, r, o, w, h); math.Abs(before-got.Trace[step].Objective) > 1e-11*before {
					t.Errorf("after %d iterations the objective is %v, want %v", step, got.Trace[step].Objective, before)
				}
			}
			closeTo(t, "coordinates", got.W, w, 1e-11)
			closeTo(t, "components", got.H, h, 1e-11)
		})
	}
}

// A balanced objective does not see how a component shares its scale with its coordinates:
// the steps from starts of other scales, and with components kept at unit length, give the
// same products.
func TestBalancedSeesNoScale(t *testing.T) {
	for name, set := range variants() {
		d, o := sample(130, 47, 5, 11)
		if set(&o); !o.Balanced || o.Order == CodesFirst {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o.Iterations = 8
			first := factorize(t, d, o)
			o.Init, o.W, o.H = Given, append([]float64(nil), first.W...), append([]float64(nil), first.H...)
			want := factorize(t, d, o)
			for k := range o.Rank {
				s := float64(int(1) << (2 * k))
				for j := range 47 {
					o.H[k*47+j] *= s
				}
				for i := range 130 {
					o.W[i*o.Rank+k] /= s
				}
			}
			for _, way := range []string{Never, EachIteration} {
				o.Normalize = way
				got := factorize(t, d, o)
				for i, p := range want.Trace {
					if q := got.Trace[i]; math.Abs(q.Objective-p.Objective) > 1e-9*p.Objective || math.Abs(q.Regularizer-p.Regularizer) > 1e-9*p.Objective {
						t.Fatalf("normalise=%s, point %d: objective %v and term %v, want %v and %v", way, i, q.Objective, q.Regularizer, p.Objective, p.Regularizer)
					}
				}
			}
		})
	}
}
