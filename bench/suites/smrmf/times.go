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
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// Running times at the shapes of the paper's thirteen sets (Table 6): the times of the
// clusterings themselves, except for the largest sets and ISOLET, of which other samples are
// clustered. These have clusters of points of the paper's shape in their place.

const (
	// shapeBudget is how long a case of a shape may take.
	shapeBudget = 4 * time.Minute
	// defaultPasses are the passes of an augmented Lagrangian. At the large shapes the number of
	// iterations is divided by fewerSteps; beyond wideSamples memory is a need of the case.
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

// time clusters the stand-in. With fewer iterations than the default, the time of the phase
// "solve" is scaled to the default.
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
		out.Note = fmt.Sprintf("The phase solve took %d iterations and is scaled to %d.", steps, q.method.steps)
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

// averageSeconds is the mean processor time of a method over the sets on which the paper
// ran it, as long as all of some methods were measured there that the paper ran there,
// with their cases.
func averageSeconds(r *bench.Records, m method, all ...method) (mean float64, sets int, cases []string) {
	for _, s := range dataSets {
		if slices.ContainsFunc(all, func(x method) bool { return x.ranOn(s) && r.Get(timeName(s, x)) == nil }) {
			continue
		}
		if cpu, found := r.CPU(timeName(s, m)); found && m.ranOn(s) {
			mean, sets, cases = mean+cpu, sets+1, append(cases, timeName(s, m))
		}
	}
	return mean / float64(max(1, sets)), sets, cases
}

var timeClaims = append([]bench.Claim{
	timesAsLong("f-smrmf-saves", "SMRMF", "f-SMRMF", 3.054, "f-SMRMF takes a third of the time of SMRMF"),
	timesAsLong("smrmf-over-rmnmf", "SMRMF", "RMNMF", 29.9, "SMRMF takes thirty times as long as RMNMF"),
	timesAsLong("ns-over-f-smrmf", "SMRMF-NS", "f-SMRMF", 1.55, "SMRMF-NS takes one and a half times as long as f-SMRMF"),
	{
		Name: "cheap-end", Source: papers.SMRMF + ", Table 6", Statement: "NMF, ESC-FFS, GNMF, DPP and RMNMF take a tenth of the time of SMRMF or less", Paper: "1 % to 3.4 % of it", Took: machine,
		Check: func(r *bench.Records) bench.Finding {
			f := bench.Finding{Verdict: bench.Reproduces}
			for _, title := range []string{"NMF", "ESC-FFS", "GNMF", "DPP", "RMNMF"} {
				m, slow := methodTitled(title), methodTitled("SMRMF")
				ours, sets, cases := averageSeconds(r, m, m, slow)
				theirs, _, more := averageSeconds(r, slow, m, slow)
				if sets < fewestSets {
					continue
				}
				f.Cases = append(f.Cases, cases...)
				f.Cases = append(f.Cases, more...)
				f.Ours = join(f.Ours, fmt.Sprintf("%s %.3g %%", title, 100*ours/theirs))
				if ours > 0.1*theirs {
					f.Verdict, f.Why = bench.DoesNot, join(f.Why, title+" takes more than a tenth")
				}
			}
			if f.Ours == "" {
				return notTimed(r, "SMRMF")
			}
			slices.Sort(f.Cases)
			f.Cases = slices.Compact(f.Cases)
			return f
		},
	},
}, secondsClaims()...)

// notTimed says why the time of a method is not known.
func notTimed(r *bench.Records, titles ...string) bench.Finding {
	f := bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("fewer than %d sets have times of both", fewestSets)}
	for _, s := range dataSets {
		for _, title := range titles {
			if one := r.Lookup(timeName(s, methodTitled(title))); one != nil && !one.Done() {
				f.Verdict, f.Why = bench.CannotCheck, one.Missing+one.Error
			}
		}
	}
	return f
}

