package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
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

// wanted reports whether many runs are requested.
func (f *factorization) wantsMany(flags *pflag.FlagSet) bool {
	many := func(name string) bool { return flags.Changed(name) && !(f.rank.auto && name == "held-out") } // of auto it is the share of the search
	return len(f.rank.ranks) > 1 || slices.ContainsFunc(manyFlags, many)
}

// checkMany refuses flags that do not go with many runs, before anything is read.
func (f *factorization) checkMany(flags *pflag.FlagSet) error {
	for _, name := range []string{"out-w", "out-h", "out-own", "out-imputed", "model", "init-w", "init-h", "labels", "blocks", "block-weights", "datasets", "dataset-weights", "own-penalty", "trace-every", "strict", "graph", "affinities", "distances"} {
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
		return wrongShare(m.heldOut)
	case m.heldOut > 0 && !f.takes && !f.rank.auto:
		return wrong("--held-out is for %s; leave it out for %s", strings.Join(takingMissing("factorize"), ", "), f.method)
	case m.consensus && m.heldOut > 0 && !f.rank.auto:
		return wrong("--consensus brings runs of all entries together, and runs with --held-out do not see all; give one of them")
	case m.consensus && (f.lacks || f.entryWeights != ""):
		return wrong("--consensus takes samples with all entries known and of equal weight; leave it out with --missing weight and --entry-weights")
	case !m.consensus && m.heldOut == 0 && !f.rank.auto && m.plot != "":
		return wrong("--plot shows what --consensus or --held-out finds; give --consensus or --held-out with it")
	case !m.consensus && (m.tpm != "" || m.features != "" || m.samples != ""):
		return wrong("--tpm, --feature-names and --sample-names are for the tables of --consensus; give --consensus with them")
	case !(m.threshold > 0):
		return wrong("--local-density-threshold is %v; give a number > 0, or 2 to leave out none", m.threshold)
	case !(m.share > 0 && m.share <= 1):
		return wrong("--local-neighborhood-size is %v; give a share of the runs, above 0 and up to 1", m.share)
	case m.consensus && int(m.share*float64(m.runs)) < 1:
		return wrong("--consensus with --runs %d: %v of them are no neighbour; make at least %d runs", m.runs, m.share, minRuns(m.share))
	}
	return f.checkDrawing(&f.drawing, flags)
}

func wrongShare(share float64) error {
	return wrong("--held-out is %v; give a share of the entries, above 0 and below 1", share)
}

// minRuns is the least number of runs of which a share is one.
func minRuns(share float64) int {
	runs := 1
	for int(share*float64(runs)) < 1 {
		runs++
	}
	return runs
}

// runMany makes many factorisations, those that are not made yet, and brings them together.
func (f *factorization) runMany(ctx context.Context, method engine.Method) error {
	x, err := f.read(method, false)
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
	search, err := f.findRank(ctx, x, method)
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
	plot := f.many.plot
	if search != nil {
		if err := f.writeHeldOut(search); err != nil {
			return err
		}
		f.many.plot = "" // it shows the search
	}
	var found []consensusReport
	var stable []partsReport
	if f.many.consensus {
		found, err = f.bringTogether(ctx, x, j, names, result)
	} else {
		stable, err = f.stabilities(ctx, x, j)
	}
	if err != nil {
		return err
	}
	choice, err := f.chooseRank(j)
	if err != nil {
		return err
	}
	if search != nil {
		choice, f.many.plot = search, plot
	}
	if err := f.reportRuns(result, j, found, stable, choice); err != nil {
		return err
	}
	return f.missedRuns(j)
}

// findRank finds the rank of the runs; nil: it is given. The runs then see all entries.
func (f *factorization) findRank(ctx context.Context, x mat.Matrix, method engine.Method) (*heldOutReport, error) {
	if !f.rank.auto {
		return nil, nil
	}
	progress := f.progressOf()
	defer progress.end()
	found, err := engine.FindRank(ctx, x, method, engine.FindRankOptions{Options: f.running(f.options.Options, &f.working, progress), RankSearch: f.rankSearch(), EntryWeights: f.weights})
	if err != nil {
		return nil, fromWork(err)
	}
	f.worked(progress, found.Warnings)
	f.rank.ranks, f.many.heldOut = []int{found.Rank}, 0
	return reportOf(found), nil
}

