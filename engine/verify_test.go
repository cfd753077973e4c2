package engine

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

func verify(t *testing.T, x, y mat.Matrix, m Method, o VerifyOptions) *Verification {
	t.Helper()
	v, err := Verify(t.Context(), x, y, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return v
}

// shaken are coordinates with noise of a share of their mean size.
func shaken(y *mat.Dense, share float64) *mat.Dense {
	n, d := y.Dims()
	e := make([]float64, n*d)
	blas.NewStream(11).Normals(e)
	out := mat.DenseCopyOf(y)
	for i := range n {
		for j := range d {
			out.Set(i, j, out.At(i, j)+share*e[i*d+j]/math.Sqrt(float64(n)))
		}
	}
	return out
}

// permuted are the rows in another order.
func permuted(y *mat.Dense) *mat.Dense {
	n, _ := y.Dims()
	out := mat.DenseCopyOf(y)
	for i := range n {
		out.SetRow(i, y.RawRowView((i*7+3)%n))
	}
	return out
}

// rounded are the coordinates as single precision holds them.
func rounded(y *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(y)
	out.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, out)
	return out
}

// What a method finds passes, also in single precision, and what is not that is refused with
// what is wrong with it.
func TestVerify(t *testing.T) {
	x := generate(t, "swiss-roll", 2500, 1).X
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, LE{}, LE{Weights: "heat"}, SMCE{}, Isomap{}, PCA{}} {
		r := embed(t, x, m, Options{})
		given := VerifyOptions{Eigenvalues: r.Values, Next: r.Next}
		for name, y := range map[string]*mat.Dense{"itself": r.Y, "in single precision": rounded(r.Y)} {
			v := verify(t, x, y, m, given)
			if !v.Passed || v.Verdict != "" {
				t.Errorf("%s, %s: %q", m.Name(), name, v.Verdict)
			}
			if _, of := m.(PCA); !of && name == "itself" && (len(v.Residuals) != 2 || math.Abs(v.Values[1]-r.Values[1]) > 1e-6*r.Values[1]+1e-14) {
				t.Errorf("%s: eigenvalues %g, given %g, residuals %g", m.Name(), v.Values, r.Values, v.Residuals)
			}
		}
		bad := map[string]*mat.Dense{"shaken": shaken(r.Y, 0.03), "permuted": permuted(r.Y)}
		if m.Name() == "pca" {
			delete(bad, "permuted") // columns of pca say nothing of the samples' order but by their products
		}
		for name, y := range bad {
			if v := verify(t, x, y, m, given); v.Passed || v.Verdict == "" {
				t.Errorf("%s, %s: passed, %+v", m.Name(), name, v)
			}
		}
	}
}

// Each possible error of eigenvectors is named.
func TestVerifyNamesWhatIsWrong(t *testing.T) {
	x := generate(t, "swiss-roll", 2500, 1).X
	m := LTSA{Neighbors: 10}
	r := embed(t, x, m, Options{})
	six := embed(t, x, LLE{Neighbors: 10, Dim: 6, Gamma: 1e-3}, Options{}).Y // whose patches do not depend on dim with γ given
	noise := mat.NewDense(2500, 2, nil)
	blas.NewStream(5).Normals(noise.RawMatrix().Data)
	scaled := mat.DenseCopyOf(r.Y)
	scaled.Scale(1.001, scaled)
	moved := mat.DenseCopyOf(r.Y)
	moved.Apply(func(_, _ int, v float64) float64 { return v + 1e-6 }, moved)
	for name, c := range map[string]struct {
		y      mat.Matrix
		method Method
		o      VerifyOptions
		want   string
	}{
		"noise":           {noise, m, VerifyOptions{}, "not an eigenvector"},
		"scaled":          {scaled, m, VerifyOptions{}, "not orthonormal"},
		"moved":           {moved, m, VerifyOptions{}, "not orthogonal to the constants"},
		"others":          {six.Slice(0, 2500, 4, 6), LLE{Neighbors: 10, Gamma: 1e-3}, VerifyOptions{}, "not of the smallest eigenvalues"},
		"given otherwise": {r.Y, m, VerifyOptions{Eigenvalues: []float64{r.Values[0], 2 * r.Values[1]}}, "eigenvalue 2 was given as"},
	} {
		if v := verify(t, x, c.y, c.method, c.o); v.Passed || !strings.Contains(v.Verdict, c.want) {
			t.Errorf("%s: %q, want %q", name, v.Verdict, c.want)
		}
	}
	// Coordinates that were found by another k.
	if v := verify(t, x, r.Y, LTSA{Neighbors: 11}, VerifyOptions{}); v.Passed || !strings.Contains(v.Verdict, "parameters that the embedding was made with") {
		t.Errorf("another k: %q", v.Verdict)
	}
	// A true solution that is a wrong embedding.
	bad := roughRoll(t)
	if v := verify(t, bad, embed(t, bad, LTSA{}, Options{}).Y, LTSA{}, VerifyOptions{}); v.Passed || strings.Contains(v.Verdict, "eigenvector") || !strings.Contains(v.Verdict, "too few for the noise") {
		t.Errorf("noise: %q", v.Verdict)
	}
}

