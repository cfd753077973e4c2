package neighborhood

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/internal/must"
)

func TestClosestCodesAreTheLargestProducts(t *testing.T) {
	const n, k, most = 150, 9, 4
	codes := samples.OfRows(n, k, make([]float64, n*k))
	blas.NewStream(6).Normals(codes.Data())
	for i := range n {
		if vector.Normalize(codes.Row(i)); i%50 == 7 {
			clear(codes.Row(i)) // shares nothing with anybody
		}
	}
	x := samples.OfRows(n, 3, make([]float64, n*3))
	blas.NewStream(9).Normals(x.Data())
	job := run.New(t.Context(), "test", run.Settings{Kernels: blas.MustSelect("auto"), Threads: 2})
	g := must.Get(closestCodes(job, x, codes, most))(t)
	for i := range n {
		value := func(j int32) float64 { return blas.Dot(codes.Row(i), codes.Row(int(j))) }
		if i%50 == 7 {
			value = func(j int32) float64 {
				a, b := x.Row(i), x.Row(int(j))
				return math.Abs(blas.Dot(a, b)) / math.Sqrt(blas.Dot(a, a)*blas.Dot(b, b))
			}
		}
		list := g.Of(i)
		if len(list) != most {
			t.Fatalf("sample %d has %d neighbours", i, len(list))
		}
		for j := range int32(n) {
			if int(j) != i && !slices.Contains(list, j) && value(j) > value(list[most-1])+1e-12 {
				t.Errorf("sample %d lists %v at %v, but not %d at %v", i, list, value(list[most-1]), j, value(j))
			}
		}
	}
	if job.Notes()["alone"] != 3 {
		t.Errorf("%v codes share nothing, want 3", job.Notes()["alone"])
	}
}
