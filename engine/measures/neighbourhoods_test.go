package measures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// ranksBySorting returns the ranks of all points around each, and the order.
func ranksBySorting(x *mat.Dense) (rank, order [][]int) {
	n, _ := x.Dims()
	rank, order = make([][]int, n), make([][]int, n)
	for i := range n {
		rank[i] = make([]int, n)
		for j := range n {
			if j != i {
				order[i] = append(order[i], j)
			}
		}
		d := make([]float64, n)
		for j := range n {
			d[j] = blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))
		}
		slices.SortStableFunc(order[i], func(a, b int) int { return cmp.Compare(d[a], d[b]) })
		for r, j := range order[i] {
			rank[i][j] = r + 1
		}
	}
	return rank, order
}

func trustBySorting(x, y *mat.Dense, k int) float64 {
	rank, _ := ranksBySorting(x)
	_, order := ranksBySorting(y)
	n, sum := len(rank), 0
	for i := range order {
		for _, j := range order[i][:k] {
			sum += max(rank[i][j]-k, 0)
		}
	}
	return 1 - 2*float64(sum)/(float64(n)*float64(k)*float64(2*n-3*k-1))
}

// TestTileWithinSlack checks the bound that the fast distances rest on.
func TestTileWithinSlack(t *testing.T) {
	kernels := blas.MustSelect("")
	for _, offset := range []float64{0, 1, 1e8} {
		t.Run(fmt.Sprintf("offset %g", offset), func(t *testing.T) {
			x := normal(5, 70, 30)
			x.Apply(func(i, _ int, v float64) float64 { return offset + v*math.Pow(10, float64(i%5-2)) }, x)
			p := must.Get(readPoints("test", "data", x))(t)
			d, tile := newDistances(p, kernels), make([]float64, tileRows*tileCols)
			d.tile(32, 64, 0, 70, tile)
			worst := 0.0
			for i := range 32 {
				for j := range 70 {
					worst = math.Max(worst, math.Abs(tile[i*tileCols+j]-d.exact(32+i, j)))
				}
			}
			if worst > d.slack/4 { // a quarter of it is what the derivation needs
				t.Errorf("offset %v: off by %v, slack %v", offset, worst, d.slack)
			}
			if most := slices.Max(d.norms); d.slack > 1e-12*most {
				t.Errorf("offset %v: slack %v of norms up to %v leaves too much in doubt", offset, d.slack, most)
			}
		})
	}
}

