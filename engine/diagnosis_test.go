package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// arch is a strip of length 6 and width 1, bent in three dimensions, with noise of the
// given size.
func arch(n int, noise float64) *mat.Dense {
	s := blas.NewStream(4)
	u, e, x := make([]float64, 2*n), make([]float64, 3*n), mat.NewDense(n, 3, nil)
	s.Uniforms(u)
	s.Normals(e)
	for i := range n {
		t := 6 * u[2*i]
		x.SetRow(i, []float64{math.Sin(t) + noise*e[3*i], u[2*i+1] + noise*e[3*i+1], 1 - math.Cos(t) + noise*e[3*i+2]})
	}
	return x
}

// hinged are two flat squares of 300 samples that a straight chain of 30 holds together: one
// may turn about it, and nothing bends.
func hinged() *mat.Dense {
	s := blas.NewStream(6)
	x := mat.NewDense(630, 2, nil)
	s.Uniforms(x.RawMatrix().Data)
	for i := range 300 {
		x.Set(300+i, 0, x.At(300+i, 0)+3)
	}
	for i := range 30 {
		x.SetRow(600+i, []float64{0.95 + 2.1*float64(i)/29, 0.5})
	}
	return x
}

// dome is a cap of a sphere of radius 1, of height 1.5.
func dome(n int) *mat.Dense {
	s := blas.NewStream(3)
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		z, a := 1-1.5*s.Uniform(), 2*math.Pi*s.Uniform()
		r := math.Sqrt(1 - z*z)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a), z})
	}
	return x
}

// curve is an arc in three dimensions.
func curve(n int) *mat.Dense {
	s := blas.NewStream(8)
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		t := s.Uniform()
		x.SetRow(i, []float64{math.Cos(2 * t), math.Sin(2 * t), t * t})
	}
	return x
}

// A doubtful embedding is warned of with the cause that its data was made to have, and with
// no other.
func TestCausesAreFound(t *testing.T) {
	gauss := mat.NewDense(300, 60, nil)
	blas.NewStream(2).Normals(gauss.RawMatrix().Data)
	for name, c := range map[string]struct {
		x      *mat.Dense
		method Method
		want   []string
	}{
		"gamma":          {arch(5000, 0), NEML{Neighbors: 12, Gamma: 0.1}, []string{"coordinate 2 is a function of coordinate 1", "Gamma: 0.1 is too large", "not tried: more than 3000 samples"}},
		"gamma of mlle":  {arch(5000, 0), MLLE{Neighbors: 12, Gamma: 0.1}, []string{"Gamma: 0.1 is too large"}},
		"gamma of lle":   {arch(5000, 0), LLE{Neighbors: 12, Gamma: 0.1}, []string{"coordinate 2 is a function of coordinate 1", "Gamma: 0.1 is too large", "not tried: more than 3000 samples"}},
		"dim 1 of 2":     {generate(t, "swiss-roll", 2000, 1).X, LTSA{Neighbors: 12, Dim: 1}, []string{"gap behind", "Dim: 1 is too small", "take Dim: 2"}},
		"dim 2 of 3":     {generate(t, "swiss-roll-3d", 3000, 1).X, LTSA{Neighbors: 14}, []string{"gap behind", "Dim: 2 is too small", "take Dim: 3"}},
		"dim 2 of 1":     {curve(1000), LTSA{Neighbors: 12}, []string{"coordinate 2 is a function of coordinate 1", "Dim: 2 is too large", "take Dim: 1"}},
		"rounding":       {hinged(), LTSA{Neighbors: 8}, []string{"are all at rounding level", "to rounding the embedding is not determined", "in two parts of 3"}},
		"rounding, hlle": {hinged(), HLLE{Neighbors: 8}, []string{"are all at rounding level", "to rounding the embedding is not determined", "in two parts of 3"}},
		"noise":          {arch(2000, 0.02), LTSA{Neighbors: 6}, []string{"Neighbors: 6 is too few for the noise"}},
		"strong noise":   {arch(8000, 0.05), LTSA{Neighbors: 8}, []string{"Neighbors: 8 is too few for the noise", "Denoise"}}, // fills neighbourhoods of k and 2k alike
		"curvature":      {dome(400), LTSA{Neighbors: 100}, []string{"Neighbors: 100 is too many for the curvature"}},
		"shortcuts":      {generate(t, "swiss-roll", 300, 1).X, LTSA{Neighbors: 12}, []string{"Neighbors: 12 is too many", "nearest half does not lead to"}},
		"samples aside":  {gauss, HLLE{Neighbors: 12}, []string{"coordinate 1 is spread over"}},
		"joined sheets":  {joinedSheets(t), LTSA{Neighbors: 10}, []string{"gap behind", "in two parts of 6"}},
		"joined, neml":   {joinedSheets(t), NEML{Neighbors: 10}, []string{"gap behind", "in two parts of 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(embed(t, c.x, c.method, Options{}).Warnings, "\n")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("warnings %q, want %q", text, want)
				}
			}
			named := strings.Join(c.want, "\n")
			for _, cause := range []string{"gamma=", "dim=", "neighbors=", "in two parts"} {
				if strings.Contains(text, cause) && !strings.Contains(named, cause) {
					t.Errorf("warnings %q blame %s too", text, cause)
				}
			}
		})
	}
}

