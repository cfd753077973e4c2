package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// manyRuns is what a factorisation that is made many times is given besides.
type manyRuns struct {
	runs      int
	out       string
	resume    bool
	consensus bool
	threshold float64
	share     float64
	tpm       string
	features  string
	samples   string
	plot      string
	heldOut   float64
}

// manyFlags are the flags that only many runs have.
var manyFlags = []string{"runs", "out", "resume", "consensus", "local-density-threshold", "local-neighborhood-size", "tpm", "feature-names", "sample-names", "held-out"}

// addFlags adds them.
func (m *manyRuns) addFlags(f *pflag.FlagSet) {
	f.IntVar(&m.runs, "runs", 1, "make `N` runs of each rank, of the seeds SEED, SEED+1, …; with --out")
	f.StringVarP(&m.out, "out", "o", "", "folder `DIR` for many runs: their components, what the runs have in common, and the journal; it is made if need be")
	f.BoolVar(&m.resume, "resume", false, "make the runs that an earlier one in DIR left out")
	f.BoolVar(&m.consensus, "consensus", false, "bring the runs of each rank together, as consensus NMF does")
	f.Float64Var(&m.threshold, "local-density-threshold", 0.5, "of --consensus: leave out components that are on average at least `D` from their nearest others; 2: none")
	f.Float64Var(&m.share, "local-neighborhood-size", 0.3, "of --consensus: the number of nearest others to look at, as a `SHARE` of the number of runs")
	f.StringVar(&m.tpm, "tpm", "", "`FILE` with the levels of all features, that scores are of (default: the samples, scaled to 10⁶ each)")
	f.StringVar(&m.features, "feature-names", "", "`FILE` with the names of the features, a line each, for the tables; with --tpm, of its features")
	f.StringVar(&m.samples, "sample-names", "", "`FILE` with the names of the samples, a line each, for the tables")
	f.Float64Var(&m.heldOut, "held-out", 0, "choose the rank by a `SHARE` of the entries, such as 0.1, that each run does not see and predicts (nmf, nmf-kl, l21-nmf)")
}

// wanted tells whether many runs are asked for.
func (f *factorization) wantsMany(flags *pflag.FlagSet) bool {
	return len(f.rank.ranks) > 1 || slices.ContainsFunc(manyFlags, flags.Changed)
}

// checkMany refuses flags that do not go with many runs, before anything is read.
func (f *factorization) checkMany(flags *pflag.FlagSet) error {
	for _, name := range []string{"out-w", "out-h", "out-imputed", "model", "init-w", "init-h", "labels", "trace-every", "strict", "graph", "affinities", "distances"} {
		if flags.Changed(name) {
			return wrong("--%s is for one run: leave it out, or give one --rank and neither --runs nor --out", name)
		}
	}
	m := &f.many
	m.plot = f.plot
	switch {
	case m.runs < 1:
		return wrong("--runs is %d; give a whole number ≥ 1", m.runs)
	case m.out == "":
		return wrong("--out is missing: the folder for the components of many runs and their journal")
	case flags.Changed("held-out") && !(m.heldOut > 0 && m.heldOut < 1):
		return wrong("--held-out is %v; give a share of the entries, above 0 and below 1", m.heldOut)
	case m.heldOut > 0 && !f.takes:
		return wrong("--held-out is for %s; leave it out for %s", strings.Join(takingMissing(), ", "), f.method)
	case m.consensus && m.heldOut > 0:
		return wrong("--consensus brings runs of all entries together, and runs with --held-out do not see all; give one of them")
	case m.consensus && (f.lacks || f.entryWeights != ""):
		return wrong("--consensus takes samples of which every entry is known and counts alike; leave it out with --missing weight and --entry-weights")
	case !m.consensus && m.heldOut == 0 && m.plot != "":
		return wrong("--plot shows what --consensus or --held-out finds; give --consensus or --held-out with it")
	case !m.consensus && (m.tpm != "" || m.features != "" || m.samples != ""):
		return wrong("--tpm, --feature-names and --sample-names are for the tables of --consensus; give --consensus with them")
	case !(m.threshold > 0):
		return wrong("--local-density-threshold is %v; give a number > 0, or 2 to leave out none", m.threshold)
	case !(m.share > 0 && m.share <= 1):
		return wrong("--local-neighborhood-size is %v; give a share of the runs, above 0 and up to 1", m.share)
	case m.consensus && int(m.share*float64(m.runs)) < 1:
		return wrong("--consensus with --runs %d: %v of them are no neighbour; make at least %d runs", m.runs, m.share, leastRuns(m.share))
	}
	return f.checkDrawing(&f.drawing, flags)
}

// leastRuns is the least number of runs of which a share is one.
func leastRuns(share float64) int {
	runs := 1
	for int(share*float64(runs)) < 1 {
		runs++
	}
	return runs
}

