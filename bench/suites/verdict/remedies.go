package verdict

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// remedyMethods are the methods whose doubts have causes, and remedyDims their numbers of
// coordinates.
var (
	remedyMethods = []string{"isomap", "lle", "mlle", "neml", "ltsa", "ltsa-curvature", "hlle"}
	remedyDims    = []int{2, 6}
)

// everyRemedy is the step of the trials whose remedies are taken, and maxRemedied their most
// samples: of more none is tried.
const everyRemedy, maxRemedied = 5, 2000

func remedyName(of string) string { return "remedies/" + of }

// remedyCases embed real sets and surfaces, and embed again with every remedy that is offered.
func remedyCases() []bench.Case {
	var list []bench.Case
	for i, t := range trials() {
		if i%everyRemedy > 0 || t.n > maxRemedied {
			continue
		}
		list = append(list, bench.Case{
			Name: remedyName(t.name()), Data: t.surface.name, N: t.n, Method: t.method, Params: map[string]any{"samples": t.n, "seed": t.seed}, Repeats: 1, Full: i > 0,
			Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				x, truth, err := t.samples()
				if err != nil {
					return nil, err
				}
				out := &bench.Outcome{DataHash: bench.HashMatrix(x)}
				return out, remedied(ctx, c, x, truth, t.set, out)
			},
		})
	}
	for _, set := range realSets {
		source := bench.FromFile(set.name + ".X.npy")
		source.PerClass = set.perClass
		for _, method := range remedyMethods {
			for _, dim := range remedyDims {
				settings := map[string]string{"neighbors": fmt.Sprint(realNeighbors), "dim": fmt.Sprint(dim)}
				list = append(list, bench.Case{
					Name: remedyName(fmt.Sprintf("%s/%s/dim=%d", set.name, method, dim)), Data: source.Name(), Method: method,
					Params: map[string]any{"neighbors": realNeighbors, "dim": dim, "components": "bridge"}, Repeats: 1, Full: true, Needs: source.Needs(),
					Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
						d, err := source.Load(e)
						if err != nil {
							return nil, err
						}
						out := &bench.Outcome{DataHash: d.Hash}
						return out, remedied(ctx, c, d.X, nil, settings, out)
					},
				})
			}
		}
	}
	return list
}

// remedied embeds with settings, and again with each remedy that is offered, and counts those that
// were tried and then give what the trial promised, or less. The note has a line of each.
func remedied(ctx context.Context, c *bench.Case, x, truth *mat.Dense, settings map[string]string, out *bench.Outcome) error {
	out.Quality = map[string]float64{}
	out.Samples, out.Features = x.Dims()
	before, err := embedWith(ctx, c, x, settings)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out.Note = "refused: " + err.Error()
		return nil
	}
	out.Seconds, out.CPUSeconds, out.Backend = before.Seconds, before.CPUSeconds, before.Backend
	var offered, untried, worse, nearer float64
	for _, r := range before.Quality.Remedies {
		if !r.Tried {
			untried++
		}
		if !r.Offered || !r.Tried {
			continue
		}
		offered++
		changed := map[string]string{}
		for key, v := range settings {
			changed[key] = v
		}
		key, value, _ := strings.Cut(r.Setting, "=")
		changed[key] = value
		after, err := embedWith(ctx, c, x, changed)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			worse++
			out.Note += fmt.Sprintf("%s: refused: %v\n", r.Setting, err)
			continue
		}
		a, b := before.Quality, after.Quality
		if b.Verdict != engine.Sound && !(b.Even < a.Even) {
			worse++
		}
		out.Note += fmt.Sprintf("%s: %s → %s; uneven %.2g → %.2g; neighbours kept %.2g → %.2g", r.Setting, a.Verdict, b.Verdict, a.Even, b.Even, a.NeighborsKept, b.NeighborsKept)
		if truth != nil {
			_, was, err := measures.Deviation(truth, before.Y)
			if err != nil {
				return err
			}
			_, is, err := measures.Deviation(truth, after.Y)
			if err != nil {
				return err
			}
			if is < was {
				nearer++
			}
			out.Note += fmt.Sprintf("; dev %.2g → %.2g", was, is)
			out.Quality["dev-before"], out.Quality["dev-after"] = was, is
		}
		out.Note += "\n"
	}
	out.Note = cmp.Or(strings.TrimSpace(out.Note), "no remedy is offered: "+before.Quality.Sentence)
	out.Quality["judged"] = judged(before.Quality.Verdict)
	out.Quality["offered"], out.Quality["untried"], out.Quality["worse"], out.Quality["nearer"] = offered, untried, worse, nearer
	return nil
}

