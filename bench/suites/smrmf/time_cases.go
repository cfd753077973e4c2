package smrmf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// Running times at the shapes of the paper's thirteen sets (Table 6): those of the
// clusterings themselves, but for the largest sets and ISOLET, of which other samples are
// clustered. These have clusters of points of the paper's shape in their place.

const (
	// shapeBudget is how long a case of a shape may take.
	shapeBudget = 4 * time.Minute
	// defaultPasses are those of an augmented Lagrangian. At the large shapes the number of
	// iterations is divided by fewerSteps; beyond wideSamples memory is asked for.
	defaultPasses, fewerSteps, wideSamples = 150, 10, 2000
)

func shapeName(s dataSet, m method) string { return "shape-" + s.key + "/" + m.title }

// timeName is the case that has the time of a method at the shape of a set.
func timeName(s dataSet, m method) string {
	if s.standsIn {
		return shapeName(s, m)
	}
	return caseName(s, m)
}

// standIn has the set's shape.
func (s dataSet) standIn() bench.Source {
	return bench.Generated("gaussians", s.n, "dims", strconv.Itoa(s.m), "clusters", strconv.Itoa(s.classes), "sd", "4")
}

func shapeCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range dataSets {
		for _, m := range methods {
			if s.standsIn && m.ranOn(s) {
				cases = append(cases, selection{s.shaped(), m}.shapeCase())
			}
		}
	}
	return cases
}

func (q selection) shapeCase() bench.Case {
	steps := 0
	if q.set.n > restarted {
		steps = q.method.steps / fewerSteps
	}
	c := bench.Case{
		Name: shapeName(q.set, q.method), Data: q.set.standIn().Name(), N: q.set.n, M: q.set.m, Method: q.method.method, Repeats: 1, Threads: bench.LongCaseThreads,
		Full: q.set.n > restarted, Needs: []string{"method:" + q.method.method}, Params: map[string]any{"clusters": q.set.classes, q.method.chosen(): q.method.lambdas(&bench.Env{Quick: true}, q.set)[0], "features": "[0, 1]"},
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return q.time(ctx, e, c, steps)
		},
	}
	if steps > 0 {
		c.Params["iterations"] = steps
	}
	maps.Copy(c.Params, map[string]any{"set": fmt.Sprint(q.settings(""))})
	if q.set.n > wideSamples {
		c.Needs = append(c.Needs, "memory:4GiB")
	}
	return c
}

// time clusters the stand-in. Of fewer iterations than the default the time of the phase
// "solve" is scaled to those.
func (q selection) time(ctx context.Context, e *bench.Env, c *bench.Case, steps int) (*bench.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, shapeBudget)
	defer cancel()
	d, err := q.set.standIn().Load(e)
	if err != nil {
		return nil, err
	}
	m, _, err := q.made(q.method.lambdas(&bench.Env{Quick: true}, q.set)[0])
	if err != nil {
		return nil, err
	}
	if steps > 0 {
		if err := engine.Set(m, "iterations", strconv.Itoa(steps)); err != nil {
			return nil, err
		}
	}
	if c.Fresh {
		shortStart(m)
		bench.Forget()
	}
	x, hash := scaledFeatures(d.X, false), d.Hash // and not d from here on: its samples are let go
	r, err := engine.Cluster(ctx, x, m, engine.ClusterOptions{Options: engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Seed: 1, Memory: e.Memory}, Clusters: q.set.classes})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("it did not come to an end within %v", shapeBudget)
	}
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Samples: r.Samples, Features: r.Features, DataHash: hash, Backend: r.Backend, Quality: map[string]float64{}}
	if c.Fresh {
		out.PeakBytes = memory.Peak()
		return out, nil
	}
	taken, ok := r.Details["factor_iterations"].(int)
	if !ok {
		taken = r.Iterations
	}
	if q.method.steps > 0 {
		out.Quality["passes"] = float64(taken)
	}
	if steps > 0 && taken == steps {
		out.Quality["passes"] = float64(q.method.steps)
		for _, seconds := range []engine.Seconds{out.Seconds, out.CPUSeconds} {
			more := seconds["solve"] * (float64(q.method.steps)/float64(steps) - 1)
			seconds["solve"] += more
			seconds["total"] += more
		}
		out.Note = fmt.Sprintf("The phase solve is that of %d iterations, scaled to %d.", steps, q.method.steps)
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

// memoryCases are of the largest shape, two passes in a process of their own.
func memoryCases() []bench.Case {
	news := dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == "20-news" })]
	var cases []bench.Case
	for _, title := range []string{"f-SMRMF", "SMRMF"} {
		q := selection{news, methodTitled(title)}
		c := q.shapeCase()
		c.Name, c.Fresh, c.Full = memoryName(title), true, true
		c.Params["iterations"] = 2
		c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return q.time(ctx, e, c, 2)
		}
		cases = append(cases, c)
	}
	return cases
}

func memoryName(title string) string { return "memory/" + title }