// rankSearch is how the rank auto is found.
func (f *factorization) rankSearch() engine.RankSearch {
	search := f.rank.search
	search.HeldOut = f.many.heldOut
	return search
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

// prefix is what the names of the tables begin with: the name of the folder, as consensus NMF's own
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

// runsReport is what --json prints of many factorisations.
type runsReport struct {
	Method    string            `json:"method"`
	Params    map[string]any    `json:"params"`
	Samples   int               `json:"samples"`
	Features  int               `json:"features"`
	Ranks     []int             `json:"ranks"`
	Runs      int               `json:"runs"` // of each rank
	Sparse    bool              `json:"sparse"`
	Made      int               `json:"made"`    // by this command
	Resumed   int               `json:"resumed"` // made before
	Results   []runRecord       `json:"results"`
	Consensus []consensusReport `json:"consensus"`
	HeldOut   *heldOutReport    `json:"held_out,omitempty"`
	Stability []partsReport     `json:"stability,omitempty"` // without a consensus, which has its own
	Seed      uint64            `json:"seed"`
	Out       string            `json:"out"`
	Journal   string            `json:"journal"`
	Plot      string            `json:"plot"`
	Plan      string            `json:"plan"`
	Explained []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (f *factorization) reportRuns(r *engine.FactorRuns, j *runsJournal, found []consensusReport, stable []partsReport, choice *heldOutReport) error {
	c := f.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	journal := filepath.Join(f.many.out, batchJournal)
	all := j.wanted()
	if f.json {
		report := runsReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Ranks: f.rank.ranks, Runs: f.many.runs, Sparse: r.Sparse,
			Made: len(all) - j.resumed, Resumed: j.resumed, Consensus: list(found), HeldOut: choice, Stability: stable, Seed: f.seed, Out: f.many.out, Journal: journal,
			Plot: f.many.plot, Plan: r.Plan, Explained: f.explanation(), cost: c, machine: f.machine(),
		}
		for _, one := range all {
			report.Results = append(report.Results, runRecord{one.Rank, one.Run, one.Seed, one.Iterations, one.Converged, one.Objective, one.Error, one.Loss, one.Predicted, nil})
		}
		return f.printJSON(report)
	}
	w := f.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s × %s%s", counted(r.Samples, "sample"), counted(r.Features, "feature"), kind)
	text := fmt.Sprintf("%d of rank %s", len(all), f.rank.String())
	if j.resumed > 0 {
		text += fmt.Sprintf(", %d of them made before", j.resumed)
	}
	line(w, "runs", "%s", text)
	for _, rank := range f.rank.ranks {
		var least, most float64
		for _, one := range all {
			if e := float64(one.Error); one.Rank == rank {
				if most == 0 || e < least {
					least = e
				}
				most = max(most, e)
			}
		}
		line(w, fmt.Sprintf("rank %d", rank), "error %.6g to %.6g of ‖X‖", least, most)
	}
	for _, one := range found {
		if one.Problem == "" {
			line(w, fmt.Sprintf("consensus %d", one.Rank), "stability %.4g, error %.6g of ‖X‖, %d of %s kept, cophenetic correlation %.4g",
				float64(one.Stability), float64(one.Relative), one.Kept, counted(one.Components, "component"), float64(one.Cophenetic))
			writeConsensusParts(w, one)
		}
	}
	for _, one := range stable {
		one.write(w)
	}
	choice.write(w)
	writeCost(w, c)
	writeWritten(w, f.many.out, f.many.plot)
	return nil
}

// jsonLines is a list as JSON, an element a line.
func jsonLines[T any](list []T) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("[\n")
	for i, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		text.WriteString("  ")
		text.Write(line)
		if i < len(list)-1 {
			text.WriteByte(',')
		}
		text.WriteByte('\n')
	}
	text.WriteString("]\n")
	return text.Bytes(), nil
}

// writeRunsReport writes what was found of each rank into the folder of many runs, together with
// the picture where one is requested.
func writeRunsReport[T any](m manyRuns, name string, list []T, draw func(out *outputs) error) error {
	text, err := jsonLines(list)
	if err != nil {
		return err
	}
	o, err := files.CreateRaw(filepath.Join(m.out, name), nil)
	if err != nil {
		return err
	}
	out := outputs{o}
	if _, err = o.Write(text); err == nil && m.plot != "" {
		err = draw(&out)
	}
	if err == nil {
		err = files.CommitAll(out...)
	}
	if err != nil {
		for _, o := range out {
			o.Discard()
		}
	}
	return err
}

// drawRuns adds a picture of many runs to the outputs.
func (f *factorization) drawRuns(panels []picture.Panel, out *outputs) error {
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s of each rank", f.method, counted(f.many.runs, "run")), Panels: panels}
	o, err := files.CreateRaw(f.many.plot, nil)
	if err != nil {
		return err
	}
	*out = append(*out, o)
	format, _ := picture.FormatOf(f.many.plot)
	return page.Write(o, format)
}

// rankCurve shows a number of each rank.
func rankCurve(ranks, values []float64, label string) *picture.Curve {
	return &picture.Curve{XLabel: "rank", YLabel: label, X: ranks, Y: values, Dots: true}
}

