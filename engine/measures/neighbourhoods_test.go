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

// TestTrustworthinessBySorting compares with the definition: narrow and wide
// data, above and below the size of a tile, with ties (a coarse grid),
// duplicates, a far origin and extreme scales.
func TestTrustworthinessBySorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{4, 9, 17, 33, 60, tileCols + 5}).Draw(t, "n")
		m := rapid.SampledFrom([]int{1, 2, 3, 5, gemmFrom, 30}).Draw(t, "m")
		d := rapid.SampledFrom([]int{1, 2, gemmFrom + 1}).Draw(t, "d")
		k := rapid.IntRange(1, min((n-1)/2, 30)).Draw(t, "k")
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
		check := func(what string, got float64, err error, want float64) {
			// The sums are whole numbers: only the last operations round.
			if err != nil || math.Abs(got-want) > 1e-15 {
				t.Fatalf("%s %v (%v), want %v", what, got, err, want)
			}
		}
		// The reference's squares would vanish at the scale of "huge".
		rx, ry := mat.DenseCopyOf(x), mat.DenseCopyOf(y)
		if kind == "huge" {
			rx.Scale(0x1p500, rx)
			ry.Scale(0x1p500, ry)
		}
		got, err := Trustworthiness(context.Background(), x, y, k, Options{})
		check("trustworthiness", got, err, trustBySorting(rx, ry, k))
		got, err = Continuity(context.Background(), x, y, k, Options{})
		check("continuity", got, err, trustBySorting(ry, rx, k))
		if got, err = Trustworthiness(context.Background(), x, x, k, Options{}); err != nil || got != 1 {
			t.Fatalf("trustworthiness of the data itself: %v (%v)", got, err)
		}
	})
}

// TestTileWithinSlack checks the bound that the fast distances rest on.
func TestTileWithinSlack(t *testing.T) {
	kernels := blas.MustSelect("")
	for _, offset := range []float64{0, 1, 1e8} {
		t.Run(fmt.Sprintf("offset %g", offset), func(t *testing.T) {
			x := normal(5, 70, 30)
			x.Apply(func(i, _ int, v float64) float64 { return offset + v*math.Pow(10, float64(i%5-2)) }, x)
			p, err := readPoints("test", "data", x)
			if err != nil {
				t.Fatal(err)
			}
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
	want, err := Trustworthiness(context.Background(), x, y, 7, Options{})
	if err != nil {
		t.Fatal(err)
	}
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
	want, err := Trustworthiness(context.Background(), x, y, 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
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
		refuses(t, err, fmt.Sprintf("trustworthiness: %d neighbours asked of 10 samples", k))
	}
	_, err := Continuity(context.Background(), x, normal(1, 9, 2), 2, Options{})
	refuses(t, err, "continuity: the data has 10 rows and the embedding 9")
	_, err = Continuity(context.Background(), bad, y, 2, Options{})
	refuses(t, err, "continuity: the data has -Inf in row 0, column 2")
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
