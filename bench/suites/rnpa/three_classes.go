package rnpa

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// Figs 5 and 6: three classes in three coordinates, to look at.

const threeOf = 3

// threeCoders are the coders of the figures, and LP-RNA at another λ.
var threeCoders = []coder{pcaCoder, lppCoder, nmfCoder, l21Coder, cimLong, gnmfCoder, gsgnmfCoder, printedRNA, betterRNA}

// threePrinted are ACC and NMI that the paper prints for three people of CMU-PIE, by
// coder, under salt and pepper and under occlusion.
var threePrinted = map[string][2]string{
	pcaCoder.key: {".556/.282", ".397/.024"}, lppCoder.key: {".984/.912", ".714/.431"}, nmfCoder.key: {".611/.322", ".556/.305"},
	l21Coder.key: {".579/.310", ".611/.344"}, cimLong.key: {".571/.325", ".532/.198"}, gnmfCoder.key: {".905/.769", ".524/.511"},
	gsgnmfCoder.key: {"1/1", ".587/.326"}, printedRNA.key: {"1/1", ".960/.849"},
}

// threeClasses is one cell: three classes of a set under a noise, by a method.
type threeClasses struct {
	set   imageSet
	noise noise
	coder coder
}

// ofObjects is the case of COIL-20.
func ofObjects(q noise, c coder) threeClasses { return threeClasses{coilSet, q, c} }

func (q threeClasses) name() string {
	return q.set.key + "/three/" + q.noise.key + "/" + q.coder.key
}

// drawnClasses are the classes of a repeat, of this many.
func drawnClasses(seed uint64, count int) []int64 {
	all := make([]int64, count)
	for c := range all {
		all[c] = int64(c)
	}
	random := blas.NewStream(seed)
	for i := range threeOf {
		j := i + random.Below(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:threeOf]
}

func (q threeClasses) asCase(e *bench.Env) bench.Case {
	repeats := sweepRepeats
	if e.Quick {
		repeats = fewRepeats
	}
	return bench.Case{
		Name: q.name(), Data: q.set.file, Method: q.coder.named(), Repeats: 1, Threads: bench.LongCaseThreads, Needs: q.set.needs(q.coder.method), Full: !q.coder.quick,
		Params: q.coder.params(threeOf, map[string]any{
			"noise": q.noise.key, "corrupted": "a fifth of the images", "repeats": repeats, "seeds": seedsOf(repeats),
			"classes": fmt.Sprintf("three of %d by the seed", q.set.classes), "clusters": threeOf, "kmeans_starts": kmeansStarts, "nmi": "max",
		}),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{}}
			for seed := range uint64(repeats) {
				picture := map[uint64]string{0: threePictures[0], uint64(repeats) - 1: threePictures[1]}[seed]
				if err := q.repeat(ctx, e, c, seed+1, picture, out); err != nil {
					return nil, fmt.Errorf("seed %d: %w", seed+1, err)
				}
			}
			summarize(out, "acc", "nmi")
			return out, nil
		},
	}
}

// threePictures are the repeats that are shown.
var threePictures = []string{"first", "last"}

// repeat draws everything by a seed and adds to the series, with a picture where it has a
// name.
func (q threeClasses) repeat(ctx context.Context, e *bench.Env, c *bench.Case, seed uint64, picture string, out *bench.Outcome) error {
	im, err := q.set.drawOf(e, q.noise, drawnClasses(seed, q.set.classes), 1, seed)
	if err != nil {
		return err
	}
	o := engine.Options{Threads: c.Threads, Backend: c.Backend, Seed: seed}
	found, err := q.coder.fit(ctx, im.x, threeOf, o)
	if err != nil {
		return err
	}
	seen(out, im.x, found, seed == 1)
	if picture != "" {
		plane, err := planeOf(ctx, found.y, o)
		if err != nil {
			return err
		}
		out.Pictures[picture] = &bench.Picture{Points: plane, Labels: im.labels}
	}
	return judgeClusters(out, ctx, c, found.y, im.labels, threeOf, seed)
}

// planeOf is the plane of the two principal components of coordinates. Where there are
// fewer, as all samples have one place or lie on a line, the first two are it.
func planeOf(ctx context.Context, y *mat.Dense, o engine.Options) (*mat.Dense, error) {
	r, err := engine.Embed(ctx, y, &engine.PCA{Dim: 2}, o)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		n, _ := y.Dims()
		return mat.DenseCopyOf(y.Slice(0, n, 0, 2)), nil
	}
	return r.Y, nil
}

func threeClassCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range threeCoders {
			cases = append(cases, ofObjects(q, c).asCase(e), ofPeople(q, c).asCase(e))
		}
	}
	return cases
}

// bestOfThree is what the pictures are to show.
func bestOfThree(c coder) bench.Claim {
	return bench.Claim{
		Name: "three-objects-" + c.key, Source: papers.RNPA + ", Figs 5 and 6",
		Statement: fmt.Sprintf("Three classes are clustered best among the coordinates of LP-RNA under both corruptions (%s; objects of COIL-20 in place of people of CMU-PIE).", c.title),
		Paper:     "ACC 1 (GS-GNMF 1, LPP .984) under salt and pepper, .960 (LPP .714) under occlusion, of three people of CMU-PIE",
		Check: func(r *bench.Records) bench.Finding {
			var others []coder // the other λ is the same method
			for _, x := range threeCoders {
				if x.key == c.key || x.method != c.method {
					others = append(others, x)
				}
			}
			return firstUnder(r, "acc", "ACC", c, others, func(q noise, c coder) string { return ofObjects(q, c).name() })
		},
	}
}

var threeClassClaims = []bench.Claim{bestOfThree(printedRNA), bestOfThree(betterRNA)}

// threeClassSections has a table and the pictures for each corruption.
func threeClassSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for at, q := range imageNoises[1:] {
		s := bench.Section{
			Title: fmt.Sprintf("Three classes (Fig. %d): %s", 5+at, q.title),
			Text:  "Three objects of COIL-20 in three coordinates, k-means among them; mean ± standard deviation of the repeats, each of other objects. Next to ours is what the paper prints for three people of CMU-PIE. The pictures show the first and the last repeat, on the plane of the coordinates' two principal components, coloured by object.",
			Table: &bench.Table{Columns: []string{"method", "ACC", "NMI", "paper, other images: ACC/NMI"}},
		}
		for _, c := range threeCoders {
			name, paper := ofObjects(q, c).name(), bench.PlainCell("–")
			if text := threePrinted[c.key]; text[at] != "" {
				paper = bench.PaperCell(text[at])
			}
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(c.title), meanAndDeviation(r, name, "acc"), meanAndDeviation(r, name, "nmi"), paper})
		}
		for _, picture := range threePictures {
			for _, c := range threeCoders {
				name := ofObjects(q, c).name()
				if one := r.Get(name); one != nil && one.Pictures[picture] != "" {
					s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: picture, Caption: c.title + ", " + picture + " repeat"})
				}
			}
		}
		sections = append(sections, s)
	}
	return sections
}