// rankPanels show the stability and the error of each rank, side by side.
func rankPanels(ranks, stability, errors []float64) []picture.Panel {
	first, second := rankCurve(ranks, stability, "stability (silhouette)"), rankCurve(ranks, errors, "error ‖X − WH‖²")
	first.Width, second.Width = 470*vg.Length(1), 470*vg.Length(1)
	return []picture.Panel{first, second}
}

// rankRange is a rank, or several: "10", "5:15", or "5,10,15"; or auto, or "auto:5:40".
type rankRange struct {
	ranks  []int // ascending and distinct
	auto   bool  // it is to be found
	search engine.RankSearch
}

func (r *rankRange) String() string {
	switch {
	case r.auto && r.search.Most > 0:
		return fmt.Sprintf("auto:%d:%d", r.search.Least, r.search.Most)
	case r.auto:
		return autoRank
	}
	var parts []string
	for i := 0; i < len(r.ranks); {
		j := i
		for j+1 < len(r.ranks) && r.ranks[j+1] == r.ranks[j]+1 {
			j++
		}
		if text := strconv.Itoa(r.ranks[i]); j > i {
			parts = append(parts, fmt.Sprintf("%s:%d", text, r.ranks[j]))
		} else {
			parts = append(parts, text)
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Type names the expected value.
func (r *rankRange) Type() string { return "ranks" }

// autoRank is the rank that is to be found.
const autoRank = "auto"

// maxRanks bounds a list of ranks: more are a slip of the hand.
const maxRanks = 10_000

// Set reads the value of the flag.
func (r *rankRange) Set(text string) error {
	if bounds, auto := strings.CutPrefix(text, autoRank); auto {
		return r.setAuto(bounds)
	}
	var ranks []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(part, ":")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && several {
			to, err = strconv.Atoi(last)
		}
		switch {
		case err != nil:
			return errors.New("give a whole number, several such as 5:15 or 5,10,15, or auto")
		case to < from:
			return fmt.Errorf("the first rank is above the last; give %d:%d", to, from)
		case to-from >= maxRanks:
			return fmt.Errorf("these are more than %d ranks; give fewer", maxRanks)
		}
		for rank := from; rank <= to; rank++ {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	*r = rankRange{ranks: slices.Compact(ranks)}
	return nil
}

// setAuto reads what follows auto: nothing, or ":5:40".
func (r *rankRange) setAuto(bounds string) error {
	*r = rankRange{auto: true}
	if bounds == "" {
		return nil
	}
	var within rankRange
	text, colon := strings.CutPrefix(bounds, ":")
	if err := within.Set(text); !colon || err != nil || within.auto || strings.Contains(text, ",") || within.least() < 1 {
		return errors.New("give auto, or auto:5:40 to look among the ranks 5 to 40")
	}
	r.search.Least, r.search.Most = within.least(), within.most()
	return nil
}

// least and most are the ends of the ranks; 0: none were given.
func (r *rankRange) least() int {
	if len(r.ranks) == 0 {
		return 0
	}
	return r.ranks[0]
}

func (r *rankRange) most() int { return r.ranks[len(r.ranks)-1] }

// heldOutReport is what --json prints of the choice of a rank by held-out entries, and
// held_out.json keeps.
type heldOutReport struct {
	Share   float64       `json:"share"`
	Ranks   []heldOutRank `json:"ranks"`
	Best    int           `json:"best_rank"`       // of the least mean
	Sparing int           `json:"sparing_rank"`    // the smallest within a standard error of it
	AtEnd   bool          `json:"at_end"`          // the best rank is the largest
	Masks   int           `json:"masks,omitempty"` // of a search: choices of the entries that are held out
}

// heldOutRank is what the runs of a rank have predicted.
type heldOutRank struct {
	Rank     int    `json:"rank"`
	Runs     int    `json:"runs"`
	Mean     number `json:"loss"` // of a held-out entry, the mean over the runs
	Standard number `json:"standard_error"`
	Least    number `json:"least_loss"`
	Most     number `json:"most_loss"`
	Relative number `json:"relative_error"`
	// Of a search: by how much the loss is larger than that of the best rank, and the standard error of this over the masks.
	Behind      *number `json:"behind,omitempty"`
	BehindError *number `json:"behind_standard_error,omitempty"`
}

// reportOf reports a search for the rank; nil: there was none.
func reportOf(found *engine.FoundRank) *heldOutReport {
	if found == nil {
		return nil
	}
	report := choiceOf(&found.RankChoice, found.HeldOut)
	report.Masks = found.Masks
	for i, r := range found.Ranks {
		behind, standard := number(r.Behind), number(r.BehindError)
		report.Ranks[i].Behind, report.Ranks[i].BehindError = &behind, &standard
	}
	return report
}

// choiceOf reports the choice of a rank.
func choiceOf(choice *engine.RankChoice, share float64) *heldOutReport {
	report := &heldOutReport{Share: share, Best: choice.Best, Sparing: choice.Sparing, AtEnd: choice.AtEnd}
	for _, r := range choice.Ranks {
		report.Ranks = append(report.Ranks, heldOutRank{Rank: r.Rank, Runs: r.Runs, Mean: number(r.Mean), Standard: number(r.StandardError), Least: number(r.Least), Most: number(r.Most), Relative: number(r.Relative)})
	}
	return report
}

// chooseRank compares the ranks by what all runs have predicted, writes held_out.json and draws
// the picture; nil: nothing was held out.
func (f *factorization) chooseRank(j *runsJournal) (*heldOutReport, error) {
	if f.many.heldOut == 0 {
		return nil, nil
	}
	var runs []engine.FactorRun
	for _, r := range j.wanted() {
		if r.Loss == nil || r.Predicted == nil {
			return nil, wrong("%s has a run of rank %d without held-out entries; give --out another folder", f.many.out, r.Rank)
		}
		runs = append(runs, engine.FactorRun{Rank: r.Rank, Run: r.Run, HeldOut: true, HeldOutLoss: float64(*r.Loss), HeldOutError: float64(*r.Predicted)})
	}
	choice, err := engine.ChooseRank(runs)
	if err != nil {
		return nil, &inputError{Err: err}
	}
	report := choiceOf(choice, f.many.heldOut)
	return report, f.writeHeldOut(report)
}

// writeHeldOut writes held_out.json, and the picture where one is requested.
func (f *factorization) writeHeldOut(report *heldOutReport) error {
	return writeRunsReport(f.many, "held_out.json", []*heldOutReport{report}, func(out *outputs) error { return f.drawHeldOut(report, out) })
}

// drawHeldOut adds the picture to the outputs.
func (f *factorization) drawHeldOut(report *heldOutReport, out *outputs) error {
	return f.drawRuns([]picture.Panel{report.curve()}, out)
}

// curve shows the loss of every rank with its standard error, of a search that of its difference to the best rank.
func (r *heldOutReport) curve() *picture.Curve {
	var ranks, mean, bars []float64
	clear := r.clear()
	for _, one := range r.Ranks[:clear] {
		bar := one.Standard
		if one.BehindError != nil {
			bar = *one.BehindError
		}
		ranks, mean, bars = append(ranks, float64(one.Rank)), append(mean, float64(one.Mean)), append(bars, float64(bar))
	}
	curve := rankCurve(ranks, mean, fmt.Sprintf("loss of an entry, %.3g %% held out", 100*r.Share))
	curve.XLabel = fmt.Sprintf("rank (%d predicts best, %d within a standard error)", r.Best, r.Sparing)
	if clear < len(r.Ranks) {
		curve.XLabel += fmt.Sprintf("; %d and more are off the scale", r.Ranks[clear].Rank)
	}
	curve.Bars, curve.Falls, curve.Cut = bars, true, float64(r.Sparing)
	return curve
}

// clear is how many of the ranks a picture shows: those too large may predict so badly that no difference of the others
// would be seen.
func (r *heldOutReport) clear() int {
	i := slices.IndexFunc(r.Ranks, func(one heldOutRank) bool { return one.Rank == r.Best })
	least, first := float64(r.Ranks[i].Mean), float64(r.Ranks[0].Mean)
	for i++; i < len(r.Ranks) && (first == least || float64(r.Ranks[i].Mean) <= least+1.5*(first-least)); i++ {
	}
	return i
}

// write reports the errors of all ranks, and the choice.
func (r *heldOutReport) write(w io.Writer) {
	if r == nil {
		return
	}
	for _, one := range r.Ranks {
		spread := ""
		if one.Behind != nil && one.Rank != r.Best {
			spread = fmt.Sprintf(", %.3g ± %.2g above the least", float64(*one.Behind), float64(*one.BehindError))
		} else if v := float64(one.Standard); !math.IsNaN(v) && one.Behind == nil {
			spread = fmt.Sprintf(" ± %.2g, %.4g to %.4g", v, float64(one.Least), float64(one.Most))
		}
		line(w, fmt.Sprintf("held out %d", one.Rank), "loss %.6g%s, error %.4g of ‖X‖", float64(one.Mean), spread, float64(one.Relative))
	}
	end := ""
	if r.AtEnd {
		end = ", and is the largest of the range: larger ranks may predict better, so take a longer range"
	}
	if r.Ranks[0].Runs == 1 {
		line(w, "rank", "%d predicts best%s; single runs have no standard error", r.Best, end)
		return
	}
	line(w, "rank", "%d predicts best%s; %d is the smallest within a standard error", r.Best, end, r.Sparing)
}
