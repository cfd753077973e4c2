package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Calls that a test cannot go on without: an error ends it.

// must(f(x))(t) is what f returns without an error.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func embed(t testing.TB, x mat.Matrix, m Method, o Options) *Result {
	t.Helper()
	r, err := Embed(t.Context(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

// factorized takes three components where no rank is given.
func factorized(t testing.TB, x mat.Matrix, m Method, o FactorizeOptions) *Factorization {
	t.Helper()
	if o.Rank == 0 {
		o.Rank = 3
	}
	r, err := Factorize(t.Context(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

func clusteringOf(t testing.TB, x mat.Matrix, m Method, o ClusterOptions) *Clustering {
	t.Helper()
	o.Clusters = countOf(m, o.Clusters)
	r, err := Cluster(t.Context(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

func selected(t testing.TB, x mat.Matrix, m Method, o SelectOptions) *Selection {
	t.Helper()
	s, err := Select(t.Context(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return s
}

// fittedModel embeds, and returns the model with the result.
func fittedModel(t testing.TB, x mat.Matrix, m Method, o Options) (*Result, *Model) {
	t.Helper()
	r := embed(t, x, m, o)
	return r, must(r.Model())(t)
}

func transformed(t testing.TB, m *Model, x mat.Matrix, o Options) *mat.Dense {
	t.Helper()
	return must(m.Transform(t.Context(), x, o))(t)
}

// named is the method of that name. None of its defaults has a unit of the data.
func named(t testing.TB, name string) Method {
	t.Helper()
	return must(New(name))(t)
}

// graphOf lists the k nearest of every sample.
func graphOf(t testing.TB, x *mat.Dense, k int) *neighbors.Graph {
	t.Helper()
	n, m := x.Dims()
	return must(neighbors.Exact(t.Context(), neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}, k, neighbors.Options{}))(t)
}

// generate draws from a generator, with settings "key=value".
func generate(t testing.TB, name string, n int, seed uint64, settings ...string) *datasets.Set {
	t.Helper()
	set := map[string]string{}
	for _, pair := range settings {
		key, value, _ := strings.Cut(pair, "=")
		set[key] = value
	}
	return must(datasets.Generate(name, n, seed, set))(t)
}

// dataset reads a file of the downloaded data, or ends the test where they are not.
func dataset(t testing.TB, file string) *mat.Dense {
	t.Helper()
	return must(files.ReadMatrix(filepath.Join(golden.Data(t), file), files.Options{}))(t)
}

// deviationOf is how far coordinates are from an affine map to the true ones.
func deviationOf(t testing.TB, truth mat.Matrix, y *mat.Dense) float64 {
	t.Helper()
	dev, _, err := measures.Deviation(truth, y)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}