// Clean data at the defaults is not warned of.
func TestCleanDataIsNotWarnedOf(t *testing.T) {
	for name, x := range map[string]*mat.Dense{
		"roll": generate(t, "swiss-roll", 2000, 1).X, "hole": generate(t, "swiss-roll-hole", 2000, 2).X, "arch": arch(3000, 0), "large roll": generate(t, "swiss-roll", 6000, 3).X,
	} {
		for _, m := range []Method{LLE{}, NEML{}, MLLE{}, LTSA{}, HLLE{}, LE{}, DiffusionMaps{}} {
			if r := embed(t, x, m, Options{}); len(r.Warnings) > 0 {
				t.Errorf("%s of %s: %q", m.Name(), name, r.Warnings)
			}
		}
	}
}

// The diagnosis says the same for any number of threads.
func TestDiagnosisForAnyThreads(t *testing.T) {
	x := joinedSheets(t)
	for _, m := range []Method{LTSA{Neighbors: 10}, NEML{Neighbors: 10, Gamma: 0.5}} {
		first := embed(t, x, m, Options{Threads: 1}).Warnings
		for _, threads := range []int{2, 5} {
			if again := embed(t, x, m, Options{Threads: threads}).Warnings; len(again) == 0 || !slices.Equal(again, first) {
				t.Errorf("%s on %d threads: %q, on one %q", m.Name(), threads, again, first)
			}
		}
	}
}

// joinedSheets are two sheets of 600 samples that hang together by a chain of 40.
func joinedSheets(t *testing.T) *mat.Dense {
	t.Helper()
	sheet := generate(t, "swiss-roll", 600, 1).X
	x := mat.NewDense(1240, 3, nil)
	for i := range 600 {
		x.SetRow(i, sheet.RawRowView(i))
		x.SetRow(600+i, sheet.RawRowView(i))
		x.Set(600+i, 1, x.At(600+i, 1)+60)
	}
	from, to := 0, 0 // the samples of the two that are nearest to each other's sheet
	for i := range 600 {
		if sheet.At(i, 1) > sheet.At(from, 1) {
			from = i
		}
		if sheet.At(i, 1) < sheet.At(to, 1) {
			to = i
		}
	}
	for i := range 40 {
		share := (float64(i) + 1) / 41
		for j := range 3 {
			x.Set(1200+i, j, (1-share)*x.At(from, j)+share*x.At(600+to, j))
		}
	}
	return x
}