// timesAsLong is a ratio of two rows of Table 6, of the sets where both were measured.
// It holds where ours lies within a factor of two.
func timesAsLong(name, slow, fast string, ratio float64, statement string) bench.Claim {
	return bench.Claim{
		Name: name, Source: papers.SMRMF + ", Table 6", Statement: statement, Paper: fmt.Sprintf("%.3g times", ratio),
		Took: fmt.Sprintf("%s %.4g s, %s %.4g s, averages over the data sets; %s", slow, methodTitled(slow).seconds, fast, methodTitled(fast).seconds, machine),
		Check: func(r *bench.Records) bench.Finding {
			both := []method{methodTitled(slow), methodTitled(fast)}
			a, sets, cases := averageSeconds(r, both[0], both...)
			b, others, more := averageSeconds(r, both[1], both...)
			if sets < fewestSets || b == 0 {
				return notTimed(r, slow, fast)
			}
			f := bench.Finding{Verdict: bench.Reproduces, Ours: fmt.Sprintf("%.3g times, over %d sets", a/b, sets), Cases: slices.Concat(cases, more)}
			if others != sets { // the paper's averages too are over those that each could be run on
				f.Ours = fmt.Sprintf("%.3g times, over %d and %d sets", a/b, sets, others)
			}
			if a/b < ratio/2 || a/b > ratio*2 {
				f.Verdict, f.Why = bench.DoesNot, "not within a factor of two"
			}
			return f
		},
	}
}

func timeSections(r *bench.Records) []bench.Section {
	average := &bench.Table{Columns: []string{"method", "paper", "ours, processor", "sets", "paper over ours", "passes", "phases"}}
	each := &bench.Table{Columns: []string{"set", "shape"}}
	for _, m := range methods {
		each.Columns = append(each.Columns, m.title)
		mean, sets, cases := averageSeconds(r, m)
		row := []bench.Cell{bench.PlainCell(m.title), bench.PaperCell(fmt.Sprintf("%.4g s", m.seconds))}
		if sets == 0 {
			average.Rows = append(average.Rows, append(row, bench.Cell{Text: "not run", Mark: bench.Absent}))
			continue
		}
		last := cases[len(cases)-1]
		row = append(row, bench.Cell{Text: bench.MedianText(bench.Statistics{Median: mean, Values: []float64{mean}}), Case: last}, bench.PlainCell(strconv.Itoa(sets)),
			bench.Cell{Text: fmt.Sprintf("%.3g", m.seconds/mean), Case: last}, r.QualityCell(last, "passes", "%.0f"), bench.PlainCell(phasesOf(r, cases)))
		average.Rows = append(average.Rows, row)
	}
	for _, s := range dataSets {
		s = s.shaped()
		row := []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(fmt.Sprintf("%d × %d, %d", s.n, s.m, s.classes))}
		if s.standsIn {
			row[0].Text += " (stand-in)"
		}
		for _, m := range methods {
			if s.standsIn && !m.ranOn(s) {
				row = append(row, bench.Cell{Text: "left out", Mark: bench.Absent})
				continue
			}
			row = append(row, r.Cell(timeName(s, m), bench.CPUText("total")))
		}
		each.Rows = append(each.Rows, row)
	}
	memory := &bench.Table{Columns: []string{"method", "n", "peak"}}
	for _, title := range []string{"f-SMRMF", "SMRMF"} {
		memory.Rows = append(memory.Rows, []bench.Cell{bench.PlainCell(title), bench.PlainCell("5020"), r.Cell(memoryName(title), bench.PeakText)})
	}
	return []bench.Section{
		{Title: "Table 6: average running times", Table: average,
			Text: "The paper: MATLAB 2019b, 2.3 GHz Core i5, 16 GB, thirteen sets. Ours: processor seconds of one clustering at one λ, mean over the sets that were run, on two threads. Times of another machine, language and year do not compare as such; ratios of two methods on one machine do. Phases are shares of the processor time over these sets: of SMRMF and SMRMF-Euc, neighbors are the dissimilarities and the start by A2DM2, solve the passes. Passes, of DS3 iterations, are of the last set."},
		{Title: "Running times by the sets' shapes", Table: each,
			Text: fmt.Sprintf("Samples × features, classes. Stand-ins are Gaussian clusters of the same shape; there, above %d samples, a tenth of the iterations of DS3 (3000) and of the methods with passes (%d) is run and the phase solve is scaled to all of them. Left out: what the paper could not run.", restarted, defaultPasses)},
		{Title: "Memory", Table: memory, Text: "The whole process at the shape of 20-news, 5020 × 1796, two passes: the samples and their scaled copies take 72 MB each."},
	}
}

