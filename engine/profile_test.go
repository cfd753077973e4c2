package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// withZeros stores every second zero, which is a zero as any other.
func withZeros(t *testing.T, x *mat.Dense) *sparse.CSR {
	t.Helper()
	n, m := x.Dims()
	a := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			if v := x.At(i, j); v != 0 || (i+j)%2 == 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	must.Do(t, a.Validate())
	return a
}

// TestGoldenProfiles compares with SciPy's rank sums and the formulas of differences and c-TF-IDF, of dense and sparse samples.
func TestGoldenProfiles(t *testing.T) {
	golden.Cases(t, "profiles", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X      [][]float64
			Labels []int64
			Tol    float64
			Counts bool
			Groups []struct {
				Label   int64
				Size    int
				Columns []struct {
					AUC, Z, P, D, Adjusted float64
					MeanIn                 float64  `json:"mean_in"`
					MeanOut                float64  `json:"mean_out"`
					ShareIn                float64  `json:"share_in"`
					ShareOut               float64  `json:"share_out"`
					Weight                 *float64 `json:"c_tf_idf"`
				}
			}
		}
		must.Do(t, json.Unmarshal(raw, &c))
		n, m := len(c.X), len(c.X[0])
		dense := mat.NewDense(n, m, slices.Concat(c.X...))
		check := func(x mat.Matrix, score string) {
			r := must.Get(engine.Profile(context.Background(), x, c.Labels, engine.ProfileOptions{Score: score, Direction: "both", Depth: "none", Top: m}))(t)
			if r.Counts != c.Counts || len(r.Groups) != len(c.Groups) {
				t.Fatalf("%s: %+v", score, r)
			}
			for at, g := range c.Groups {
				got := r.Groups[at]
				if got.Label != g.Label || got.Size != g.Size {
					t.Fatalf("%s: group %+v, want %d of %d", score, got, g.Label, g.Size)
				}
				listed := 0
				for j, w := range g.Columns {
					value := map[string]float64{"rank-sum": w.Z, "difference": w.D}[score]
					if score == "c-tf-idf" {
						value = *w.Weight
					}
					k := slices.IndexFunc(got.Columns, func(p engine.ProfiledColumn) bool { return p.Column == j })
					if math.Abs(value) < 1e-12 {
						continue // of a constant column
					}
					if listed++; k < 0 {
						t.Fatalf("%s: column %d is missing from group %d", score, j, g.Label)
					}
					p := got.Columns[k]
					golden.Expect(t, score, []float64{p.Score, p.AUC, p.P, p.AdjustedP, p.Difference, p.MeanIn, p.MeanOut, p.ShareIn, p.ShareOut},
						[]float64{value, w.AUC, w.P, w.Adjusted, w.D, w.MeanIn, w.MeanOut, w.ShareIn, w.ShareOut}, c.Tol)
				}
				for _, p := range got.Columns {
					if math.Abs(p.Score) < 1e-12 {
						listed++ // of equal means, but for rounding
					}
				}
				if listed < len(got.Columns) || !slices.IsSortedFunc(got.Columns, func(a, b engine.ProfiledColumn) int {
					return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score))
				}) {
					t.Errorf("%s: group %d lists %+v", score, g.Label, got.Columns)
				}
			}
		}
		scores := []string{"rank-sum", "difference"}
		if c.Groups[0].Columns[0].Weight != nil {
			scores = append(scores, "c-tf-idf")
		}
		for _, score := range scores {
			check(dense, score)
			check(withZeros(t, dense), score)
		}
	})
}

func sameGroups(t *testing.T, what string, got, want *engine.GroupProfile) {
	t.Helper()
	if !reflect.DeepEqual(got.Groups, want.Groups) {
		t.Errorf("%s: %+v, want %+v", what, got.Groups, want.Groups)
	}
}

// profiled are counts of 3 groups in n samples and 40 columns: column 3g is high in group g, and depth differs twentyfold.
func profiled(n int) (x *mat.Dense, labels []int64) {
	x, labels = mat.NewDense(n, 40, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		depth := float64(1 + i*7%20)
		for j := range 40 {
			v := float64((i*i*3 + j*11 + i*j) % 17)
			if v < 11 {
				v = 0
			}
			if j == 3*int(labels[i]) {
				v += 40
			}
			x.Set(i, j, v*depth)
		}
	}
	return x, labels
}

