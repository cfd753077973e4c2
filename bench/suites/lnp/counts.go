package lnp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The paper's complexity, O(k(K − k)/2) a sample for k selected of K, by counts: how many
// candidates the algorithm looks at, which in each round it does from the nearest on until
// one qualifies, and in the last round through all that are left.

// countedSet is a set on which candidates are counted at several K.
type countedSet struct {
	key   string
	data  string
	load  func(e *bench.Env) (*datasets.Set, error)
	n     int
	needs []string
}

var (
	countedSets = []countedSet{
		{key: "trefoil", data: "trefoil", load: bench.GeneratedSet("trefoil", 110, 1, nil), n: 110},
		{key: "two-trefoils", data: "two-trefoils", load: bench.GeneratedSet("two-trefoils", 400, 1, nil), n: 400},
		{key: "duck", data: "coil20-duck", load: bench.SelectedSet("coil20-duck"), n: 72, needs: bench.SelectionNeeds("coil20-duck")},
		{key: "sheet", data: "swiss-roll-hole", load: bench.GeneratedSet("swiss-roll-hole", 1000, 1, nil), n: 1000},
		{key: "normal", data: "gaussians", load: bench.GeneratedSet("gaussians", 1000, 1, map[string]string{"clusters": "1"}), n: 1000},
	}
	countedSizes = []int{8, 16, 32, 64, 128, 256}
)

func (q countedSet) name() string { return "counts/" + q.key }

// sizes are the K: those below n, from 8 on, for K(K − k) says nothing where K is near k.
func (q countedSet) sizes() (list []int) {
	for _, k := range countedSizes {
		if k < q.n {
			list = append(list, k)
		}
	}
	return list
}

func countCases() []bench.Case {
	var cases []bench.Case
	for _, q := range countedSets {
		cases = append(cases, bench.Case{
			Name: q.name(), Data: q.data, N: q.n, Method: "lnp", Params: byPrinted.recorded(q.sizes(), nil), Repeats: 1, Needs: append(q.needs, "method:lnp"),
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				s, err := q.load(e)
				if err != nil {
					return nil, err
				}
				n, m := s.X.Dims()
				out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Series: map[string][]float64{}}
				o := engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend, Components: "joint"}
				for _, k := range q.sizes() {
					if err := addCount(ctx, out, s, k, o); err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
				}
				return out, nil
			},
		})
	}
	return cases
}

// addCount adds, a sample in the mean: the candidates examined, the neighbours selected,
// k(K − k)/2 for these, and kK, the coefficients that our program brings up to date.
func addCount(ctx context.Context, out *bench.Outcome, s *datasets.Set, k int, o engine.Options) error {
	m, err := byPrinted.with(k, nil)
	if err != nil {
		return err
	}
	g, err := engine.Represent(ctx, s.X, m, o)
	if err != nil {
		return err
	}
	r, err := engine.Embed(ctx, s.X, m, o)
	if err != nil {
		return err
	}
	n, selected, bound := float64(g.Len()), 0.0, 0.0
	for i := range g.Len() {
		its := float64(len(g.Of(i)))
		selected, bound = selected+its, bound+its*(float64(k)-its)/2
	}
	for key, v := range map[string]float64{
		"K": float64(k), "examined": float64(r.Details["examined"].(int)) / n, "selected": selected / n, "bound": bound / n, "updated": selected * float64(k) / n,
	} {
		out.Series[key] = append(out.Series[key], v)
	}
	return nil
}

// perBound is how many candidates are examined for each of k(K − k)/2, by K.
func (q countedSet) perBound(r *bench.Records) (sizes, ratios []float64) {
	sizes, examined := byK(r, q.name(), "examined")
	_, bound := byK(r, q.name(), "bound")
	for i := range examined {
		ratios = append(ratios, examined[i]/bound[i])
	}
	return sizes, ratios
}

const (
	// noGrowth is the exponent of K up to which a ratio counts as constant.
	noGrowth = 0.1
	// withinFactor is by how many times a count may exceed the printed one.
	withinFactor = 2
)

