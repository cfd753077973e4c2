package card

import (
	"context"
	_ "embed" // of job.py
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
)

//go:embed job.py
var jobScript []byte

// batchWay is one way to run many jobs, each LLE of 500 samples with k = 10.
type batchWay struct {
	name, title string
	jobs, quick int
	needs       []string
	run         func(ctx context.Context, e *bench.Env, b *batch) error
}

// What starts a process for each job is measured on fewer: jobs a second are compared.
var batchWays = []batchWay{
	{"batch/all-cores" + oursSide, "orthant batch, a worker for each core", 2000, 40, nil, func(ctx context.Context, e *bench.Env, b *batch) error { return b.byBatch(ctx, e, runtime.NumCPU()) }},
	{"batch/one-worker" + oursSide, "orthant batch, one worker", 2000, 40, nil, func(ctx context.Context, e *bench.Env, b *batch) error { return b.byBatch(ctx, e, 1) }},
	{"batch/processes/command", "orthant embed, a process for each job", 100, 8, nil, byCommands},
	{"batch/loky" + sklearnSide, "scikit-learn by joblib, processes (loky)", 200, 4, []string{"peer:sklearn"}, func(ctx context.Context, _ *bench.Env, b *batch) error { return b.byJoblib(ctx, "loky") }},
	{"batch/threading" + sklearnSide, "scikit-learn by joblib, threads", 200, 4, []string{"peer:sklearn"}, func(ctx context.Context, _ *bench.Env, b *batch) error { return b.byJoblib(ctx, "threading") }},
	{"batch/processes" + sklearnSide, "scikit-learn, a Python process for each job", 16, 1, []string{"peer:sklearn"}, byPythons},
}

func (w *batchWay) ours() bool { return w.needs == nil }

func batchCases() []bench.Case {
	var list []bench.Case
	for _, way := range batchWays {
		c := bench.Case{
			Name: way.name, Group: "batch", Data: "swiss-roll params=isometric, 500 samples a job", N: way.jobs, Method: "lle",
			Params: map[string]any{"neighbors": 10, "dim": 2, "jobs": way.jobs, "quick jobs": way.quick}, Threads: runtime.NumCPU(), Needs: way.needs,
			Accuracy: []bench.Accuracy{bench.Reported("dev")},
			Run: func(ctx context.Context, e *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
				jobs := way.jobs
				if e.Quick {
					jobs = way.quick
				}
				return measureBatch(ctx, e, jobs, way.run)
			},
		}
		if way.ours() {
			c.Accuracy[0] = c.Accuracy[0].Against("batch/loky"+sklearnSide, bench.MaxErrorRatio)
		}
		list = append(list, c)
	}
	return list
}

// batch is a folder of jobs: x-0007.npy is an input, results/x-0007.npy what becomes of it.
type batch struct {
	folder, results string
	inputs          []string
	truths          []*mat.Dense
	seconds         float64 // by the clock, where the way itself knows better
	program         string
}

func measureBatch(ctx context.Context, e *bench.Env, jobs int, way func(context.Context, *bench.Env, *batch) error) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	b := &batch{folder: dir, results: filepath.Join(dir, "results")}
	if err := b.draw(jobs); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := way(ctx, e, b); err != nil {
		return nil, err
	}
	if b.seconds == 0 {
		b.seconds = time.Since(start).Seconds()
	}
	dev, err := b.medianDev()
	if err != nil {
		return nil, err
	}
	return &bench.Outcome{Seconds: engine.Seconds{"total": b.seconds}, Samples: jobs, Features: 3, Backend: b.program,
		Quality: map[string]float64{"jobs-per-second": float64(jobs) / b.seconds, "dev": dev}}, nil
}

func (b *batch) draw(jobs int) error {
	if err := os.Mkdir(b.results, 0o777); err != nil {
		return err
	}
	for i := range jobs {
		set, err := datasets.Generate("swiss-roll", 500, uint64(i+1), map[string]string{"params": "isometric"})
		if err != nil {
			return err
		}
		path := filepath.Join(b.folder, fmt.Sprintf("x-%04d.npy", i))
		if err := bench.SaveMatrix(path, set.X); err != nil {
			return err
		}
		b.inputs, b.truths = append(b.inputs, path), append(b.truths, set.Params)
	}
	return nil
}

func (b *batch) result(input string) string { return filepath.Join(b.results, filepath.Base(input)) }

// medianDev reads every result back: a job that left none is an error.
func (b *batch) medianDev() (float64, error) {
	devs := make([]float64, len(b.inputs))
	for i, input := range b.inputs {
		y, err := files.ReadMatrix(b.result(input), files.Options{})
		if err != nil {
			return 0, err
		}
		if devs[i], _, err = measures.Deviation(b.truths[i], y); err != nil {
			return 0, err
		}
	}
	slices.Sort(devs)
	return devs[len(devs)/2], nil
}

// byBatch is one batch in a process of its own, its start included.
func (b *batch) byBatch(ctx context.Context, e *bench.Env, workers int) error {
	args, err := e.Program("batch", "-", "--out", b.results, "--workers", strconv.Itoa(workers), "--quiet")
	if err != nil {
		return err
	}
	line := fmt.Sprintf(`{"command": "embed", "method": "lle", "neighbors": 10, "in": %q, "out": "{stem}.npy"}`, filepath.Join(b.folder, "x-*.npy"))
	_, err = bench.External{Args: args, In: strings.NewReader(line)}.Run(ctx)
	return err
}