// phasesOf are the shares of the phases in the processor time of cases, from 3 % on.
func phasesOf(r *bench.Records, cases []string) string {
	sum := map[string]float64{}
	for _, name := range cases {
		for phase, s := range r.Get(name).CPUSeconds {
			sum[phase] += s.Median
		}
	}
	total := sum["total"]
	delete(sum, "total")
	delete(sum, "process")
	names := slices.SortedFunc(maps.Keys(sum), func(a, b string) int {
		if sum[a] != sum[b] {
			return map[bool]int{true: -1, false: 1}[sum[a] > sum[b]]
		}
		return strings.Compare(a, b)
	})
	text := ""
	for _, phase := range names {
		if share := sum[phase] / total; share >= 0.03 {
			text = join(text, fmt.Sprintf("%s %.0f %%", phase, 100*share))
		}
	}
	return text
}

// machine is the machine of Table 6.
const machine = "MATLAB 2019b, 2.3 GHz Core i5, 16 GB"

// took is a method's row of Table 6.
func (m method) took() string {
	return fmt.Sprintf("%.4g s, the average over %d data sets; %s", m.seconds, len(m.printedSets()), machine)
}

// printedSets are those on which the paper could run the method: the average of its time
// is over these.
func (m method) printedSets() []dataSet {
	return slices.DeleteFunc(slices.Clone(dataSets), func(s dataSet) bool { return !m.ranOn(s) })
}

func (m method) ranOn(s dataSet) bool { return printedACC[s.key][m.column()] != "–" }

// secondsClaims are the rows of Table 6 as they are printed, and in proportion to SMRMF.
func secondsClaims() []bench.Claim {
	var list []bench.Claim
	for _, m := range methods {
		list = append(list, secondsClaim(m))
		// f-SMRMF and RMNMF have claims of their own.
		if m.title != "SMRMF" && m.title != "f-SMRMF" && m.title != "RMNMF" {
			list = append(list, timesAsLong(strings.ToLower(m.title)+"-over-smrmf", m.title, "SMRMF", m.seconds/methodTitled("SMRMF").seconds, fmt.Sprintf("The time of %s over that of SMRMF", m.title)))
		}
	}
	return list
}

// secondsClaim is a row of Table 6. It holds where our processor time lies within a
// factor of two of it.
func secondsClaim(m method) bench.Claim {
	return bench.Claim{
		Name: strings.ToLower(m.title) + "-seconds", Source: papers.SMRMF + ", Table 6",
		Statement: fmt.Sprintf("%s takes %.4g s on average.", m.title, m.seconds), Paper: fmt.Sprintf("%.4g s", m.seconds), Took: m.took(),
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			var sum float64
			for _, s := range m.printedSets() {
				names = append(names, timeName(s, m))
				cpu, _ := r.CPU(timeName(s, m))
				sum += cpu
			}
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			mean := sum / float64(len(names))
			f.Ours = fmt.Sprintf("%.3g s of processor time, the average over %d sets", mean, len(names))
			f.Verdict = bench.ReproducesIf(mean >= m.seconds/2 && mean <= 2*m.seconds)
			switch {
			case mean < m.seconds/2:
				f.Why = fmt.Sprintf("%.3g times faster: another machine, language and year, and other numbers of iterations", m.seconds/mean)
			case mean > 2*m.seconds:
				f.Why = fmt.Sprintf("%.3g times slower", mean/m.seconds)
			}
			return f
		},
	}
}
