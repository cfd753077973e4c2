package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// factorization is one "orthant factorize".
type factorization struct {
	*invocation
	choice
	in, labels string
	structure
	outW, outH   string
	outOffset    string
	model        string
	initW, initH string
	rank         rankRange
	many         manyRuns
	weighting
	collecting
	drawing
	tpm     mat.Matrix // nil: none was given
	options engine.FactorizeOptions
	working
	table   tableFlags
	limited bool // the limit of iterations was chosen, not the default, or no tolerance was asked for
}

func newFactorize(inv *invocation) *cobra.Command {
	f := &factorization{invocation: inv, table: tableFlags{classes: true}}
	cmd := &cobra.Command{
		Use:   "factorize --method NAME --in X --rank R --out-w W --out-h H [flags]",
		Short: "Write samples as sums of nonnegative parts",
		Long: `Factorize finds R nonnegative components (rows of H), and nonnegative coordinates of
every sample (rows of W), such that X ≈ WH in the sense of the chosen method:

` + late(linesOf, "factorize") + `
"orthant methods NAME" explains a method and its parameters. --model keeps what
"orthant transform" needs to give new samples coordinates under the same
components. A sparse .mtx, .mat or .npz file stays sparse, except in methods that
look for clusters.

The methods with mrmf, rmnmf or apmf in their names look for clusters: the columns of
W are orthonormal and nonnegative, and H has either sign. They scale and centre the
features first (--set scale=..., offset=...). W, H and the offset are written in the
unit of the data: X ≈ offset + WH. The H of dsmf has either sign too. None of these
methods has a model.

With --set solver=minibatch, nmf and nmf-kl read the samples batch by batch, so that
files may be larger than memory: .npy, Parquet, compressed rows in an .npz file and
some others (docs/large-data.md).

The other methods refuse negative entries; --set shift=columns or shift=global first
subtracts the smallest entry of each column or of all. A run that makes all its
iterations has status 0. It has status 3 if --tolerance was given and was not reached
within the default number of iterations. If a method misses a tolerance of its own, a
warning says so, and converged is false.

In nmf, nmf-kl and l21-nmf, entries may be missing (--missing weight: NaN and empty
fields) or count less than others (--entry-weights): docs/missing.md.

Several matrices are put together into one: with --blocks, blocks of columns of the
same samples count equally, and samples may lack some of them; with --datasets,
datasets of other samples share components, and have parts of their own
(docs/factorisations.md).

With --out DIR, methods without a graph (nmf, nmf-kl, nmf-beta and others) are run
many times: --runs times for each rank from A to B. The data are read once, and nmf
and nmf-kl pass over sparse data once for several runs. DIR gets the components of
every run and ` + batchJournal + `; after a kill the same command with --resume goes
on. --consensus brings the runs of a rank together and writes the tables of consensus
NMF (docs/restarts.md).`,
		Example: `  orthant generate gaussians --samples 300 --out x.npy
  orthant factorize --method nmf --in x.npy --rank 3 --set shift=columns --set solver=hals --out-w w.npy --out-h h.npy
  orthant factorize --method gnmf --in x.npy --rank 3 --set shift=columns --out-w w.npy --model parts.model
  orthant transform --model parts.model --in x.npy --out again.npy
  orthant factorize --method nmf --in x.npy --rank 3 --set shift=columns --plot parts.png
  orthant generate programmes --samples 1000 --set dims=300 --out counts.npz
  orthant factorize --method nmf --in counts.npz --rank 8:12 --runs 20 --consensus --plot ranks.png --out programmes`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.method, "method", "m", "", "`NAME` of the method: "+late(namesOf, "factorize"))
		f.addWeightFlags(flags)
		f.addCollectionFlags(flags)
		flags.VarP(&f.rank, "rank", "r", "components `R` to find; auto: their number is found by held-out entries, auto:A:B from A to B (docs/missing.md); or several: A:B for all from A to B, or A,B,C; with --out")
		flags.IntVarP(&f.neighbors, "neighbors", "k", 0, "for methods with a graph: the number `K` of nearest neighbours of each sample (default 5, lp-rna and gs-gnmf: 100, rmnmf, amrmf and apmf: the root of the number of samples, at most 7, smrmf and its relatives: that root)")
		f.scaleFlag(flags)
		flags.Var(&f.set, "set", "another parameter of the method; may be repeated")
		flags.IntVar(&f.iterations, "iterations", 0, "`N` iterations (default 200, cim-nmf: 1500, solver=minibatch: 20 passes, rmnmf and methods like it: 150)")
		flags.Float64Var(&f.tolerance, "tolerance", 0, "stop when a step changes WH by less than `T`, relatively (default 0: never), or rmnmf and methods like it once all residuals are below (default 1e-5)")
		flags.IntVar(&f.options.TraceEvery, "trace-every", 10, "report the objective every `N` iterations")
		f.strictFlag(flags, "factorisation")
		f.searchFlags(flags)
	})
	addGroup(cmd, "Many runs", f.many.addFlags)
	addGroup(cmd, "Input and output", func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.in, "in", "i", "", inputHelp)
		f.table.addFlags(inv, flags)
		f.addFlags(flags)
		flags.StringVar(&f.labels, "labels", "", "`FILE` with the class of each sample, a whole number or a text (FILE:column of a table, :column of the input), for ndla and sp-rna")
		flags.StringVar(&f.outW, "out-w", "", "`FILE` for the coordinates W, one row a sample")
		flags.StringVar(&f.outH, "out-h", "", "`FILE` for the components H, one row each")
		flags.StringVar(&f.outOwn, "out-own", "", "`FILE` for the own parts of the datasets, R rows for each dataset (with --datasets)")
		flags.StringVar(&f.outOffset, "out-offset", "", "`FILE` for what is added to WH, one row: X ≈ offset + WH (zeros unless the method scales, centres or shifts the data)")
		flags.StringVar(&f.outImputed, "out-imputed", "", "`FILE` for the samples with the model in place of missing entries (with --missing, --entry-weights)")
		flags.StringVarP(&f.model, "model", "M", "", "write the components to `FILE`, for \"orthant transform\" to map new samples by")
		flags.StringVar(&f.initW, "init-w", "", "`FILE` with a start of W, or with W itself (--set fixed=w)")
		flags.StringVar(&f.initH, "init-h", "", "`FILE` with a start of H, X ≈ offset + WH, or with H itself or its first rows (--set fixed=h); of one start alone the other begins at random")
		f.drawing.define(flags, "the components, with --image as images, and the objective; of many runs the stability and the error of each rank (--consensus), or the error of held-out entries (--held-out)")
		flags.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
		inv.safeFlag(flags)
		flags.BoolVar(&f.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	reads(cmd, append(structureFlags, "in", "labels", "blocks", "datasets", "init-w", "init-h", "entry-weights", "tpm", "feature-names", "sample-names")...)
	writes(cmd, "out-w", "out-h", "out-own", "out-offset", "out-imputed", "model", "plot")
	usual(cmd, "method", "rank", "scale", "set", "runs", "out", "in", "missing", "out-w", "out-h", "model", "plot", "explain")
	writesInto(cmd, "out", batchJournal, "consensus.json", "held_out.json", "runs/*.k_*.iter_*.npy", "*.k_*.dt_*.txt")
	inv.completeMethod(cmd, "factorize")
	return cmd
}

