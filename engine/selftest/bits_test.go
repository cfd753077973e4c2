package selftest

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// everywhere are sums of the bits of kernels whose every rounding is written down. They hold at
// every instruction level and on every processor with a fused multiply-add. The other checks call
// code in which the compiler may fuse products and sums.
var everywhere = map[string]string{
	"matrix with its transpose":                 "781cf0a6ad6df083",
	"matrix times vector":                       "22aa0ea4629254a6",
	"sparse matrix times vectors":               "0d881b5bd77a58f9",
	"positive and negative parts times a panel": "5af7144f7ca70fb7",
	"Gram matrices of a panel":                  "012663d51b46dfff",
	"inner product":                             "7cc2765a96af4cf6",
	"vector plus multiple of another":           "0a9c24f2a05c0813",
	"squared distance":                          "45f7438751024aad",
	"exponential":                               "7d1507629108d81c",
	"rows of a factor from lanes":               "21a54172b34adcc3",
	"weights of correntropy":                    "a661a62a632e3529",
	"quotients and multiplicative steps":        "937a02ab124a8110",
	"steps of nonnegative panels":               "3f92b2e0cf43e25a",
	"shortest lengths through a place":          "1e7826b79ce7249c",
	"numbers of five bytes":                     "04ae82fe1c45946c",
	"lengths of shortest paths":                 "7b06c5c28e9545a5",
	"nearest neighbours":                        "3f4c2ae51ca61849",
	"files written and read again":              "770c89e9bc17a565",
}

func TestKernelsHaveTheSameBitsEverywhere(t *testing.T) {
	const a = 1 + 0x1p-30
	rounded := []float64{-float64(a * a)}
	if blas.Axpy(a, []float64{a}, rounded); rounded[0] == 0 {
		t.Skip("this processor has no fused multiply-add")
	}
	named := slices.DeleteFunc(checks(), func(c check) bool { return everywhere[c.name] == "" })
	if len(named) != len(everywhere) {
		t.Errorf("%d of %d checks found", len(named), len(everywhere))
	}
	k := blas.MustSelect("native")
	must.Do(t, run(t.Context(), named, shipped(k), Options{Kernels: k, Folder: t.TempDir()}, func(o Outcome) {
		if want := everywhere[o.Name]; o.Bits != want {
			t.Errorf("%s: the bits are %s, on other processors %s", o.Name, o.Bits, want)
		}
	}))
}
