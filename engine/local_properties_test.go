package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

func TestLocalConverges(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if !r.Converged {
			t.Errorf("not converged: residuals %g", r.Residuals)
		}
		if r.Components != 1 {
			t.Errorf("%d components", r.Components)
		}
	})
}

func TestLocalValuesAscend(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its eigenvalues are those of the walk, which descend: TestDiffusionMapsConstraint",
		"isomap":         "its eigenvalues descend: TestIsomapByDefinition",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		if r.Values[0] < 0 {
			t.Errorf("the first eigenvalue is %g", r.Values[0])
		}
		if r.Values[1] < r.Values[0] || r.Next < r.Values[1] {
			t.Errorf("eigenvalues %g, then %g, are not ascending", r.Values, r.Next)
		}
	})
}

// YᵀY = I, columns have mean 0 and a positive largest entry.
func TestLocalConstraints(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	each(t, local(t), exceptions{
		"diffusion-maps": "its constraint has the weights of the walk: TestDiffusionMapsConstraint",
		"isomap":         "the lengths of its columns are the roots of its eigenvalues: TestIsomapByDefinition",
		"le":             "its constraint is YᵀDY = I: TestLaplacianEigenmapsConstraint",
		"smce":           "its constraint is that of le",
	}, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		for j := range 2 {
			c := mat.Col(nil, j, r.Y)
			if mean := vector.Sum(c) / 400; math.Abs(mean) > 1e-10 {
				t.Errorf("column %d has mean %g", j, mean)
			}
			if norm := blas.Dot(c, c); math.Abs(norm-1) > 1e-12 {
				t.Errorf("column %d has squared norm %g", j, norm)
			}
			if c[largestAt(c)] < 0 {
				t.Errorf("the largest entry of column %d is negative", j)
			}
		}
		if d := blas.Dot(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, r.Y)); math.Abs(d) > 1e-9 {
			t.Errorf("columns are not orthogonal: %g", d)
		}
	})
}

// moved is the roll rotated, scaled and shifted, and with its rows in another order.
type moved struct {
	x, rotated, permuted *mat.Dense
	order                []int
}

func movedRoll(t *testing.T) moved {
	t.Helper()
	const n = 300
	x := generate(t, "swiss-roll", n, 1).X
	s := blas.NewStream(5)
	// A rotation from the QR factors of a random matrix; shift and scale with it.
	var qr mat.QR
	random := mat.NewDense(3, 3, nil)
	s.Normals(random.RawMatrix().Data)
	qr.Factorize(random)
	var q, rotated mat.Dense
	qr.QTo(&q)
	rotated.Mul(x, &q)
	rotated.Apply(func(_, j int, v float64) float64 { return 3*v + float64(10*j) }, &rotated)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range n {
		j := i + s.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	permuted := mat.NewDense(n, 3, nil)
	for to, from := range order {
		permuted.SetRow(to, x.RawRowView(from))
	}
	return moved{x, &rotated, permuted, order}
}

// invariant reports whether rotation, scale, shift and order move an embedding, which
// has the scale of the data or, where that is 1, none.
func (c moved) invariant(t *testing.T, m Method, scale float64) {
	t.Helper()
	r := embed(t, c.x, m, Options{})
	// Rounding in the patches moves a vector by ε·|Φ|/(λ_{d+2} − λ_{d+1}); LLE has
	// the smallest gap of these, about 1e-7 of |Φ|.
	const tol = 1e-7
	y := embed(t, c.rotated, m, Options{}).Y
	y.Scale(1/scale, y)
	if d := farthest(r.Y, y); d > tol {
		t.Errorf("rotation, scale and shift move the embedding by %g", d)
	}
	y = embed(t, c.permuted, m, Options{}).Y
	back := mat.NewDense(len(c.order), 2, nil)
	for to, from := range c.order {
		back.SetRow(from, y.RawRowView(to))
	}
	if d := farthest(r.Y, back); d > tol {
		t.Errorf("permutation moves the embedding by %g", d)
	}
}

func TestLocalInvariance(t *testing.T) {
	c := movedRoll(t)
	each(t, local(t), nil, func(t *testing.T, m Method) {
		scale := 1.0
		if m.Name() == "isomap" { // keeps distances, as the global methods do
			scale = 3
		}
		c.invariant(t, m, scale)
	})
}

func TestGlobalInvariance(t *testing.T) {
	c := movedRoll(t)
	each(t, global(t), nil, func(t *testing.T, m Method) { c.invariant(t, m, 3) })
}

func TestLocalSameBitsForAnyThreads(t *testing.T) { sameBits(t, local(t)) }

func TestGlobalSameBitsForAnyThreads(t *testing.T) { sameBits(t, global(t)) }

// sameBits embeds one piece and clouds, with threads of any number.
func sameBits(t *testing.T, all []trial) {
	t.Helper()
	sets := []*mat.Dense{generate(t, "swiss-roll", 1200, 1).X, generate(t, "gaussians", 600, 1).X}
	each(t, all, nil, func(t *testing.T, m Method) {
		components := "joint"
		if m.Name() == "isomap" { // has no distance between components
			components = "each"
		}
		for _, x := range sets {
			var first *Result
			for _, threads := range []int{1, 2, 3, 7} {
				r, err := Embed(t.Context(), x, m, Options{Threads: threads, Components: components})
				if err != nil && strings.Contains(err.Error(), "ExcludeSelf: false") {
					continue // in many dimensions there are samples that nobody lists
				}
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = r
				}
				if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) {
					t.Errorf("%d threads change the embedding", threads)
				}
				if !slices.Equal(r.Values, first.Values) {
					t.Errorf("%d threads change the eigenvalues", threads)
				}
			}
		}
	})
}
