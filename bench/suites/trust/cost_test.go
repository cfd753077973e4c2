package trust

import (
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// BenchmarkTrust is the cost of judging a map compared with the layout, in processor time of the same run:
//
//	go test -run '^$' -bench Trust -benchtime 1x ./bench/suites/trust
func BenchmarkTrust(b *testing.B) {
	for _, n := range []int{10000, 70000} {
		for _, method := range []string{"umap", "tsne", "pacmap"} {
			b.Run(fmt.Sprintf("%s/%d", method, n), func(b *testing.B) {
				x := gaussians(equal(20), 5, 10, 2)(n, blas.NewStream(1)).x
				m := must.Get(engine.New(method))(b)
				for b.Loop() {
					r := must.Get(engine.Embed(b.Context(), x, m, engine.Options{}))(b)
					b.ReportMetric(r.CPUSeconds["solve"], "layout-s")
					b.ReportMetric(r.CPUSeconds["quality"], "quality-s")
					b.ReportMetric(100*r.CPUSeconds["quality"]/r.CPUSeconds["solve"], "quality-%")
				}
			})
		}
	}
}
