package measures

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// TestGoldenClusterMeasures compares with scikit-learn, and DBCV with a program of the paper's definitions.
func TestGoldenClusterMeasures(t *testing.T) {
	golden.Cases(t, "cluster-measures", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Kind                     string
			Tol                      float64
			X                        [][]float64
			Labels, Truth, Predicted []int64
			Expect                   map[string]json.RawMessage
		}
		must.Do(t, json.Unmarshal(raw, &c))
		expect := func(what string, got ...float64) {
			t.Helper()
			want := make([]float64, 1)
			if json.Unmarshal(c.Expect[what], &want[0]) != nil {
				must.Do(t, json.Unmarshal(c.Expect[what], &want))
			}
			golden.Expect(t, what, got, want, c.Tol)
		}
		if c.Kind == "labels" {
			expect("ari", must.Get(AdjustedRand(c.Truth, c.Predicted))(t))
			for _, w := range Normalizations {
				if c.Expect["ami_"+w] != nil {
					expect("ami_"+w, must.Get(AMI(c.Truth, c.Predicted, w))(t))
				}
			}
			return
		}
		x, ctx := matrix(c.X), context.Background()
		s := must.Get(Silhouette(ctx, x, c.Labels, false, Options{}))(t)
		expect("silhouette", s.Mean)
		expect("of_cluster", s.OfCluster...)
		expect("davies_bouldin", must.Get(DaviesBouldin(x, c.Labels))(t))
		expect("calinski_harabasz", must.Get(CalinskiHarabasz(x, c.Labels))(t))
		d := must.Get(DensityValidity(ctx, x, c.Labels, Options{}))(t)
		expect("dbcv", d.Value)
		expect("dbcv_of", d.OfCluster...)
	})
}

// TestClusterMeasuresAreOfTheClusters moves, scales, permutes and renames: nothing changes but for rounding, at magnitudes
// whose squares are beyond the range of numbers. Threads change no bit.
func TestClusterMeasuresAreOfTheClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(6, 40).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "m")
		data, labels := make([]float64, n*m), make([]int64, n)
		for i := range data {
			data[i] = rapid.Float64Range(-10, 10).Draw(t, "v")
		}
		for i := range labels {
			labels[i] = int64(i%3) - int64(rapid.IntRange(0, 1).Draw(t, "noise"))*int64(i%3/2*3)
		}
		measure := func(data []float64, labels []int64, threads int) []float64 {
			x := mat.NewDense(n, m, data)
			ctx, o := context.Background(), Options{Threads: threads}
			exact, err := Silhouette(ctx, x, labels, false, o)
			if err != nil {
				t.Fatal(err)
			}
			simple, err := Silhouette(ctx, x, labels, true, o)
			if err != nil {
				t.Fatal(err)
			}
			dbcv, err := DensityValidity(ctx, x, labels, o)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(dbcv.Value) > 1 || math.Abs(exact.Mean) > 1 || dbcv.Noise != exact.Noise {
				t.Fatalf("%+v, %+v", dbcv, exact)
			}
			return []float64{exact.Mean, simple.Mean, dbcv.Value}
		}
		want := measure(data, labels, 1)
		if got := measure(data, labels, 3); !slices.Equal(got, want) {
			t.Fatalf("three threads: %v, one: %v", got, want)
		}
		for _, scale := range []float64{0x1p-600, 0x1p700} {
			scaled := make([]float64, len(data))
			for i, v := range data {
				scaled[i] = v * scale
			}
			for k, v := range measure(scaled, labels, 0) {
				if !golden.Close(v, want[k], 1e-9) {
					t.Fatalf("times %g: measure %d is %v, want %v", scale, k, v, want[k])
				}
			}
		}
		renamed := make([]int64, n)
		for i, l := range labels {
			if renamed[i] = l; l >= 0 {
				renamed[i] = 9 - l
			}
		}
		for k, v := range measure(data, renamed, 0) {
			if !golden.Close(v, want[k], 1e-9) {
				t.Fatalf("renamed: measure %d is %v, want %v", k, v, want[k])
			}
		}
	})
}

func TestClusterMeasuresRefuse(t *testing.T) {
	ctx, x := context.Background(), mat.NewDense(4, 1, []float64{0, 1, 0, 1})
	for words, labels := range map[string][]int64{
		"3 labels of 4 samples":               {0, 1, 1},
		"only one cluster (5)":                {5, 5, -1, -1},
		"each of the 4 samples is a cluster":  {0, 1, 2, 3},
		"each of the 2 samples is a cluster ": {0, 1, -1, -1},
	} {
		must.Refuse(t, words)(Silhouette(ctx, x, labels, false, Options{}))
		must.Refuse(t, words)(DensityValidity(ctx, x, labels, Options{}))
		must.Refuse(t, words)(DaviesBouldin(x, labels))
		must.Refuse(t, words)(CalinskiHarabasz(x, labels))
	}
	must.Refuse(t, "the clusters 0 and 1 have the same mean")(DaviesBouldin(x, []int64{0, 0, 1, 1}))
	must.Refuse(t, "ratio is infinite")(CalinskiHarabasz(x, []int64{0, 1, 0, 1}))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	must.Refuse(t, "canceled")(Silhouette(cancelled, x, []int64{0, 0, 1, 1}, false, Options{}))
	must.Refuse(t, "canceled")(DensityValidity(cancelled, x, []int64{0, 0, 1, 1}, Options{}))
	// Equal samples have core distance 0.
	if d := must.Get(DensityValidity(ctx, x, []int64{0, 1, 0, 1}, Options{}))(t); d.Value != 1 {
		t.Errorf("%+v", d)
	}
	// All of H is expected of clusters of one sample.
	if v := must.Get(AMI([]int64{0, 0, 1, 1}, []int64{0, 1, 2, 3}, "min"))(t); v != 0 {
		t.Errorf("ami is %v", v)
	}
}

func TestNoise(t *testing.T) {
	for _, c := range []struct {
		labels []int64
		want   bool
	}{{[]int64{-1, 1, 1, -1}, false}, {[]int64{-1, 0}, true}, {[]int64{-1, 2, 1}, true}, {[]int64{0, 1}, false}, {[]int64{-1, -1}, false}} {
		if IsNoise(c.labels) != c.want {
			t.Errorf("IsNoise(%v) is %v", c.labels, !c.want)
		}
	}
	a, b, noise := WithoutNoise([]int64{-1, 0, 1, 2}, []int64{-1, 1, 1, -1})
	if !slices.Equal(a, []int64{0, 1, 2}) || !slices.Equal(b, []int64{1, 1, -1}) || noise != 1 {
		t.Errorf("kept %v and %v without %d", a, b, noise)
	}
}
