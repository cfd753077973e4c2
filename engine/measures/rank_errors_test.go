package measures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
)

// rankErrorBySorting is the definition, written out.
func rankErrorBySorting(x, y *mat.Dense, k int) float64 {
	inData, _ := ranksBySorting(x)
	inEmbedding, order := ranksBySorting(y)
	n, sum, most := len(order), 0.0, 0.0
	for i := range n {
		for _, j := range order[i][:k] {
			sum += math.Abs(float64(inData[i][j]-inEmbedding[i][j])) / float64(inEmbedding[i][j])
		}
	}
	for t := 1; t <= k; t++ {
		most += float64(n) * math.Abs(float64(n-2*t)) / float64(t)
	}
	return sum / most
}

// keptBySorting is the definition of LCMC, written out.
func keptBySorting(x, y *mat.Dense, k int) float64 {
	_, first := ranksBySorting(x)
	_, second := ranksBySorting(y)
	n, kept := len(first), 0
	for i := range n {
		for _, j := range second[i][:k] {
			if slices.Contains(first[i][:k], j) {
				kept++
			}
		}
	}
	return float64(kept)/float64(n*k) - float64(k)/float64(n-1)
}

// TestRankMeasuresBySorting compares with the definitions: narrow and wide data, above and
// below the size of a tile, with ties, duplicates, a far origin and extreme scales.
func TestRankMeasuresBySorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{3, 4, 9, 17, 33, 60, tileCols + 5}).Draw(t, "n")
		m := rapid.SampledFrom([]int{1, 2, 3, 5, gemmFrom, 30}).Draw(t, "m")
		d := rapid.SampledFrom([]int{1, 2, gemmFrom + 1}).Draw(t, "d")
		k := rapid.IntRange(1, min(n-1, 40)).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		kind := rapid.SampledFrom([]string{"normal", "grid", "far", "huge", "equal"}).Draw(t, "kind")
		x, y := normal(seed, n, m), normal(seed+1, n, d)
		shape := func(_, _ int, v float64) float64 {
			switch kind {
			case "grid":
				return math.Round(v)
			case "far":
				return v + 1e7
			case "huge":
				return v * 0x1p-500
			case "equal":
				return 1
			}
			return v
		}
		x.Apply(shape, x)
		y.Apply(shape, y)
		// The reference's squares would vanish at the scale of "huge".
		rx, ry := mat.DenseCopyOf(x), mat.DenseCopyOf(y)
		if kind == "huge" {
			rx.Scale(0x1p500, rx)
			ry.Scale(0x1p500, ry)
		}
		check := func(what string, got float64, err error, want float64) {
			if err != nil || math.Abs(got-want) > 1e-13 {
				t.Fatalf("%s %v (%v), want %v", what, got, err, want)
			}
		}
		got, err := MRRE(context.Background(), x, y, k, Options{})
		check("mrre", got, err, rankErrorBySorting(rx, ry, k))
		if 3*k <= n+1 && got > 1+1e-12 {
			t.Fatalf("mrre %v at k = %d of %d", got, k, n)
		}
		got, err = MRREOfData(context.Background(), x, y, k, Options{})
		check("mrre of the data", got, err, rankErrorBySorting(ry, rx, k))
		got, err = LCMC(context.Background(), x, y, k, Options{})
		check("lcmc", got, err, keptBySorting(rx, ry, k))
		got, err = MRRE(context.Background(), x, x, k, Options{})
		check("mrre of the data itself", got, err, 0)
		got, err = LCMC(context.Background(), x, x, k, Options{})
		check("lcmc of the data itself", got, err, 1-float64(k)/float64(n-1))
	})
}

// Three samples of which the nearest by one matrix is the farther one by the other.
func TestRankMeasuresByHand(t *testing.T) {
	x, y := mat.NewDense(3, 1, []float64{0, 1, 3}), mat.NewDense(3, 1, []float64{0, 2, 1})
	// Nearest in y: of 0 it is 2 (rank 2 in x), of 1 it is 2 (rank 2), of 2 by the lower
	// index 0 (rank 2); C = 3·|3 − 2|.
	for what, c := range map[string]struct {
		got  func() (float64, error)
		want float64
	}{
		"mrre":             {func() (float64, error) { return MRRE(context.Background(), x, y, 1, Options{}) }, 1},
		"mrre of the data": {func() (float64, error) { return MRREOfData(context.Background(), x, y, 1, Options{}) }, 1},
		"lcmc":             {func() (float64, error) { return LCMC(context.Background(), x, y, 1, Options{}) }, -0.5},
	} {
		if got, err := c.got(); err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s %v (%v), want %v", what, got, err, c.want)
		}
	}
}

func TestRankMeasuresAnyThreads(t *testing.T) {
	x, y := normal(1, 300, 20), normal(2, 300, 2)
	for what, measure := range map[string]func(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error){"mrre": MRRE, "mrre of the data": MRREOfData, "lcmc": LCMC} {
		want, err := measure(context.Background(), x, y, 7, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Threads: 1}, {Threads: 5}, {Kernels: blas.MustSelect("gonum")}, {Kernels: blas.MustSelect("native")}} {
			if got, err := measure(context.Background(), x, y, 7, o); err != nil || got != want {
				t.Errorf("%s, %+v: %v (%v), want %v", what, o, got, err, want)
			}
		}
		stopped, stop := context.WithCancel(context.Background())
		stop()
		if _, err := measure(stopped, x, y, 7, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled context gives %v", what, err)
		}
	}
}

func TestRankMeasureErrors(t *testing.T) {
	x, y := normal(1, 10, 3), normal(2, 10, 2)
	bad := normal(1, 10, 3)
	bad.Set(0, 2, math.NaN())
	for what, measure := range map[string]func(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error){"mrre": MRRE, "lcmc": LCMC} {
		for _, k := range []int{-1, 0, 10, math.MaxInt / 2} {
			_, err := measure(context.Background(), x, y, k, Options{})
			refuses(t, err, fmt.Sprintf("%s: %d neighbours asked of 10 samples; give a number from 1 to 9", what, k))
		}
		_, err := measure(context.Background(), x, normal(1, 9, 2), 2, Options{})
		refuses(t, err, what+": the data has 10 rows and the embedding 9")
		_, err = measure(context.Background(), bad, y, 2, Options{})
		refuses(t, err, what+": the data has NaN in row 0, column 2")
		_, err = measure(context.Background(), x, nil, 2, Options{})
		refuses(t, err, what+": no embedding given")
	}
	_, err := MRREOfData(context.Background(), x, normal(1, 9, 2), 2, Options{})
	refuses(t, err, "mrre: the data has 10 rows and the embedding 9")
	_, err = MRRE(context.Background(), x.Slice(0, 2, 0, 3), y.Slice(0, 2, 0, 2), 1, Options{})
	refuses(t, err, "mrre: 2 samples have no ranks to compare; give at least 3")
}