func (f *factorization) run(ctx context.Context, flags *pflag.FlagSet) error {
	method, err := f.chooseMethod(flags)
	if err != nil {
		return err
	}
	if err := f.checkFlags(flags); err != nil {
		return err
	}
	if f.wantsMany(flags) {
		return f.runMany(ctx, method)
	}
	if f.inBatches(method) {
		return f.runInBatches(ctx, method)
	}
	out, err := f.createOutputs()
	if err != nil {
		return err
	}
	x, err := f.read(method, engine.KeepsSingle(method))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if dense, ok := x.(*mat.Dense); ok {
		f.collectSooner(dense)
	}
	result, err := f.factorize(ctx, x, method)
	if err != nil {
		return fromWork(err)
	}
	return f.conclude(ctx, result, out)
}

// conclude writes what was found, and says how it went.
func (f *factorization) conclude(ctx context.Context, result *engine.Factorization, out factorOutputs) error {
	if err := f.writeOutputs(ctx, result, out); err != nil {
		return err
	}
	if err := f.report(result); err != nil {
		return err
	}
	return f.concluded(f.missed(result), result.Method, "factorisation", result.Quality.Verdict)
}

// missed reports a tolerance that was asked for and that the default number of iterations
// did not reach. Of a method's own tolerance the engine warns.
func (f *factorization) missed(r *engine.Factorization) error {
	if r.Converged || f.limited {
		return nil
	}
	return &notConverged{Text: fmt.Sprintf("%s: %d iterations, the default limit, did not reach the tolerance %v; the factors found are written (--iterations N takes a limit for good)",
		r.Method, r.Iterations, r.Params["tolerance"])}
}

