package nmf

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// plainOnline is the published algorithm in plain loops: the coordinates of a batch, the
// sums that fade, a step of H.
type plainOnline struct {
	m, r int
	kl   bool
	h    []float64
	a, b []float64
	seen int
}

// divergenceCodes are the coordinates of a batch by multiplicative steps.
func (p *plainOnline) divergenceCodes(x []float64, n int) []float64 {
	all := total(p.h)
	w := make([]float64, n*p.r)
	for i := range w {
		w[i] = total(x[i/p.r*p.m:(i/p.r+1)*p.m]) / all
	}
	for range batchSteps {
		before := append([]float64(nil), w...)
		p.divergenceStep(x, w, n)
		if distance(before, w) <= batchMoves {
			break
		}
	}
	return w
}

// divergenceStep is a multiplicative step of coordinates.
func (p *plainOnline) divergenceStep(x, w []float64, n int) {
	for i := range n {
		fresh := make([]float64, p.r)
		for k := range p.r {
			var sum float64
			for j := range p.m {
				sum += x[i*p.m+j] / p.model(w, i, j) * p.h[k*p.m+j]
			}
			fresh[k] = w[i*p.r+k] * sum / total(p.h[k*p.m:(k+1)*p.m])
		}
		copy(w[i*p.r:], fresh)
	}
}

// divergenceSums are A and B with a batch.
func (p *plainOnline) divergenceSums(x, w []float64, n int, keep float64) (a, b []float64) {
	a, b = make([]float64, p.r*p.m), make([]float64, p.r)
	for k := range p.r {
		b[k] = keep * p.b[k]
		for j := range p.m {
			var sum float64
			for i := range n {
				sum += w[i*p.r+k] * x[i*p.m+j] / p.model(w, i, j)
			}
			a[k*p.m+j] = keep*p.a[k*p.m+j] + p.h[k*p.m+j]*sum
		}
		for i := range n {
			b[k] += w[i*p.r+k]
		}
	}
	return a, b
}

func (p *plainOnline) model(w []float64, i, j int) float64 {
	var sum float64
	for k := range p.r {
		sum += w[i*p.r+k] * p.h[k*p.m+j]
	}
	return sum
}

func (p *plainOnline) step(x []float64, n int, forget float64, pass int) {
	keep := 0.0
	if p.seen > 0 {
		keep = math.Pow(forget, float64(n)/float64(min(p.seen, pass)))
	}
	p.seen += n
	if p.kl {
		w := p.divergenceCodes(x, n)
		for turn := range batchTurns + 1 {
			a, b := p.divergenceSums(x, w, n, keep)
			for i := range a {
				p.h[i] = a[i] / b[i/p.m]
			}
			if turn == batchTurns {
				p.a, p.b = a, b
				break
			}
			for range turnSteps {
				p.divergenceStep(x, w, n)
			}
		}
		return
	}
	for i := range p.a {
		p.a[i] *= keep
	}
	for i := range p.b {
		p.b[i] *= keep
	}
	ht := plainTransposed(p.r, p.m, p.h)
	for i := range n {
		w, _ := bestBySets(p.m, p.r, ht, x[i*p.m:(i+1)*p.m])
		for k, v := range w {
			for l, u := range w {
				p.a[k*p.r+l] += v * u
			}
			for j := range p.m {
				p.b[k*p.m+j] += v * x[i*p.m+j]
			}
		}
	}
	var first float64
	for sweep := range batchSweeps {
		var moved float64
		for k := range p.r {
			for j := range p.m {
				v := p.b[k*p.m+j]
				for l := range p.r {
					v -= p.a[k*p.r+l] * p.h[l*p.m+j]
				}
				now := max(denominator, p.h[k*p.m+j]+v/p.a[k*p.r+k])
				moved += math.Pow(now-p.h[k*p.m+j], 2)
				p.h[k*p.m+j] = now
			}
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			break
		}
	}
}

// Every step equals the step of the plain algorithm, for dense and for sparse data.
func TestOnlineIsThePlainAlgorithm(t *testing.T) {
	const n, m, r, rows, forget = 160, 9, 3, 40, 0.2
	d := lowRankData(n, m, r, 5)
	start := make([]float64, r*m)
	blas.NewStream(8).Uniforms(start)
	for i := range start {
		start[i] += 0.1
	}
	for _, loss := range []*Loss{Frobenius, KL} {
		for _, kind := range []string{"dense", "sparse"} {
			t.Run(loss.String()+"/"+kind, func(t *testing.T) {
				l := must.Get(NewOnline(n, m, Options{Rank: r, Loss: loss, H: start, Batches: Batches{Rows: rows, Forget: forget}}))(t)
				p := &plainOnline{m: m, r: r, kl: loss == KL, h: append([]float64(nil), start...), a: make([]float64, r*r), b: make([]float64, r*m)}
				if p.kl {
					p.a, p.b = p.b, make([]float64, r)
				}
				for step := range 3 * n / rows {
					lo := step * rows % n
					x := d.Dense[lo*m : (lo+rows)*m]
					part := Dense(rows, m, x)
					if kind == "sparse" {
						part = Sparse(compressed(t, rows, m, x))
					}
					must.Get(l.Step(context.Background(), part))(t)
					p.step(x, rows, forget, n)
					if far := distance(l.h, p.h); !(far < 1e-9) {
						t.Fatalf("step %d: H differs from the plain algorithm's by %.3g", step, far)
					}
				}
			})
		}
	}
}

// distance is ‖a − b‖/‖b‖.
func distance(a, b []float64) float64 {
	return math.Sqrt(blas.SquaredDistance(a, b) / blas.Dot(b, b))
}

// Another learner continues from a saved state to the same bits.
func TestOnlineGoesOnFromItsState(t *testing.T) {
	const n, m, r, rows = 120, 17, 4, 30
	d := lowRankData(n, m, r, 3)
	for _, loss := range []*Loss{Frobenius, KL} {
		o := Options{Rank: r, Loss: loss, Seed: 4, Batches: Batches{Rows: rows}}
		through := must.Get(NewOnline(0, m, o))(t)
		var state State
		for lo := 0; lo < n; lo += rows {
			part := Dense(rows, m, d.Dense[lo*m:(lo+rows)*m])
			must.Get(through.Step(context.Background(), part))(t)
			pieces := must.Get(NewOnline(0, m, o))(t)
			if lo > 0 {
				must.Do(t, pieces.Restore(state))
			}
			must.Get(pieces.Step(context.Background(), part))(t)
			state = pieces.State()
		}
		for i, v := range through.State().H {
			if v != state.H[i] {
				t.Fatalf("%s: entry %d of H is %v in one go and %v in pieces", loss, i, v, state.H[i])
			}
		}
		if err := through.Restore(State{H: state.H[1:], A: state.A, B: state.B, Seen: 1}); err == nil {
			t.Error("a state of another size is taken")
		}
		state.A[1] = math.NaN()
		if err := through.Restore(state); err == nil {
			t.Error("a state that is not finite is taken")
		}
	}
}