var countClaims = []bench.Claim{
	{
		Name: "complexity", Source: papers.LNP + ", Algorithm 1",
		Statement: "The pursuit takes O(k(K − k)/2) steps a sample: over K = 8…256 the candidates examined, divided by k(K − k)/2, do not grow with K, the exponent fitted being at most 0.1.",
		Paper:     "O(k(K − k)/2)",
		Check: func(r *bench.Records) bench.Finding {
			return overSets(r, countedSet.name, func(q countedSet) (string, bool) {
				sizes, ratios := q.perBound(r)
				exponent := growth(sizes, ratios)
				return fmt.Sprintf("%s: exponent %.2f", q.key, exponent), exponent <= noGrowth
			})
		},
	},
	{
		Name: "complexity-constant", Source: papers.LNP + ", Algorithm 1",
		Statement: fmt.Sprintf("The candidates examined are at most %d times k(K − k)/2 at every K = 8…256.", withinFactor),
		Paper:     "k(K − k)/2",
		Check: func(r *bench.Records) bench.Finding {
			return overSets(r, countedSet.name, func(q countedSet) (string, bool) {
				_, ratios := q.perBound(r)
				low, high := math.Inf(1), 0.0
				for _, v := range ratios {
					low, high = min(low, v), max(high, v)
				}
				return fmt.Sprintf("%s: %.2f to %.2f times", q.key, low, high), high <= withinFactor
			})
		},
	},
}

// growth fits the exponent of values over sizes.
func growth(sizes, values []float64) float64 {
	x, y := make([]float64, len(sizes)), make([]float64, len(sizes))
	for i := range sizes {
		x[i], y[i] = math.Log(sizes[i]), math.Log(values[i])
	}
	_, exponent := stat.LinearRegression(x, y, nil, false)
	return exponent
}

// overSets judges what holds on each set. The views of the duck are left out where they
// are not available.
func overSets(r *bench.Records, name func(q countedSet) string, holds func(q countedSet) (said string, ok bool)) bench.Finding {
	var names, said, broken []string
	for _, q := range countedSets {
		if len(q.needs) == 0 || r.Get(name(q)) != nil {
			names = append(names, name(q))
		}
	}
	f, ready := r.Unready(names...)
	if !ready {
		return f
	}
	for _, q := range countedSets {
		if r.Get(name(q)) == nil {
			continue
		}
		text, ok := holds(q)
		said = append(said, text)
		if !ok {
			broken = append(broken, q.key)
		}
	}
	f.Ours, f.Verdict = strings.Join(said, "; "), verdictOn(len(broken), len(said))
	if len(broken) > 0 {
		f.Why = "it does not hold on " + strings.Join(broken, ", ")
	}
	return f
}

func countSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Steps of the pursuit, counted",
		Text:  "A sample in the mean, by the algorithm as printed: k, the neighbours selected; the candidates examined, from the nearest on until one qualifies, round after round; next to them k(K − k)/2, the paper's complexity; and kK, the coefficients that our program brings up to date, which it does for all candidates at once.",
		Table: &bench.Table{Columns: []string{"set", "K", "k", "examined", "k(K − k)/2", "kK"}},
		Plot:  &bench.Plot{XLabel: "K", YLabel: "examined, for each of k(K − k)/2"},
	}
	for _, q := range countedSets {
		sizes, ratios := q.perBound(r)
		for i, k := range sizes {
			row := []bench.Cell{bench.PlainCell(q.key), bench.PlainCell(fmt.Sprint(k))}
			for _, column := range []struct{ key, format string }{{"selected", "%.2f"}, {"examined", "%.1f"}, {"bound", "%.1f"}, {"updated", "%.1f"}} {
				_, values := byK(r, q.name(), column.key)
				row = append(row, bench.Cell{Text: fmt.Sprintf(column.format, values[i]), Case: q.name()})
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
		if len(sizes) > 0 {
			s.Plot.Curves = append(s.Plot.Curves, bench.Curve{Name: q.key, X: sizes, Y: ratios, Cases: []string{q.name()}})
		}
	}
	return []bench.Section{s}
}
