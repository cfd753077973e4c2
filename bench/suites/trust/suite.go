// Package trust is the suite that scores the verdict on maps: whether it distinguishes maps that mislead from faithful ones,
// on data whose groups, curves and surfaces are known, and on noise.
package trust

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// Suite scores the verdict on maps.
var Suite = bench.Suite{
	Name:  "trust",
	Title: "The verdict on maps, against the truth",
	About: `Maps by umap, tsne and pacmap of clusters, curves, trees, surfaces and noise, 24 of each, with right and wrong parameters drawn at random.
A map of clusters is bad if less than 0.8 of a cluster is in one piece, or fewer than 0.9 of the 5 nearest samples have its label. A map of a
curve, a tree or a surface is bad if more than 5 % of the 5 true nearest are not among the nearest tenth, or vice versa, if a curve is torn, or if a
surface is in pieces. A map of noise in 6 or more dimensions is bad, because it shows nothing. Good maps are well within these bounds; the others count as
neither. The thresholds of the verdict were chosen on nine shapes; the others are what it is scored on.

Ten well-known misuses have their sentences.`,
	Cases:    cases,
	Claims:   claims(),
	Sections: sections,
}

// Of each shape, --quick runs the first quickTrials trials that have at most quickSamples samples.
const quickTrials, quickSamples = 4, 500

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for i, t := range trials() {
		list = append(list, bench.Case{
			Name: t.name(), Data: t.shape.name, N: t.n, Method: t.method, Params: t.params(), Repeats: 1, Full: i%perShape >= quickTrials || t.n > quickSamples,
			Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) { return t.run(ctx, c) },
		})
	}
	for _, u := range misuses {
		t := u.trial()
		list = append(list, bench.Case{
			Name: u.caseName(), Data: u.of, N: t.n, Method: t.method, Params: t.params(), Repeats: 1,
			Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) { return t.run(ctx, c) },
		})
	}
	return list
}

func (t *trial) params() map[string]any {
	params := map[string]any{"samples": t.n, "seed": t.seed}
	for _, s := range t.set {
		params[s[0]] = s[1]
	}
	return params
}

// judged is a verdict as a number: 0 for doubtful, 1 for sound, 2 for not judged.
func judged(v engine.Judgement) float64 {
	return float64(slices.Index([]engine.Judgement{engine.Doubtful, engine.Sound, engine.NotJudged}, v))
}

// embed makes the map.
func (t *trial) embed(ctx context.Context, o engine.Options) (drawn, *engine.Result, error) {
	d := t.shape.draw(t.n, blas.NewStream(t.seed))
	m, err := engine.New(t.method)
	if err != nil {
		return d, nil, err
	}
	for _, s := range t.set {
		if err := engine.Set(m, s[0], s[1]); err != nil {
			return d, nil, err
		}
	}
	o.Seed = t.seed + 1
	r, err := engine.Embed(ctx, d.x, m, o)
	return d, r, err
}

// run makes a map and judges it by the truth.
func (t *trial) run(ctx context.Context, c *bench.Case) (*bench.Outcome, error) {
	d, r, err := t.embed(ctx, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend})
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Quality: map[string]float64{}, DataHash: bench.HashMatrix(d.x), Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Backend: r.Backend, Note: r.Quality.Sentence}
	out.Samples, out.Features = d.x.Dims()
	truth, numbers := judge(t.shape, d, r.Y)
	q := out.Quality
	for key, v := range numbers {
		q[key] = v
	}
	q["truth"], q["judged"] = float64(truth), judged(r.Quality.Verdict)
	if of := r.Quality.Map; of != nil {
		for key, v := range map[string]float64{"torn": of.Torn, "invented": of.Invented, "noise": of.Noise, "mixed": of.Mixed, "severed": of.Severed, "merged": of.Merged, "tear-pairs": float64(of.Tears),
			"groups": float64(of.Groups), "shown": float64(of.Shown), "density": of.DensityKept, "distances": of.DistancesKept, "falling": of.Falling, "dimension": r.Quality.DimensionShown} {
			if v-v == 0 {
				q[key] = v
			}
		}
	}
	return out, nil
}

// confusion counts maps by truth and verdict.
type confusion struct {
	bad, missed, good, accused, neither, doubted int
	cases                                        []string
}

// count reads the records of some shapes.
func count(r *bench.Records, of func(*shape) bool) confusion {
	var c confusion
	for _, t := range trials() {
		truth, run := r.Quality(t.name(), "truth")
		if !run || !of(t.shape) {
			continue
		}
		c.cases = append(c.cases, t.name())
		against := 0
		if v, _ := r.Quality(t.name(), "judged"); v == judged(engine.Doubtful) {
			against = 1
		}
		switch verdict(truth) {
		case bad:
			c.bad, c.missed = c.bad+1, c.missed+1-against
		case good:
			c.good, c.accused = c.good+1, c.accused+against
		default:
			c.neither, c.doubted = c.neither+1, c.doubted+against
		}
	}
	return c
}

func unseen(s *shape) bool { return !s.seen }

// least is the number of bad and of good maps that the unseen half holds, and most the share of wrong verdicts on either.
const least, most = 60, 0.05

