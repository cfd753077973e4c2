package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/cmd/internal/report"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
	"github.com/orthant-go/orthant/sparse"
)

// embedding is one "orthant embed".
type embedding struct {
	*invocation
	choice
	in, out string
	structure
	labels  string
	targets string
	options engine.Options // with the parameters of all methods
	working
	drawing
	model    string
	trusted  string // the file for how far each sample of a map can be trusted
	start    startFlags
	table    tableFlags
	classes  []string      // the texts of the labels; nil: they are numbers
	limited  bool          // the limit of iterations was chosen, not the default
	lacks    bool          // entries may be missing
	blocks   *files.Blocks // of the samples, where these do not fit into memory; nil: they do
	tooLarge error         // what does not fit
}

func newEmbed(inv *invocation) *cobra.Command {
	e := &embedding{invocation: inv, table: tableFlags{classes: true}}
	cmd := &cobra.Command{
		Use:   "embed --method NAME --in X --out Y [flags]",
		Short: "Reduce samples to a few coordinates",
		Long: `Embed finds d coordinates for every sample (row) of a matrix. Samples that are close
in the data stay close, in the sense of the chosen method:

` + late(linesOf, "embed") + `
"orthant methods NAME" explains a method and its parameters. --model keeps what
"orthant transform" needs to give new samples coordinates among these.

If the neighbours are known, give --graph, --affinities or --distances, and there is
no search. Methods that need only a graph, and mds, nmms and smacof with distances, then work
without --in.
Sparse samples (.mtx, .mat, SciPy's .npz) stay sparse in
  ` + late(sparseOf, "embed") + `.`,
		Example: `  orthant generate swiss-roll --samples 1500 --out x.npy --out-params t.npy
  orthant embed --method neml --in x.npy --neighbors 15 --out y.npy
  orthant embed --method le --in x.npy --set weights=heat --out y.csv --plot y.png --color t.npy
  orthant embed --method ltsa --in x.npy --out y.npy --model roll.model
  orthant neighbors --in x.npy --neighbors 12 --out g.npz
  orthant embed --method isomap --graph g.npz --out y.npy
  orthant embed --method pca --dim 3 --in - --out - < x.npy > y.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.StringVarP(&e.method, "method", "m", "", "`NAME` of the method: "+late(namesOf, "embed"))
		f.VarP((*autoCount)(&e.neighbors), "neighbors", "k", "the number `K` of nearest neighbours of each sample, or auto: as many as lie on the same sheet, at most the default (default 12, or the method's own)")
		f.StringVar(&e.radius, "radius", "none", "take as neighbours all samples within a distance of `R`, or auto: the distance within which half of the samples have K neighbours")
		f.StringVar(&e.denoise, "denoise", "off", "first remove noise: move each sample onto the plane of D dimensions that fits its `K` nearest; auto: only if that is certain to help; off: never (with --neighbors auto or --radius the default is auto)")
		f.VarP((*autoCount)(&e.dim), "dim", "d", "coordinates `D` of each sample, or auto: the dimension that the samples show (default 2)")
		e.scaleFlag(f)
		f.Var(&e.set, "set", "another parameter of the method, or one that all have: components=error|largest|each|joint|bridge "+
			"(of a disconnected neighbour graph), duplicates=keep|merge, landmarks=M; may be repeated")
		f.IntVar(&e.iterations, "iterations", 0, "for iterative methods: at most `N` iterations (default: the method's own; if that is reached without convergence, the status is 3)")
		f.Float64Var(&e.tolerance, "tolerance", 0, "for iterative methods: stop when the relative change of an iteration is less than `T`; 0: never")
		f.BoolVar(&e.options.Certified, "certify", false, "prove that no smaller eigenvalue was missed, by one more factorisation; for methods that use the smallest eigenvalues of a sparse matrix")
		e.strictFlag(f, "embedding")
		e.searchFlags(f)
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", inputHelp)
		e.table.addFlags(inv, f)
		e.table.addMissing(f)
		f.Lookup(missingKey).Usage += "; or weight: they have the weight 0 (pca)"
		e.addFlags(f)
		f.StringVarP(&e.out, "out", "o", "", "`FILE` for the coordinates, one row a sample; b.h5ad is a copy of the input, an .h5ad, with the coordinates in obsm/X_METHOD (b.h5ad:NAME: in obsm/NAME)")
		f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
		inv.safeFlag(f)
		f.StringVar(&e.labels, "labels", "", "`FILE` with the class of each sample, a whole number or a text (FILE:column of a table, :column of the input): lda learns from them; for other methods they colour the plot, and do not change the result")
		f.StringVar(&e.targets, "targets", "", "`FILE` with numbers that are known of each sample, one row for each (FILE:column of a table, :column of the input): umap learns from them with --set target_metric=euclidean and --set target_weight=W")
		e.table.weightsFlag(f, "pca")
		e.start.define(f)
		f.StringVarP(&e.model, "model", "M", "", "write the fitted model to `FILE`, for \"orthant transform\" to map new samples by")
		f.StringVar(&e.trusted, "out-trust", "", "of maps (umap, tsne, pacmap): `FILE` for how far each sample can be trusted: the share of its neighbours that are torn away, invented and (--set stability=reruns) unstable, and the density that it is shown with")
		e.drawing.define(f, "the coordinates: three as a view of the space, more in pairs; of iterative methods also how they converged, of the others their eigenvalues")
		e.drawing.defineColors(f)
		f.BoolVar(&e.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	reads(cmd, append(structureFlags, "in", "labels", "targets", "weights", "color", "init", "reference")...)
	writes(cmd, "out", "out-trust", "model", "plot")
	usual(cmd, "method", "neighbors", "metric", "dim", "scale", "set", "in", "missing", "out", "labels", "model", "plot", "color", "explain")
	inv.completeMethod(cmd, "embed")
	return cmd
}

func (e *embedding) run(ctx context.Context, flags *pflag.FlagSet) error {
	method, err := e.chooseMethod(flags)
	if err != nil {
		return err
	}
	if err := e.checkFlags(flags); err != nil {
		return err
	}
	out, err := e.createFor(e.out, e.in, "obsm/X_"+method.Name(), &e.table)
	if err != nil {
		return err
	}
	plot, err := e.createRaw(e.plot)
	if err != nil {
		return err
	}
	model, err := e.createRaw(e.model)
	if err != nil {
		return err
	}
	trust, err := e.create(e.trusted)
	if err != nil {
		return err
	}
	e.options.Model = model != nil
	x, colors, err := e.read(ctx, method)
	if err != nil {
		return err
	}
	defer e.closeBlocks()
	if err := ctx.Err(); err != nil {
		return err
	}
	if x != nil {
		e.collectSooner(x)
	}
	result, err := e.embed(ctx, x, method)
	if engine.IsMemory(err) && e.blocks == nil && e.openBlocks(method, err) == nil {
		x = nil
		debug.FreeOSMemory()
		result, err = e.embed(ctx, nil, method)
	}
	if err != nil {
		return fromWork(err)
	}
	if err := e.writeTrust(result, trust); err != nil {
		return err
	}
	if err := e.writeOutputs(ctx, x, result, colors, out, plot, model); err != nil {
		return err
	}
	if err := e.report(result); err != nil {
		return err
	}
	return e.concluded(e.missed(result), result.Method, "embedding", result.Quality.Verdict)
}

// chooseMethod makes the method with its parameters from the flags.
func (e *embedding) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	method, given, err := e.make("embed", flags)
	if err != nil {
		return nil, err
	}
	if takesMissing(engine.Parameters(method)) {
		if err := refuseMissing(given); err != nil {
			return nil, err
		}
		if e.table.missing == "weight" {
			given[missingKey], e.table.missing = "weight", "error"
		}
	}
	if err := e.start.check(e.invocation, method, given); err != nil {
		return nil, err
	}
	if _, chosen := given["remedies"]; !chosen && e.shared != nil {
		given["remedies"] = "named" // trials would take half of a batch's time
	}
	if err := setParameters(e.invocation, "embed", method, given, &e.options, engine.CommonParameters()); err != nil {
		return nil, err
	}
	e.lacks = engine.Values(method)[missingKey] == "weight"
	_, chosen := given["iterations"]
	e.limited = chosen || engine.Values(method)["tolerance"] == 0.0
	return method, nil
}

// missed reports eigenpairs that are not good enough, and iterations that ended at
// a limit that was not chosen.
func (e *embedding) missed(r *engine.Result) error {
	switch {
	case !r.Converged && r.Details["missing_share"] != nil:
		return &notConverged{Text: fmt.Sprintf("%s: %v steps did not reach the likeliest components; the best found are written", r.Method, r.Details["iterations"])}
	case r.Converged || r.Objective != nil && e.limited:
		return nil
	case r.Objective != nil:
		tolerance := fmt.Sprintf("the tolerance %v", r.Params["tolerance"])
		if _, word := r.Params["tolerance"].(string); word {
			tolerance = "the default tolerance"
		}
		return &notConverged{Text: fmt.Sprintf("%s: %d iterations, the default limit, did not reach %s; the best embedding found is written (--iterations N takes a limit for good)",
			r.Method, r.Iterations, tolerance)}
	}
	return &notConverged{Text: fmt.Sprintf("%s: an eigenpair missed its residual (%.2g is the largest); the best embedding found is written", r.Method, slices.Max(r.Residuals))}
}

// checkFlags refuses combinations that cannot work, before anything is read.
func (e *embedding) checkFlags(flags *pflag.FlagSet) error {
	if err := e.checkSearch(); err != nil {
		return err
	}
	e.options.Neighbors = e.search
	switch {
	case e.in == "" && !e.structured():
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case e.trusted != "" && !engine.IsMap(e.method):
		return wrong("--out-trust is for maps, by umap, tsne or pacmap, and %s makes none; leave it out", e.method)
	case e.out == "" && e.plot == "" && e.model == "":
		return wrong("--out is missing: the file for the coordinates, or - for standard output")
	case e.labels == "" && supervised(e.method):
		return wrong("--labels is missing: %s learns from the classes of the samples, one whole number each", e.method)
	case e.color != "" && e.labels != "" && !supervised(e.method):
		e.warn("--color is taken for the plot, --labels are not used")
	}
	if err := e.checkDrawing(&e.drawing, flags); err != nil {
		return err
	}
	startFlag, start := e.start.path()
	if err := e.table.checkWith(e.structure, e.method, startFlag, start); err != nil {
		return err
	}
	var err error
	if e.labels, err = ofInput(e.labels, e.in); err != nil {
		return err
	}
	if e.targets, err = ofInput(e.targets, e.in); err != nil {
		return err
	}
	if e.color, err = ofInput(e.color, e.in); err != nil {
		return err
	}
	e.table.targets = e.targets
	if err := e.table.checkWeights(e.method, e.in); err != nil {
		return err
	}
	return oneStandardInput(append(e.paths(), "--in", e.in, "--labels", e.labels, "--targets", e.targets, "--weights", e.table.weights, "--color", e.color, startFlag, start)...)
}

func (e *embedding) embed(ctx context.Context, x mat.Matrix, method engine.Method) (*engine.Result, error) {
	e.hint(ctx, x, method, e.options)
	progress := e.progressOf()
	defer progress.end()
	o := e.running(e.options, &e.working, progress)
	if e.explain && x != nil {
		if forecast := engine.ForecastEmbed(ctx, x, method, o); forecast != nil {
			o.Explain(forecast.String())
		}
	}
	var result *engine.Result
	var err error
	if e.blocks != nil {
		if result, err = engine.EmbedSource(ctx, e.blocks, method, o); engine.IsMemory(err) {
			err = e.tooLarge
		}
	} else {
		result, err = engine.Embed(ctx, x, method, o)
	}
	if err != nil {
		return nil, err
	}
	e.worked(progress, result.Warnings)
	if e.blocks != nil {
		e.warn("%s did not fit within the limit of memory: it was read block by block, twice", e.in)
	}
	return result, nil
}

// openBlocks opens the samples to be read block by block, where the method and the options allow that. Otherwise it returns the reason why
// they cannot be held.
func (e *embedding) openBlocks(method engine.Method, why error) error {
	if !engine.EmbedsSource(method) || e.in == "" || e.in == "-" || files.IsImages(e.in) || e.structured() || e.table.transpose || e.table.missing != "error" || e.image != "" {
		return why
	}
	blocks, err := files.OpenBlocks(e.in, e.table.options(e.invocation, e.in, e.labels))
	if err != nil {
		return why
	}
	if blocks.Whole() != "" || blocks.Sparse() || blocks.Rows() < 0 && e.labels+e.color != "" {
		_ = blocks.Close()
		return why
	}
	e.blocks, e.tooLarge, e.table.total = blocks, why, blocks.Rows()
	return nil
}

func (e *embedding) closeBlocks() {
	if e.blocks != nil {
		_ = e.blocks.Close()
	}
}

// read reads the samples and the numbers that colour the plot.
func (e *embedding) read(ctx context.Context, method engine.Method) (mat.Matrix, *draw.Coloring, error) {
	defer e.clock.Phase("read")()
	var x mat.Matrix
	var err error
	if e.in != "" {
		if x, err = e.table.read(e.invocation, e.in, e.labels, func(o files.Options) (mat.Matrix, error) {
			o.Missing = o.Missing || e.lacks
			return files.ReadAny(e.in, o)
		}); files.IsTooLarge(err) {
			x, err = nil, e.openBlocks(method, err)
		}
		if err != nil {
			return nil, nil, e.sayMissing(err)
		}
		e.takeShapeForPages(e.images)
		e.options.Overwrite = e.image == "" // it is this run's alone, but for the images that are shown
	}
	n, of, err := e.readStructure(&e.structure, &e.table, e.in, isDirected(method), &e.options)
	if err != nil {
		return nil, nil, err
	}
	if e.in != "" {
		n, of = e.table.total, e.in
	}
	if e.options.Weights, err = e.table.readWeights(e.invocation, of); err != nil {
		return nil, nil, err
	}
	var colors *draw.Coloring
	if e.labels != "" {
		labels, names, err := e.readLabels(&e.table, e.labels, of, n)
		if err != nil {
			return nil, nil, err
		}
		colors, e.options.Labels, e.classes = picture.ByClasses(labels, names), labels, names
	}
	if e.targets != "" {
		if e.options.Targets, err = e.readTargets(of, n); err != nil {
			return nil, nil, err
		}
	}
	if e.options.Init, err = e.readStart(ctx, x); err != nil {
		return nil, nil, err
	}
	if e.color != "" && e.plot != "" {
		if colors, err = e.readColors(&e.drawing, &e.table, n, of); err != nil {
			return nil, nil, err
		}
	}
	return x, colors, nil
}

// sayMissing adds the remedy for values that are missing of methods with weights.
func (e *embedding) sayMissing(err error) error {
	if !slices.Contains(takingMissing("embed"), e.method) {
		return err
	}
	return sayWeight(err)
}

// readTargets reads the targets of the samples that are kept, of n samples that a file has.
func (e *embedding) readTargets(of string, n int) (*mat.Dense, error) {
	x, err := files.ReadMatrix(e.targets, e.readingOf(e.targets))
	if err != nil {
		return nil, err
	}
	rows, cols := x.Dims()
	if rows != n {
		return nil, wrong("%s has %s for the %d samples of %s; give one for each", e.targets, counted(rows, "row"), n, of)
	}
	kept := mat.NewDense(len(keptOf(&e.table, make([]float64, n))), cols, nil)
	for j := range cols {
		kept.SetCol(j, keptOf(&e.table, mat.Col(nil, j, x)))
	}
	return kept, nil
}

// writeOutputs writes everything before it commits anything.
func (e *embedding) writeOutputs(ctx context.Context, x mat.Matrix, r *engine.Result, colors *draw.Coloring, out, plot, model *files.Output) error {
	defer e.clock.Phase("write")()
	if plot != nil {
		page, points := pictureOf(r, colors)
		points.IDs = e.table.ids
		if e.options.Labels != nil && colors != nil && colors.Classes == nil {
			points.Groups = picture.ByClasses(e.options.Labels, e.classes)
		}
		showTrust(points, r.Trust)
		if err := e.showImages(&e.drawing, points, x); err != nil {
			return err
		}
		if err := e.drawPage(&e.drawing, page, plot); err != nil {
			return err
		}
	}
	e.table.title(e.invocation, out, coordinateNames(r.Method, r.Dim), e.table.ids)
	if err := e.writeMatrix(out, r.Y); err != nil {
		return err
	}
	if err := saveModel(r, model); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.commit()
}

// writeTrust writes how far each sample of a map can be trusted, one column for each list. What was not measured is NaN.
func (e *embedding) writeTrust(r *engine.Result, out *files.Output) error {
	if out == nil {
		return nil
	}
	defer e.clock.Phase("write")()
	lists := trustLists(r.Trust)
	rows, _ := r.Y.Dims()
	table := mat.NewDense(rows, len(lists), nil)
	for c, list := range lists {
		for i := range rows {
			if table.Set(i, c, math.NaN()); list != nil {
				table.Set(i, c, float64(list[i]))
			}
		}
	}
	e.table.title(e.invocation, out, trustNames, e.table.ids)
	return e.writeMatrix(out, table)
}

var trustNames = []string{"torn", "invented", "unstable", "density"}

// trustLists are the lists of these names; nil: not measured.
func trustLists(t *engine.Trust) [][]float32 {
	if t == nil {
		return make([][]float32, len(trustNames))
	}
	return [][]float32{t.Torn, t.Invented, t.Unstable, t.Density}
}

// showTrust offers the numbers of the samples of a map as colours, and shows their nearest in the data.
func showTrust(points *picture.Scatter, t *engine.Trust) {
	for c, list := range trustLists(t) {
		if list == nil {
			continue
		}
		values := make([]float64, len(list))
		for i, v := range list {
			values[i] = float64(v)
		}
		points.Colorings = append(points.Colorings, picture.Coloring{Name: trustNames[c], Values: values})
	}
	if t != nil {
		points.Neighbors = t.Nearest
	}
}

type (
	embedReport = report.Embed
	iterated    = report.Iterated
	span        = report.Span
)

// iterations returns nil for a method that has none.
func iterations(r *engine.Result) *iterated {
	if len(r.Objective) == 0 {
		return nil
	}
	trace := numbers(r.Objective)
	if _, isMap := r.Details["objective_iterations"]; isMap { // no column of a map has to be anything
		r.Orthogonality = math.NaN()
	}
	return &iterated{Objective: span{First: trace[0], Last: trace[len(trace)-1]}, Trace: trace, Orthogonality: number(r.Orthogonality), Iterations: r.Iterations, KKT: number(r.KKT)}
}

func (e *embedding) report(r *engine.Result) error {
	c := e.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if e.json {
		return e.printJSON(embedReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Dim: r.Dim, Sparse: r.Sparse,
			Eigenvalues: numbers(r.Values), Residuals: numbers(r.Residuals), Next: number(r.Next), Converged: r.Converged, Iterated: iterations(r), Quality: r.Quality,
			Components: r.Components, Sizes: list(r.Sizes), Duplicates: r.Duplicates, Seed: e.seed,
			Out: e.out, Plot: e.plot, Model: e.model, Details: finite(r.Details), Classes: e.classes, Plan: r.Plan, Solves: r.Solves, Products: r.Products, Angle: number(r.Angle),
			Explanation: e.explanation(), Cost: c, Machine: e.machine(),
		})
	}
	w := e.say()
	writeEmbedding(w, r)
	writeVerdict(w, r.Quality, r.Warnings)
	writeCost(w, c)
	writeWritten(w, e.out, e.trusted, e.plot, e.model)
	return nil
}

// writeEmbedding prints the lines about the embedding itself.
func writeEmbedding(w io.Writer, r *engine.Result) {
	line(w, r.Method, "%s", pairs(r.Params))
	kept := ""
	if r.Sparse {
		kept = ", kept sparse"
	}
	line(w, "data", "%s → %s%s", shapeOf(r.Samples, r.Features), counted(r.Dim, "dimension"), kept)
	if r.Components > 0 {
		writeComponents(w, r.Components, r.Sizes)
	}
	writeScale(w, r.Details)
	if c, ok := r.Details["certificate"].(*sparse.Certificate); ok {
		line(w, "certified", "%s", c)
	}
	if recall, ok := r.Details["recall"].(float64); ok {
		if rows, _ := r.Details["recall_rows"].(int); rows > 0 {
			line(w, "recall", "%.4f of the true neighbours, measured on %s", recall, counted(rows, "sample"))
		} else {
			line(w, "recall", "1: the neighbours were found exactly")
		}
	}
	if at, isMap := r.Details["objective_iterations"].([]int); isMap {
		line(w, "iterations", "%d", r.Iterations)
		line(w, "objective", "%.6g, after iteration %d %.6g", r.Objective[len(r.Objective)-1], at[0], r.Objective[0])
		return
	}
	if len(r.Objective) > 0 {
		how := "converged"
		if !r.Converged {
			how = "not converged"
		}
		line(w, "iterations", "%d, %s", r.Iterations, how)
		name := "objective"
		if _, is := r.Details["stress_1"]; is {
			name = "stress-1"
		}
		line(w, name, "%.6g, at the start %.6g", r.Objective[len(r.Objective)-1], r.Objective[0])
		if !math.IsNaN(r.KKT) {
			line(w, "residual", "%.3g of the conditions for a minimum", r.KKT)
			line(w, "columns", "‖UᵀU − I‖ = %.3g", r.Orthogonality)
		}
		return
	}
	var values []string
	for _, v := range r.Values[:min(len(r.Values), 8)] {
		values = append(values, fmt.Sprintf("%.4g", v))
	}
	text := strings.Join(values, "  ")
	if !math.IsNaN(r.Next) {
		text += fmt.Sprintf("  then %.4g", r.Next)
	}
	if len(r.Residuals) > 0 {
		text += fmt.Sprintf("  (residual ≤ %.1e)", slices.Max(r.Residuals))
	}
	line(w, "eigen", "%s", text)
	if shares, ok := r.Details["explained_variance_ratio"].([]float64); ok {
		writeShares(w, shares)
	}
	if share, lacks := r.Details["missing_share"].(float64); lacks {
		line(w, "missing", "%.4g %% of the entries", 100*share)
	}
}

// writeShares prints the shares of the variance that the coordinates explain.
func writeShares(w io.Writer, shares []float64) {
	const most = 8
	var each []string
	var sum float64
	for i, v := range shares {
		if sum += v; i < most {
			each = append(each, fmt.Sprintf("%.2f %%", 100*v))
		}
	}
	if len(shares) > most {
		each = append(each, "…")
	}
	text := strings.Join(each, ", ") + " of the variance"
	if len(shares) > 1 {
		text += fmt.Sprintf("; together %.2f %%", 100*sum)
	}
	line(w, "explained", "%s", text)
}

// writeVerdict prints the line about what was measured; its sentence
// may have been a warning.
func writeVerdict(w io.Writer, q *engine.Quality, warnings []string) {
	text := string(q.Verdict)
	switch {
	case q.Sentence != "" && slices.Contains(warnings, q.Sentence):
		text += ", see the warning"
	case q.Verdict == engine.NotJudged:
		for i, check := range q.NotJudged {
			text += [2]string{": ", "; "}[min(i, 1)] + check.What + ", because " + check.Why
		}
	}
	if !math.IsNaN(q.Even) {
		text += fmt.Sprintf("; even to %.2g in %d charts", q.Even, q.Charts)
	}
	if !math.IsNaN(q.NeighborsKept) {
		text += fmt.Sprintf("; neighbours kept: %.2g", q.NeighborsKept)
	}
	line(w, "verdict", "%s", text)
}

// writeScale prints what was found of the dimension and of the scale of neighbourhoods.
func writeScale(w io.Writer, details map[string]any) {
	if d, ok := details["dim_found"].(int); ok {
		line(w, "dim", "%d: %v", d, details["dim_reason"])
	}
	if k, ok := details["neighbors_found"].(int); ok {
		line(w, "neighbors", "%d, %v", k, details["neighbors_reason"])
	}
	if r, ok := details["radius_found"].(float64); ok {
		line(w, "radius", "%.6g, found from the samples", r)
	}
	switch moved, asked := details["denoised"].(bool); {
	case !asked:
	case moved && details["noise"] != nil:
		line(w, "denoised", "noise %.4g off the surface, planes of %d neighbours", details["noise"], details["denoise_neighbors"])
	case moved:
		line(w, "denoised", "planes of %d neighbours", details["denoise_neighbors"])
	default:
		line(w, "denoised", "no: %v", details["denoise_reason"])
	}
}
