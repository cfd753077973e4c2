package neighbors

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/sparse"
)

// Neighbours and their distances equal the results for samples of ordinary size, in the unit of the
// samples, whatever the search.
func TestSearchesAtEverySize(t *testing.T) {
	ctx := context.Background()
	times := func(x Points, e int) Points {
		y := Points{N: x.N, M: x.M}
		for _, v := range x.Data {
			y.Data = append(y.Data, math.Ldexp(v, e))
		}
		return y
	}
	rows := func(x Points) *sparse.CSR {
		a := &sparse.CSR{Rows: x.N, Cols: x.M, Ptr: []int{0}}
		for i := range x.N {
			for j, v := range x.Row(i) {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
			a.Ptr = append(a.Ptr, len(a.Col))
		}
		return a
	}
	for _, x := range []Points{sources["normal"](2100, 12), sources["normal"](300, 3)} {
		for name, search := range map[string]func(x Points) (*Graph, error){
			"exact": func(x Points) (*Graph, error) { return Exact(ctx, x, 7, Options{}) },
			"index": func(x Points) (*Graph, error) {
				return Search(ctx, x, Points{N: 50, M: x.M, Data: x.Data[:50*x.M]}, 7, Options{})
			},
			"sparse": func(x Points) (*Graph, error) { return ExactSparse(ctx, rows(x), 7, Options{}) },
			"approximate": func(x Points) (*Graph, error) {
				g, _, err := Approximate(ctx, x, 7, ApproximateOptions{Seed: 1})
				return g, err
			},
		} {
			want, err := search(x)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []int{-1010, -600, 600, 1000} {
				got, err := search(times(x, e))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Index, want.Index) {
					t.Errorf("%s: other neighbours at 2^%d", name, e)
				}
				for p, d := range want.Dist {
					if w := math.Ldexp(d, e); math.Abs(got.Dist[p]-w) > 1e-9*w {
						t.Fatalf("%s: a distance of %v at 2^%d, not %v", name, got.Dist[p], e, w)
					}
				}
			}
		}
	}
	x, err := NewIndex(times(sources["normal"](30, 3), -600), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[float64]string{1: "row 1, column 2 (counting from 1) is 1; distances would overflow, so rescale the data to below 9.64e-31", math.NaN(): "row 1, column 2 (counting from 1) is NaN"} {
		if _, err := x.Search(ctx, Points{N: 1, M: 3, Data: []float64{0, v, 0}}, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
