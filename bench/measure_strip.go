package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// StripAngle is the sine of the largest angle between the coordinates of an embedding
// by a graph's Laplacian and what they tend to on a long strip: cosines along it where
// its samples lie evenly, and where they do not the functions with −f″ = λpf, p the
// density along the strip, to which nearest neighbours on a surface lead. The truth is
// (height, arc length), of samples spread evenly over the height.
var StripAngle = quality("angle", func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	if d.Truth == nil {
		return 0, fmt.Errorf("the true coordinates of this set are not known")
	}
	return stripAngle(d.Truth, y)
})

// beads is how many equal masses stand for the samples along the strip: the functions
// are exact to about its inverse square.
const beads = 400

func stripAngle(truth, y *mat.Dense) (float64, error) {
	n, p := truth.Dims()
	rows, d := y.Dims()
	if p != 2 || rows != n || n < beads {
		return 0, fmt.Errorf("it is for %d or more samples of a strip with two coordinates, not %d × %d", beads, n, p)
	}
	along, height := mat.Col(nil, 1, truth), mat.Col(nil, 0, truth)
	values, functions, at, err := stringModes(along, d+1)
	if err != nil {
		return 0, err
	}
	// The first function across the strip has to come after those along it.
	across := math.Pi / (slices.Max(height) - slices.Min(height))
	if length := at[beads-1] - at[0]; values[d] > across*across*length {
		return 0, fmt.Errorf("the strip is too wide: its function number %d does not run along it", d)
	}
	reference := make([][]float64, d)
	for j := range reference {
		reference[j] = make([]float64, n)
		for i, a := range along {
			reference[j][i] = interpolated(at, functions[j+1], a)
		}
	}
	basis := make([][]float64, d)
	for j := range basis {
		basis[j] = mat.Col(nil, j, y)
	}
	if !orthonormal(reference) || !orthonormal(basis) {
		return 0, fmt.Errorf("the coordinates do not span %d dimensions", d)
	}
	return largestSine(reference, basis), nil
}

// stringModes returns the lowest modes of a string that is free at its ends and on which
// the samples are the mass: λ, and the functions at the places of the beads.
func stringModes(along []float64, count int) (values []float64, functions [][]float64, at []float64, err error) {
	sorted := slices.Sorted(slices.Values(along))
	at = make([]float64, beads)
	for b := range at { // the middles of equal parts of the samples
		at[b] = sorted[(2*b+1)*len(sorted)/(2*beads)]
	}
	k := mat.NewSymDense(beads, nil)
	for b := range beads - 1 {
		if at[b+1] <= at[b] {
			return nil, nil, nil, fmt.Errorf("too many samples lie at one place along the strip")
		}
		spring := beads / (at[b+1] - at[b])
		k.SetSym(b, b, k.At(b, b)+spring)
		k.SetSym(b+1, b+1, k.At(b+1, b+1)+spring)
		k.SetSym(b, b+1, -spring)
	}
	var eig mat.EigenSym
	if !eig.Factorize(k, true) {
		return nil, nil, nil, fmt.Errorf("the modes of the strip were not found")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	for j := range count {
		functions = append(functions, mat.Col(nil, j, &v))
	}
	return eig.Values(nil)[:count], functions, at, nil
}

// interpolated reads a function, given at ascending places, between or beyond two of them.
func interpolated(at, f []float64, x float64) float64 {
	i := min(max(sort.SearchFloat64s(at, x), 1), len(at)-1)
	share := (x - at[i-1]) / (at[i] - at[i-1])
	share = min(max(share, -0.5), 1.5) // the functions are level at the ends
	return f[i-1] + share*(f[i]-f[i-1])
}

// orthonormal makes columns free of their means orthonormal; false where they are not
// independent.
func orthonormal(cols [][]float64) bool {
	for j, c := range cols {
		mean := 0.0
		for _, v := range c {
			mean += v / float64(len(c))
		}
		for i := range c {
			c[i] -= mean
		}
		before := math.Sqrt(blas.Dot(c, c))
		blas.Orthogonalize(cols[:j], c)
		norm := math.Sqrt(blas.Dot(c, c))
		if !(norm > 1e-10*before) {
			return false
		}
		blas.Scale(1/norm, c)
	}
	return true
}

// largestSine is that of the angles between two spans of as many orthonormal columns:
// the norm of what is left of the one beyond the other, which keeps small angles.
func largestSine(a, b [][]float64) float64 {
	rest := make([][]float64, len(b))
	for j := range b {
		rest[j] = slices.Clone(b[j])
		for _, c := range a {
			blas.Axpy(-blas.Dot(c, rest[j]), c, rest[j])
		}
	}
	gram := mat.NewSymDense(len(b), nil)
	for i := range rest {
		for j := range i + 1 {
			gram.SetSym(i, j, blas.Dot(rest[i], rest[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, false) {
		return 1
	}
	return math.Sqrt(min(max(eig.Values(nil)[len(b)-1], 0), 1))
}