// chooseMethod makes the method with its parameters from the flags.
func (f *factorization) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	method, given, err := f.make("factorize", flags)
	if err != nil {
		return nil, err
	}
	if err := f.takeRank(given, flags); err != nil {
		return nil, err
	}
	if err := f.takeMissing(method, given, flags); err != nil {
		return nil, err
	}
	if _, set := given["labels"]; set {
		f.warn(`labels is for "orthant cluster": it does nothing to a factorisation (--labels takes the classes of supervised methods)`)
	}
	if _, set := given["rows"]; set {
		f.warn(`rows is for "orthant cluster": it does nothing to a factorisation`)
	}
	shared := engine.FactorizeParameters()
	f.dropIdle(given, shared, "factorisation")
	if err := setParameters(f.invocation, "factorize", method, given, &f.options.Options, shared); err != nil {
		return nil, err
	}
	_, chosen := given["iterations"]
	_, wanted := given["tolerance"]
	f.lacks = engine.Values(method)["missing"] == "weight"
	f.limited = chosen || !wanted || engine.Values(method)["tolerance"] == 0.0
	return method, nil
}

// takeRank accepts the rank among the settings too.
func (f *factorization) takeRank(given settings, flags *pflag.FlagSet) error {
	text, set := given["rank"]
	if !set {
		return nil
	}
	delete(given, "rank")
	rank, err := strconv.Atoi(text)
	auto := strings.HasPrefix(text, autoRank)
	if err != nil && !auto {
		return wrong("rank is %q; give a whole number ≥ 1, or auto", text)
	}
	if flags.Changed("rank") && (auto && f.rank.String() != text || !auto && !slices.Equal(f.rank.ranks, []int{rank})) {
		return wrong("--rank %s and --set rank=%s contradict each other; give one of them", f.rank.String(), text)
	}
	return flags.Set("rank", text)
}

// checkFlags refuses combinations that cannot work, before anything is read.
func (f *factorization) checkFlags(flags *pflag.FlagSet) error {
	if err := f.checkSearch(); err != nil {
		return err
	}
	f.options.Neighbors = f.search
	switch {
	case f.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case !flags.Changed("rank"):
		return wrong("--rank is missing: how many components there are to be")
	case f.rank.auto && !f.wantsMany(flags) && flags.Changed("held-out") && !(f.many.heldOut > 0 && f.many.heldOut < 1):
		return wrongShare(f.many.heldOut)
	case !f.rank.auto && f.rank.least() < 1:
		return wrong("--rank is %s; give a whole number ≥ 1", f.rank.String())
	case f.wantsMany(flags):
		return f.checkMany(flags)
	case f.options.TraceEvery < 1:
		return wrong("--trace-every is %d; give a whole number ≥ 1", f.options.TraceEvery)
	case f.outW == "" && f.outH == "" && f.outOwn == "" && f.outImputed == "" && f.model == "" && f.plot == "" && !f.json:
		return wrong("--out-w and --out-h are missing: files for the coordinates and the components, or - for standard output")
	case f.outW == "-" && f.outH == "-":
		return wrong("--out-w and --out-h would both go to standard output; give one of them a file")
	case f.outOffset == "-" && (f.outW == "-" || f.outH == "-"):
		return wrong("--out-offset and another output would both go to standard output; give one of them a file")
	case f.outImputed == "-" && (f.outW == "-" || f.outH == "-" || f.outOffset == "-"):
		return wrong("--out-imputed and another output would both go to standard output; give one of them a file")
	case f.outOwn == "-" && (f.outW == "-" || f.outH == "-" || f.outOffset == "-" || f.outImputed == "-"):
		return wrong("--out-own and another output would both go to standard output; give one of them a file")
	case f.outOwn != "" && f.datasets == "":
		return wrong("--out-own is for --datasets; give the dataset of each sample, or leave it out")
	case f.labels == "" && supervised(f.method):
		return wrong("--labels is missing: %s learns from the classes of the samples, one whole number each", f.method)
	case f.labels != "" && !supervised(f.method):
		f.warn("%s does not learn from labels: --labels does nothing", f.method)
	}
	if f.options.Rank = f.rank.least(); f.rank.auto {
		f.options.Rank, f.options.RankSearch = engine.Auto, f.rankSearch()
	}
	var err error
	for _, path := range []*string{&f.labels, &f.datasets} {
		if *path, err = ofInput(*path, f.in); err != nil {
			return err
		}
	}
	f.table.datasets = f.datasets
	if err := f.table.checkDropped(append(f.paths(), "--init-w", f.initW, "--entry-weights", f.entryWeights)...); err != nil {
		return err
	}
	if err := f.checkDrawing(&f.drawing, flags); err != nil {
		return err
	}
	if err := f.structure.check(); err != nil {
		return err
	}
	return oneStandardInput(append(f.paths(), "--in", f.in, "--labels", f.labels, "--blocks", f.blocks, "--datasets", f.datasets, "--init-w", f.initW, "--init-h", f.initH, "--entry-weights", f.entryWeights)...)
}

