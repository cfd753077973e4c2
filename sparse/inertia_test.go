package sparse

import (
	"context"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// similar is QDQᵀ for a product of reflections Q: a full matrix of the given spectrum.
func similar(t testing.TB, spectrum []float64, random *blas.Stream) *CSR {
	n := len(spectrum)
	full := make([]float64, n*n)
	for i, v := range spectrum {
		full[i*n+i] = v
	}
	v, w := make([]float64, n), make([]float64, n)
	for range 3 {
		random.Normals(v)
		blas.Scale(1/math.Sqrt(blas.Dot(v, v)), v)
		for i := range n {
			w[i] = 2 * blas.Dot(full[i*n:i*n+n], v)
		}
		c := blas.Dot(w, v)
		for i := range n {
			for j := range n {
				full[i*n+j] += 2*c*v[i]*v[j] - w[i]*v[j] - v[i]*w[j]
			}
		}
	}
	var lower []Triplet
	for i := range n {
		for j := range i + 1 {
			lower = append(lower, Triplet{i, j, full[i*n+j]})
		}
	}
	return fromPairs(t, n, lower)
}

// families are matrices of clustered, repeated and graded spectra, full and sparse.
var families = []struct {
	name string
	make func(t testing.TB, n int, random *blas.Stream) *CSR
}{
	{"clustered", func(t testing.TB, n int, random *blas.Stream) *CSR {
		w := make([]float64, n/2)
		for i := range w {
			w[i] = float64(i%7) - 3 + 1e-7*random.Uniform()
		}
		return similar(t, w, random)
	}},
	{"repeated", func(t testing.TB, n int, random *blas.Stream) *CSR {
		w := make([]float64, n/2)
		for i := range w {
			w[i] = float64(i%5) - 2
		}
		return similar(t, w, random)
	}},
	{"graded", func(t testing.TB, n int, random *blas.Stream) *CSR {
		w := make([]float64, n/2)
		for i := range w {
			w[i] = math.Pow(10, -12*random.Uniform()) * float64(1-2*(i%2))
		}
		return similar(t, w, random)
	}},
	{"Laplacian", func(t testing.TB, n int, _ *blas.Stream) *CSR {
		return laplacian(grid(int(math.Sqrt(float64(n))), n%2 == 0))
	}},
	{"adjacency", func(t testing.TB, n int, _ *blas.Stream) *CSR {
		return adjacency(t, grid(int(math.Sqrt(float64(n))), n%3 == 0))
	}},
	{"alignment", func(t testing.TB, n int, random *blas.Stream) *CSR {
		return cliques(n, 1+random.Below(4), 8, uint64(n))
	}},
	{"stars", func(t testing.TB, n int, random *blas.Stream) *CSR { // leaves that no matching serves
		var lower []Triplet
		for i := 1; i < n; i++ {
			lower = append(lower, Triplet{i, i / 12 * 12 / 2 % i, 1 + random.Uniform()})
		}
		return fromPairs(t, n, lower)
	}},
	{"saddle", func(t testing.TB, n int, random *blas.Stream) *CSR { return saddle(t, n*2/3, n/3, 3, random) }},
	{"scaled", func(t testing.TB, n int, random *blas.Stream) *CSR {
		a := saddle(t, n*2/3, n/3, 2, random)
		for i := range a.Rows {
			cols, vals := a.Row(i)
			for p, j := range cols {
				vals[p] *= math.Pow(2, float64(i%9+int(j)%9-8))
			}
		}
		return a
	}},
}

// Every count agrees with the dense spectrum for shifts that are farther from all eigenvalues than the bound
// of the count, of matrices that are scaled and paired (NewLDLT) and such that are not (FactorIndefinite).
// ORTHANT_INERTIA=300 takes this many matrices in place of 36, and as many shifts of each.
func TestInertiaIsThatOfDenseSpectra(t *testing.T) {
	matrices, shifts := 36, 20
	if text := os.Getenv("ORTHANT_INERTIA"); text != "" {
		matrices, _ = strconv.Atoi(text)
		shifts = 40
	}
	random := blas.NewStream(26)
	kernels := blas.MustSelect("")
	var counted, outside, blocks, perturbed, withBlocks, withPerturbed int
	for k := range matrices {
		family := families[k%len(families)]
		a := family.make(t, 40+random.Below(461), random)
		w := spectrum(t, a, 0)
		n := a.Rows
		norm := max(math.Abs(w[0]), math.Abs(w[n-1]))
		analysis := must.Get(Analyze(context.Background(), a))(t)
		f := mustLDLT(t, a, 0, 1)
		for s := range shifts {
			sigma := w[0] + (w[n-1]-w[0])*(1.1*random.Uniform()-0.05)
			if s%2 == 1 { // near an eigenvalue
				sigma = w[random.Below(n)] + norm*math.Pow(10, -1-10*random.Uniform())*float64(1-2*random.Below(2))
			}
			var in Inertia
			if s%4 < 2 {
				must.Do(t, f.UpdateValues(context.Background(), a, -sigma))
				in, _ = f.Inertia()
			} else {
				plain := must.Get(analysis.FactorIndefinite(context.Background(), kernels, 1, a, -sigma, nil))(t)
				in = plain.Inertia(a, -sigma)
			}
			counted++
			blocks, perturbed = blocks+in.Blocks, perturbed+in.Perturbed
			if in.Blocks > 0 {
				withBlocks++
			}
			if in.Perturbed > 0 {
				withPerturbed++
			}
			if in.Positive+in.Negative+in.Zero != n || !(in.Bound >= 0) {
				t.Errorf("%s of order %d: %+v", family.name, n, in)
			}
			slack := in.Bound + 1e-13*norm*math.Sqrt(float64(n)) // the rounding of the dense solver
			below, upTo := sort.SearchFloat64s(w, sigma-slack), sort.SearchFloat64s(w, sigma+slack)
			if below == upTo {
				outside++
			}
			if in.Negative < below || in.Negative+in.Zero > upTo {
				t.Errorf("%s of order %d at %.17g: %+v where %d to %d lie below", family.name, n, sigma, in, below, upTo)
			}
		}
	}
	text := fmt.Sprintf("%d matrices, %d counts, %d of them with no eigenvalue within the bound; %d blocks of two in %d factors, %d perturbed pivots in %d",
		matrices, counted, outside, blocks, withBlocks, perturbed, withPerturbed)
	t.Log(text)
	if outside < counted/2 || blocks < 1000 || perturbed == 0 {
		t.Errorf("%s: that shows little", text)
	}
}