// Of components=largest the rows of the others are NaN.
func TestVerifyALargestComponent(t *testing.T) {
	sheet := generate(t, "swiss-roll", 2500, 1).X
	var x mat.Dense
	far := mat.NewDense(40, 3, nil)
	blas.NewStream(1).Normals(far.RawMatrix().Data)
	far.Apply(func(_, _ int, v float64) float64 { return v + 500 }, far)
	x.Stack(far, sheet)
	y := embed(t, &x, LTSA{}, Options{Components: "largest"}).Y
	if v := verify(t, &x, y, LTSA{}, VerifyOptions{Options: Options{Components: "largest"}}); !v.Passed || v.Samples != 2500 {
		t.Errorf("%+v", v)
	}
}

func TestVerifyRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	y := mat.NewDense(300, 2, nil)
	part, endless := mat.DenseCopyOf(y), mat.DenseCopyOf(y)
	part.Set(3, 1, math.NaN())
	endless.Set(4, 0, math.Inf(1))
	r := refusing(t)
	r.of("", failed(Verify(t.Context(), x, y.Slice(0, 299, 0, 2), LTSA{}, VerifyOptions{Options: Options{}})))
	r.of("", failed(Verify(t.Context(), x, y, LTSA{Dim: 3}, VerifyOptions{Options: Options{}})))
	r.of("", failed(Verify(t.Context(), x, part, LTSA{}, VerifyOptions{Options: Options{}})))
	r.of("", failed(Verify(t.Context(), x, endless, LTSA{}, VerifyOptions{Options: Options{}})))
	r.of("", failed(Verify(t.Context(), x, y, LTSA{}, VerifyOptions{Options: Options{Landmarks: 50}})))
	r.of("", failed(Verify(t.Context(), x, y, LTSA{}, VerifyOptions{Options: Options{Duplicates: "merge"}})))
	r.of("", failed(Verify(t.Context(), x, y, LTSA{}, VerifyOptions{Options: Options{Components: "bridge"}})))
	r.of("", failed(Verify(t.Context(), x, y, KMeans{}, VerifyOptions{Options: Options{}})))
}

// An embedding of samples that were moved off their noise is verified on samples that are moved
// again, with the number of neighbours and the radius that were found; the verdict on one
// that was not moved names that remedy.
func TestVerifyOfMovedSamples(t *testing.T) {
	s := generate(t, "swiss-roll", 4000, 1, "noise=0.3", "params=isometric")
	plain := embed(t, s.X, NEML{}, Options{})
	if q := plain.Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, `Denoise: "auto"`) {
		t.Errorf("the verdict on noise names no remedy: %q", q.Sentence)
	}
	for name, o := range map[string]Options{"neighbors=auto": {}, "radius=auto": {Radius: "auto"}} {
		r := embed(t, s.X, NEML{Neighbors: Auto}, o)
		if r.Quality.Verdict == Doubtful {
			t.Fatalf("%s: %s", name, r.Quality.Sentence)
		}
		again := Options{Denoise: r.Params["denoise"].(string), Radius: r.Params["radius"].(string)}
		v := verify(t, s.X, r.Y, NEML{Neighbors: r.Params["neighbors"].(int)}, VerifyOptions{Options: again, Eigenvalues: r.Values, Next: r.Next})
		if !v.Passed {
			t.Errorf("%s: %s", name, v.Verdict)
		}
		if v := verify(t, s.X, r.Y, NEML{}, VerifyOptions{}); v.Passed {
			t.Errorf("%s: it passes for samples that are not moved", name)
		}
	}
}

// Every method that solves for smallest eigenpairs proves that none was missed, by the solver and once more by
// verification, and coordinates of other eigenvectors are refused by the count alone.
func TestCertified(t *testing.T) {
	x := generate(t, "swiss-roll", 1200, 1).X
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, HLLE{}, LE{}} {
		r := embed(t, x, m, Options{Certified: true})
		c, is := r.Details["certificate"].(*sparse.Certificate)
		if !is || !c.Holds() || c.Pairs != 2 || c.Below != 3 || c.Missed != 0 {
			t.Errorf("%s: %+v", m.Name(), c)
			continue
		}
		plain := embed(t, x, m, Options{})
		if !mat.Equal(plain.Y, r.Y) {
			t.Errorf("%s: the certificate changed the coordinates", m.Name())
		}
		given := VerifyOptions{Options: Options{Certified: true}, Eigenvalues: r.Values, Next: r.Next}
		if v := verify(t, x, r.Y, m, given); v.Certificate == nil || !v.Certificate.Holds() || v.Certificate.Below != 3 || strings.Contains(v.Verdict, "lie below") {
			t.Errorf("%s: %+v, %q", m.Name(), v.Certificate, v.Verdict)
		}
	}
	// The third and fourth eigenvectors in place of the first two.
	six := embed(t, x, LTSA{Dim: 4}, Options{})
	v := verify(t, x, six.Y.Slice(0, 1200, 2, 4), LTSA{}, VerifyOptions{Options: Options{Certified: true}})
	if v.Passed || v.Certificate == nil || v.Certificate.Below <= v.Certificate.Known || !strings.Contains(v.Verdict, "eigenvalues lie below") {
		t.Errorf("%+v, %q", v.Certificate, v.Verdict)
	}
	if v := verify(t, x, six.Y.Slice(0, 1200, 2, 4), LTSA{}, VerifyOptions{}); v.Certificate != nil {
		t.Error("a plain verification counts")
	}
}

func TestCertifiedRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	for _, m := range []Method{PCA{}, Isomap{}, DiffusionMaps{}} {
		_, err := Embed(context.Background(), x, m, Options{Certified: true})
		if err == nil || !strings.Contains(err.Error(), "a certificate counts the eigenvalues") || !strings.Contains(err.Error(), "ltsa") || strings.Contains(err.Error(), "isomap,") {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}
