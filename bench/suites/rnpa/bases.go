package rnpa

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// The components of the factorisations as pictures: what a corruption leaves in them is
// seen at once.

// faceHeight is the height of the images of all sets, in pixels.
const faceHeight = 32

// basesCoders are the factorisations that are shown.
var basesCoders = []coder{nmfCoder, l21Coder, cimShort, gnmfCoder, printedRNA, betterRNA, discriminativeRNA}

// bases is one picture: the components of a method on ORL under a corruption.
type bases struct {
	noise noise
	coder coder
}

func (b bases) name() string { return "orl/bases/" + b.noise.key + "/" + b.coder.key }

func (b bases) asCase() bench.Case {
	return bench.Case{
		Name: b.name(), Data: orlSet.file, Method: b.coder.named(), Repeats: 1, Threads: bench.LongCaseThreads, Needs: orlSet.needs(b.coder.method), Full: true,
		Params: b.coder.params(orlSet.classes, map[string]any{"noise": b.noise.key, "corrupted": "a fifth of the images", "seed": 1}),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			im, err := orlSet.draw(e, b.noise, 1)
			if err != nil {
				return nil, err
			}
			found, err := b.coder.fit(ctx, im.x, orlSet.classes, engine.Options{Threads: c.Threads, Backend: c.Backend, Seed: 1, Labels: im.labels})
			if err != nil {
				return nil, err
			}
			out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{
				"components": {Images: found.parts}, "images": {Images: corruptedOf(im, orlSet.classes)},
			}}
			seen(out, im.x, found, true)
			return out, nil
		},
	}
}

// corruptedOf are the first corrupted images, no more than most.
func corruptedOf(im *images, most int) *mat.Dense {
	_, pixels := im.x.Dims()
	count := min(most, len(im.corrupted))
	x := mat.NewDense(count, pixels, nil)
	for i, row := range im.corrupted[:count] {
		x.SetRow(i, im.x.RawRowView(row))
	}
	return x
}

func basesCases() []bench.Case {
	var cases []bench.Case
	for _, q := range imageNoises[1:] {
		for _, c := range basesCoders {
			cases = append(cases, bases{q, c}.asCase())
		}
	}
	return cases
}

func basesSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, q := range imageNoises[1:] {
		s := bench.Section{
			Title: "Components: ORL, " + q.title,
			Text:  fmt.Sprintf("The %d components of one run (seed 1) as images, each from black at 0 to white at its greatest pixel; before them some of the corrupted images.", orlSet.classes),
		}
		show := func(name, picture, caption string) {
			if one := r.Get(name); one != nil && one.Pictures[picture] != "" {
				s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: picture, Height: faceHeight, Caption: caption})
			}
		}
		show(bases{q, basesCoders[0]}.name(), "images", "corrupted images")
		for _, c := range basesCoders {
			show(bases{q, c}.name(), "components", c.title)
		}
		if len(s.Pictures) > 0 {
			sections = append(sections, s)
		}
	}
	return sections
}
