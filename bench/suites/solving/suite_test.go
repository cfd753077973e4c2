package solving

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// made are records of every case, with the seconds, errors and peaks that a function gives.
func made(ofOurs, ofOthers float64, quality float64, peak int64) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, c := range Suite.Cases(&bench.Env{}) {
		seconds, bytes := ofOthers, int64(1<<30)
		if filepath.Base(c.Name) == "orthant" {
			seconds, bytes = ofOurs, peak
		}
		one := bench.Statistics{Median: seconds, Values: []float64{seconds}}
		rec := &bench.Record{Suite: Suite.Name, Case: c.Name, Samples: c.N, Accuracy: c.Accuracy, PeakBytes: bytes,
			Seconds:    map[string]bench.Statistics{"total": one, "factor": one, "solve": one, "again": one, "inverse": one},
			CPUSeconds: map[string]bench.Statistics{"total": one}, Quality: map[string]bench.Statistics{"solves": {Median: 200}}}
		for _, a := range c.Accuracy {
			rec.Quality[a.Quality] = bench.Statistics{Median: quality}
		}
		r.List = append(r.List, rec)
	}
	return r
}

func TestFindings(t *testing.T) {
	all := func(v bench.Verdict) map[string]bench.Verdict {
		want := map[string]bench.Verdict{}
		for _, c := range Suite.Claims {
			want[c.Name] = v
		}
		return want
	}
	fast := made(1, 10, 1e-15, 1<<20)
	benchtest.CheckFindings(t, &Suite, fast, all(bench.TargetReached))
	benchtest.CheckSections(t, &Suite, fast)
	slower := all(bench.TargetMissed)
	for name := range slower {
		if strings.HasPrefix(name, "without-factor/") { // limits by the clock
			slower[name] = bench.TargetReached
		}
	}
	benchtest.CheckFindings(t, &Suite, made(1, 0.5, 1e-15, 1<<20), slower)
	benchtest.CheckFindings(t, &Suite, made(1, 10, 1e-3, 1<<20), all(bench.TargetMissed))
	want := all(bench.TargetReached)
	// Of more memory than the peers'.
	want["pairs/arpack"], want["pairs/slepc"] = bench.TargetMissed, bench.TargetMissed
	benchtest.CheckFindings(t, &Suite, made(1, 10, 1e-15, 1<<31), want)
	benchtest.CheckFindings(t, &Suite, made(121, 100, 1e-15, 1<<20), all(bench.TargetMissed))
}

// peersAtHand begins with ours; a short test has no others.
func peersAtHand() []string {
	peers := []string{""}
	if exec.Command("/usr/bin/python3", "-c", "import sklearn").Run() == nil {
		peers = append(peers, "arpack")
		if exec.Command("/usr/bin/python3", "-c", "import slepc4py.SLEPc").Run() == nil {
			peers = append(peers, "slepc", "cholmod", "mumps")
		}
	}
	if testing.Short() {
		peers = peers[:1]
	}
	return peers
}

// Every matrix sends the constant to zero, and ours and the peers at hand agree on its
// eigenvalues and solve with its factor.
func TestSidesAgree(t *testing.T) {
	peers := peersAtHand()
	const count = 6
	for i := range problems {
		p := &problems[i]
		n := min(p.n, 1200)
		a, _ := must.Two(p.build(t.Context(), n))(t)
		y := make([]float64, a.Rows)
		a.MulVec(1, ones(a.Rows), y)
		for i, v := range y {
			if math.Abs(v) > 1e-11*a.RowSumNorm() {
				t.Fatalf("%s: row %d sums to %g", p.name, i, v)
			}
		}
		last := math.NaN()
		peers := peers
		if p.name != "alignment-10d" && p.name != "roads" && p.name != "sphere" {
			peers = peers[:1] // each call of a peer takes seconds to start
		}
		for _, peer := range peers {
			if peer == "cholmod" || peer == "mumps" {
				continue
			}
			out, err := p.solve(t.Context(), &bench.Env{}, n, smallest(count), peer)
			if err != nil {
				t.Fatal(p.name, peer, err)
			}
			// Peers lose digits to the constant, whose inverse is the largest by far.
			if v := out.Quality["residual"]; !(v < 1e-6) || peer == "" && !(v < 1e-11) {
				t.Errorf("%s by %q: residual %g", p.name, peer, v)
			}
			if peer == "" {
				last = out.Quality["last"]
			} else if got, near := out.Quality["last"], 1e-7*math.Abs(last)+1e-10*a.RowSumNorm(); got < last-near || got > last+near && p.name != "sphere" {
				// Of the sphere's repeated eigenvalues SLEPc may miss copies, and then has a larger last one.
				t.Errorf("%s by %s: eigenvalue %d is %g, ours %g", p.name, peer, count, got, last)
			}
		}
		for _, peer := range peers {
			if peer == "arpack" || peer == "slepc" {
				continue
			}
			out, err := p.factorize(t.Context(), &bench.Env{}, n, 2, definite, peer)
			if err != nil {
				t.Fatal(p.name, peer, err)
			}
			if v := out.Quality["backward error"]; !(v < 1e-14) || out.Seconds["again"] <= 0 {
				t.Errorf("%s by %q: backward error %g, %v", p.name, peer, v, out.Seconds)
			}
		}
	}
}

