package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// sheet are samples on a curved surface of few dimensions among many columns, the last of them constant.
func sheet(n, m int) Points {
	x := Points{N: n, M: m, Data: make([]float64, n*m)}
	const d = 6
	axes, t := make([]float64, 2*d*m), make([]float64, d)
	rng := blas.NewStream(5)
	rng.Normals(axes)
	for i := range n {
		rng.Normals(t)
		row := x.Row(i)
		for j := range m - 1 {
			for a, v := range t {
				row[j] += v*axes[a*m+j] + math.Sin(v)*axes[(d+a)*m+j]
			}
		}
		row[m-1] = 3
	}
	return x
}

// Queries that are answered by a projection have the lists that products of all columns find.
func TestProjection(t *testing.T) {
	const n, m, queries = projectedSamples + 100, projectedColumns + 3, 12
	doubled := sheet(n+queries, m)
	for i := range n / 10 {
		copy(doubled.Row(n/2+i), doubled.Row(i))
	}
	equal := Points{N: n + queries, M: m, Data: slices.Repeat([]float64{2}, (n+queries)*m)}
	scaled := func(by float64) Points {
		x := sheet(n+queries, m)
		for at := range x.Data {
			x.Data[at] *= by
		}
		return x
	}
	for _, c := range []struct {
		name    string
		all     Points
		k       int
		unclear bool // the projection gives up
	}{
		{"sheet", sheet(n+queries, m), 15, false},
		{"doubled", doubled, 40, false},
		{"large", scaled(1e90), 5, false},
		{"small", scaled(1e-90), 5, false},
		{"equal", equal, 3, false}, // bytes give up before it is asked
		{"normal", sources["normal"](n+queries, m), 10, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			reference := Points{N: n, M: m, Data: c.all.Data[:n*m]}
			few := Points{N: queries, M: m, Data: slices.Clone(c.all.Data[n*m:])}
			copy(few.Row(3), reference.Row(7))
			for j := range few.Row(4) {
				few.Row(4)[j] *= 1000 // far from all samples
			}
			want, err := Search(context.Background(), reference, few, c.k, Options{method: blocked})
			if err != nil {
				t.Fatal(err)
			}
			x, err := NewIndex(reference, Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			for i := range queries {
				got, err := x.Search(context.Background(), Points{N: 1, M: m, Data: few.Row(i)}, c.k)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Index, want.Of(i)) || !slices.Equal(got.Dist, want.Distances(i)) {
					t.Fatalf("query %d finds %v, want %v", i, got.Index, want.Of(i))
				}
			}
			if x.coded == nil || x.coded.projected == nil {
				t.Skip("no products of bytes here")
			}
			if p, err := x.coded.projected(); err != nil || p.unclear.Load() != c.unclear {
				t.Errorf("the projection gives up: %v, want %v (%v)", !c.unclear, c.unclear, err)
			}
		})
	}
}

// One query at a time among the samples of a surface in many columns: by the bytes of all columns, as the first searches
// do, and by the projection.
func BenchmarkSingleQuery(b *testing.B) {
	const n, m, queries = 70000, 784, 64
	all := sheet(n+queries, m)
	x, err := NewIndex(Points{N: n, M: m, Data: all.Data[:n*m]}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if x.coded == nil || x.coded.projected == nil {
		b.Skip("no products of bytes here")
	}
	projected := x.coded.projected
	for _, c := range []struct {
		name string
		by   func() (*projection, error)
	}{{"bytes", nil}, {"projection", projected}} {
		b.Run(c.name, func(b *testing.B) {
			x.coded.projected = c.by
			x.coded.few.Store(projectedAfter)
			i := 0
			search := func() {
				if _, err := x.Search(b.Context(), Points{N: 1, M: m, Data: all.Row(n + i%queries)}, 15); err != nil {
					b.Fatal(err)
				}
				i++
			}
			search() // makes the projection
			for b.Loop() {
				search()
			}
		})
	}
}