// byCommands starts this program for each job, as many at a time as there are cores.
func byCommands(ctx context.Context, e *bench.Env, b *batch) error {
	return b.each(ctx, func(input string) (bench.External, error) {
		args, err := e.Program("embed", "--method", "lle", "--neighbors", "10", "--threads", "1", "--in", input, "--out", b.result(input), "--quiet")
		return bench.External{Args: args}, err
	})
}

func byPythons(ctx context.Context, _ *bench.Env, b *batch) error {
	python, env, err := bench.Python(1)
	if err != nil {
		return err
	}
	script := filepath.Join(b.folder, "job.py")
	if err := os.WriteFile(script, jobScript, 0o666); err != nil {
		return err
	}
	b.program = "scikit-learn"
	return b.each(ctx, func(input string) (bench.External, error) {
		return bench.External{Args: []string{python, script, input, b.result(input)}, Env: env}, nil
	})
}

func (b *batch) each(ctx context.Context, program func(input string) (bench.External, error)) error {
	failed := make([]error, len(b.inputs))
	err := blas.For(ctx, runtime.NumCPU(), len(b.inputs), 1, func(_, i, _ int) {
		x, err := program(b.inputs[i])
		if err == nil {
			_, err = x.Run(ctx)
		}
		failed[i] = err
	})
	for _, one := range failed {
		if err == nil {
			err = one
		}
	}
	return err
}

// byJoblib is one Python whose workers have started before the clock does.
func (b *batch) byJoblib(ctx context.Context, backend string) error {
	p, err := bench.CallPeer(ctx, b.folder, bench.PeerCall{Method: "lle-jobs", In: b.folder, Threads: 1,
		Params: map[string]any{"cores": runtime.NumCPU(), "backend": backend, "results": b.results}})
	if err != nil {
		return err
	}
	b.seconds, b.program = p.Wall, p.Version
	return nil
}

const batchWords = "2000 jobs of 500 samples (LLE, dev 0.29 in the median) run at 162 a second on two cores by `orthant batch`, at 73 by scikit-learn with joblib in one Python (dev 0.26), and at 1.3 with a Python process for each"

// The figures of batchWords.
const (
	_ = iota
	_
	batchDev
	batchRate
	joblibRate
	joblibDev
	processRate
)

func batchClaims() []bench.Claim {
	printed := bench.Figures(batchWords)
	// wrong says how a median dev is larger than the README's.
	wrong := func(r *bench.Records, name string, figure int) []string {
		if dev, _ := r.Quality(name, "dev"); dev > printed[figure]*(1+bench.FigureTolerance) {
			return []string{fmt.Sprintf("dev of %s is %s, not %g", name, bench.ErrorText(dev), printed[figure])}
		}
		return nil
	}
	claim := func(name, than string, figure int, others ...string) bench.Claim {
		times := printed[batchRate] / printed[figure]
		return bench.Claim{
			Name: "readme/batch-" + name, Source: "orthant", Paper: batchWords,
			Statement: fmt.Sprintf("A batch of LLE of 500 samples does %.3g times the jobs a second of %s, less a tenth at most, at no larger an error than the README's.", times, than),
			Check: func(r *bench.Records) bench.Finding {
				ours := batchWays[0].name
				f, ready := r.Sound(append([]string{ours}, others...)...)
				if !ready {
					return f
				}
				fastest := 0.0
				for _, name := range others {
					fastest = max(fastest, rate(r, name))
				}
				why := append(wrong(r, ours, batchDev), wrong(r, others[0], joblibDev)...)
				got := rate(r, ours) / fastest
				if got < times*(1-bench.FigureTolerance) {
					why = append(why, fmt.Sprintf("%.3g times, not %.3g", got, times))
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.0f a second to %.3g, %.3g times; %s to %s", rate(r, ours), fastest, got, r.AccuracyCell(ours).Text, r.AccuracyCell(others[0]).Text), f.Cases, why...)
			},
		}
	}
	return []bench.Claim{
		claim("joblib", "scikit-learn with joblib", joblibRate, batchWays[3].name, batchWays[4].name),
		claim("processes", "a Python process for each job", processRate, batchWays[5].name),
	}
}

func batchSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"", "jobs", "jobs a second and error", "seconds by the clock"}}
	for _, way := range batchWays {
		count := func(one *bench.Record) string { return fmt.Sprint(one.Samples) }
		t.Rows = append(t.Rows, []bench.Cell{{Text: way.title}, r.Cell(way.name, count), rateCell(r, way.name, "%.4g"), r.Cell(way.name, bench.WallText("total"))})
	}
	return []bench.Section{{Title: "Batches: LLE of 500 samples, k = 10", Table: t}}
}

// rateCell prints what a case did in a second, with its errors.
func rateCell(r *bench.Records, name, format string) bench.Cell {
	return r.CellWithError(name, func(*bench.Record) string { return fmt.Sprintf(format, rate(r, name)) })
}