// embedWith embeds with parameters as text.
func embedWith(ctx context.Context, c *bench.Case, x *mat.Dense, settings map[string]string) (*engine.Result, error) {
	m, err := engine.New(c.Method)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend}
	if _, bridged := c.Params["components"]; bridged {
		o.Components = "bridge"
	}
	for key, text := range settings {
		if key == "denoise" {
			o.Denoise = text
		} else if err := engine.Set(m, key, text); err != nil {
			return nil, err
		}
	}
	return engine.Embed(ctx, x, m, o)
}

// remedyTotals are the remedies of cases, counted.
type remedyTotals struct {
	doubtful, offered, worse, nearer, withTruth int
	cases                                       []string
}

func countRemedies(r *bench.Records, of func(c *bench.Case) bool) remedyTotals {
	var t remedyTotals
	for _, c := range remedyCases() {
		offered, run := r.Quality(c.Name, "offered")
		if !run || !of(&c) {
			continue
		}
		t.cases = append(t.cases, c.Name)
		get := func(key string) int { v, _ := r.Quality(c.Name, key); return int(v) }
		if v, _ := r.Quality(c.Name, "judged"); v == judged(engine.Doubtful) {
			t.doubtful++
		}
		t.offered, t.worse, t.nearer = t.offered+int(offered), t.worse+get("worse"), t.nearer+get("nearer")
		if _, known := r.Quality(c.Name, "dev-after"); known {
			t.withTruth += int(offered)
		}
	}
	return t
}

// ofSurface reports whether a case of remedies has a truth.
func ofSurface(c *bench.Case) bool { return len(c.Needs) == 0 }

// remedySections are the counts and every remedy that was offered.
func remedySections(r *bench.Records) []bench.Section {
	counts := &bench.Table{Columns: []string{"data", "embeddings", "doubtful", "remedies offered", "no better when taken", "nearer to the truth", "of"}}
	list := &bench.Table{Columns: []string{"run", "remedy: before → after", "dev after / before"}}
	for _, name := range []string{"surfaces", "real sets"} {
		t := countRemedies(r, func(c *bench.Case) bool { return ofSurface(c) == (name == "surfaces") })
		if len(t.cases) == 0 {
			continue
		}
		row := []bench.Cell{{Text: name}}
		for _, v := range []int{len(t.cases), t.doubtful, t.offered, t.worse, t.nearer, t.withTruth} {
			row = append(row, bench.Cell{Text: fmt.Sprint(v), Case: t.cases[0]})
		}
		counts.Rows = append(counts.Rows, row)
	}
	for _, c := range remedyCases() {
		if offered, _ := r.Quality(c.Name, "offered"); offered == 0 {
			continue
		}
		was, _ := r.Quality(c.Name, "dev-before")
		is, known := r.Quality(c.Name, "dev-after")
		ratio := bench.Cell{Text: "–"}
		if known && was > 0 && !math.IsInf(is/was, 0) {
			ratio = bench.Cell{Text: fmt.Sprintf("%.2g", is/was), Case: c.Name}
		}
		list.Rows = append(list.Rows, []bench.Cell{{Text: c.Name, Case: c.Name}, {Text: r.Get(c.Name).Note}, ratio})
	}
	return []bench.Section{{Title: "Remedies that are offered, and what they bring", Table: counts}, {Title: "Every remedy", Table: list}}
}
