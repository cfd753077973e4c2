package measures

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/golden"
)

func TestGoldenRobustMeasures(t *testing.T) {
	var first []float64 // the first two columns of the start H0 of the case nmf-fro
	var second []float64
	golden.Cases(t, "rnpa", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Name   string
			Tol    float64
			Inputs struct {
				Y, C []int64
				H0   [][]float64
			}
			Expect struct {
				Acc, Nmi_max, Nmi_sqrt, Nmi_arithmetic, Cim01 float64
			}
		}
		switch {
		case json.Unmarshal(raw, &struct{ Name *string }{&c.Name}) != nil:
			t.Fatal("a case without a name")
		case c.Name == "nmf-fro":
			decode(t, raw, &c)
			for _, row := range c.Inputs.H0 {
				first, second = append(first, row[0]), append(second, row[1])
			}
		case c.Name == "encode":
			decode(t, raw, &c)
			if got := CIM(first, second, 0.1); !golden.Close(got, c.Expect.Cim01, c.Tol) {
				t.Errorf("CIM is %v, want %v", got, c.Expect.Cim01)
			}
		case c.Name == "measures":
			decode(t, raw, &c)
			acc, err := Accuracy(c.Inputs.Y, c.Inputs.C)
			if err != nil || !golden.Close(acc, c.Expect.Acc, c.Tol) {
				t.Errorf("acc is %v, want %v (%v)", acc, c.Expect.Acc, err)
			}
			for how, want := range map[string]float64{"max": c.Expect.Nmi_max, "geometric": c.Expect.Nmi_sqrt, "arithmetic": c.Expect.Nmi_arithmetic} {
				if got, err := NMI(c.Inputs.Y, c.Inputs.C, how); err != nil || !golden.Close(got, want, c.Tol) {
					t.Errorf("nmi %s is %v, want %v (%v)", how, got, want, err)
				}
			}
		default:
			t.Skipf("%s is no measure", c.Name)
		}
	})
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
		if got, err := run(); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
