package pipeline_test

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/internal/must"
)

// Samples that are left in place and samples that are copied into the order give the same bits: coordinates,
// scores, and positions of new samples.
func TestInPlace(t *testing.T) {
	const n = pipeline.OrderedFrom + 50
	x, added := samples.Of(steptest.Sheet(n, 6, 3)), samples.Of(steptest.Sheet(20, 6, 4))
	for name, m := range map[string]method.Method{
		"umap": &method.UMAP{Epochs: 6}, "umap from principal components": &method.UMAP{Epochs: 6, Init: "pca"}, "tsne": &method.TSNE{Iterations: 6, Perplexity: 10},
		"pacmap": &method.PaCMAP{Iterations: 9}, "le": &method.LE{}, "diffusion-maps": &method.DiffusionMaps{}, "isomap": &method.Isomap{},
	} {
		t.Run(name, func(t *testing.T) {
			resolved := must.Get(param.Resolve(m.Name(), m, n, func(string, ...any) {}))(t)
			steps := method.RowOf(resolved).Embed()
			if !steps.InPlace {
				t.Fatal("the samples are copied")
			}
			job := steptest.Run(t)
			at := pipeline.Locality{X: x, Found: must.Get(steps.Neighbors.Find(job, x))(t)}
			type outcome struct {
				y, z *mat.Dense
				kept []float64
			}
			embed := func(steps pipeline.Steps) outcome {
				o, findings, err := steps.Run(job, at, nil, diagnosis.Trials{Why: "this is a test"})
				if err != nil {
					t.Fatal(err)
				}
				_, dim := o.Y.Dims()
				mapping := must.Get(o.Extension.Prepare(extend.Resources{Kernels: blas.MustSelect("auto")}))(t)
				z := mat.NewDense(added.N(), dim, nil)
				if err := mapping.Map(t.Context(), added, z); err != nil {
					t.Fatal(err)
				}
				return outcome{o.Y, z, findings.Kept.Share}
			}
			in := embed(steps)
			steps.InPlace = false
			if copied := embed(steps); !mat.Equal(copied.y, in.y) || !mat.Equal(copied.z, in.z) || !reflect.DeepEqual(copied.kept, in.kept) {
				t.Error("the copy changes bits")
			}
		})
	}
}
