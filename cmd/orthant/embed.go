package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
)

// embedding is one "orthant embed".
type embedding struct {
	*invocation
	choice
	in, out string
	structure
	labels  string
	options engine.Options // with the parameters of all methods
	working
	drawing
	model   string
	init    string // the file with a start
	table   tableFlags
	classes []string // the texts of the labels; nil: they are numbers
	limited bool     // the limit of iterations was chosen, not the default
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
"orthant transform" needs to give new samples coordinates beside these.

If the neighbours are known, give --graph, --affinities or --distances, and there is
no search. Methods that need only a graph, and mds and nmms with distances, then work
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
		f.StringVar(&e.neighborsMethod, "neighbors-method", "auto", "`HOW` to find neighbours: exact, auto (the same as exact) or approximate (see recall in \"orthant methods lle\")")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", inputHelp)
		e.table.addFlags(inv, f)
		e.table.addMissing(f)
		e.addFlags(f)
		f.StringVarP(&e.out, "out", "o", "", "`FILE` for the coordinates, one row a sample")
		f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
		inv.safeFlag(f)
		f.StringVar(&e.labels, "labels", "", "`FILE` with the class of each sample, a whole number or a text (FILE:column of a table, :column of the input): lda learns from them; for other methods they colour the plot, and do not change the result")
		f.StringVar(&e.init, "init", "", "`FILE` with the start of an iterative method: nonnegative, D columns, a row for each sample (projections: for each feature)")
		f.StringVarP(&e.model, "model", "M", "", "write the fitted model to `FILE`, for \"orthant transform\" to map new samples by")
		e.drawing.define(f, "the coordinates: three as a view of the space, more in pairs; of iterative methods also how they converged, of the others their eigenvalues")
		e.drawing.defineColors(f)
		f.BoolVar(&e.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	reads(cmd, append(structureFlags, "in", "labels", "color", "init")...)
	writes(cmd, "out", "model", "plot")
	usual(cmd, "method", "neighbors", "dim", "scale", "set", "in", "missing", "out", "labels", "model", "plot", "color", "explain")
	inv.complete(cmd, "method", func() []string { return methodNames("embed") })
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
	out, err := e.create(e.out)
	if err != nil {
		return err
	}
	var plot *files.Output
	if e.plot != "" {
		if plot, err = e.createRaw(e.plot); err != nil {
			return err
		}
	}
	var model *files.Output
	if e.model != "" {
		if model, err = e.createRaw(e.model); err != nil {
			return err
		}
		e.options.Model = true
	}
	x, colors, err := e.read()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if x != nil {
		e.collectSooner(x)
	}
	result, err := e.embed(ctx, x, method)
	if err != nil {
		return fromWork(err)
	}
	if err := e.writeOutputs(ctx, x, result, colors, out, plot, model); err != nil {
		return err
	}
	if err := e.report(result); err != nil {
		return err
	}
	if err := e.missed(result); err != nil {
		return err
	}
	return e.refused(result.Method, "embedding", result.Quality.Verdict)
}

// chooseMethod makes the method with its parameters from the flags.
func (e *embedding) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	method, given, err := e.make("embed", flags)
	if err != nil {
		return nil, err
	}
	if err := setParameters(e.invocation, "embed", method, given, &e.options, engine.CommonParameters()); err != nil {
		return nil, err
	}
	_, chosen := given["iterations"]
	e.limited = chosen || engine.Values(method)["tolerance"] == 0.0
	if e.init != "" && !slices.Contains(assign.Keys(engine.Parameters(method)), "init") {
		e.warn("%s does not start from a given point: --init does nothing", method.Name())
		e.init = ""
	}
	return method, nil
}

// missed reports eigenpairs that are not good enough, and iterations that ended at
// a limit that nobody chose.
func (e *embedding) missed(r *engine.Result) error {
	switch {
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
	search, err := e.searchMethod()
	if err != nil {
		return err
	}
	e.options.Neighbors = search
	switch {
	case e.in == "" && !e.structured():
		return wrong("--in is missing: the file with the samples, or - for standard input")
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
	if err := e.structure.check(); err != nil {
		return err
	}
	if err := e.table.checkMissing(e.method); err != nil {
		return err
	}
	if err := e.table.checkDropped(append(e.paths(), "--init", e.init)...); err != nil {
		return err
	}
	if e.labels, err = ofInput(e.labels, e.in); err != nil {
		return err
	}
	return oneStandardInput(append(e.paths(), "--in", e.in, "--labels", e.labels, "--color", e.color, "--init", e.init)...)
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
	result, err := engine.Embed(ctx, x, method, o)
	if err != nil {
		return nil, err
	}
	e.worked(progress, result.Warnings)
	return result, nil
}
