package verdict

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// realSets are labelled sets, by the names of their files, of the large ones some samples of each
// class. No threshold was fixed by any.
var realSets = []struct {
	name     string
	perClass int // 0: all
}{
	{"ionosphere", 0}, {"sonar", 0}, {"movement", 0}, {"wdbc", 0}, {"musk1", 0}, {"orl32", 0}, {"coil20", 0}, {"isolet1", 0},
	{"mfeat-fac", 0}, {"mfeat-pix", 0}, {"semeion", 0}, {"yaleb32", 0}, {"usps", 150}, {"mnist10k", 200},
}

// realMethods are compared on each.
var realMethods = []string{"pca", "isomap", "lle", "mlle", "neml", "ltsa", "hlle", "le", "diffusion-maps"}

const realNeighbors = 12

func realName(set, method string) string { return "real/" + set + "/" + method }

// realCases embed the sets in two coordinates.
func realCases() []bench.Case {
	var list []bench.Case
	for _, set := range realSets {
		source := bench.FromFile(set.name + ".X.npy")
		source.PerClass = set.perClass
		for _, method := range realMethods {
			list = append(list, bench.Case{
				Name: realName(set.name, method), Data: source.Name(), Method: method, Params: map[string]any{"neighbors": realNeighbors, "components": "bridge"},
				Repeats: 1, Full: !slices.Contains([]string{"ionosphere", "wdbc"}, set.name), Needs: append(source.Needs(), "data:"+source.PartFile("y")),
				Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
					return realRun(ctx, e, c, source)
				},
			})
		}
	}
	return list
}

func realRun(ctx context.Context, e *bench.Env, c *bench.Case, source bench.Source) (*bench.Outcome, error) {
	d, err := source.Load(e)
	if err != nil {
		return nil, err
	}
	m, err := engine.New(c.Method)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend}
	if c.Method != "pca" {
		if err := engine.Set(m, "neighbors", fmt.Sprint(realNeighbors)); err != nil {
			return nil, err
		}
		o.Components = "bridge"
	}
	out := &bench.Outcome{Quality: map[string]float64{}, DataHash: d.Hash}
	out.Samples, out.Features = d.X.Dims()
	r, err := engine.Embed(ctx, d.X, m, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.Note = "refused: " + err.Error()
		return out, nil
	}
	out.Seconds, out.CPUSeconds, out.Backend = r.Seconds, r.CPUSeconds, r.Backend
	q := r.Quality
	out.Note = string(q.Verdict)
	if q.Sentence != "" {
		out.Note += ": " + q.Sentence
	}
	out.Quality["judged"] = judged(q.Verdict)
	out.Quality["nn-error"] = nearestError(r.Y, d.Labels)
	for key, v := range map[string]float64{"kept": q.NeighborsKept, "torn": q.Torn, "invented": q.Invented, "shown": q.DimensionShown} {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out.Quality[key] = v
		}
	}
	return out, nil
}

// nearestError is the share of the samples whose nearest in the embedding has another label.
func nearestError(y *mat.Dense, labels []int64) float64 {
	n, _ := y.Dims()
	wrong := 0
	for i := range n {
		nearest, least := -1, math.Inf(1)
		for j := range n {
			if d := blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)); j != i && d < least {
				nearest, least = j, d
			}
		}
		if nearest < 0 || labels[nearest] != labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(n)
}

// ranking is the correlation of the ranks by the score with those by the error, over the methods
// that embed a set: −1 where the score orders them as the error does.
func ranking(r *bench.Records, set string) (correlation float64, cases []string) {
	var kept, wrong []float64
	for _, method := range realMethods {
		name := realName(set, method)
		k, scored := r.Quality(name, "kept")
		e, known := r.Quality(name, "nn-error")
		if scored && known {
			kept, wrong, cases = append(kept, k), append(wrong, e), append(cases, name)
		}
	}
	return spearman(kept, wrong), cases
}

// spearman is the correlation of ranks; equal values have the mean of theirs.
func spearman(a, b []float64) float64 {
	ra, rb := ranks(a), ranks(b)
	mean := float64(len(a)+1) / 2
	var aa, ab, bb float64
	for i := range ra {
		aa += (ra[i] - mean) * (ra[i] - mean)
		ab += (ra[i] - mean) * (rb[i] - mean)
		bb += (rb[i] - mean) * (rb[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranked := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranked[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranked
}

// meanRanking is the mean over the sets.
func meanRanking(r *bench.Records) (mean float64, sets int, cases []string) {
	for _, set := range realSets {
		if c, names := ranking(r, set.name); len(names) > 2 && !math.IsNaN(c) {
			mean, sets, cases = mean+c, sets+1, append(cases, names...)
		}
	}
	return mean / float64(sets), sets, cases
}

// realSections are the table of sets and methods, and what the verdicts were.
func realSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: append([]string{"set"}, append(slices.Clone(realMethods), "rank correlation")...)}
	said := &bench.Table{Columns: []string{"run", "neighbours kept", "torn", "invented", "1-NN error", "verdict"}}
	for _, set := range realSets {
		correlation, names := ranking(r, set.name)
		if len(names) == 0 {
			continue
		}
		row := []bench.Cell{{Text: set.name, Case: names[0]}}
		for _, method := range realMethods {
			name := realName(set.name, method)
			kept, scored := r.Quality(name, "kept")
			wrong, known := r.Quality(name, "nn-error")
			if !scored || !known {
				row = append(row, bench.Cell{Text: "–"})
				continue
			}
			row = append(row, bench.Cell{Text: fmt.Sprintf("%.2f %.2f", kept, wrong), Case: name})
			said.Rows = append(said.Rows, []bench.Cell{{Text: name, Case: name}, r.QualityCell(name, "kept", "%.2f"), r.QualityCell(name, "torn", "%.2f"),
				r.QualityCell(name, "invented", "%.2f"), r.QualityCell(name, "nn-error", "%.3f"), {Text: r.Get(name).Note}})
		}
		t.Rows = append(t.Rows, append(row, bench.Cell{Text: fmt.Sprintf("%.2f", correlation), Case: names[0]}))
	}
	return []bench.Section{{Title: "Real sets in two coordinates: neighbours kept, and 1-NN error", Table: t}, {Title: "What the verdict says of them", Table: said}}
}
