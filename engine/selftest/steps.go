package selftest

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

var stepChecks = []check{
	{name: "weights of correntropy", kind: "step", formula: "|v̂ − v| / v(2 + |ln p|)u", threshold: 4, sameBits: true, run: weights},
	{name: "quotients and multiplicative steps", kind: "step", formula: "|v̂ − v| / vu", threshold: 4, sameBits: true, run: quotientSteps},
	{name: "steps of nonnegative panels", kind: "step", formula: "|û − u| / wuu", threshold: 4, sameBits: true, run: panelSteps},
	{name: "a multiplicative iteration of NMF", kind: "step", formula: "|ŵ − w| / (n + m)wu", threshold: 1, run: iteration},
}

// relative adds the ratio of a computed positive number, in units of terms·u.
func (t *trial) relative(computed, want, terms float64) {
	if computed != want {
		t.ratio(math.Abs(computed-want) / (want * terms * unit))
	}
}

func weights(t *trial) error {
	for _, n := range lengths {
		x, y := t.uniform(n, 0), t.uniform(n, 0)
		const c = 3.5
		p, u, v := make([]float64, n), make([]float64, n), make([]float64, n)
		t.gauss(c, x, y, p, u, v)
		for i := range x {
			d := x[i] - y[i]
			exponent := -c * d * d
			want := math.Exp(exponent)
			terms := 2 - exponent
			t.relative(p[i], want, terms)
			t.relative(u[i], want*x[i], terms)
			t.relative(v[i], want*y[i], terms)
		}
		t.seen(p)
		t.seen(u)
		t.seen(v)
	}
	return nil
}

func quotientSteps(t *trial) error {
	for _, n := range lengths {
		x, d, y := t.uniform(n, 0), t.uniform(n, 0), t.uniform(n, 0)
		d[n/2] = 0 // below the floor
		got, next := make([]float64, n), append([]float64(nil), y...)
		const floor, least = 1e-3, 1e-2
		t.quotients(got, floor, x, d)
		t.ratios(next, floor, least, x, d)
		for i := range x {
			under := max(d[i], floor)
			t.relative(got[i], x[i]/under, 1)
			if want := y[i] * (x[i] / under); want >= least*1.0000001 {
				t.relative(next[i], want, 1)
			} else if want < least*0.9999999 {
				t.exactly(next[i] == 0)
			}
		}
		t.seen(got)
		t.seen(next)
	}
	return nil
}

func panelSteps(t *trial) error {
	const rows = 7
	for _, w := range []int{4, 8, 12} {
		cols := w - 1
		u, a, b := t.uniform(rows*w, 0.1), t.uniform(rows*w, 0.1), t.uniform(rows*w, 0.1)
		la, lb, scale, floor := t.uniform(w*w, 0.1), t.uniform(w*w, 0.1), t.uniform(w, 0.1), make([]float64, w)
		const alpha = 0.4
		with := func(l []float64, i, q int, begin float64) float64 {
			s := dot(cols, u[i*w:], 1, l[q:], w)
			s.add(begin)
			return s.value()
		}
		for _, half := range []bool{false, true} {
			other, second := b, lb
			if half {
				other, second = nil, nil
			}
			ratio, quartic := append([]float64(nil), a...), append([]float64(nil), a...)
			var moved, movedQuartic [4]float64
			t.panel(w, cols, 0, rows, u, ratio, other, la, second, floor, &moved)
			t.quartic(w, cols, 0, rows, u, quartic, other, la, scale, floor, alpha, &movedQuartic)
			var far, farQuartic [4]exact
			for i := range rows {
				for q := range w {
					at := i*w + q
					over, under, linear := a[at], with(la, i, q, 0), 0.0
					if !half {
						over, under, linear = with(lb, i, q, a[at]), with(la, i, q, b[at]), b[at]*scale[q]
					}
					t.relative(ratio[at], u[at]*math.Sqrt(over/max(under, blas.PanelFloor)), float64(w))
					c := scale[q]*a[at] + alpha*u[at]
					root := linear + math.Sqrt(linear*linear+4*with(la, i, q, 0)*c)
					t.relative(quartic[at], u[at]*math.Sqrt(2*c/root), float64(w))
					far[q%4].addProduct(ratio[at]-u[at], ratio[at]-u[at])
					farQuartic[q%4].addProduct(quartic[at]-u[at], quartic[at]-u[at])
				}
			}
			for q := range far {
				t.ratio(far[q].off(moved[q], rows*w, unit))
				t.ratio(farQuartic[q].off(movedQuartic[q], rows*w, unit))
			}
			t.seen(ratio)
			t.seen(quartic)
		}
	}
	return nil
}

// iteration compares one step of H and one of W with their formulas (Lee and Seung 2001).
func iteration(t *trial) error {
	const n, m, r = 60, 45, 7
	x, w, h := t.uniform(n*m, 0.05), t.uniform(n*r, 0.05), t.uniform(r*m, 0.05)
	got, err := t.nmfStep(t.ctx, nmf.Dense(n, m, x), nmf.Options{Rank: r, Iterations: 1, Init: nmf.Given, W: w, H: h,
		Normalize: nmf.Never, Kernels: t.kernels, Threads: 1})
	if err != nil {
		return err
	}
	// H ← H ∘ WᵀX / WᵀWH
	wt := transposed(n, r, w)
	over := product(r, m, n, wt, x)
	under := product(r, m, r, product(r, r, n, wt, w), h)
	next := make([]float64, r*m)
	for i := range next {
		next[i] = h[i] * over[i] / under[i]
		t.relative(got.H[i], next[i], n+m)
	}
	// W ← W ∘ XHᵀ / WHHᵀ
	ht := transposed(r, m, next)
	over = product(n, r, m, x, ht)
	under = product(n, r, r, w, product(r, r, m, next, ht))
	for i := range w {
		t.relative(got.W[i], w[i]*over[i]/under[i], n+m)
	}
	return nil
}
