package engine

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// BenchmarkSelect is every selector at the sizes of Movement, and those that are made for
// more at the sizes of twenty newsgroups, a tenth of the samples each.
func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct {
		name  string
		m     Method
		large bool
	}{
		{"dpp", DPP{}, false}, {"dpp-exact", DPP{Sample: "exact"}, false}, {"dpp-keep", DPP{Negative: "keep"}, true},
		{"ipm", IPM{}, true}, {"esc-ffs", ESCFFS{}, true}, {"ds3", DS3{}, false},
	} {
		sizes := [][2]int{{360, 90}}
		if c.large {
			sizes = append(sizes, [2]int{5020, 1796})
		}
		for _, size := range sizes {
			n, m := size[0], size[1]
			b.Run(fmt.Sprintf("%s/%dx%d", c.name, n, m), func(b *testing.B) {
				data := make([]float64, n*m)
				blas.NewStream(1).Normals(data)
				for i := range data {
					data[i] /= math.Sqrt(float64(1 + i%m))
				}
				x := mat.NewDense(n, m, data)
				for b.Loop() {
					if _, err := Select(context.Background(), x, c.m, SelectOptions{Count: n / 10}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
