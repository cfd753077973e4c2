package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// clustering is one "orthant cluster".
type clustering struct {
	*invocation
	choice
	in, out string
	structure
	outEmbeddings string
	outCenters    string
	outAffinities string
	model         string
	embedding     string // what --plot draws the clusters in
	drawing
	options engine.ClusterOptions
	working

	limited bool // the user set the limits of k-means
	table   tableFlags
}

func newCluster(inv *invocation) *cobra.Command {
	c := &clustering{invocation: inv}
	cmd := &cobra.Command{
		Use:   "cluster --method NAME --in X --clusters C --out LABELS [flags]",
		Short: "Partition samples into clusters",
		Long: `Cluster puts every sample (row) into one of C clusters, numbered from 0 in the order
of their first samples. lnp and smce choose few neighbours, and so separate manifolds
that come close to each other. spectral takes the plain neighbour graph. kmeans finds
round clusters. ds3 and esc-ffs choose exemplars that stand for the other samples. The
other methods factorise the samples with C components, and cluster the coordinates
(--set labels=kmeans) or take the largest one (labels=argmax). They need nonnegative
samples, except dsmf and the methods with mrmf or apmf in their names:

` + late(linesOf, "cluster") + `
With --out-embeddings every cluster is embedded on its own, in its estimated
dimension or that of --dim: DIR holds cluster-000.npy and so on, and index.json
lists for each cluster its size, its rows, its dimension and its file.

--model keeps what "orthant transform" needs to label new samples. A method without
such a rule refuses it before the work begins ("orthant methods" lists the rules).
--out-centers writes the centres of kmeans; row c is the centre of cluster c.
--out-affinities writes the weights of the similarity graph, if the method makes one.

A graph with several components is no error; they are reported. Sparse samples (.mtx,
.mat, SciPy's .npz) stay sparse in
` + late(sparseOf, "cluster") + `.`,
		Example: `  orthant generate two-trefoils --samples 400 --out x.npy --out-labels truth.npy
  orthant cluster --method lnp --in x.npy --clusters 2 --out found.npy --out-embeddings knots
  orthant evaluate --metric acc --labels truth.npy --predicted found.npy
  orthant cluster --method lnp --in x.npy --clusters 2 --plot knots.html
  orthant cluster --method kmeans --in x.npy --clusters 2 --set restarts=50 --out found.npy --model groups.model
  orthant transform --model groups.model --in x.npy --out again.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.StringVarP(&c.method, "method", "m", "", "`NAME` of the method: "+late(namesOf, "cluster"))
		f.IntVarP(&c.options.Clusters, "clusters", "c", 0, "clusters `C` to find")
		f.IntVarP(&c.neighbors, "neighbors", "k", 0, "the number `K` of nearest neighbours of each sample (default 12, smce: 50, factorisations: 5, lp-rna and gs-gnmf: 100, rmnmf, amrmf and apmf: the root of the number of samples, at most 7, smrmf and its relatives: that root)")
		f.IntVarP(&c.dim, "dim", "d", 0, "coordinates `D` of every cluster's embedding (default: its estimated dimension)")
		f.IntVar(&c.iterations, "iterations", 0, "at most `N` iterations of kmeans from each start (default 300), or of a factorisation (default: the method's)")
		f.Float64Var(&c.tolerance, "tolerance", 0, "end kmeans once no centre moves by more than the share `T` of the data's radius (default 1e-6), or a factorisation once a step changes little or all residuals are small (see its method)")
		f.Var(&c.set, "set", "another parameter of the method, or components=largest|each|joint|bridge|error of the embeddings; may be repeated")
		c.scaleFlag(f)
		c.strictFlag(f, "clustering")
		f.StringVar(&c.neighborsMethod, "neighbors-method", "auto", "`HOW` to find neighbours: exact, auto (the same as exact) or approximate")
		f.BoolVar(&c.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&c.in, "in", "i", "", inputHelp)
		c.table.addFlags(inv, f)
		c.table.addMissing(f)
		c.addFlags(f)
		f.StringVarP(&c.out, "out", "o", "", "`FILE` for the labels, an integer a sample")
		f.StringVar(&c.outEmbeddings, "out-embeddings", "", "folder `DIR` for an embedding of each cluster; it is made if need be")
		f.StringVarP(&c.model, "model", "M", "", "write the fitted model to `FILE`, for \"orthant transform\" to label new samples by")
		f.StringVar(&c.outCenters, "out-centers", "", "`FILE` for the centres of kmeans, one a row")
		f.StringVar(&c.outAffinities, "out-affinities", "", "`FILE` for the weights of the similarity graph, of methods that make one: a sparse n × n matrix, .npz or .mtx, as --affinities takes it")
		c.drawing.define(f, "the samples in the colours of their clusters, by their first two principal components")
		f.StringVar(&c.embedding, "embedding", "", "`FILE` with coordinates of the samples for the plot, in place of principal components")
		f.BoolVar(&inv.float32, "float32", false, "write embeddings and centres as float32 in place of float64")
		inv.safeFlag(f)
	})
	reads(cmd, append(structureFlags, "in", "embedding")...)
	writes(cmd, "out", "model", "out-centers", "out-affinities", "plot")
	usual(cmd, "method", "clusters", "neighbors", "dim", "scale", "set", "in", "missing", "out", "model", "plot", "explain")
	writesInto(cmd, "out-embeddings", "index.json", "cluster-*.npy")
	inv.complete(cmd, "method", func() []string { return methodNames("cluster") })
	return cmd
}

func (c *clustering) run(ctx context.Context, flags *pflag.FlagSet) (err error) {
	method, err := c.chooseMethod(flags)
	if err != nil {
		return err
	}
	if err := c.checkFlags(flags); err != nil {
		return err
	}
	outs, err := c.createOutputs()
	if err != nil {
		return err
	}
	folder, err := c.openFolder()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			folder.abandon()
		}
	}()
	x, err := c.read()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if x != nil {
		c.collectSooner(x)
	}
	result, err := c.cluster(ctx, x, method)
	if err != nil {
		return fromWork(err)
	}
	written, err := c.writeOutputs(ctx, x, result, outs, folder)
	if err != nil {
		return err
	}
	if err := c.report(result, written); err != nil {
		return err
	}
	if err := c.missed(result); err != nil {
		return err
	}
	return c.refused(result.Method, "clustering", result.Quality.Verdict)
}

// missed reports eigenpairs or centres that are not good enough, unless the user
// set the limit.
func (c *clustering) missed(r *engine.Clustering) error {
	if r.Converged || c.limited {
		return nil
	}
	return &notConverged{Text: fmt.Sprintf("%s: no convergence (%d iterations); the best clusters found are written", r.Method, r.Iterations)}
}

// checkFlags refuses combinations that cannot work, before anything is read.
func (c *clustering) checkFlags(flags *pflag.FlagSet) error {
	search, err := c.searchMethod()
	if err != nil {
		return err
	}
	c.options.Neighbors = search
	switch {
	case c.in == "" && !c.structured():
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case !flags.Changed("clusters"):
		return wrong("--clusters is missing: how many there are to be")
	case c.options.Clusters < 1:
		return wrong("--clusters is %d; give a whole number ≥ 1", c.options.Clusters)
	case c.out == "" && c.outEmbeddings == "" && c.model == "" && c.outCenters == "" && c.outAffinities == "" && c.plot == "":
		return wrong("--out is missing: the file for the labels, or - for standard output")
	case c.outCenters != "" && c.method != "kmeans":
		return wrong("%s has no centres: leave --out-centers out, or take --method kmeans", c.method)
	case flags.Changed("dim") && c.outEmbeddings == "":
		c.warn("--dim does nothing without --out-embeddings")
	}
	if c.embedding != "" && c.plot == "" {
		c.warn("--embedding does nothing without --plot")
	}
	if err := c.checkDrawing(&c.drawing, flags); err != nil {
		return err
	}
	c.options.Dim, c.options.Embeddings, c.options.Model, c.options.KeepAffinities = c.dim, c.outEmbeddings != "", c.model != "", c.outAffinities != ""
	if err := c.structure.check(); err != nil {
		return err
	}
	if err := c.table.checkMissing(c.method); err != nil {
		return err
	}
	if err := c.table.checkDropped(c.paths()...); err != nil {
		return err
	}
	return oneStandardInput(append(c.paths(), "--in", c.in, "--embedding", c.embedding)...)
}

func (c *clustering) read() (mat.Matrix, error) {
	defer c.clock.Phase("read")()
	if _, _, err := c.readStructure(c.structure, &c.options.Options); err != nil || c.in == "" {
		return nil, err
	}
	c.options.Overwrite = c.plot == "" // they are this run's alone, but for what is drawn
	return c.table.read(c.invocation, c.in, "", func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) })
}

func (c *clustering) cluster(ctx context.Context, x mat.Matrix, method engine.Method) (*engine.Clustering, error) {
	progress := c.progressOf()
	defer progress.end()
	o := c.options
	o.Options = c.running(o.Options, &c.working, progress)
	result, err := engine.Cluster(ctx, x, method, o)
	if err != nil {
		return nil, err
	}
	c.worked(progress, result.Warnings)
	return result, nil
}

// chooseMethod makes the method with its parameters from the flags.
func (c *clustering) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	method, given, err := c.make("cluster", flags)
	if err != nil {
		return nil, err
	}
	c.limited = given.Limited()
	if err := c.takeDim(given); err != nil {
		return nil, err
	}
	shared := engine.ClusterParameters()
	c.dropIdle(given, shared, "clustering")
	return method, setParameters(c.invocation, "cluster", method, given, &c.options.Options, shared)
}

// takeDim takes the dimension of the embeddings out of the settings: it is no matter
// of the method.
func (c *clustering) takeDim(given settings) (err error) {
	text, set := given["dim"]
	if !set {
		return nil
	}
	delete(given, "dim")
	if c.dim, err = strconv.Atoi(text); err != nil || c.dim < 1 {
		return wrong("dim is %q; give a whole number ≥ 1", text)
	}
	return nil
}
