package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// givenAt are the options with a structure of the samples in a unit of 2^e.
func givenAt(t *testing.T, structure string, x *mat.Dense, e int) Options {
	t.Helper()
	o := Options{Components: "largest", Threads: 1}
	g := graphOf(t, x, 12)
	switch structure {
	case "graph":
		for i, d := range g.Dist {
			g.Dist[i] = math.Ldexp(d, e)
		}
		o.Graph = g
	case "distances":
		o.Distances = timesPower(e, distancesOf(t, x))
	case "affinities":
		o.Affinities = affinitiesOf(t, g, func(d float64) float64 { return math.Ldexp(math.Exp(-d), e) })
	default:
		t.Fatalf("no structure %q is known here", structure)
	}
	return o
}

// apartBy is the largest difference of two matrices, as a share of the largest entry, where the
// second is in a unit of 2^e; columns may be turned round.
func apartBy(want, got *mat.Dense, e int) float64 {
	rows, cols := want.Dims()
	if r, c := got.Dims(); r != rows || c != cols {
		return math.Inf(1)
	}
	var largest, worst float64
	for j := range cols {
		var same, turned float64
		for i := range rows {
			a, b := want.At(i, j), math.Ldexp(got.At(i, j), -e)
			largest = max(largest, math.Abs(a))
			same, turned = max(same, math.Abs(a-b)), max(turned, math.Abs(a+b))
		}
		if same-same != 0 {
			return math.Inf(1)
		}
		worst = max(worst, min(same, turned))
	}
	return worst / largest
}

// variants are the methods of a name with each word that some of its parameters allow.
func variants(t *testing.T, entry Entry, keys ...string) map[string]func() Method {
	all := map[string]func() Method{"": func() Method { return named(t, entry.Name) }}
	for _, p := range entry.Parameters {
		if !slices.Contains(keys, p.Key) {
			continue
		}
		for _, word := range strings.Split(p.Allowed, "|") {
			all[" "+p.Key+"="+word] = func() Method {
				m := named(t, entry.Name)
				if err := Set(m, p.Key, word); err != nil {
					t.Fatal(err)
				}
				return m
			}
		}
	}
	return all
}

// A structure in a unit of any size gives what one of ordinary size gives, in its unit, or an
// error that names it.
func TestMagnitudesOfStructures(t *testing.T) {
	x, labels := sheet(t, 60), make([]int64, 60)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	for _, entry := range Methods() {
		for name, made := range variants(t, entry, "weights") {
			for _, structure := range []string{"graph", "distances", "affinities"} {
				for _, alone := range []bool{false, true} {
					list, data := entry.WithSamples, mat.Matrix(x)
					if alone {
						list, data = entry.InsteadOfSamples, nil
					}
					if !slices.Contains(list, structure) {
						continue
					}
					for _, task := range entry.Tasks {
						t.Run(fmt.Sprintf("%s%s/%s/%s/alone=%v", entry.Name, name, task, structure, alone), func(t *testing.T) {
							structureMagnitudes(t, made, task, structure, x, data, labels)
						})
					}
				}
			}
		}
	}
}

func structureMagnitudes(t *testing.T, made func() Method, task, structure string, x *mat.Dense, data mat.Matrix, labels []int64) {
	run := func(e int) ([]*mat.Dense, error) {
		p := problem{x: data, Options: givenAt(t, structure, x, e)}
		if p.size = 2; task == "cluster" {
			p.size = 3
		}
		if method.RowOf(made()).Labels {
			p.Labels = labels
		}
		s, err := solvedBy(t.Context(), task, made(), p)
		if err != nil {
			return nil, err
		}
		if s.factors != nil {
			return []*mat.Dense{s.factors.W, s.factors.H}, nil
		}
		return []*mat.Dense{s.samples()}, nil
	}
	want, err := run(0)
	if err != nil {
		if !strings.Contains(err.Error(), "Weights") {
			t.Fatal(err)
		}
		return // weights that need the samples, or that affinities replace
	}
	// The structure has the unit of the coordinates, or it has none.
	settled := must(param.Resolve(made().Name(), made(), 60, func(string, ...any) {}))(t)
	u := method.RowOf(settled).UnitsOf()
	powers := []float64{0, u.Coordinates}
	if structure == "affinities" {
		powers = []float64{0, u.Affinities}
	}
	for _, e := range []int{-1000, -500, 500, 1000} {
		got, err := run(e)
		if err != nil {
			soundText(t, fmt.Sprintf("2^%d", e), err.Error())
			if !strings.Contains(err.Error(), structure) {
				t.Errorf("2^%d: %v", e, err)
			}
			continue
		}
		for q, a := range want {
			least := math.Inf(1)
			for _, p := range powers {
				least = min(least, apartBy(a, got[q], int(p*float64(e))))
			}
			if task == "cluster" && !mat.Equal(a, got[q]) {
				t.Errorf("2^%d: other labels", e)
			}
			if task != "cluster" && !(least <= 1e-8) {
				t.Errorf("2^%d: coordinates are apart by %.2g", e, least)
			}
		}
	}
}

// chain is the matrix of affinities of a chain of n samples, of that size.
func chain(n int, size float64) *sparse.CSR {
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, size)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// Affinities of any size give what ordinary ones do, or the error names the remedy.
func TestAffinitiesOfAnySize(t *testing.T) {
	x, labels := ordinaryData()
	n, _ := x.Dims()
	for _, entry := range Methods() {
		for _, task := range entry.Tasks {
			r := method.DefaultRow(named(t, entry.Name))
			if task == "select" || !r.Affine(task) {
				continue
			}
			run := func(size float64) ([]float64, error) {
				s, err := solvedBy(t.Context(), task, named(t, entry.Name), problem{x: x, size: 2, Options: Options{Affinities: chain(n, size), Labels: labels, Threads: 1}})
				if err != nil {
					return nil, err
				}
				return s.samples().RawMatrix().Data, nil
			}
			want, err := run(1)
			if err != nil {
				t.Errorf("%s %s: %v", task, entry.Name, err)
				continue
			}
			if _, err := run(0x1p-40); err != nil {
				t.Errorf("%s %s by affinities of 2⁻⁴⁰: %v", task, entry.Name, err)
			}
			for _, size := range []float64{0x1p1022, 0x1p1000, 0x1p600, 0x1p-600, 0x1p-1000, 5e-324} {
				what := fmt.Sprintf("%s %s by affinities of %g", task, entry.Name, size)
				began := time.Now()
				got, err := run(size)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("%s took %v", what, took)
				}
				if err != nil {
					if !strings.Contains(err.Error(), "the affinities by 1e") {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				unit := math.Sqrt(size) // of 1/y by YᵀDY = I
				if task == "cluster" {
					unit = 1
				}
				for i, v := range want {
					if math.Abs(got[i]*unit-v) > 1e-9 {
						t.Errorf("%s: %v, want %v", what, got[:4], want[:4])
						break
					}
				}
			}
		}
	}
}
