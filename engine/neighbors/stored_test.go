package neighbors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// narrowed are samples of every type, made of numbers around zero of size 1.
func narrowed(x Points) []*Stored {
	return []*Stored{
		x.Stored(),
		into(x, func(v float64) float32 { return float32(v) }),
		into(x, func(v float64) float32 { return float32(v * 1e-30) }),
		into(x, func(v float64) float32 { return float32(v * 1e36) }),
		into(x, halfOf),
		into(x, func(v float64) Float16 { return halfOf(v * 0x1p-22) }), // few are normal numbers
		into(x, func(v float64) int8 { return int8(v * 30) }),
		into(x, func(v float64) uint8 { return uint8(128 + v*30) }),
		into(x, func(v float64) int16 { return int16(v * 7000) }),
		into(x, func(v float64) uint16 { return uint16(32768 + v*7000) }),
		into(x, func(v float64) int32 { return int32(v * 3e8) }),
		into(x, func(v float64) uint32 { return uint32(1<<31 + v*3e8) }),
	}
}

func into[T Number](x Points, by func(float64) T) *Stored {
	data := make([]T, len(x.Data))
	for i, v := range x.Data {
		data[i] = by(v)
	}
	return StoredOf(x.N, x.M, data)
}

// halfOf cuts digits off.
func halfOf(v float64) Float16 {
	sign := Float16(0)
	if v < 0 {
		sign, v = 0x8000, -v
	}
	return sign | Float16(math.Float64bits(v*0x1p-1008)>>42)
}

// The values of binary16 by its definition.
func TestFloat16(t *testing.T) {
	for h := range 1 << 16 {
		exponent, fraction := h>>10&31, float64(h&1023)
		want := math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 31 && fraction != 0:
			want = math.NaN()
		case exponent == 31:
			want = math.Inf(1)
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		}
		if h>>15 == 1 {
			want = -want
		}
		got := Float16(h).Float64()
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (h>>15 == 1) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
	}
}

func TestStoredIsAMatrix(t *testing.T) {
	x := Points{N: 4, M: 3, Data: []float64{0, 1, -1, 0.5, 2, 3, -2.5, 1.25, 0, 1, 1, -0.75}}
	var types []string
	for _, s := range narrowed(x) {
		p := s.Points()
		into := make([]float64, 5)
		for i := range x.N {
			if !slices.Equal(s.Row(i, into), p.Row(i)) {
				t.Errorf("%s, row %d: %v in a copy, %v", s.Type(), i, p.Row(i), s.Row(i, into))
			}
			for j := range x.M {
				if s.At(i, j) != p.Row(i)[j] || s.T().At(j, i) != s.At(i, j) {
					t.Errorf("%s, row %d, column %d: %v", s.Type(), i, j, s.At(i, j))
				}
			}
		}
		types = append(types, fmt.Sprintf("%s %d", s.Type(), s.Bytes()))
	}
	want := []string{"float64 96", "float32 48", "float32 48", "float32 48", "float16 24", "float16 24",
		"int8 12", "uint8 12", "int16 24", "uint16 24", "int32 48", "uint32 48"}
	if !slices.Equal(types, want) {
		t.Errorf("types %q, want %q", types, want)
	}
	if got := StoredOf(2, 2, []int8{-128, 127, 0, 3}).Points().Data; !slices.Equal(got, []float64{-128, 127, 0, 3}) {
		t.Errorf("bytes are %v", got)
	}
	if got := StoredOf(1, 2, []float32{0.1, -1e-45}).Points().Data; !slices.Equal(got, []float64{0x1.99999ap-4, -0x1p-149}) {
		t.Errorf("numbers in float32 are %v", got)
	}
}

// A search among samples in their own type has the bits of one among their copy in float64.
func TestStoredHasTheListsOfItsCopy(t *testing.T) {
	for _, source := range []string{"normal", "tight clusters"} {
		for _, c := range []struct{ n, m, k int }{{13, 1, 12}, {300, 3, 12}, {400, 17, 40}, {600, 140, 3}} {
			for at, x := range narrowed(sources[source](c.n, c.m)) {
				want, err := Exact(context.Background(), x.Points(), c.k, Options{method: tree})
				if err != nil {
					t.Fatal(err)
				}
				for _, how := range []method{automatic, blocked, coded} {
					threads := 1 + at%3
					got, err := NearestStored(context.Background(), x, c.k, Euclidean, Options{Threads: threads, method: how})
					if err != nil {
						t.Fatalf("%s, %s: %v", source, x.Type(), err)
					}
					if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
						t.Errorf("%s, %s (%d), n=%d m=%d k=%d, method %d, %d threads: differs from the copy", source, x.Type(), at, c.n, c.m, c.k, how, threads)
					}
				}
			}
		}
	}
}

