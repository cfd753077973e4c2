package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// Running times at the shapes of the paper's thirteen sets (Table 6). Those of the sets
// at hand are the times of the clusterings themselves; the others have clusters of
// points of the same shape in their place.

const (
	// smrmfShapeBudget is how long a case of a shape may take.
	smrmfShapeBudget = 4 * time.Minute
	// smrmfPasses are those of the default, smrmfFewPasses those that are run of the large
	// shapes, smrmfWide the number of samples beyond which some methods are left out.
	smrmfPasses, smrmfFewPasses, smrmfWide = 150, 15, 2000
)

// smrmfWideMethods are run on the shape of 20-news too.
var smrmfWideMethods = []string{"NMF", "GNMF", "RMNMF", "ESC-FFS", "DSMF", "SMRMF-NS", "SMRMF", "f-SMRMF"}

func smrmfShapeName(s smrmfSet, m smrmfMethod) string { return "shape-" + s.key + "/" + m.title }

// timeName is the case that has the time of a method at the shape of a set.
func timeName(s smrmfSet, m smrmfMethod) string {
	if s.atHand() {
		return smrmfName(s, m)
	}
	return smrmfShapeName(s, m)
}

// timed tells whether the method is run at the shape of the set.
func (m smrmfMethod) timed(s smrmfSet) bool {
	return m.reaches(s) && (s.n <= smrmfWide || slices.Contains(smrmfWideMethods, m.title))
}

// standIn has the set's shape.
func (s smrmfSet) standIn() Source {
	return Generated("gaussians", s.n, "dims", strconv.Itoa(s.m), "clusters", strconv.Itoa(s.classes), "sd", "4")
}

func smrmfShapeCases(*Env) []Case {
	var cases []Case
	for _, s := range smrmfSets {
		for _, m := range smrmfMethods {
			if !s.atHand() && m.timed(s) {
				cases = append(cases, selection{s, m}.shapeCase())
			}
		}
	}
	return cases
}

func (q selection) shapeCase() Case {
	passes := 0
	if q.method.passes && q.set.n > smrmfGridded {
		passes = smrmfFewPasses
	}
	c := Case{
		Name: smrmfShapeName(q.set, q.method), Data: q.set.standIn().Name(), N: q.set.n, M: q.set.m, Method: q.method.method, Repeats: 1, Threads: classThreads,
		Full: q.set.n > smrmfGridded, Needs: []string{"method:" + q.method.method}, Params: map[string]any{"clusters": q.set.classes, q.method.chosen(): q.method.lambdas(&Env{Quick: true}, q.set)[0], "features": "[0, 1]"},
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) { return q.time(ctx, e, c, passes) },
	}
	if passes > 0 {
		c.Params["iterations"] = passes
	}
	maps.Copy(c.Params, map[string]any{"set": fmt.Sprint(q.settings(""))})
	if q.set.n > smrmfWide {
		c.Needs = append(c.Needs, "memory:4GiB")
	}
	return c
}

// time clusters the stand-in. Of fewer passes than the default the time of the phase
// "solve" is scaled to those.
func (q selection) time(ctx context.Context, e *Env, c *Case, passes int) (*Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, smrmfShapeBudget)
	defer cancel()
	d, err := q.set.standIn().Load(e)
	if err != nil {
		return nil, err
	}
	m, _, err := q.made(q.method.lambdas(&Env{Quick: true}, q.set)[0])
	if err != nil {
		return nil, err
	}
	if passes > 0 {
		if err := engine.Set(m, "iterations", strconv.Itoa(passes)); err != nil {
			return nil, err
		}
	}
	if c.Fresh {
		shortStart(m)
	}
	x := scaledFeatures(d.X, false)
	r, err := engine.Cluster(ctx, x, m, engine.ClusterOptions{Options: engine.Options{Threads: c.threads(), Backend: c.Backend, Seed: 1, Memory: e.Memory}, Clusters: q.set.classes})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("it did not come to an end within %v", smrmfShapeBudget)
	}
	if err != nil {
		return nil, err
	}
	out := &Outcome{Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, DataHash: d.Hash, Backend: r.Backend, Quality: map[string]float64{}}
	if c.Fresh {
		out.PeakBytes = memory.Peak()
		return out, nil
	}
	if taken, ok := r.Details["factor_iterations"].(int); ok {
		out.Quality["passes"] = float64(taken)
		if passes > 0 && taken == passes {
			out.Quality["passes"] = smrmfPasses
			for _, seconds := range []engine.Seconds{out.Seconds, out.CPUSeconds} {
				more := seconds["solve"] * (smrmfPasses/float64(passes) - 1)
				seconds["solve"] += more
				seconds["total"] += more
			}
			out.Note = fmt.Sprintf("The phase solve is that of %d passes, scaled to %d.", passes, smrmfPasses)
		}
	}
	return out, nil
}

// shortStart lowers the iterations of the start, where a method has a parameter for
// them: its memory is the same.
func shortStart(m engine.Method) {
	for _, p := range engine.Parameters(m) {
		if p.Type == "integer" && strings.Contains(p.Key, "start") {
			_ = engine.Set(m, p.Key, "3") // the parameter exists; where 3 is not allowed the default serves
		}
	}
}

// smrmfMemoryCases are of the largest shape, two passes in a process of their own.
func smrmfMemoryCases() []Case {
	news := smrmfSets[slices.IndexFunc(smrmfSets, func(s smrmfSet) bool { return s.key == "20-news" })]
	var cases []Case
	for _, title := range []string{"f-SMRMF", "SMRMF"} {
		q := selection{news, smrmfNamed(title)}
		c := q.shapeCase()
		c.Name, c.Fresh, c.Full = smrmfMemoryName(title), true, true
		c.Params["iterations"] = 2
		c.Run = func(ctx context.Context, e *Env, c *Case) (*Outcome, error) { return q.time(ctx, e, c, 2) }
		cases = append(cases, c)
	}
	return cases
}

func smrmfMemoryName(title string) string { return "memory/" + title }
