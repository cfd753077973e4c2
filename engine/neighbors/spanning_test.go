package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// spanningWeights are the sorted weights of a minimum spanning tree and the core distances by their definitions: Prim's algorithm over all pairs.
func spanningWeights(d []float64, n, minSamples int) (weights, core []float64) {
	core = make([]float64, n)
	for i := range core {
		row := append([]float64(nil), d[i*n:(i+1)*n]...)
		slices.Sort(row)
		core[i] = row[minSamples-1] // itself is the first
	}
	near := slices.Repeat([]float64{math.Inf(1)}, n)
	in := make([]bool, n)
	for at, step := 0, 1; step < n; step++ {
		in[at] = true
		next := -1
		for j := range n {
			if in[j] {
				continue
			}
			near[j] = min(near[j], max(core[at], core[j], d[at*n+j]))
			if next < 0 || near[j] < near[next] {
				next = j
			}
		}
		weights = append(weights, near[next])
		at = next
	}
	slices.Sort(weights)
	return weights, core
}

// clumps are points of several densities, with repeated and evenly spaced ones.
func clumps(n, m int) Points {
	x := Points{n, m, make([]float64, n*m)}
	blas.NewStream(3).Normals(x.Data)
	for i := range n {
		for j := range m {
			v := x.Data[i*m+j]*[]float64{.1, 1, .3}[i%3] + float64(4*(i%3*(j%2)))
			if i%7 == 0 {
				v = math.Round(v*2) / 2
			}
			x.Data[i*m+j] = v
		}
	}
	return x
}

func TestSpanningTree(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, m, min int
		metric    Metric
		method    method
	}{
		{300, 2, 5, Euclidean, automatic}, {300, 3, 1, Euclidean, automatic}, {2, 1, 2, Euclidean, automatic}, {600, 2, 40, Euclidean, automatic},
		{700, 6, 5, Euclidean, blocked}, {300, 20, 4, Euclidean, automatic}, {300, 3, 4, Cosine, automatic}, {300, 20, 4, Correlation, automatic},
		{300, 3, 4, Manhattan, automatic}, {300, 2, 4, Chebyshev, automatic}, {200, 4, 3, Canberra, automatic}, {200, 5, 5, Jaccard, automatic},
		{1100, 1, 3, Euclidean, automatic},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x := clumps(c.n, c.m)
			all := make([]float64, c.n*c.n)
			pairs := must.Get(NewPairDistances(x.Stored(), c.metric, 1))(t)
			others := make([]int32, c.n)
			for j := range others {
				others[j] = int32(j)
			}
			for i := range c.n {
				pairs.Distances(0, i, others, all[i*c.n:(i+1)*c.n])
				all[i*c.n+i] = 0
			}
			weights, core := spanningWeights(all, c.n, c.min)
			check := func(name string, s *Spanning, tolerance float64) {
				t.Helper()
				got := append([]float64(nil), s.Weight...)
				slices.Sort(got)
				for i, w := range weights {
					if !(math.Abs(got[i]-w) <= tolerance*w) {
						t.Fatalf("%s: weight %d is %v, by Prim's algorithm %v", name, i, got[i], w)
					}
				}
				for i, w := range core {
					if !(math.Abs(s.Core[i]-w) <= tolerance*w) {
						t.Fatalf("%s: core distance %d is %v, by definition %v", name, i, s.Core[i], w)
					}
				}
			}
			one := must.Get(SpanningTree(ctx, x.Stored(), c.min, c.metric, Options{Threads: 1, method: c.method}))(t)
			check("1 thread", one, 0)
			for e, w := range one.Weight {
				a, b := int(one.From[e]), int(one.To[e])
				if w != max(core[a], core[b], all[a*c.n+b]) {
					t.Fatalf("edge %d of %d and %d has weight %v", e, a, b, w)
				}
			}
			three := must.Get(SpanningTree(ctx, x.Stored(), c.min, c.metric, Options{Threads: 3, method: c.method}))(t)
			if !slices.Equal(one.From, three.From) || !slices.Equal(one.To, three.To) || !slices.Equal(one.Weight, three.Weight) {
				t.Error("three threads find another tree")
			}
			check("distances", must.Get(SpanningTreeOfDistances(ctx, Points{c.n, c.n, all}, c.min, Options{}))(t), 0)
			if c.metric == Euclidean || c.metric == Manhattan || c.metric == Cosine {
				check("sparse", must.Get(SpanningTree(ctx, compressed(x), c.min, c.metric, Options{}))(t), 1e-6)
			}
		})
	}
}
