package datasets

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/internal/must"
)

func TestNames(t *testing.T) {
	want := strings.Fields(`swiss-roll swiss-roll-hole swiss-roll-3d s-curve helix triple-peak trefoil
		two-trefoils two-moons waveform gaussians clustered-manifolds programmes faces`)
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
	for _, name := range want {
		t.Run(name, func(t *testing.T) {
			ps, err := Parameters(name)
			if err != nil {
				t.Error(err)
			}
			for _, p := range ps {
				if p.Key == "" || p.Default == "" || p.Meaning == "" {
					t.Errorf("%s: incomplete parameter %+v", name, p)
				}
			}
		})
	}
}

func TestDefaultSamples(t *testing.T) {
	for name, want := range map[string]int{"triple-peak": 1225, "two-moons": 500} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(Generate(name, 0, 1, nil))(t)
			if n, _ := set.X.Dims(); n != want {
				t.Errorf("%s: %d samples by default, want %d", name, n, want)
			}
		})
	}
}

// TestErrors checks that each wrong request is refused with a message that
// says what would mend it.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples int
		set     string // key=value, blanks between
		want    string
	}{
		{"swiss-rol", 10, "", `did you mean "swiss-roll"?`},
		{"torus", 10, "", "there are swiss-roll, "},
		{"swiss-roll", 0, "", "say how many samples"},
		{"swiss-roll", -1, "", "-1 samples requested, want at least 1"},
		{"swiss-roll", math.MaxInt, "", "ask for fewer"},
		{"swiss-roll", 10, "nois=1", `unknown parameter "nois" (did you mean "noise"?); it has noise, params`},
		{"swiss-roll", 10, "z=1 b=1", `unknown parameter "b"`},
		{"helix", 10, "noise=1", `unknown parameter "noise"; it has none`},
		{"swiss-roll-3d", 10, "noise=1", `unknown parameter "noise"`},
		{"swiss-roll", 10, "noise=-0.1", "noise is -0.1, want 0 or more"},
		{"swiss-roll", 10, "noise=NaN", `noise is "NaN", want a number`},
		{"swiss-roll", 10, "noise=", `noise is "", want a number`},
		{"swiss-roll", 10, "noise=+Inf", "want a magnitude of at most 1e+150"},
		{"swiss-roll", 10, "noise=1e200", "want a magnitude of at most 1e+150"},
		{"swiss-roll", 10, "params=isometrc", `(did you mean "isometric"?), want roll or isometric`},
		{"triple-peak", 1224, "", "want a square of 2 or more such as 1156 or 1225"},
		{"triple-peak", 1, "", "such as 4 or 9"},
		{"s-curve", 0, "", "say how many samples"},
		{"s-curve", 10, "params=isometric", `unknown parameter "params"; it has noise`},
		{"s-curve", 10, "noise=-1", "noise is -1, want 0 or more"},
		{"trefoil", 10, "params=arc", `want angle or isometric`},
		{"two-trefoils", 10, "params=angle", `unknown parameter "params"`},
		{"trefoil", 10, "dims=2", `dims is "2", want a whole number from 3 to 17179869184`},
		{"trefoil", 10, "dims=3.5", "want a whole number"},
		{"trefoil", 10, "dims=1e99", "want a whole number"},
		{"trefoil", 10, "dims=NaN", "want a whole number"},
		{"trefoil", 1, "dims=9e9", "dims × 3"},
		{"trefoil", 1 << 20, "dims=1000000", "samples × features"},
		{"two-trefoils", 11, "", "want an even number"},
		{"two-trefoils", 10, "shift=-1e151", "magnitude"},
		{"two-moons", 10, "extra=-1", "want a whole number from 0"},
		{"two-moons", 10, "extra=17179869184", "ask for fewer"},
		{"gaussians", 4, "", "5 clusters requested of 4 samples"},
		{"gaussians", 4, "clusters=0", "want a whole number from 1"},
		{"clustered-manifolds", 4, "", "10 clusters requested of 4 samples"},
		{"clustered-manifolds", 40, "dims=400000000", "dims × 64"},
		{"clustered-manifolds", 40, "intrinsic=400000000", "intrinsic × 64"},
		{"clustered-manifolds", 40, "separation=-1", "want 0 or more"},
		{"programmes", 40, "depth=1e7", "depth is 1e7, want a magnitude of at most 1e+06"},
		{"programmes", 40, "programmes=0", "want a whole number from 1"},
	} {
		t.Run(strings.TrimSpace(fmt.Sprintf("%s %d %s", c.name, c.samples, c.set)), func(t *testing.T) {
			set := map[string]string{}
			for _, kv := range strings.Fields(c.set) {
				key, value, _ := strings.Cut(kv, "=")
				set[key] = value
			}
			for call, err := range map[string]error{
				"Generate": second(Generate(c.name, c.samples, 1, set)),
				"Size":     third(Size(c.name, c.samples, set)),
			} {
				if err == nil {
					t.Errorf("%s(%s, %d, %s): no error, want %q", call, c.name, c.samples, c.set, c.want)
				} else if !strings.HasPrefix(err.Error(), "datasets: ") || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s(%s, %d, %s): %q, want %q", call, c.name, c.samples, c.set, err, c.want)
				}
			}
		})
	}
	must.Refuse(t, `"helix"`)(Parameters("helx"))
}

