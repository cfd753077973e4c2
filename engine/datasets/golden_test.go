package datasets

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

type goldenCase struct {
	Kind, Name, Generator string
	Samples               int
	Seed                  uint64
	Set                   map[string]any
	Tol                   float64
	Expect                struct {
		U64               []string
		Uniform, Normal   []float64
		Rows, Params      map[string][]float64
		Labels            map[string]int64
		Samples, Features int
	}
}

func TestGoldenGenerators(t *testing.T) {
	golden.Cases(t, "local-generators", func(t *testing.T, raw json.RawMessage) {
		var c goldenCase
		must.Do(t, json.Unmarshal(raw, &c))
		switch c.Kind {
		case "random":
			checkStream(t, c)
		case "data":
			checkSet(t, c)
		default:
			t.Errorf("case %q has the unknown kind %q", c.Name, c.Kind)
		}
	})
}

func checkStream(t *testing.T, c goldenCase) {
	e := c.Expect
	if len(e.U64)+len(e.Uniform)+len(e.Normal) == 0 {
		t.Fatal("nothing expected")
	}
	bits := blas.NewStream(c.Seed)
	for i, text := range e.U64 {
		want := must.Get(strconv.ParseUint(text, 10, 64))(t)
		if got := bits.Uint64(); got != want {
			t.Errorf("output %d: %d, want %d", i, got, want)
		}
	}
	got := make([]float64, len(e.Uniform))
	blas.NewStream(c.Seed).Uniforms(got)
	checkRow(t, "uniform", got, e.Uniform, c.Tol)
	got = make([]float64, len(e.Normal))
	blas.NewStream(c.Seed).Normals(got)
	checkRow(t, "normal", got, e.Normal, c.Tol)
	(&source{seed: c.Seed}).normals(got)
	checkRow(t, "normal in parallel", got, e.Normal, c.Tol)
}

func checkSet(t *testing.T, c goldenCase) {
	set := map[string]string{}
	for key, v := range c.Set {
		set[key] = fmt.Sprint(v)
	}
	got, err := Generate(c.Generator, c.Samples, c.Seed, set)
	if err != nil {
		t.Errorf("case %q: %v", c.Name, err)
		return
	}
	n, m := got.X.Dims()
	if n != c.Expect.Samples || m != c.Expect.Features {
		t.Fatalf("%d × %d, want %d × %d", n, m, c.Expect.Samples, c.Expect.Features)
	}
	if len(c.Expect.Rows) == 0 {
		t.Error("no rows expected")
	}
	for key, want := range c.Expect.Rows {
		checkRow(t, "row "+key, got.X.RawRowView(index(t, key, n)), want, c.Tol)
	}
	if (got.Params == nil) && len(c.Expect.Params) > 0 {
		t.Fatal("no params")
	}
	for key, want := range c.Expect.Params {
		checkRow(t, "params "+key, got.Params.RawRowView(index(t, key, n)), want, c.Tol)
	}
	if len(c.Expect.Labels) > 0 && len(got.Labels) != n {
		t.Fatalf("%d labels, want %d", len(got.Labels), n)
	}
	for key, want := range c.Expect.Labels {
		if l := got.Labels[index(t, key, n)]; l != want {
			t.Errorf("label %s: %d, want %d", key, l, want)
		}
	}
}

func index(t *testing.T, key string, n int) int {
	t.Helper()
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= n {
		t.Fatalf("row %q of %d", key, n)
	}
	return i
}

func checkRow(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for j := range want {
		if !golden.Close(got[j], want[j], tol) {
			t.Errorf("%s: number %d is %v, want %v (off by %.2g)", what, j, got[j], want[j], math.Abs(got[j]-want[j]))
		}
	}
}
