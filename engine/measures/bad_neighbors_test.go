package measures

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

func TestGoldenClusterMetrics(t *testing.T) {
	golden.Cases(t, "smrmf-metrics", func(t *testing.T, raw json.RawMessage) {
		var c map[string]json.RawMessage
		decode(t, raw, &c)
		if c["y"] != nil { // one of the file's "cases"
			goldenLabels(t, raw)
		}
		if c["neighbourhood"] != nil {
			var c struct {
				Tol           float64
				Neighbourhood goldenNeighbourhood
			}
			decode(t, raw, &c)
			c.Neighbourhood.check(t, c.Tol)
		}
	})
}

func goldenLabels(t *testing.T, raw json.RawMessage) {
	var c struct {
		Tol      float64
		Y, P     []int64
		Acc      *float64
		NMIMax   *float64 `json:"nmi_max"`
		NMIMin   *float64 `json:"nmi_min"`
		NMIGeo   *float64 `json:"nmi_geo"`
		NMIArith *float64 `json:"nmi_arith"`
	}
	decode(t, raw, &c)
	acc := must.Get(Accuracy(c.Y, c.P))(t)
	same(t, "acc", acc, c.Acc, c.Tol)
	for name, want := range map[string]*float64{"max": c.NMIMax, "min": c.NMIMin, "geometric": c.NMIGeo, "arithmetic": c.NMIArith} {
		if want == nil && name != "max" {
			continue // a case may give the first alone
		}
		got := must.Get(NMI(c.Y, c.P, name))(t)
		same(t, "nmi, "+name, got, want, c.Tol)
	}
}

type goldenNeighbourhood struct {
	X      [][]float64
	Y      []int64
	K      int
	BadNN  *float64 `json:"bad_nn"`
	BadNBH *float64 `json:"bad_nbh"`
	Good   *float64 `json:"sim_good"`
	Bad    *float64 `json:"sim_bad"`
	Owners int
}

func (c goldenNeighbourhood) check(t *testing.T, tol float64) {
	t.Helper()
	x := mat.DenseCopyOf(matrix(c.X).T())
	b := must.Get(NearestBadNeighbors(context.Background(), x, c.Y, c.K, Options{}))(t)
	same(t, "bad_nn", b.Neighbors, c.BadNN, tol)
	same(t, "bad_nbh", b.Neighborhoods, c.BadNBH, tol)
	same(t, "sim_good", b.SimilarityGood, c.Good, tol)
	same(t, "sim_bad", b.SimilarityBad, c.Bad, tol)
	if b.Owners != c.Owners || b.Pairs != c.Owners*c.K || b.Good+b.Bad != b.Owners {
		t.Errorf("%+v, want %d owners", b, c.Owners)
	}
	same(t, "mismatch of lists of one length", b.Mismatch, c.BadNN, tol)
}

// A masked affinity: rows of different lengths, an empty one, a stored zero and a
// diagonal, which do not count.
func TestBadNeighborsOfAffinity(t *testing.T) {
	a, err := sparse.FromTriplets(5, 5, []sparse.Triplet{
		{Row: 0, Col: 0, Val: 9}, {Row: 0, Col: 1, Val: 0.5}, {Row: 0, Col: 3, Val: 0.1}, // one of two wrong: bad
		{Row: 1, Col: 0, Val: 0.2}, {Row: 1, Col: 2, Val: 0.4}, {Row: 1, Col: 4, Val: 0.3}, // one of three wrong: good
		{Row: 3, Col: 4, Val: 0.8}, {Row: 3, Col: 0, Val: 0}, // good
		{Row: 4, Col: 4, Val: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := must.Get(BadNeighborsOf(a, []int64{7, 7, 7, -1, -1}))(t)
	for _, v := range []struct {
		what      string
		got, want float64
	}{
		{"pairs", float64(b.Pairs), 6}, {"owners", float64(b.Owners), 3}, {"good", float64(b.Good), 2}, {"bad", float64(b.Bad), 1},
		{"bad neighbours", b.Neighbors, 2. / 6}, {"bad neighbourhoods", b.Neighborhoods, 1. / 3}, {"mismatch", b.Mismatch, (0.5 + 1./3) / 3},
		{"similarity of good", b.SimilarityGood, (0.3 + 0.8) / 2}, {"similarity of bad", b.SimilarityBad, 0.3},
	} {
		t.Run(v.what, func(t *testing.T) {
			if math.Abs(v.got-v.want) > 1e-15 {
				t.Errorf("%s: %v, want %v", v.what, v.got, v.want)
			}
		})
	}
}

func TestNearestBadNeighborsOfOddData(t *testing.T) {
	// Copies: bandwidths of 0.
	x := mat.NewDense(6, 1, []float64{1, 1, 1, 5, 5, 5})
	b := must.Get(NearestBadNeighbors(context.Background(), x, []int64{0, 0, 0, 0, 0, 1}, 0, Options{}))(t)
	if b.Pairs != 12 {
		t.Errorf("%d pairs", b.Pairs)
	}
	if b.SimilarityGood != 1 || b.SimilarityBad != 1 {
		t.Errorf("similarities %g and %g", b.SimilarityGood, b.SimilarityBad)
	}
	if b.Bad != 3 {
		t.Errorf("%d bad neighbourhoods", b.Bad)
	}
	// A huge scale changes nothing.
	var far mat.Dense
	far.Scale(1e200, x)
	if c, err := NearestBadNeighbors(context.Background(), &far, []int64{0, 0, 0, 0, 0, 1}, 0, Options{}); err != nil || c != b {
		t.Errorf("%+v, %v; want %+v", c, err, b)
	}
	for what, f := range map[string]func() error{
		"k": func() error {
			_, err := NearestBadNeighbors(context.Background(), x, make([]int64, 6), 6, Options{})
			return err
		},
		"labels": func() error {
			_, err := NearestBadNeighbors(context.Background(), x, make([]int64, 5), 2, Options{})
			return err
		},
		"NaN": func() error {
			_, err := NearestBadNeighbors(context.Background(), mat.NewDense(2, 1, []float64{1, math.NaN()}), make([]int64, 2), 1, Options{})
			return err
		},
		"one": func() error {
			_, err := NearestBadNeighbors(context.Background(), mat.NewDense(1, 1, nil), make([]int64, 1), 0, Options{})
			return err
		},
		"none": func() error { _, err := BadNeighborsOf(nil, nil); return err },
		"empty": func() error {
			_, err := BadNeighborsOf(&sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 0, 0}}, []int64{1, 2})
			return err
		},
		"infinite": func() error {
			_, err := BadNeighborsOf(&sparse.CSR{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{math.Inf(1)}}, []int64{1})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			if f() == nil {
				t.Errorf("%s: no error", what)
			}
		})
	}
}