// Other metrics and queries take a copy.
func TestStoredByOtherMetrics(t *testing.T) {
	for _, x := range narrowed(sources["normal"](90, 5)) {
		for _, metric := range []Metric{Cosine, Manhattan, Chebyshev} {
			want, err := Nearest(context.Background(), x.Points(), 4, metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := NearestStored(context.Background(), x, 4, metric, Options{})
			if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
				t.Errorf("%s, %s: differs from the copy, %v", x.Type(), metric, err)
			}
			queried, err := NearestOf(context.Background(), x, x, 5, metric, Options{})
			if err != nil || queried.Dist[0] > 1e-15 || queried.Len() != 90 {
				t.Errorf("%s, %s: queries %v", x.Type(), metric, err)
			}
		}
	}
}

func TestStoredRefuses(t *testing.T) {
	single, half := make([]float32, 30), make([]Float16, 30)
	single[16], half[16] = float32(math.NaN()), 0x7c00
	worse := slices.Clone(half)
	worse[29], worse[16] = 0xfe01, 0
	for want, x := range map[string]*Stored{
		"row 6, column 2 (counting from 1) is NaN":   StoredOf(10, 3, single),
		"row 6, column 2 (counting from 1) is +Inf":  StoredOf(10, 3, half),
		"row 10, column 3 (counting from 1) is NaN":  StoredOf(10, 3, worse),
		"row 10, column 3 (counting from 1) is -Inf": StoredOf(10, 3, append(make([]float64, 29), math.Inf(-1))),
	} {
		_, err := ExactStored(context.Background(), x, 2, Options{})
		for _, err := range []error{err, x.CheckFinite()} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want one with %q", x.Type(), err, want)
			}
		}
	}
	ok := StoredOf(10, 3, make([]uint8, 30))
	if _, err := ExactStored(context.Background(), ok, 10, Options{}); err == nil || !strings.Contains(err.Error(), "from 1 to 9") {
		t.Errorf("10 of 10: %v", err)
	}
	if err := ok.CheckFinite(); err != nil {
		t.Error(err)
	}
}

// Rows are widened and compared without memory of their own.
func TestStoredRowsTakeNoMemory(t *testing.T) {
	for _, x := range narrowed(sources["normal"](3, 100)) {
		u, v := make([]float64, 100), make([]float64, 100)
		if count := testing.AllocsPerRun(20, func() { blas.SquaredDistance(x.Row(0, u), x.Row(2, v)) }); count > 0 {
			t.Errorf("%s: %v allocations", x.Type(), count)
		}
	}
}

// Memory of samples in a narrow type is below that of their copy, and counts it where it is made.
func TestStoredBytes(t *testing.T) {
	const n, k = 1000, 10
	for _, m := range []int{3, 300} {
		x := narrowed(sources["normal"](n, m))
		copied := 8 * int64(n) * int64(m)
		wide, narrow := ExactStoredBytes(x[0], k, 2), ExactStoredBytes(x[1], k, 2)
		if wide != ExactBytes(n, m, k, 2) {
			t.Errorf("%d columns: %d bytes for float64", m, wide)
		}
		if m == 3 && narrow != wide+copied || m == 300 && narrow > wide {
			t.Errorf("%d columns: %d bytes, %d for float64", m, narrow, wide)
		}
		if got := MetricStoredBytes(x[1], k, 2, Manhattan); got != MetricBytes(n, m, k, 2, Manhattan)+copied {
			t.Errorf("%d columns: %d bytes by another metric", m, got)
		}
	}
}

func BenchmarkStoredRow(b *testing.B) {
	for _, x := range narrowed(sources["normal"](64, 768)) {
		into := make([]float64, 768)
		b.Run(x.Type(), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				x.Row(i%64, into)
			}
		})
	}
}

