package alm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Passes in the span of the samples are those on the samples: of centred samples, which are
// linearly dependent, with copies, from components outside of the span and from rays.
func TestPassesInTheSpan(t *testing.T) {
	const n, m, r, passes = 30, 400, 3, 12
	ctx := context.Background()
	x, labels := cones(3, n, m, r)
	copy(x[4*m:5*m], x[7*m:8*m])
	for j := range m {
		var mean float64
		for i := range n {
			mean += x[i*m+j] / n
		}
		for i := range n {
			x[i*m+j] -= mean
		}
	}
	must.Get(Normalize(ctx, n, m, x, optionsOf(r)))(t)
	if !pays(n, m, r, passes) || pays(n, n+r, r, passes) || pays(400, 410, r, passes) {
		t.Fatal("the sizes do not ask for what is tested")
	}
	for _, rays := range []bool{false, true} {
		o := optionsOf(r)
		o.Lambda, o.Balanced, o.Hold, o.Passes, o.TraceEvery = 0.05, true, 4, passes, 1
		var err error
		if rays {
			o.Harden = 5
			o.W, o.H, err = Rays(ctx, n, m, x, r, labels, nil, o)
		} else {
			o.W, o.H = make([]float64, n*r), make([]float64, r*m)
			s := blas.NewStream(7)
			s.Uniforms(o.W)
			s.Uniforms(o.H)
		}
		if err != nil {
			t.Fatal(err)
		}
		plain := must.Get(o.filled(n, m))(t)
		graph := Fixed(ring(t, n, 3))
		want := must.Get(iterate(ctx, n, m, x, graph, plain))(t)
		got := must.Get(Factorize(ctx, n, m, x, graph, o))(t)
		for what, c := range map[string][2][]float64{"W": {got.W, want.W}, "H": {got.H, want.H}} {
			for q, v := range c[1] {
				if math.Abs(c[0][q]-v) > 1e-7 {
					t.Fatalf("rays %v: entry %d of %s is %v, on the samples themselves %v", rays, q, what, c[0][q], v)
				}
			}
		}
		for q, p := range want.Trace {
			if d := got.Trace[q]; math.Abs(d.Loss-p.Loss) > 1e-8*p.Loss || math.Abs(d.Residuals[0]-p.Residuals[0]) > 1e-7 {
				t.Errorf("rays %v: %+v, on the samples themselves %+v", rays, d, p)
			}
		}
		o.Threads = 3
		again := must.Get(Factorize(ctx, n, m, x, graph, o))(t)
		if !slices.Equal(got.W, again.W) || !slices.Equal(got.H, again.H) {
			t.Error("threads change bits")
		}
	}
}
