package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// codedSources are where codes say everything, much and nothing.
var codedSources = map[string]func(n, m int) Points{
	"grey values": func(n, m int) Points { // their codes have no error
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		s := blas.NewStream(21)
		for i := range x.Data {
			x.Data[i] = float64(s.Below(256))
		}
		return x
	},
	"grey values over 255": func(n, m int) Points {
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		s := blas.NewStream(22)
		for i := range x.Data {
			x.Data[i] = float64(s.Below(256)) / 255
		}
		return x
	},
	"copies": func(n, m int) Points { // every sample many times over
		x := Points{N: n, M: m, Data: make([]float64, n*m)}
		blas.NewStream(23).Normals(x.Data[:20*m])
		for i := 20; i < n; i++ {
			copy(x.Row(i), x.Row(i%20))
		}
		return x
	},
	"one far entry": func(n, m int) Points { // all other samples share their code
		x := clumped(n, m, 1)
		x.Row(n / 2)[m/2] = 1e6
		return x
	},
	"a tenth far": func(n, m int) Points { // codes leave many in doubt
		x := clumped(n, m, 1)
		for i := 0; i < n; i += 10 {
			blas.Scale(40, x.Row(i))
		}
		return x
	},
}

func TestCodesLeaveTheListsAsTheyAre(t *testing.T) {
	for name, source := range codedSources {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct{ n, m, k int }{{300, 40, 1}, {900, 33, 12}, {1700, 20, 100}} {
				x := source(c.n, c.m)
				want, err := Exact(context.Background(), x, c.k, Options{method: blocked})
				if err != nil {
					t.Fatal(err)
				}
				for _, threads := range []int{1, 3} {
					got, err := Exact(context.Background(), x, c.k, Options{method: coded, Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
						t.Errorf("n=%d m=%d k=%d, %d threads: differs", c.n, c.m, c.k, threads)
					}
				}
			}
		})
	}
}

func TestCodesGiveUpWhereTheySayNothing(t *testing.T) {
	for name, want := range map[string]bool{"grey values": true, "grey values over 255": true, "copies": true, "one far entry": false} {
		x, k := codedSources[name](2000, 30), 8
		o, err := Options{}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		done, err := searchCodes(context.Background(), x.Stored(), k, o, newGraph(x.N, k))
		if err != nil || done != want {
			t.Errorf("%s: found by codes %v, error %v", name, done, err)
		}
	}
}

// Codes are within the stated errors of the samples.
func TestCodingBoundsItsErrors(t *testing.T) {
	for name, source := range codedSources {
		x := source(200, 15)
		c, err := encode(context.Background(), x.Stored(), 2)
		if err != nil {
			t.Fatal(err)
		}
		products := make([]int32, 208*208)
		c.codes.Products(0, x.N, 0, x.N, products, 208)
		for i := range x.N {
			if name[:4] == "grey" && c.err[i] > 1e-9 {
				t.Fatalf("%s, sample %d: error %g", name, i, c.err[i])
			}
			for j := range x.N {
				between := c.square[i] + c.square[j] - 2*products[i*208+j]
				distance := blas.SquaredDistance(x.Row(i), x.Row(j))
				if most := c.within(i, math.Sqrt(distance)); between > most {
					t.Fatalf("%s, samples %d and %d: codes %d apart, at most %d promised", name, i, j, between, most)
				}
				if away := c.reach(i, between); float64(away) < (math.Sqrt(distance)/c.step)*(math.Sqrt(distance)/c.step)-1 {
					t.Fatalf("%s, samples %d and %d: distance beyond reach", name, i, j)
				}
			}
		}
	}
}