// Queries and samples in their own types have the lists of their copies in float64.
func TestStoredQueries(t *testing.T) {
	for _, m := range []int{3, 40} {
		samples, queries := narrowed(sources["normal"](500, m)), narrowed(sources["tight clusters"](70, m))
		for at, x := range samples {
			for _, y := range []*Stored{queries[at], queries[0], queries[6]} {
				want, err := Search(context.Background(), x.Points(), y.Points(), 6, Options{})
				if err != nil {
					continue // queries too large for samples
				}
				got, err := NearestOf(context.Background(), x, y, 6, Euclidean, Options{Threads: 2})
				if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
					t.Errorf("%s among %s (%d), %d columns: differs from the copies, %v", y.Type(), x.Type(), at, m, err)
				}
				within, err := WithinOf(context.Background(), x, y, want.Dist[3], Euclidean, WithinOptions{})
				if err != nil || len(within.Of(0)) < 4 || within.Of(0)[3] != want.Index[3] {
					t.Errorf("%s among %s (%d), %d columns within a radius: %v", y.Type(), x.Type(), at, m, err)
				}
			}
		}
	}
}

// Queries count their entries, by every way to find them.
func TestQueriesWithinABudget(t *testing.T) {
	x, y := sources["normal"](400, 12).Stored(), sources["normal"](90, 12).Stored()
	few, little := sources["normal"](400, 2).Stored(), sources["normal"](90, 2).Stored()
	for _, c := range []struct {
		x, y   *Stored
		metric Metric
	}{{x, y, Euclidean}, {few, little, Euclidean}, {x, y, Manhattan}} {
		var o WithinOptions
		g, err := WithinOf(context.Background(), c.x, c.y, 3, c.metric, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Edges = int64(len(g.Index))
		if again, err := WithinOf(context.Background(), c.x, c.y, 3, c.metric, o); err != nil || len(again.Index) != len(g.Index) {
			t.Errorf("%s: %v with room for all entries", c.metric, err)
		}
		o.Edges--
		var many *EdgesError
		if _, err := WithinOf(context.Background(), c.x, c.y, 3, c.metric, o); !errors.As(err, &many) || many.Most != o.Edges {
			t.Errorf("%s: error %v with room for one less", c.metric, err)
		}
		a, err := g.MatrixOf(400)
		if err != nil || a.Rows != 90 || a.Cols != 400 || a.NNZ() != len(g.Index) {
			t.Errorf("%s: a matrix of %d × %d, %v", c.metric, a.Rows, a.Cols, err)
		}
	}
}

// An approximate search among samples in their own type has the bits of one among their copy.
func TestApproximateStoredHasTheListsOfItsCopy(t *testing.T) {
	for _, x := range narrowed(smooth(3000, 18, 4, 5)) {
		o := ApproximateOptions{Seed: 2}
		want, copied, err := Approximate(t.Context(), x.Points(), 6, o)
		if err != nil {
			t.Fatal(err)
		}
		got, r, err := ApproximateStored(t.Context(), x, 6, o)
		if err != nil {
			t.Fatal(err)
		}
		if r != copied || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
			t.Errorf("%s: %+v differs from %+v", x.Type(), r, copied)
		}
	}
}

func TestNonFinite(t *testing.T) {
	half := []Float16{0x3c00, 0xfc00} // 1, −∞
	for _, c := range []struct {
		x        *Stored
		row, col int
	}{
		{StoredOf(2, 2, []float32{1, -2, 3, -4}), -1, 0},
		{StoredOf(2, 2, []float32{1, -2, float32(math.NaN()), 4}), 1, 0},
		{StoredOf(2, 2, []float32{1, float32(math.Inf(-1)), float32(math.NaN()), 4}), 0, 1},
		{StoredOf(1, 2, half), 0, 1},
		{StoredOf(1, 1, half), -1, 0},
		{StoredOf(1, 2, []int8{-128, 127}), -1, 0},
	} {
		if row, col, _ := c.x.NonFinite(); row != c.row || row >= 0 && col != c.col {
			t.Errorf("%s: row %d, column %d; want %d, %d", c.x.Type(), row, col, c.row, c.col)
		}
	}
}