func claims() []bench.Claim {
	share := func(part func(c confusion) (wrong, all int)) func(r *bench.Records) bench.Finding {
		return func(r *bench.Records) bench.Finding {
			c := count(r, unseen)
			wrong, all := part(c)
			if len(c.cases) == 0 {
				return r.FindingWithout(firstUnseen())
			}
			ours := fmt.Sprintf("%d of %d", wrong, all)
			if all < least {
				return bench.Finding{Verdict: bench.CannotCheck, Ours: ours, Why: fmt.Sprintf("the target is for %d maps or more, and %d were made", least, all), Cases: c.cases}
			}
			return bench.TargetFinding(float64(wrong) <= most*float64(all), ours, c.cases)
		}
	}
	return []bench.Claim{
		{Name: "missed", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 60 bad maps of shapes on which no threshold was chosen, the verdict misses at most 5 %.",
			Check: share(func(c confusion) (int, int) { return c.missed, c.bad })},
		{Name: "accused", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 60 good ones, it accuses at most 5 %.",
			Check: share(func(c confusion) (int, int) { return c.accused, c.good })},
		{Name: "misuses", Source: "orthant", Paper: "all", Statement: "Ten well-known misuses of maps are all doubted.",
			Check: func(r *bench.Records) bench.Finding {
				told := 0
				var names []string
				for _, u := range misuses {
					if v, run := r.Quality(u.caseName(), "judged"); run {
						names = append(names, u.caseName())
						if v == judged(engine.Doubtful) {
							told++
						}
					}
				}
				if len(names) == 0 {
					return r.FindingWithout(misuses[0].caseName())
				}
				return bench.TargetFinding(told == len(names), fmt.Sprintf("%d of %d", told, len(names)), names)
			}},
	}
}

// firstUnseen is the name of the first trial that is scored.
func firstUnseen() string {
	for _, t := range trials() {
		if unseen(t.shape) {
			return t.name()
		}
	}
	return ""
}

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"shapes", "bad", "missed", "good", "accused", "neither", "doubted"}}
	row := func(name string, of func(*shape) bool) {
		c := count(r, of)
		if len(c.cases) == 0 {
			return
		}
		cells := []bench.Cell{{Text: name}}
		for _, v := range []int{c.bad, c.missed, c.good, c.accused, c.neither, c.doubted} {
			cells = append(cells, bench.Cell{Text: fmt.Sprint(v), Case: c.cases[0]})
		}
		t.Rows = append(t.Rows, cells)
	}
	row("thresholds chosen on these", func(s *shape) bool { return s.seen })
	row("others", unseen)
	for i := range shapes {
		row(shapes[i].name, func(s *shape) bool { return s.name == shapes[i].name })
	}
	wrong := &bench.Table{Columns: []string{"map", "truth", "verdict"}}
	for _, one := range trials() {
		truth, run := r.Quality(one.name(), "truth")
		v, _ := r.Quality(one.name(), "judged")
		doubted := v == judged(engine.Doubtful)
		if run && unseen(one.shape) && (verdict(truth) == bad && !doubted || verdict(truth) == good && doubted) {
			wrong.Rows = append(wrong.Rows, []bench.Cell{{Text: one.name(), Case: one.name()}, {Text: map[verdict]string{good: "good", bad: "bad"}[verdict(truth)]}, {Text: r.Get(one.name()).Note}})
		}
	}
	told := &bench.Table{Columns: []string{"misuse", "sentence"}}
	for _, u := range misuses {
		if _, run := r.Quality(u.caseName(), "judged"); run {
			told.Rows = append(told.Rows, []bench.Cell{{Text: u.name, Case: u.caseName()}, {Text: r.Get(u.caseName()).Note}})
		}
	}
	return []bench.Section{{Title: "Bad and good maps, and what the verdict said", Table: t}, {Title: "Wrong verdicts on shapes on which no threshold was chosen", Table: wrong}, {Title: "Ten misuses", Table: told}}
}

// misuse is a well-known way to be misled by a map.
type misuse struct {
	name   string
	of     string // the shape
	n      int
	method string
	set    [][2]string
	seed   uint64
	says   string // a part of the sentence
}

func (u *misuse) caseName() string { return "misuse/" + u.name }

func (u *misuse) trial() trial {
	at := slices.IndexFunc(shapes, func(s shape) bool { return s.name == u.of })
	return trial{shape: &shapes[at], method: u.method, set: u.set, n: u.n, seed: u.seed}
}

var misuses = []misuse{
	{"t-SNE of Gaussian noise", "gaussian", 500, "tsne", nil, 1, "no structure"},
	{"UMAP of uniform data", "uniform", 500, "umap", nil, 1, "no structure"},
	{"PaCMAP of Gaussian noise", "gaussian", 800, "pacmap", nil, 1, "no structure"},
	{"t-SNE of a sheet with too small a perplexity", "uniform-plane", 800, "tsne", [][2]string{{"perplexity", "1.5"}}, 1, "looks at 4 neighbours alone"},
	{"UMAP of a plane with two neighbours", "gaussian-plane", 800, "umap", [][2]string{{"neighbors", "2"}}, 1, "looks at 2 neighbours alone"},
	{"PaCMAP of clusters of different size with one neighbour", "clusters-sizes", 800, "pacmap", [][2]string{{"neighbors", "1"}}, 1, "looks at 1 neighbour alone"},
	{"t-SNE of clusters, stopped after 10 iterations", "clusters", 500, "tsne", [][2]string{{"iterations", "10"}, {"early_iterations", "5"}, {"init", "random"}}, 1, "has not settled"},
	{"UMAP of a roll, stopped after one epoch", "roll", 800, "umap", [][2]string{{"epochs", "1"}, {"init", "random"}}, 1, "has not settled"},
	{"UMAP of a circle", "circle", 500, "umap", [][2]string{{"init", "pca"}}, 6203, "tears"},
	{"UMAP of a torus", "torus", 800, "umap", [][2]string{{"init", "pca"}}, 7406, "gaps that the data do not have"},
}