func (f *factorization) factorize(ctx context.Context, x mat.Matrix, method engine.Method) (*engine.Factorization, error) {
	progress := f.progressOf()
	defer progress.end()
	o := f.options
	o.Options, o.Model = f.running(o.Options, &f.working, progress), f.model != ""
	o.EntryWeights, o.Impute = f.weights, f.outImputed != ""
	result, err := engine.Factorize(ctx, x, method, o)
	if err != nil {
		return nil, err
	}
	f.worked(progress, result.Warnings)
	return result, nil
}

// read reads the samples, sparse where the file is, and what comes with them.
// single has samples of float32 stay so where the file is one of them.
func (f *factorization) read(method engine.Method, single bool) (mat.Matrix, error) {
	defer f.clock.Phase("read")()
	x, err := f.readWeighted(single)
	if err != nil {
		return nil, err
	}
	if _, _, err := f.readStructure(&f.structure, &f.table, f.in, isDirected(method), &f.options.Options); err != nil {
		return nil, err
	}
	n := f.table.total
	if f.labels != "" {
		if f.options.Labels, _, err = f.readLabels(&f.table, f.labels, f.in, n); err != nil {
			return nil, err
		}
	}
	if err := f.readCollection(); err != nil {
		return nil, err
	}
	if f.initW != "" {
		if f.options.InitW, err = files.ReadMatrix(f.initW, f.reading()); err != nil {
			return nil, err
		}
	}
	if f.initH != "" {
		if f.options.InitH, err = files.ReadMatrix(f.initH, f.reading()); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// factorOutputs are the files under construction; nil where none was asked for.
type factorOutputs struct{ w, h, own, offset, imputed, model, plot *files.Output }

func (f *factorization) createOutputs() (out factorOutputs, err error) {
	for _, o := range []struct {
		to   **files.Output
		path string
	}{{&out.w, f.outW}, {&out.h, f.outH}, {&out.own, f.outOwn}, {&out.offset, f.outOffset}, {&out.imputed, f.outImputed}} {
		if *o.to, err = f.create(o.path); err != nil {
			return out, err
		}
	}
	if out.plot, err = f.createRaw(f.plot); err != nil {
		return out, err
	}
	out.model, err = f.createRaw(f.model)
	return out, err
}

// writeOutputs writes everything before it commits anything.
func (f *factorization) writeOutputs(ctx context.Context, r *engine.Factorization, out factorOutputs) error {
	defer f.clock.Phase("write")()
	f.table.title(f.invocation, out.w, coordinateNames(r.Method, r.Rank), f.table.ids)
	f.table.title(f.invocation, out.imputed, f.table.names, f.table.ids)
	for _, o := range []*files.Output{out.h, out.own, out.offset} {
		f.table.title(f.invocation, o, f.table.names, nil)
	}
	for _, o := range []struct {
		to     *files.Output
		factor *mat.Dense
	}{{out.w, r.W}, {out.h, r.H}, {out.own, r.Own}, {out.offset, offsetOf(r)}, {out.imputed, r.Imputed}} {
		if err := f.writeMatrix(o.to, o.factor); err != nil {
			return err
		}
	}
	if out.plot != nil {
		if err := f.draw(r, out.plot); err != nil {
			return err
		}
	}
	if len(f.datasetNames) > 0 {
		r.Params[datasetNamesKey] = f.datasetNames
	}
	if err := saveModel(r, out.model); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.commit()
}

// offsetOf is the offset as a row.
func offsetOf(r *engine.Factorization) *mat.Dense {
	row := mat.NewDense(1, r.Features, nil)
	if r.Offset != nil {
		row.SetRow(0, r.Offset)
	}
	return row
}

// factorReport is what --json prints of a factorisation.
type factorReport struct {
	Method     string          `json:"method"`
	Params     map[string]any  `json:"params"`
	Samples    int             `json:"samples"`
	Features   int             `json:"features"`
	Rank       int             `json:"rank"`
	Sparse     bool            `json:"sparse"` // the data were and stayed sparse
	Objective  span            `json:"objective"`
	Trace      factorTrace     `json:"trace"`
	Iterations int             `json:"iterations"`
	Converged  bool            `json:"converged"`
	Error      number          `json:"relative_error"` // ‖X − offset − WH‖/‖X − offset‖
	Quality    *engine.Verdict `json:"quality"`
	Components int             `json:"components"`
	Sizes      []int           `json:"component_sizes"`
	Duplicates int             `json:"duplicates"`
	Seed       uint64          `json:"seed"`
	OutW       string          `json:"out_w"`
	OutH       string          `json:"out_h"`
	OutOwn     string          `json:"out_own,omitempty"`
	OutOffset  string          `json:"out_offset"`
	OutImputed string          `json:"out_imputed"`
	Model      string          `json:"model"`
	Plan       string          `json:"plan"`
	Details    map[string]any  `json:"details"`
	HeldOut    *heldOutReport  `json:"held_out,omitempty"` // how the rank was found
	Parts      []partReport    `json:"parts,omitempty"`    // the components, a row of H each
	Blocks     []blockReport   `json:"blocks,omitempty"`
	Datasets   []datasetReport `json:"datasets,omitempty"`
	Explained  []string        `json:"explanation,omitempty"`
	cost
	machine
}

// factorTrace is how the iteration went, at the start, every this many iterations and
// at the end, before the components are normalised.
type factorTrace struct {
	Iteration   []int    `json:"iteration"`
	Objective   []number `json:"objective"`
	Surrogate   []number `json:"surrogate"` // differs from the objective for correntropy alone
	Error       []number `json:"relative_error"`
	Regularizer []number `json:"regulariser"`
	Sigma2      []number `json:"sigma2"` // 0 without correntropy
}

func traceOf(r *engine.Factorization) (t factorTrace) {
	for _, p := range r.Trace {
		t.Iteration = append(t.Iteration, p.Iteration)
		t.Objective = append(t.Objective, number(p.Objective))
		t.Surrogate = append(t.Surrogate, number(p.Surrogate))
		t.Error = append(t.Error, number(p.Residual))
		t.Regularizer = append(t.Regularizer, number(p.Regularizer))
		t.Sigma2 = append(t.Sigma2, number(p.Sigma2))
	}
	return t
}

func (f *factorization) report(r *engine.Factorization) error {
	c := f.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	first, last := r.Trace[0], r.Trace[len(r.Trace)-1]
	if f.json {
		return f.printJSON(factorReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Rank: r.Rank, Sparse: r.Sparse,
			Objective: span{First: number(first.Objective), Last: number(last.Objective)}, Trace: traceOf(r),
			Iterations: r.Iterations, Converged: r.Converged, Error: number(r.RelativeError), Quality: r.Quality,
			Components: r.Components, Sizes: list(r.Sizes), Duplicates: r.Duplicates, Seed: f.seed,
			OutW: f.outW, OutH: f.outH, OutOwn: f.outOwn, Blocks: f.blockReports(r), Datasets: f.datasetReports(r), OutOffset: f.outOffset, OutImputed: f.outImputed, Model: f.model, Plan: r.Plan, Details: finite(r.Details), HeldOut: reportOf(r.RankFound), Parts: partsOf(r.Parts),
			Explained: f.explanation(), cost: c, machine: f.machine(),
		})
	}
	w := f.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s × %s%s → %s", counted(r.Samples, "sample"), counted(r.Features, "feature"), kind, counted(r.Rank, "component"))
	if share, lacks := r.Details["missing_share"].(float64); lacks {
		line(w, "missing", "%.4g %% of the entries have the weight 0", 100*share)
	}
	if r.Components > 0 {
		writeComponents(w, r.Components, r.Sizes)
	}
	how := ""
	if r.Converged {
		how = ", converged"
	}
	line(w, "iterations", "%d%s", r.Iterations, how)
	line(w, "objective", "%.6g, at the start %.6g", last.Objective, first.Objective)
	of := "‖X‖"
	if r.Offset != nil {
		of = "‖X − offset‖"
	}
	line(w, "error", "%.6g of %s", r.RelativeError, of)
	writeParts(w, r.Parts)
	f.writeCollection(w, r)
	reportOf(r.RankFound).write(w)
	writeCost(w, c)
	writeWritten(w, f.outW, f.outH, f.outOwn, f.outOffset, f.outImputed, f.model, f.plot)
	return nil
}

// partReport is what one component contributes; null: it has no share, or no sparseness.
type partReport struct {
	Share      number `json:"share"`
	Sparseness number `json:"sparseness"`
}

func partsOf(parts []engine.FactorPart) (list []partReport) {
	for _, p := range parts {
		list = append(list, partReport{number(p.Share), number(p.Sparseness)})
	}
	return list
}

// writeParts prints a number of each component, in the order of the rows of H.
func writeParts(w io.Writer, parts []engine.FactorPart) {
	var shares, sparseness []float64
	for _, p := range parts {
		shares, sparseness = append(shares, 100*p.Share), append(sparseness, p.Sparseness)
	}
	if len(parts) > 0 && !math.IsNaN(shares[0]) {
		line(w, "shares", "%s %% of the sum of WH", someNumbers(shares, "%.3g"))
	}
	if len(parts) > 0 {
		line(w, "sparseness", "%s of the components", someNumbers(sparseness, "%.2f"))
	}
}

// someNumbers are the first numbers of a list as text, and how many more there are.
func someNumbers(list []float64, format string) string {
	const shown = 12
	var texts []string
	for _, v := range list[:min(len(list), shown)] {
		text := "–"
		if v == v {
			text = fmt.Sprintf(format, v)
		}
		texts = append(texts, text)
	}
	if more := len(list) - shown; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}

// maxProfiles are the components that are drawn as curves.
const maxProfiles = 12

// draw shows the components, as images where they are some, else as curves over the features,
// and the objective.
func (f *factorization) draw(r *engine.Factorization, to *files.Output) error {
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s  ·  %s", r.Method, counted(r.Samples, "sample"), counted(r.Rank, "component"))}
	objective := &picture.Curve{Title: "convergence", XLabel: "iteration", YLabel: "objective", Falls: true, Width: curveWidth}
	for _, at := range r.Trace {
		objective.X, objective.Y = append(objective.X, float64(at.Iteration)), append(objective.Y, at.Objective)
	}
	search := reportOf(r.RankFound)
	f.takeShape(f.images)
	if f.image != "" {
		images, err := f.imagesOf(r.H)
		if err != nil {
			return err
		}
		page.Panels = append(page.Panels, &picture.Montage{Images: images})
		if len(objective.Y) > 1 {
			page.Panels = append(page.Panels, objective)
		}
		if search != nil {
			page.Panels = append(page.Panels, search.curve())
		}
		return f.drawPage(&f.drawing, page, to)
	}
	page.Columns = 3
	_, m := r.H.Dims()
	features := make([]float64, m)
	for j := range features {
		features[j] = float64(j + 1)
	}
	for i := range min(r.Rank, maxProfiles) {
		title := fmt.Sprintf("component %d", i+1)
		if i < len(r.Parts) && !math.IsNaN(r.Parts[i].Share) {
			title += fmt.Sprintf("  ·  %.3g %%", 100*r.Parts[i].Share)
		}
		page.Panels = append(page.Panels, &picture.Curve{Title: title, XLabel: "feature", YLabel: "H", X: features, Y: r.H.RawRowView(i), Width: profileWidth, Height: profileHeight})
	}
	if r.Rank > maxProfiles {
		page.Title += fmt.Sprintf(", the first %d", maxProfiles)
	}
	if len(objective.Y) > 1 {
		objective.Width, objective.Height = profileWidth, profileHeight
		page.Panels = append(page.Panels, objective)
	}
	if search != nil {
		curve := search.curve()
		curve.Title, curve.XLabel, curve.Width, curve.Height = fmt.Sprintf("rank %d", r.Rank), "rank", profileWidth, profileHeight
		page.Panels = append(page.Panels, curve)
	}
	page.Columns = min(3, len(page.Panels))
	return f.drawPage(&f.drawing, page, to)
}

// The size of one component among others.
const profileWidth, profileHeight = 290 * vg.Length(1), 200 * vg.Length(1)