// runMany makes many factorisations, those that are not made yet, and brings them together.
func (f *factorization) runMany(ctx context.Context, method engine.Method) error {
	x, err := f.read(false)
	if err != nil {
		return err
	}
	if f.many.consensus && f.options.Standardize != "" && f.options.Standardize != "none" {
		return wrong("--consensus fits its tables to the data as they are; leave --scale out, or scale the data before")
	}
	f.collectAt(x, 8) // of each run that ends W is let go: 4 % more time for 15 % less memory
	names, err := f.readNames(x)
	if err != nil {
		return err
	}
	j, err := f.openRuns(x, method)
	if err != nil {
		return err
	}
	defer j.close()
	result, err := f.makeRuns(ctx, x, method, j)
	if err != nil {
		return err
	}
	var found []consensusReport
	if f.many.consensus {
		if found, err = f.bringTogether(ctx, x, j, names, result); err != nil {
			return err
		}
	}
	choice, err := f.chooseRank(j)
	if err != nil {
		return err
	}
	if err := f.reportRuns(result, j, found, choice); err != nil {
		return err
	}
	return f.missedRuns(j)
}

// makeRuns makes the runs that the journal does not have.
func (f *factorization) makeRuns(ctx context.Context, x mat.Matrix, method engine.Method, j *runsJournal) (*engine.FactorRuns, error) {
	progress := f.progressOf()
	defer progress.end()
	o := engine.RunsOptions{Options: f.running(f.options.Options, &f.working, progress), Ranks: f.rank.ranks, Runs: f.many.runs, EntryWeights: f.weights, HeldOut: f.many.heldOut,
		Skip: func(rank, run int) bool { return j.kept[runKey{rank, run}] != nil }}
	var own error // of writing, which is no fault of the input
	o.Each = func(r *engine.FactorRun) error {
		if own = ctx.Err(); own == nil {
			own = j.keep(r)
		}
		return own
	}
	result, err := engine.FactorizeRuns(ctx, x, method, o)
	switch {
	case own != nil:
		return nil, own
	case ctx.Err() != nil:
		progress.end()
		return nil, &interrupted{Hint: fmt.Sprintf("%d of %s made; the same command with --resume makes the rest", len(j.kept), counted(len(o.Ranks)*o.Runs, "run"))}
	case err != nil:
		return nil, fromWork(err)
	}
	f.worked(progress, result.Warnings)
	return result, nil
}

// missedRuns reports a tolerance that was asked for and that runs did not reach.
func (f *factorization) missedRuns(j *runsJournal) error {
	if f.limited {
		return nil
	}
	missed := 0
	for _, r := range j.wanted() {
		if !r.Converged {
			missed++
		}
	}
	if missed == 0 {
		return nil
	}
	return &notConverged{Text: fmt.Sprintf("%s of %d did not reach the tolerance by the default limit of iterations; what they found is written (--iterations N takes a limit for good)",
		counted(missed, "run"), len(j.wanted()))}
}

// tableNames are the names in the tables.
type tableNames struct{ samples, features []string }

// readNames reads the names of samples and features, or numbers them.
func (f *factorization) readNames(x mat.Matrix) (names tableNames, err error) {
	n, m := x.Dims()
	if f.many.tpm != "" {
		if f.tpm, err = files.ReadAny(f.many.tpm, f.reading()); err != nil {
			return names, err
		}
		rows, cols := f.tpm.Dims()
		if rows != n {
			return names, wrong("%s has %d rows for the %d samples of %s; give one for each", f.many.tpm, rows, n, f.in)
		}
		m = cols
	}
	if names.samples, err = linesOfNames(f.many.samples, n, "samples", f.reading()); err != nil {
		return names, err
	}
	names.features, err = linesOfNames(f.many.features, m, "features", f.reading())
	return names, err
}

// linesOfNames are the lines of a file, or without one the numbers from 1.
func linesOfNames(path string, n int, what string, o files.Options) ([]string, error) {
	if path == "" {
		list := make([]string, n)
		for i := range list {
			list[i] = strconv.Itoa(i + 1)
		}
		return list, nil
	}
	text, err := files.ReadText(path, o)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimRight(text, "\r\n")
	if count := bytes.Count(text, []byte("\n")) + 1; count != n {
		return nil, wrong("%s has %d names for %d %s; give one for each, a line each", path, count, n, what)
	}
	list := strings.Split(string(text), "\n")
	for i, name := range list {
		if list[i] = strings.TrimSuffix(name, "\r"); strings.ContainsAny(name, "\t\"") {
			return nil, wrong("%s: line %d has a tab or a quotation mark, which the tables could not hold", path, i+1)
		}
	}
	return list, nil
}

// prefix is what the names of the tables begin with: that of the folder, as consensus NMF's own
// tool has it.
func (m *manyRuns) prefix() string {
	folder, err := filepath.Abs(m.out)
	if err != nil {
		folder = m.out
	}
	return filepath.Base(folder)
}

// sortedRuns are the keys of runs, by rank and run.
func sortedRuns[V any](m map[runKey]V) []runKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b runKey) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return a.run - b.run
	})
}