func TestTrustworthinessAnyThreads(t *testing.T) {
	x, y := normal(1, 300, 20), normal(2, 300, 2)
	want := must.Get(Trustworthiness(context.Background(), x, y, 7, Options{}))(t)
	for _, o := range []Options{{Threads: 1}, {Threads: 5}, {Kernels: blas.MustSelect("gonum")}, {Kernels: blas.MustSelect("native")}} {
		if got, err := Trustworthiness(context.Background(), x, y, 7, o); err != nil || got != want {
			t.Errorf("%+v: %v (%v), want %v", o, got, err, want)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Continuity(stopped, x, y, 7, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

func TestReadsAnyMatrix(t *testing.T) {
	x, y := normal(1, 30, 3), normal(2, 30, 2)
	x.Apply(func(_, _ int, v float64) float64 { return math.Max(v, 0) }, x)
	want := must.Get(Trustworthiness(context.Background(), x, y, 5, Options{}))(t)
	csr := &sparse.CSR{Rows: 30, Cols: 3, Ptr: []int{0}}
	for i := range 30 {
		for j := range 3 {
			if v := x.At(i, j); v != 0 {
				csr.Col, csr.Val = append(csr.Col, int32(j)), append(csr.Val, v)
			}
		}
		csr.Ptr = append(csr.Ptr, len(csr.Col))
	}
	wide := mat.NewDense(30, 5, nil)
	wide.Slice(0, 30, 1, 4).(*mat.Dense).Copy(x)
	for name, m := range map[string]mat.Matrix{"sparse": csr, "coordinates": csr.Storage().ToCOO(), "columns": csr.Storage().ToCSC(), "view": wide.Slice(0, 30, 1, 4), "transposed": mat.DenseCopyOf(x.T()).T()} {
		t.Run(name, func(t *testing.T) {
			if got, err := Trustworthiness(context.Background(), m, y, 5, Options{}); err != nil || got != want {
				t.Errorf("%s: %v (%v), want %v", name, got, err, want)
			}
		})
	}
}

func TestTrustworthinessErrors(t *testing.T) {
	x, y := normal(1, 10, 3), normal(2, 10, 2)
	bad := normal(1, 10, 3)
	bad.Set(0, 2, math.Inf(-1))
	for _, k := range []int{-1, 0, 5, math.MaxInt / 2} {
		_, err := Trustworthiness(context.Background(), x, y, k, Options{})
		refuses(t, err, fmt.Sprintf("trustworthiness: %d neighbours requested of 10 samples", k))
	}
	_, err := Continuity(context.Background(), x, normal(1, 9, 2), 2, Options{})
	refuses(t, err, "continuity: the data has 10 rows and the embedding 9")
	_, err = Continuity(context.Background(), bad, y, 2, Options{})
	refuses(t, err, "continuity: the data has -Inf in row 1, column 3")
	_, err = Continuity(context.Background(), storage.NewCOO(10, 3, []int{10}, []int{0}, []float64{1}), y, 2, Options{})
	refuses(t, err, "continuity: the data: sparse matrix: row 11, column 1")
}

func BenchmarkTrustworthiness(b *testing.B) {
	for _, m := range []int{3, 256} {
		b.Run(fmt.Sprintf("n=5000/m=%d", m), func(b *testing.B) {
			x := normal(1, 5000, m)
			y := x.Slice(0, 5000, 0, 2) // as good as a projection of noise can be
			for b.Loop() {
				if _, err := Trustworthiness(context.Background(), x, y, 12, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

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
		most := 1e-15 // where the sums are whole numbers, only the last operations round
		check := func(what string, got float64, err error, want float64) {
			if err != nil || math.Abs(got-want) > most {
				t.Fatalf("%s %v (%v), want %v", what, got, err, want)
			}
		}
		if k <= (n-1)/2 {
			got, err := Trustworthiness(context.Background(), x, y, k, Options{})
			check("trustworthiness", got, err, trustBySorting(rx, ry, k))
			got, err = Continuity(context.Background(), x, y, k, Options{})
			check("continuity", got, err, trustBySorting(ry, rx, k))
			if got, err = Trustworthiness(context.Background(), x, x, k, Options{}); err != nil || got != 1 {
				t.Fatalf("trustworthiness of the data itself: %v (%v)", got, err)
			}
		}
		most = 1e-13
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
		want := must.Get(measure(context.Background(), x, y, 7, Options{}))(t)
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
			refuses(t, err, fmt.Sprintf("%s: %d neighbours requested of 10 samples; give a number from 1 to 9", what, k))
		}
		_, err := measure(context.Background(), x, normal(1, 9, 2), 2, Options{})
		refuses(t, err, what+": the data has 10 rows and the embedding 9")
		_, err = measure(context.Background(), bad, y, 2, Options{})
		refuses(t, err, what+": the data has NaN in row 1, column 3")
		_, err = measure(context.Background(), x, nil, 2, Options{})
		refuses(t, err, what+": no embedding given")
	}
	_, err := MRREOfData(context.Background(), x, normal(1, 9, 2), 2, Options{})
	refuses(t, err, "mrre: the data has 10 rows and the embedding 9")
	_, err = MRRE(context.Background(), x.Slice(0, 2, 0, 3), y.Slice(0, 2, 0, 2), 1, Options{})
	refuses(t, err, "mrre: 2 samples have no ranks to compare; give at least 3")
}
