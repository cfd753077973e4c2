package measures

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

type robustCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		Y, C []int64
		H0   [][]float64
	}
	Expect struct {
		Acc  *float64
		Max  *float64 `json:"nmi_max"`
		Sqrt *float64 `json:"nmi_sqrt"`
		Mean *float64 `json:"nmi_arithmetic"`
		CIM  *float64 `json:"cim01"`
	}
}

func TestGoldenRobustMeasures(t *testing.T) {
	golden.CasesWithAll(t, "rnpa", func(t *testing.T, raw json.RawMessage, all []json.RawMessage) {
		var c robustCase
		decode(t, raw, &c)
		switch kind := golden.Kind(t, "rnpa", raw); kind {
		case "encode":
			if c.Expect.CIM == nil {
				return // the codes are all there is
			}
			first, second := startColumns(t, all)
			same(t, "CIM", CIM(first, second, 0.1), c.Expect.CIM, c.Tol)
		case "measures":
			acc := must.Get(Accuracy(c.Inputs.Y, c.Inputs.C))(t)
			same(t, "acc", acc, c.Expect.Acc, c.Tol)
			for how, want := range map[string]*float64{"max": c.Expect.Max, "geometric": c.Expect.Sqrt, "arithmetic": c.Expect.Mean} {
				got := must.Get(NMI(c.Inputs.Y, c.Inputs.C, how))(t)
				same(t, "nmi "+how, got, want, c.Tol)
			}
		default:
			t.Fatalf("unknown kind %q: nothing tests it", kind)
		}
	})
}

// startColumns are the first two columns of the start H0 of the case nmf-fro, which
// the case encode compares.
func startColumns(t *testing.T, all []json.RawMessage) (first, second []float64) {
	t.Helper()
	for _, raw := range all {
		if golden.Kind(t, "rnpa", raw) != "nmf-fro" {
			continue
		}
		var c struct{ Inputs struct{ H0 [][]float64 } }
		decode(t, raw, &c)
		for _, row := range c.Inputs.H0 {
			first, second = append(first, row[0]), append(second, row[1])
		}
		return first, second
	}
	t.Fatal("no case nmf-fro next to it, whose start it compares")
	return nil, nil
}

// The scale is the mean over pairs, written out.
func TestCIMScale(t *testing.T) {
	x := mat.NewDense(7, 4, nil)
	blas.NewStream(2).Normals(x.RawMatrix().Data)
	var sum, count float64
	for i := range 7 {
		for j := range i {
			for c := range 4 {
				e := x.At(i, c) - x.At(j, c)
				sum, count = sum+e*e, count+1
			}
		}
	}
	if got, err := CIMScale(x, 3); err != nil || math.Abs(got-3*sum/count) > 1e-12 {
		t.Errorf("σ² is %v, want %v (%v)", got, 3*sum/count, err)
	}
}

// Entries that are far off count but little: CIM finds the class where the
// Euclidean distance does not. For a wide kernel the two agree.
func TestClassifyCIM(t *testing.T) {
	train := mat.NewDense(3, 6, []float64{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	test := mat.NewDense(2, 6, []float64{0, 0, 0, 0, 0.1, 9, 1, 1, 0.9, 1, 1, -7})
	labels := []int64{4, 6, 8}
	for _, threads := range []int{1, 3} {
		got, err := ClassifyCIM(context.Background(), train, labels, test, 0, Options{Threads: threads})
		if err != nil || !slices.Equal(got, []int64{4, 6}) {
			t.Errorf("classes %v (%v), want 4 and, by the lower of equal rows, 6", got, err)
		}
	}
	euclidean, err := ClassifyNN(context.Background(), train, labels, test, Options{})
	if err != nil || euclidean[0] != 6 {
		t.Fatalf("the Euclidean classes %v show nothing (%v)", euclidean, err)
	}
	wide, err := ClassifyCIM(context.Background(), train, labels, test, 1e12, Options{})
	if err != nil || !slices.Equal(wide, euclidean) {
		t.Errorf("classes %v with a wide kernel, %v by distance (%v)", wide, euclidean, err)
	}
}

func TestClassifyCIMRefuses(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	labels := []int64{1, 2, 3}
	for name, run := range map[string]func() ([]int64, error){
		"σ² < 0": func() ([]int64, error) { return ClassifyCIM(context.Background(), x, labels, x, -1, Options{}) },
		"σ² NaN": func() ([]int64, error) { return ClassifyCIM(context.Background(), x, labels, x, math.NaN(), Options{}) },
		"labels": func() ([]int64, error) { return ClassifyCIM(context.Background(), x, labels[:2], x, 1, Options{}) },
		"columns": func() ([]int64, error) {
			return ClassifyCIM(context.Background(), x, labels, mat.NewDense(1, 3, nil), 1, Options{})
		},
		"NaN": func() ([]int64, error) {
			return ClassifyCIM(context.Background(), mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, math.NaN()}), labels, x, 1, Options{})
		},
		"no training": func() ([]int64, error) { return ClassifyCIM(context.Background(), nil, labels, x, 0, Options{}) },
		"one": func() ([]int64, error) {
			return ClassifyCIM(context.Background(), x.Slice(0, 1, 0, 2), labels[:1], x, 0, Options{})
		},
		"equal": func() ([]int64, error) {
			return ClassifyCIM(context.Background(), mat.NewDense(3, 2, nil), labels, x, 0, Options{})
		},
		"overflow": func() ([]int64, error) {
			return ClassifyCIM(context.Background(), mat.NewDense(3, 2, []float64{1e200, 2, 3, 4, 5, 6}), labels, x, 0, Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := run(); err == nil {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
}
