package library

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// manyRuns are the factorisations of one matrix with several ranks, from several starts.
type manyRuns struct {
	engine.RunsOptions
	keepW  bool
	chosen []int                // the samples whose labels are kept
	ofRank map[int]*runsOfARank // by rank
	errors []float64            // ‖X − WH‖/‖X‖, by rank and run
	losses []float64
	unseen [2][]float64 // over held-out entries: the mean loss, and ‖X − WH‖/‖X‖
	steps  []int64
	stable []map[string]any // of each rank, where there are two runs at least
}

// runsOfARank are the factors of all runs of one rank, one run below another.
type runsOfARank struct {
	h, w   []float64
	labels []int64
}

// bytesARun is an upper bound of the memory kept for a run, without its factors and labels.
const bytesARun = 512

// factorizeRuns prepares runs of every rank; count is their number.
func (g given) factorizeRuns(ranks []int64) (work, error) {
	switch {
	case !g.near.absent():
		return nil, fmt.Errorf("factorize_runs: it takes no graph, affinities or distances; leave them out of the options")
	case g.labels != nil || g.start != nil || g.startH != nil:
		return nil, fmt.Errorf("factorize_runs: it takes neither labels nor starts, which each run makes by its seed; leave them out of the options")
	}
	if err := g.check("factorize"); err != nil {
		return nil, err
	}
	q := &manyRuns{}
	method, warnings, gave, err := g.chosen("factorize", ofFactorizations(), &q.Options, func(p *parameters) error {
		word, err := p.word("keep_w", "false", "true")
		q.keepW = word == "true"
		if err == nil {
			q.HeldOut, err = p.real("held_out")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := q.takeRanks(g, method.Name(), ranks); err != nil {
		return nil, err
	}
	if err := q.room(g, method.Name()); err != nil {
		return nil, err
	}
	limited := limitChosen(method, gave)
	return func(ctx context.Context, progress func(engine.Progress)) (*made, error) {
		x, _ := g.samples()
		q.Progress = progress
		defer bounded(q.Memory)()
		q.begin(g)
		q.Each = q.keep
		r, err := engine.FactorizeRuns(ctx, x, method, q.RunsOptions)
		if err != nil {
			return nil, err
		}
		if err := q.compare(ctx, r); err != nil {
			return nil, err
		}
		m := q.made(r, append(warnings, r.Warnings...))
		if missed := missedBy(r.Runs); missed > 0 && !limited {
			m.missed = &failure{statusNotConverged, fmt.Sprintf("%s: %d of %d runs did not reach the tolerance by the default limit of iterations; the factors are the best found",
				r.Method, missed, len(r.Runs))}
		}
		return m, nil
	}, nil
}

// takeRanks checks the ranks and the number of runs against the data.
func (q *manyRuns) takeRanks(g given, method string, ranks []int64) (err error) {
	if q.Runs, err = small(g.count, method+": runs"); err != nil {
		return err
	}
	rows, cols := g.dims()
	for _, rank := range ranks {
		if rank < 1 || rank > min(rows, cols) {
			return fmt.Errorf("%s: rank %d for %d × %d data; give ranks from 1 to %d", method, rank, rows, cols, min(rows, cols))
		}
		if slices.Contains(q.Ranks, int(rank)) {
			return fmt.Errorf("%s: rank %d is given twice; keep one of them", method, rank)
		}
		q.Ranks = append(q.Ranks, int(rank))
	}
	if seed := q.Options.Seed; seed > math.MaxInt64-uint64(q.Runs) {
		return fmt.Errorf("%s: seed %d leaves no room for the seeds of %d runs; give a smaller one", method, seed, q.Runs)
	}
	return nil
}

// room refuses results that do not fit into memory, and leaves the rest of the limit to the work.
func (q *manyRuns) room(g given, method string) error {
	rows, cols := g.dims()
	numbers, compared := 0.0, 0.0
	for _, rank := range q.Ranks {
		if q.Runs > 1 {
			compared = max(compared, float64(len(engine.ComparedRuns(q.Runs, int(rank), int(cols), 0)))*float64(rank)*float64(cols))
		}
		numbers += float64(rank)*float64(cols) + float64(min(rows, engine.MaxLabels)) + bytesARun/8
		if q.keepW {
			numbers += float64(rank) * float64(rows)
		}
	}
	kept := 8*numbers*float64(q.Runs) + 16*compared // in two forms
	const few = 64 << 20
	if free := int64(0); q.Memory == 0 && kept > few {
		if free = available(); free > 0 {
			q.Memory = free + memory.Process(g.bytes())
		}
	}
	if q.Memory == 0 {
		return nil
	}
	if need := float64(memory.Process(g.bytes())) + kept; need > float64(q.Memory) {
		hint := ""
		if q.keepW {
			hint = ", or leave out keep_w"
		}
		return &failure{statusNoMemory, fmt.Sprintf("%s: the results of %d runs of each rank need about %s where the limit is %s; take smaller ranks or fewer runs%s",
			method, q.Runs, limits.FormatBytes(int64(min(need, math.MaxInt64/2))), limits.FormatBytes(q.Memory), hint)}
	}
	q.Memory -= int64(kept)
	return nil
}

// begin makes the arrays of the results.
func (q *manyRuns) begin(g given) {
	rows, cols := g.dims()
	n, m := int(rows), int(cols)
	q.chosen = engine.LabelledSamples(n)
	all := len(q.Ranks) * q.Runs
	q.errors, q.losses, q.steps = make([]float64, all), make([]float64, all), make([]int64, all)
	if q.HeldOut > 0 {
		q.unseen = [2][]float64{make([]float64, all), make([]float64, all)}
	}
	q.ofRank = map[int]*runsOfARank{}
	for _, rank := range q.Ranks {
		o := &runsOfARank{h: make([]float64, q.Runs*rank*m), labels: make([]int64, q.Runs*len(q.chosen))}
		if q.keepW {
			o.w = make([]float64, q.Runs*n*rank)
		}
		q.ofRank[rank] = o
	}
}

// keep copies the result of a run into the arrays.
func (q *manyRuns) keep(r *engine.FactorRun) error {
	o := q.ofRank[r.Rank]
	copied := func(to []float64, m *mat.Dense) {
		from := m.RawMatrix().Data
		copy(to[r.Run*len(from):], from)
	}
	copied(o.h, r.H)
	if q.keepW {
		copied(o.w, r.W)
	}
	r.Labels(q.chosen, o.labels[r.Run*len(q.chosen):][:len(q.chosen)])
	at := slices.Index(q.Ranks, r.Rank)*q.Runs + r.Run
	q.errors[at], q.losses[at], q.steps[at] = r.RelativeError, r.Objective, int64(r.Iterations)
	if r.HeldOut {
		q.unseen[0][at], q.unseen[1][at] = r.HeldOutLoss, r.HeldOutError
	}
	return nil
}

// compare says of the components of the best run of each rank how reliably the others find them.
func (q *manyRuns) compare(ctx context.Context, r *engine.FactorRuns) error {
	if q.Runs < 2 {
		return nil
	}
	for at, rank := range q.Ranks {
		losses := q.losses[at*q.Runs:][:q.Runs]
		best := slices.Index(losses, slices.Min(losses))
		some := engine.ComparedRuns(q.Runs, rank, r.Features, best)
		length := rank * r.Features
		spectra := make([]float64, 0, len(some)*length)
		for _, run := range some {
			spectra = append(spectra, q.ofRank[rank].h[run*length:(run+1)*length]...)
		}
		found, err := engine.StabilityOfParts(ctx, mat.NewDense(len(some)*rank, r.Features, spectra), rank, slices.Index(some, best),
			engine.StabilityOptions{Backend: q.Backend, Threads: q.Threads})
		if err != nil {
			return err
		}
		parts := []map[string]any{}
		for _, p := range found {
			parts = append(parts, stabilityOfPart(p))
		}
		q.stable = append(q.stable, map[string]any{"rank": rank, "run": best, "runs": len(some), "parts": parts})
	}
	return nil
}

// chosenRank is the choice of a rank by held-out entries, as in the command's --json.
func (q *manyRuns) chosenRank(runs []engine.FactorRun) map[string]any {
	choice, err := engine.ChooseRank(runs)
	if err != nil {
		return nil
	}
	return heldOut(choice, q.HeldOut)
}

// heldOut reports the choice of a rank.
func heldOut(choice *engine.RankChoice, share float64) map[string]any {
	ranks := []map[string]any{}
	for _, r := range choice.Ranks {
		ranks = append(ranks, map[string]any{"rank": r.Rank, "runs": r.Runs, "loss": number(r.Mean), "standard_error": number(r.StandardError),
			"least_loss": number(r.Least), "most_loss": number(r.Most), "relative_error": number(r.Relative)})
	}
	return map[string]any{"share": share, "ranks": ranks, "best_rank": choice.Best, "sparing_rank": choice.Sparing, "at_end": choice.AtEnd}
}

// missedBy counts the runs that did not converge.
func missedBy(runs []engine.FactorRun) (missed int) {
	for _, r := range runs {
		if !r.Converged {
			missed++
		}
	}
	return missed
}

// made reports the runs with the command's names.
func (q *manyRuns) made(r *engine.FactorRuns, warnings []string) *made {
	ranks, seeds := make([]int64, len(q.Ranks)), make([]int64, q.Runs)
	for run := range seeds {
		seeds[run] = int64(q.Seed(run))
	}
	m := &made{arrays: map[string]array{}, noModel: "many runs leave none; factorise once, by the seed of the run"}
	for i, rank := range q.Ranks {
		ranks[i] = int64(rank)
		o := q.ofRank[rank]
		m.arrays[fmt.Sprintf("h_%d", rank)] = array{rows: q.Runs * rank, cols: r.Features, numbers: o.h}
		m.arrays[fmt.Sprintf("labels_%d", rank)] = array{rows: q.Runs, cols: len(q.chosen), integers: o.labels}
		if q.keepW {
			m.arrays[fmt.Sprintf("w_%d", rank)] = array{rows: q.Runs * r.Samples, cols: rank, numbers: o.w}
		}
	}
	m.arrays["ranks"], m.arrays["seeds"] = array{rows: len(ranks), cols: 1, integers: ranks}, array{rows: q.Runs, cols: 1, integers: seeds}
	chosen := make([]int64, len(q.chosen))
	for at, i := range q.chosen {
		chosen[at] = int64(i)
	}
	m.arrays["label_samples"] = array{rows: len(chosen), cols: 1, integers: chosen}
	m.arrays["errors"] = array{rows: len(ranks), cols: q.Runs, numbers: q.errors}
	m.arrays["objectives"] = array{rows: len(ranks), cols: q.Runs, numbers: q.losses}
	m.arrays["iterations"] = array{rows: len(ranks), cols: q.Runs, integers: q.steps}
	if q.HeldOut > 0 {
		m.arrays["held_out_losses"] = array{rows: len(ranks), cols: q.Runs, numbers: q.unseen[0]}
		m.arrays["held_out_errors"] = array{rows: len(ranks), cols: q.Runs, numbers: q.unseen[1]}
	}
	m.numbers = map[string]float64{"converged": truth(missedBy(r.Runs) == 0), "warnings": float64(len(warnings)), "seconds": r.Seconds["total"]}
	m.report = func() map[string]any {
		results := []map[string]any{}
		for _, one := range r.Runs {
			results = append(results, map[string]any{"rank": one.Rank, "run": one.Run, "seed": one.Seed, "iterations": one.Iterations,
				"converged": one.Converged, "objective": number(one.Objective), "relative_error": number(one.RelativeError), "quality": one.Quality})
		}
		report := map[string]any{
			"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "ranks": q.Ranks, "runs": q.Runs, "seed": seeds[0],
			"sparse": r.Sparse, "results": results, "plan": r.Plan, "backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds,
			"cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
		if q.HeldOut > 0 {
			report["held_out"] = q.chosenRank(r.Runs)
		}
		if q.stable != nil {
			report["stability"] = q.stable
		}
		return report
	}
	return m
}
