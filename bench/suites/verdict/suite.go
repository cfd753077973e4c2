// Package verdict is the suite that scores the verdict with each embedding: whether it tells
// wrong embeddings from right ones, on surfaces whose truth is known.
package verdict

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Suite scores the verdict.
var Suite = bench.Suite{
	Name:  "verdict",
	Title: "The verdict with each embedding, against the truth",
	About: `Embeddings of twelve surfaces whose truth is known, 80 of each, by methods, numbers of samples, noise, numbers of neighbours, γ and
dimensions drawn at random. dev is the relative residual of the best affine map from the embedding to coordinates that keep lengths (of the
triple peak, its own), centred. An embedding is wrong where dev is above 0.1, and right where it is below 0.03; those between count as
neither. Sheets of 1 to 20 dimensions, flat and bent, with noise, are in 50 columns, with d + 2 to 60 neighbours. What noise along a sheet makes
of dev is taken off. Labelled real sets in two coordinates have the neighbours kept beside the error of the nearest neighbour. Methods whose coordinates are no affine image of lengths (Laplacian eigenmaps and methods like it) are left out, as dev says nothing of them.

Remedies that are offered for a fifth of the trials (of up to 2000 samples) and for real sets are taken, and the verdict before and after compared.

The thresholds of the verdict were fixed on five surfaces; the other seven are what it is scored on. A run that is refused (a neighbour
graph in several components) has no verdict, and is left out.

dev does not see a coordinate too many: an embedding in three dimensions of a surface that copies its three columns is right by it. The
verdict says of such that dim is too large. The table counts them apart.`,
	Cases:    cases,
	Claims:   claims(),
	Sections: sections,
}

// Of the first quickTrials of each surface those of quickSamples at most are run with --quick; of sheets they are of
// quickSheetSamples at most.
const quickTrials, quickSamples, quickSheetSamples = 6, 1500, 800

func cases(*bench.Env) []bench.Case {
	var list []bench.Case
	for i, t := range trials() {
		params := map[string]any{"samples": t.n, "noise": t.noise, "uneven": t.uneven, "seed": t.seed}
		for key, v := range t.set {
			params[key] = v
		}
		list = append(list, bench.Case{
			Name: t.name(), Data: t.surface.name, N: t.n, Method: t.method, Params: params, Repeats: 1, Full: t.full(i),
			Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) { return t.run(ctx, c) },
		})
	}
	return slices.Concat(list, realCases(), remedyCases())
}

// full reports whether trial i is left out by --quick: all but the first of a surface are, and of a
// sheet all but the first of the first and of every fifth dimension.
func (t *trial) full(i int) bool {
	if t.surface.many() {
		return (i-perSurface*len(surfaces))%perSheet > 0 || t.surface.dim%5 != 1 || t.n > quickSheetSamples
	}
	return i%perSurface >= quickTrials || t.n > quickSamples
}

// judged is a verdict as a number: 0 for doubtful, 1 for sound, 2 for not judged.
func judged(v engine.Judgement) float64 {
	return float64(slices.Index([]engine.Judgement{engine.Doubtful, engine.Sound, engine.NotJudged}, v))
}

// samples draws them, with their truth.
func (t *trial) samples() (x, truth *mat.Dense, err error) {
	if x, truth, err = t.surface.draw(t.n, t.seed, t.uneven); err == nil {
		withNoise(x, t.noise*t.surface.sheets, t.seed)
	}
	return x, truth, err
}

// run embeds and judges.
func (t *trial) run(ctx context.Context, c *bench.Case) (*bench.Outcome, error) {
	x, truth, err := t.samples()
	if err != nil {
		return nil, err
	}
	m, err := engine.New(t.method)
	if err != nil {
		return nil, err
	}
	for key, text := range t.set {
		if err := engine.Set(m, key, text); err != nil {
			return nil, err
		}
	}
	out := &bench.Outcome{Quality: map[string]float64{}, DataHash: bench.HashMatrix(x)}
	out.Samples, out.Features = x.Dims()
	r, err := engine.Embed(ctx, x, m, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.Note = "refused: " + err.Error()
		return out, nil
	}
	out.Seconds, out.CPUSeconds, out.Backend, out.Note = r.Seconds, r.CPUSeconds, r.Backend, r.Quality.Sentence
	q := out.Quality
	if _, q["dev"], err = measures.Deviation(truth, r.Y); err != nil {
		return nil, err
	}
	if t.surface.many() { // noise along the sheet is no error of the embedding
		along := 12 * t.noise * t.noise // the variance of a side of the unit cube is 1/12
		q["dev"] = math.Sqrt(math.Max(0, q["dev"]*q["dev"]-along/(1+along)))
	}
	q["beyond"] = math.Max(0, float64(r.Dim-t.surface.dim))
	q["judged"] = judged(r.Quality.Verdict)
	for key, v := range map[string]float64{"even": r.Quality.Even, "thin": r.Quality.Thin, "gap": r.Quality.Gap, "weights-bias": r.Quality.WeightsBias} {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			q[key] = v
		}
	}
	return out, nil
}
