package trust

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// made are records of all maps, every other of which is bad. The verdict is wrong on one in this many pairs.
func made(every int) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	add := func(name string, truth verdict, doubted bool) {
		v := judged(engine.Sound)
		if doubted {
			v = judged(engine.Doubtful)
		}
		r.List = append(r.List, &bench.Record{Suite: Suite.Name, Case: name, Quality: map[string]bench.Statistics{"truth": {Median: float64(truth)}, "judged": {Median: v}}})
	}
	for i, t := range trials() {
		truth := []verdict{good, bad}[i%2]
		add(t.name(), truth, (truth == bad) != (i/2%every == 0))
	}
	for i, u := range misuses {
		add(u.caseName(), bad, every > 20 || i > 0)
	}
	return r
}

func TestFindings(t *testing.T) {
	reached, missed := map[string]bench.Verdict{}, map[string]bench.Verdict{}
	for _, c := range Suite.Claims {
		reached[c.Name], missed[c.Name] = bench.TargetReached, bench.TargetMissed
	}
	benchtest.CheckFindings(t, &Suite, made(40), reached)
	benchtest.CheckFindings(t, &Suite, made(10), missed)
	benchtest.CheckSections(t, &Suite, made(40))
}

// The truth calls a map of clusters that is the data's first columns good, and one that splits or mixes them bad.
func TestJudgeClusters(t *testing.T) {
	s := &shapes[0]
	d := drawn{x: mat.NewDense(300, 2, nil), label: make([]int, 300)}
	rng := blas.NewStream(3)
	rng.Uniforms(d.x.RawMatrix().Data)
	for i := range 300 {
		d.label[i] = i % 3
		d.x.Set(i, 0, d.x.At(i, 0)+4*float64(i%3))
	}
	split, mixed := mat.DenseCopyOf(d.x), mat.DenseCopyOf(d.x)
	for i := range 300 {
		if i%6 == 0 {
			split.Set(i, 1, split.At(i, 1)+9)
		}
		mixed.Set(i, 0, mixed.At(i, 0)-4*float64(i%3))
	}
	for name, c := range map[string]struct {
		y    *mat.Dense
		want verdict
	}{"kept": {d.x, good}, "split": {split, bad}, "mixed": {mixed, bad}} {
		if got, numbers := judge(s, d, c.y); got != c.want {
			t.Errorf("%s: %d, %v", name, got, numbers)
		}
	}
}

// The truth calls a curve that is cut bad.
func TestJudgeCurve(t *testing.T) {
	s := &shapes[3]
	d := s.draw(300, blas.NewStream(5))
	whole := mat.NewDense(300, 2, nil)
	whole.Copy(d.truth)
	cut := mat.DenseCopyOf(whole)
	for i := range 300 {
		if cut.At(i, 0) > 0 {
			cut.Set(i, 1, cut.At(i, 1)+3)
		}
	}
	if got, numbers := judge(s, d, whole); got != good {
		t.Errorf("a circle: %d, %v", got, numbers)
	}
	if got, numbers := judge(s, d, cut); got != bad || !(numbers["tears"] > 0) {
		t.Errorf("a cut circle: %d, %v", got, numbers)
	}
}

// Each misuse is doubted, with the sentence that the documentation shows.
func TestMisuses(t *testing.T) {
	for _, u := range misuses {
		one := u.trial()
		_, r, err := one.embed(t.Context(), engine.Options{Threads: 2})
		must.Do(t, err)
		if r.Quality.Verdict != engine.Doubtful || !strings.Contains(r.Quality.Sentence, u.says) {
			t.Errorf("%s: %s: %q; want %q", u.name, r.Quality.Verdict, r.Quality.Sentence, u.says)
		} else {
			t.Logf("%s: %s", u.name, r.Quality.Sentence)
		}
	}
}

// A map of clusters by each method, with its defaults, is not doubted.
func TestGoodMaps(t *testing.T) {
	for _, method := range []string{"umap", "tsne", "pacmap"} {
		for _, at := range []int{0, 1, 2} {
			one := trial{shape: &shapes[at], method: method, n: 500, seed: 2}
			_, r, err := one.embed(t.Context(), engine.Options{Threads: 2})
			must.Do(t, err)
			if r.Quality.Verdict != engine.Sound || r.Quality.Map == nil || math.IsNaN(r.Quality.Map.Torn) {
				t.Errorf("%s of %s: %s: %q", method, one.shape.name, r.Quality.Verdict, r.Quality.Sentence)
			}
		}
	}
}