// Without a factor ours and the peers at hand find the same pairs and solutions.
func TestSidesAgreeWithoutFactor(t *testing.T) {
	hand := peersAtHand()
	for i := range graphsThatFill {
		u := graphsThatFill[i]
		u.pairs = 3
		n := min(u.n, 2048)
		for _, what := range []string{"pairs", "system"} {
			last := math.NaN()
			for _, s := range unfactoredSides[what] {
				if s.method != "" && (i != 1 || len(hand) < 2 || s.peer == "slepc" && !slices.Contains(hand, "slepc")) {
					continue // each call of a peer takes seconds to start
				}
				out, err := u.solveWithout(t.Context(), &bench.Env{}, n, what, s)
				if err != nil {
					t.Fatal(u.name, s.title, err)
				}
				near := 1e-5
				if s.preconditioner == "none" { // it does not reach the tolerance
					near = 1e-2
				}
				if v := out.Quality["residual"]; !(v < 100*near) || s.method == "" && !(v < relativeResidual) {
					t.Errorf("%s of %s by %s: residual %g", what, u.name, s.title, v)
				}
				if got := out.Quality["last"]; s.method == "" {
					last = got
				} else if math.Abs(got-last) > near*last {
					t.Errorf("%s by %s: the last eigenvalue is %g, ours %g", u.name, s.title, got, last)
				}
			}
		}
	}
}

// Inside a spectrum too they agree on the eigenvalues, and solve with the factor of A − σI.
func TestSidesAgreeInside(t *testing.T) {
	const count = 7
	for i := range problems {
		p := &problems[i]
		if !p.asked() {
			continue
		}
		n := min(p.n, 1200)
		a, _ := must.Two(p.build(t.Context(), n))(t)
		last := math.NaN()
		for _, peer := range peersAtHand() {
			if peer != "cholmod" && peer != "mumps" {
				out, err := p.solve(t.Context(), &bench.Env{}, n, nearest(count, p.inside), peer)
				if err != nil {
					t.Fatal(p.name, peer, err)
				}
				if v := out.Quality["residual"]; !(v < 1e-9) || peer == "" && !(v < 1e-11) {
					t.Errorf("%s by %q: residual %g", p.name, peer, v)
				}
				if got := out.Quality["last"]; peer == "" {
					last = got
				} else if math.Abs(got-last) > 1e-9*a.RowSumNorm() {
					t.Errorf("%s by %s: the largest of the %d eigenvalues nearest to %g is %g, ours %g", p.name, peer, count, p.inside, got, last)
				}
			}
			if p.single() && (peer == "" || peer == "mumps") {
				out, err := p.factorize(t.Context(), &bench.Env{}, n, 1, indefinite, peer)
				if err != nil {
					t.Fatal(p.name, peer, err)
				}
				if v := out.Quality["backward error"]; !(v < 1e-11) || peer == "" && !(v < 1e-13) || out.Seconds["again"] <= 0 {
					t.Errorf("%s by %q: backward error %g, %v", p.name, peer, v, out.Seconds)
				}
			}
		}
	}
}

// A sphere has the eigenvalues l(l + 1), each 2l + 1 times.
func TestSphere(t *testing.T) {
	m := sphere(4000)
	if n := len(m.vertices); len(m.triangles) != 2*n-4 {
		t.Errorf("%d vertices, %d triangles", n, len(m.triangles))
	}
	p := &problems[slices.IndexFunc(problems, func(p problem) bool { return p.name == "sphere" })]
	out := must.Get(p.solve(t.Context(), &bench.Env{}, 4000, smallest(8), ""))(t)
	if v := out.Quality["last"]; math.Abs(v-6) > 0.03 {
		t.Errorf("eigenvalue 8 is %g", v)
	}
}
