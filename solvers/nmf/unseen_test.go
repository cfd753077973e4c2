package nmf

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// No loss, start or option sees the entries that are held out: other values there lead to the same model. What is measured
// is better than the mean of the data.
func TestUnseenIsNotSeen(t *testing.T) {
	const n, m, r = 40, 14, 3
	s := blas.NewStream(4)
	w, h, x := make([]float64, n*r), make([]float64, r*m), make([]float64, n*m)
	s.Uniforms(w)
	s.Uniforms(h)
	for i := range n {
		for j := range m {
			x[i*m+j] = 0.1 + blas.Dot(w[i*r:(i+1)*r], []float64{h[j], h[m+j], h[2*m+j]})
		}
	}
	d := Dense(n, m, x)
	held := must.Get(HoldOut(d, 0.1, 3))(t)
	other := Dense(n, m, append([]float64(nil), x...))
	eachStored(held.Values, func(i, j int) { other.Dense[i*m+j] *= 100 })
	others := must.Get(HoldOut(other, 0.1, 3))(t)
	for _, o := range []Options{
		{Solver: HALS}, {}, {Loss: KL}, {Loss: L21}, {Loss: Beta, Beta: 0.5}, {Loss: NegativeBinomial}, {Loss: Huber}, {Loss: Correntropy, Warm: 10},
		{Solver: HALS, Init: NNDSVD}, {Loss: Beta, Beta: 1.5, Init: NNDSVDMean}, {Solver: HALS, SumToOne: true}, {Solver: HALS, Extrapolate: true}, {Order: WFirst},
	} {
		o.Rank, o.Seed, o.Iterations = r, 5, 40
		name := fmt.Sprintf("%v %s %s %v", o.Loss, o.Solver, o.Init, o.SumToOne)
		got := must.Get(FactorizeUnseen(context.Background(), d, o, held))(t)
		a, b := must.Get(o.fitUnseen(context.Background(), d, held))(t), must.Get(o.fitUnseen(context.Background(), other, others))(t)
		for at, v := range append(a.w, a.h...) {
			if u := append(b.w, b.h...)[at]; math.Abs(u-v) > 1e-6*(1+v) {
				t.Fatalf("%s: number %d of the factors is %v, with other values in hidden entries %v", name, at, v, u)
			}
		}
		if !(got.Relative > 0 && got.Relative < 0.3 && got.Divergence < 0.1) {
			t.Errorf("%s: %+v", name, *got)
		}
		sparse := must.Get(FactorizeUnseen(context.Background(), d.WithoutZeros(n*m), o, held))
		if o.Loss != Correntropy && o.Loss != L21 {
			if got := sparse(t); !(got.Relative > 0 && got.Relative < 0.3) {
				t.Errorf("%s, sparse: %+v", name, *got)
			}
		}
	}
	must.Refuse(t, "take another solver to hold some out")(FactorizeUnseen(context.Background(), d, Options{Rank: r, Solver: MiniBatch}, held))
}