func second[A any](_ A, err error) error      { return err }
func third[A, B any](_ A, _ B, e error) error { return e }

// TestAnySet draws every generator with random sizes, seeds and parameters and
// checks what holds for all of them: shape, finite numbers, labels in range and
// the same bits again, on one core too.
func TestAnySet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(Names()).Draw(t, "name")
		n := rapid.IntRange(6, 40).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		set := map[string]string{}
		switch name {
		case "triple-peak":
			n = (n/6 + 1) * (n/6 + 1)
		case "two-trefoils":
			n += n % 2
		}
		ps := must.Get(Parameters(name))(t)
		for _, p := range ps {
			switch {
			case p.Choices != nil:
				set[p.Key] = rapid.SampledFrom(p.Choices).Draw(t, p.Key)
			case p.whole:
				set[p.Key] = strconv.Itoa(rapid.IntRange(int(p.least), max(6, int(p.least)+2)).Draw(t, p.Key))
			default:
				set[p.Key] = strconv.FormatFloat(rapid.SampledFrom([]float64{0, 0.3, 7, 1e-300, p.bound()}).Draw(t, p.Key), 'g', -1, 64)
			}
		}
		got := must.Get(Generate(name, n, seed, set))(t)
		checkShape(t, name, n, set, got)
		threads := runtime.GOMAXPROCS(1)
		again, err := Generate(name, n, seed, set)
		runtime.GOMAXPROCS(threads)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.X, again.X) || !slices.Equal(got.Labels, again.Labels) {
			t.Fatal("a second draw differs")
		}
	})
}

func checkShape(t *rapid.T, name string, n int, set map[string]string, got *Set) {
	rows, cols := must.Two(Size(name, n, set))(t)
	if r, c := got.X.Dims(); r != n || rows != n || c != cols {
		t.Fatalf("%d × %d, Size says %d × %d", r, c, rows, cols)
	}
	for _, m := range []*mat.Dense{got.X, got.Params} {
		if m == nil {
			continue
		}
		if r, _ := m.Dims(); r != n {
			t.Fatalf("%d rows, want %d", r, n)
		}
		for _, v := range m.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("a value of %v", v)
			}
		}
	}
	if (got.Labels == nil) == (got.Params == nil) && name != "faces" { // faces have both
		t.Fatal("want either intrinsic coordinates or labels")
	}
	if got.Labels != nil && len(got.Labels) != n {
		t.Fatalf("%d labels", len(got.Labels))
	}
	for _, l := range got.Labels {
		if l < 0 || l >= 6 {
			t.Fatalf("label %d", l)
		}
	}
}

func BenchmarkClusteredManifolds(b *testing.B) {
	const n = 20000
	for b.Loop() {
		if _, err := Generate("clustered-manifolds", n, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
}