func TestProfile(t *testing.T) {
	ctx := context.Background()
	x, labels := profiled(700)
	a := withZeros(t, x)
	names := make([]string, 40)
	for j := range names {
		names[j] = string(rune('A' + j))
	}
	r := must.Get(engine.Profile(ctx, a, labels, engine.ProfileOptions{Names: names, Top: 3, Threads: 1}))(t)
	if r.Score != "rank-sum" || r.Direction != "higher" || r.Depth != "total" || !r.Counts || r.Samples != 700 || r.Noise != 0 {
		t.Errorf("%+v", r)
	}
	for g, group := range r.Groups {
		if c := group.Columns[0]; group.Name(1) != names[3*g] || c.AUC != 1 || c.AdjustedP > 1e-50 || c.ShareIn != 1 || c.MeanIn < 2*c.MeanOut {
			t.Errorf("group %d: %s, %+v", g, group.Name(3), c)
		}
	}
	again := must.Get(engine.Profile(ctx, a, labels, engine.ProfileOptions{Names: names, Top: 3, Threads: 3}))(t)
	sameGroups(t, "three threads", again, r)
	dense := must.Get(engine.Profile(ctx, x, labels, engine.ProfileOptions{Names: names, Top: 3, Depth: "total"}))(t)
	sameGroups(t, "dense", dense, r)

	// Powers of two change nothing but the unit, wherever they lead.
	for _, e := range []int{-900, 900} {
		scaled := mat.DenseCopyOf(x)
		scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, scaled)
		got := must.Get(engine.Profile(ctx, scaled, labels, engine.ProfileOptions{Names: names, Top: 3}))(t)
		want := must.Get(engine.Profile(ctx, x, labels, engine.ProfileOptions{Names: names, Top: 3}))(t)
		for g := range want.Groups {
			for k := range want.Groups[g].Columns {
				c := &want.Groups[g].Columns[k]
				c.MeanIn, c.MeanOut = math.Ldexp(c.MeanIn, e), math.Ldexp(c.MeanOut, e)
			}
		}
		sameGroups(t, "scaled", got, want)
	}

	// A single group is compared with the noise; otherwise the noise is left out.
	for i := range labels {
		labels[i]--
	}
	part := must.Get(engine.Profile(ctx, a, labels, engine.ProfileOptions{Names: names, Top: 1}))(t)
	if part.Noise != 234 || part.Samples != 466 || len(part.Groups) != 2 || part.Groups[0].Label != 0 || part.Groups[0].Name(1) != "D" {
		t.Errorf("%+v", part)
	}
	for i, l := range labels {
		labels[i] = min(l, 0)
	}
	single := must.Get(engine.Profile(ctx, a, labels, engine.ProfileOptions{Names: names, Top: 1}))(t)
	if len(single.Groups) != 1 || single.Groups[0].Size != 466 || single.Groups[0].Columns[0].MeanOut == 0 {
		t.Errorf("%+v", single)
	}
}

// TestProfileShowsDirections has a column that is constant in both groups, and one that is lower.
func TestProfileShowsDirections(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{9, 1, 8, 1, 7, 1, 1, 2, 2, 2, 3, 2})
	r := must.Get(engine.Profile(context.Background(), x, []int64{-1, -1, -1, 1, 1, 1}, engine.ProfileOptions{Names: []string{"size", "kind"}, Score: "difference"}))(t)
	if r.Groups[1].Label != 1 || r.Groups[1].Name(3) != "kind, −size" || r.Groups[1].Columns[0].Difference != 0x1p20 || r.Groups[1].Columns[0].AUC != 1 {
		t.Errorf("%+v", r.Groups[1])
	}
}

func TestProfileRefuses(t *testing.T) {
	ctx := context.Background()
	x, labels := mat.NewDense(3, 2, []float64{1, 2, 3, -4, 5, 6}), []int64{0, 1, 1}
	refuse := func(words string, x mat.Matrix, labels []int64, o engine.ProfileOptions) {
		t.Helper()
		must.Refuse(t, words)(engine.Profile(ctx, x, labels, o))
	}
	refuse("2 labels of 3 samples", x, labels[:2], engine.ProfileOptions{})
	refuse("1 names of 2 columns", x, labels, engine.ProfileOptions{Names: []string{"a"}})
	refuse("all labels are 4", x, []int64{4, 4, 4}, engine.ProfileOptions{})
	refuse("row 2 (counting from 1) has a negative entry", x, labels, engine.ProfileOptions{Score: "c-tf-idf"})
	refuse("row 2 (counting from 1) has a negative entry", x, labels, engine.ProfileOptions{Depth: "total"})
	refuse(`Score is "rank"`, x, labels, engine.ProfileOptions{Score: "rank"})
	refuse("Top is -1", x, labels, engine.ProfileOptions{Top: -1})
	refuse("row 1, column 2 (counting from 1) is NaN", mat.NewDense(3, 2, []float64{1, math.NaN(), 3, 4, 5, 6}), labels, engine.ProfileOptions{})
	refuse("no data given", nil, labels, engine.ProfileOptions{})
	refuse("limit is", x, labels, engine.ProfileOptions{Memory: 1})
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	must.Refuse(t, "canceled")(engine.Profile(cancelled, x, labels, engine.ProfileOptions{}))
}
