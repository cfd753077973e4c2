package nonnegative

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

// made are records of some cases with made-up figures.
func made(names []string, quality func(name string) map[string]float64) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, name := range names {
		one := &bench.Record{Suite: r.Suite, Case: name, Quality: map[string]bench.Statistics{}}
		for key, v := range quality(name) {
			one.Quality[key] = bench.Statistics{Median: v, Values: []float64{v}}
		}
		r.List = append(r.List, one)
	}
	return r
}

// verdictOf is what the claim of a name says of some records.
func verdictOf(t *testing.T, name string, r *bench.Records) bench.Verdict {
	t.Helper()
	for _, c := range Suite.Claims {
		if c.Name == name {
			f := c.Check(r)
			t.Logf("%s: %s, %s", name, f.Verdict, f.Ours)
			return f.Verdict
		}
	}
	t.Fatalf("no claim %s", name)
	return ""
}

func TestVerdictsOnPowers(t *testing.T) {
	for _, c := range []struct {
		rises float64
		want  bench.Verdict
	}{{0, bench.TargetReached}, {1, bench.TargetMissed}} {
		r := made([]string{powersName}, func(string) map[string]float64 {
			return map[string]float64{"signs": 0, "graphs": c.rises, "signs-without": 0, "graphs-without": 3, "falls": 5}
		})
		if got := verdictOf(t, "root-frozen", r); got != c.want {
			t.Errorf("%+v: root-frozen %s", c, got)
		}
	}
	if got := verdictOf(t, "root-frozen", made(nil, nil)); got != bench.NotRun {
		t.Errorf("without records root-frozen is %s", got)
	}
}

func TestVerdictsOnPrintedRules(t *testing.T) {
	for _, c := range []struct {
		quality map[string]float64
		want    bench.Verdict
	}{
		{map[string]float64{"orthogonality": 0.01, "least-cosine": 0.001}, bench.Reproduces},
		{map[string]float64{"orthogonality": 0.2, "least-cosine": 0.001}, bench.DoesNot},
		{map[string]float64{"orthogonality": 0.01, "least-cosine": 0.9}, bench.DoesNot},
		{map[string]float64{"diverged-after": 370}, bench.DoesNot},
	} {
		for _, rule := range printedRules {
			r := made(printedNames(rule.method), func(string) map[string]float64 { return c.quality })
			if got := verdictOf(t, rule.method+"-printed", r); got != c.want {
				t.Errorf("%s with %v: %s, want %s", rule.method, c.quality, got, c.want)
			}
		}
	}
}

func TestVerdictsOnFaces(t *testing.T) {
	var names []string
	for _, one := range facesCases() {
		names = append(names, one.Name)
	}
	faces := func(nonnegative float64, orthogonality float64) *bench.Records {
		return made(names, func(name string) map[string]float64 {
			switch {
			case strings.Contains(name, "/bases/"):
				return map[string]float64{"orthogonality": orthogonality, "alone": 1, "pixels": 9, "patch": 1}
			case strings.Contains(name, "/npca/"):
				return map[string]float64{"nn-error": nonnegative, "nn-sd": 1}
			}
			return map[string]float64{"nn-error": 10, "nn-sd": 1}
		})
	}
	for _, c := range []struct {
		error, orthogonality float64
		recognition, basis   bench.Verdict
	}{
		{9, 0.05, bench.Reproduces, bench.Reproduces},
		{12, 0.05, bench.Reproduces, bench.Reproduces}, // two standard deviations
		{12.1, 0.5, bench.PartlyHolds, bench.DoesNot},
	} {
		r := faces(c.error, c.orthogonality)
		if got := verdictOf(t, "faces-recognition", r); got != c.recognition {
			t.Errorf("an error of %g: %s, want %s", c.error, got, c.recognition)
		}
		if got := verdictOf(t, "faces-orthonormal", r); got != c.basis {
			t.Errorf("‖UᵀU − I‖ of %g: %s, want %s", c.orthogonality, got, c.basis)
		}
	}
	worse := made(names, func(name string) map[string]float64 {
		if strings.Contains(name, "/npca/") || strings.Contains(name, "/nonpp/") {
			return map[string]float64{"nn-error": 40, "nn-sd": 1}
		}
		return map[string]float64{"nn-error": 10, "nn-sd": 1}
	})
	if got := verdictOf(t, "faces-recognition", worse); got != bench.DoesNot {
		t.Errorf("worse everywhere: %s", got)
	}
	benchtest.CheckSections(t, &Suite, faces(9, 0.05))
}

// The cases about faces run, on drawn faces of few people.
func TestFacesOfFewPeople(t *testing.T) {
	folder := t.TempDir()
	benchtest.WriteFaces(t, folder, "orl32", 4, 10)
	r := benchtest.RunCases(t, &Suite, &bench.Env{Data: folder}, "faces/orl32/raw", "faces/orl32/pca/dim=10", "faces/orl32/onpp/dim=10", "faces/orl32/bases/nonpp")
	for _, name := range []string{"faces/orl32/raw", "faces/orl32/pca/dim=10"} {
		if v, found := r.Quality(name, "nn-error"); !found || v > 10 {
			t.Errorf("%s: an error of %.1f %%, found: %v", name, v, found)
		}
	}
	for key, most := range map[string]float64{"alone": 1, "patch": 1, "pixels": 1024, "orthogonality": 5} {
		if v, found := r.Quality("faces/orl32/bases/nonpp", key); !found || v < 0 || v > most {
			t.Errorf("%s of the directions is %g, found: %v", key, v, found)
		}
	}
}

// Two directions on images of 4 × 4 pixels: one of two pixels side by side and a third apart,
// the other of one pixel that it shares with the first.
func TestLookOfDirections(t *testing.T) {
	u := mat.NewDense(16, 2, nil)
	u.Set(0, 0, 2)
	u.Set(1, 0, 1)
	u.Set(10, 0, 2)
	u.Set(10, 1, 1)
	look := lookOf(u, 4)
	// The largest patch of the first holds 4 + 1 of 9, the second is one patch.
	for key, want := range map[string]float64{"alone": 2.0 / 3, "pixels": 2, "patch": (5.0/9 + 1) / 2} {
		if math.Abs(look[key]-want) > 1e-15 {
			t.Errorf("%s is %g, want %g", key, look[key], want)
		}
	}
	if ends := largestPatch([]bool{false, false, false, true, true, false}, []float64{0, 0, 0, 1, 1, 0}, 2); ends != 1 {
		t.Errorf("pixels of two rows that follow each other in memory make a patch of %g", ends)
	}
}
