package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/picture"
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
	outScores     string
	outLayers     string
	outMembers    string
	outTree       string
	model         string
	outProfile    string
	subsamples    int    // in which the clusters are found again
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
round clusters. hdbscan finds clusters of any form and density, and their number, and
gives samples between them the label -1; --layers finds clusterings of other
resolutions, too. leiden finds the communities of the neighbour
graph, and their number. ds3 and esc-ffs choose exemplars that stand for the other samples. The
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

A graph with several components is not an error; they are reported. Sparse samples (.mtx,
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
		f.IntVarP(&c.options.Clusters, "clusters", "c", 0, "clusters `C` to find; needed but for methods that find their number")
		f.IntVarP(&c.neighbors, "neighbors", "k", 0, "the number `K` of nearest neighbours of each sample (default 12, smce: 50, factorisations: 5, lp-rna and gs-gnmf: 100, rmnmf, amrmf and apmf: the root of the number of samples, at most 7, smrmf and its relatives: that root)")
		f.IntVarP(&c.dim, "dim", "d", 0, "coordinates `D` of every cluster's embedding (default: its estimated dimension)")
		f.IntVar(&c.iterations, "iterations", 0, "at most `N` iterations of kmeans from each start (default 300), or of a factorisation (default: the method's)")
		f.Float64Var(&c.tolerance, "tolerance", 0, "end kmeans once no centre moves by more than the share `T` of the data's radius (default 1e-6), or a factorisation once a step changes little or all residuals are small (see its method)")
		f.IntVar(&c.layers, "layers", 0, "find at most `N` layers too, clusterings of hdbscan of other resolutions that persist over many sizes of clusters (default 0, with --out-layers: 10)")
		f.Var(&c.set, "set", "another parameter of the method, or components=largest|each|joint|bridge|error of the embeddings; may be repeated")
		c.scaleFlag(f)
		f.IntVar(&c.subsamples, "stability", 0, "cluster `N` random halves of the samples as well, such as 20, and report how far each cluster is found again (Jaccard similarity; below 0.6 do not trust it); 0: not")
		c.strictFlag(f, "clustering")
		c.searchFlags(f)
		f.BoolVar(&c.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&c.in, "in", "i", "", inputHelp)
		c.table.addFlags(inv, f)
		c.table.addMissing(f)
		c.addFlags(f)
		c.table.weightsFlag(f, "kmeans")
		c.table.namesFlag(f)
		f.StringVarP(&c.out, "out", "o", "", "`FILE` for the labels, an integer a sample; b.h5ad is a copy of the input, an .h5ad, with the clusters in obs/METHOD (b.h5ad:NAME: in obs/NAME)")
		f.StringVar(&c.outEmbeddings, "out-embeddings", "", "folder `DIR` for an embedding of each cluster; it is made if need be")
		f.StringVarP(&c.model, "model", "M", "", "write the fitted model to `FILE`, for \"orthant transform\" to label new samples by")
		f.StringVar(&c.outCenters, "out-centers", "", "`FILE` for the centres of kmeans, one a row")
		f.StringVar(&c.outAffinities, "out-affinities", "", "`FILE` for the weights of the similarity graph, of methods that make one: a sparse n × n matrix, .npz or .mtx, as --affinities takes it")
		f.StringVar(&c.outProfile, "out-profile", "", "`FILE` for the columns of --in that distinguish each cluster most from the others, a table of text; with --plot the clusters are named by the first three")
		f.StringVar(&c.outScores, "out-scores", "", "`FILE` for two columns of hdbscan: how firmly each sample is in its cluster (probability), and how far it is from samples as dense as those around it (outlier)")
		f.StringVar(&c.outLayers, "out-layers", "", "`FILE` for the labels of the layers, a column each, the finest first")
		f.StringVar(&c.outMembers, "out-memberships", "", "`FILE` for the memberships of hdbscan: how likely each sample is in each cluster, one a column")
		f.StringVar(&c.outTree, "out-tree", "", "`FILE` for the condensed tree of hdbscan: columns parent, child, lambda_val (1/distance) and child_size; samples are numbered from 0, components from the number of samples")
		c.drawing.define(f, "the samples in the colours of their clusters, by their first two principal components")
		f.StringVar(&c.embedding, "embedding", "", "`FILE` with coordinates of the samples for the plot, in place of principal components")
		f.BoolVar(&inv.float32, "float32", false, "write embeddings and centres as float32 in place of float64")
		inv.safeFlag(f)
	})
	reads(cmd, append(structureFlags, "in", "weights", "embedding", "names")...)
	writes(cmd, "out", "model", "out-centers", "out-affinities", "out-scores", "out-layers", "out-memberships", "out-tree", "out-profile", "plot")
	usual(cmd, "method", "clusters", "neighbors", "metric", "dim", "scale", "set", "in", "missing", "out", "model", "plot", "explain")
	writesInto(cmd, "out-embeddings", "index.json", "cluster-*.npy")
	inv.completeMethod(cmd, "cluster")
	return cmd
}

func (c *clustering) run(ctx context.Context, flags *pflag.FlagSet) (err error) {
	method, err := c.chooseMethod(flags)
	if err != nil {
		return err
	}
	if err := c.checkFlags(flags, method); err != nil {
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
	x, err := c.read(method)
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
	profile, err := c.profile(ctx, x, result)
	if err != nil {
		return fromWork(err)
	}
	found, err := c.stability(ctx, x, result, method)
	if err != nil {
		return fromWork(err)
	}
	written, err := c.writeOutputs(ctx, x, result, profile, outs, folder)
	if err != nil {
		return err
	}
	if err := c.report(result, profile, found, written); err != nil {
		return err
	}
	return c.concluded(c.missed(result), result.Method, "clustering", result.Quality.Verdict)
}

// askByFiles gives the parameters of what only a file is named for, and refuses what the method does not find.
func (c *clustering) askByFiles(method engine.Method, given settings, flags *pflag.FlagSet) error {
	_, finds := engine.Values(method)["layers"]
	for _, flag := range []string{"layers", "out-layers"} {
		switch {
		case !flags.Changed(flag) || finds:
		case c.method == "leiden":
			return wrong("leiden finds one resolution at a time: leave --%s out and repeat it with other --set resolution=γ, or take --method hdbscan", flag)
		default:
			return wrong("%s finds one resolution: leave --%s out, or take --method hdbscan", c.method, flag)
		}
	}
	if _, finds := engine.Values(method)["memberships"]; !finds && c.outMembers != "" {
		return wrong("%s gives no memberships: leave --out-memberships out, or take --method hdbscan", c.method)
	}
	if _, set := given["layers"]; !set && c.outLayers != "" {
		given["layers"] = "10" // the default of --layers with --out-layers
	}
	if c.outMembers != "" {
		given["memberships"] = "true"
	}
	return nil
}

// wantsLayers reports whether a method is to find layers.
func wantsLayers(method engine.Method) bool {
	n, _ := engine.Values(method)["layers"].(int)
	return n > 0
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
func (c *clustering) checkFlags(flags *pflag.FlagSet, method engine.Method) error {
	if err := c.checkSearch(); err != nil {
		return err
	}
	c.options.Neighbors = c.search
	switch {
	case c.in == "" && !c.structured():
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case engine.FindsClusters(method) && flags.Changed("clusters"):
		return wrong("%s finds the number of clusters: leave --clusters out, or take --method spectral", c.method)
	case engine.FindsClusters(method):
	case !flags.Changed("clusters"):
		return wrong("--clusters is missing: how many there are to be")
	case c.options.Clusters < 1:
		return wrong("--clusters is %d; give a whole number ≥ 1", c.options.Clusters)
	}
	switch {
	case c.out == "" && c.outEmbeddings == "" && c.model == "" && c.outCenters == "" && c.outAffinities == "" && c.outScores == "" && c.outLayers == "" && c.outMembers == "" && c.outTree == "" && c.outProfile == "" && c.plot == "":
		return wrong("--out is missing: the file for the labels, or - for standard output")
	case c.outCenters != "" && c.method != "kmeans":
		return wrong("%s has no centres: leave --out-centers out, or take --method kmeans", c.method)
	case c.outTree != "" && c.method != "hdbscan":
		return wrong("%s has no condensed tree: leave --out-tree out, or take --method hdbscan", c.method)
	case c.outLayers != "" && !wantsLayers(method):
		return wrong("--out-layers writes no layers with --layers 0; give a number ≥ 1, or leave one of them out")
	case c.outProfile != "" && c.in == "":
		return wrong("--out-profile compares the columns of --in, which is not given; give it, or leave --out-profile out")
	case c.outScores != "" && c.method != "hdbscan":
		return wrong("%s gives no scores of samples: leave --out-scores out, or take --method hdbscan", c.method)
	case c.subsamples < 0:
		return wrong("--stability is %d; give a number of subsamples ≥ 1, such as 20, or 0 for none", c.subsamples)
	case c.subsamples > 0 && c.in == "":
		return wrong("--stability clusters half of the samples again and again, and --in is not given; give it, or leave --stability out")
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
	if err := c.table.checkWith(c.structure, c.method); err != nil {
		return err
	}
	if err := c.table.checkWeights(c.method, c.in); err != nil {
		return err
	}
	return oneStandardInput(append(c.paths(), "--in", c.in, "--weights", c.table.weights, "--embedding", c.embedding)...)
}

func (c *clustering) read(method engine.Method) (x mat.Matrix, err error) {
	defer c.clock.Phase("read")()
	if c.in != "" {
		c.options.Overwrite = c.plot == "" && c.outProfile == "" && c.subsamples == 0 // they are this run's alone, but for what is drawn, profiled or clustered again
		if x, err = c.table.read(c.invocation, c.in, "", func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) }); err != nil {
			return nil, err
		}
	}
	if _, _, err := c.readStructure(&c.structure, &c.table, c.in, isDirected(method), &c.options.Options); err != nil || c.in == "" {
		return nil, err
	}
	c.options.Weights, err = c.table.readWeights(c.invocation, c.in)
	return x, err
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
	if err := c.askByFiles(method, given, flags); err != nil {
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

// clusterOutputs are the files of a clustering but for the embeddings; nil: not asked for.
type clusterOutputs struct {
	labels, centers, affinities, scores, layers, memberships, tree, profile, model, plot *files.Output
}

// createOutputs begins them before the work.
func (c *clustering) createOutputs() (o clusterOutputs, err error) {
	if o.labels, err = c.createFor(c.out, c.in, "obs/"+c.method, &c.table); err != nil {
		return o, err
	}
	if o.centers, err = c.create(c.outCenters); err != nil {
		return o, err
	}
	if o.affinities, err = c.create(c.outAffinities); err != nil {
		return o, err
	}
	if o.scores, err = c.create(c.outScores); err != nil {
		return o, err
	}
	if o.layers, err = c.create(c.outLayers); err != nil {
		return o, err
	}
	if o.memberships, err = c.create(c.outMembers); err != nil {
		return o, err
	}
	if o.tree, err = c.create(c.outTree); err != nil {
		return o, err
	}
	if o.profile, err = c.createRaw(c.outProfile); err != nil {
		return o, err
	}
	if o.plot, err = c.createRaw(c.plot); err != nil {
		return o, err
	}
	o.model, err = c.createRaw(c.model)
	return o, err
}

// writeResult writes the labels, and what was asked for with them.
func (c *clustering) writeResult(o clusterOutputs, r *engine.Clustering) error {
	if o.labels != nil {
		if err := o.labels.WriteLabels(r.Labels); err != nil {
			return err
		}
	}
	if err := c.writeMatrix(o.centers, r.Centers); err != nil {
		return err
	}
	if err := c.writeMatrix(o.affinities, r.Affinities); err != nil {
		return err
	}
	if o.scores != nil {
		scores := mat.NewDense(len(r.Labels), 2, nil)
		scores.SetCol(0, r.Hierarchy.Probabilities)
		scores.SetCol(1, r.Hierarchy.Outliers)
		if err := c.writeMatrix(o.scores, scores); err != nil {
			return err
		}
	}
	if o.layers != nil {
		if err := writeLayers(o.layers, r); err != nil {
			return err
		}
	}
	if o.tree != nil {
		table := r.Hierarchy.Tree.Table()
		if err := c.writeMatrix(o.tree, mat.NewDense(len(table)/4, 4, table)); err != nil {
			return err
		}
	}
	if o.memberships != nil {
		if r.Hierarchy.Memberships == nil {
			return wrong("%s: there are no clusters with memberships to write; leave --out-memberships out, or take a smaller min_cluster_size", r.Method)
		}
		if err := c.writeMatrix(o.memberships, r.Hierarchy.Memberships); err != nil {
			return err
		}
	}
	return saveModel(r, o.model)
}

// writeLayers writes the labels of all layers, one a column.
func writeLayers(to *files.Output, r *engine.Clustering) error {
	layers := r.Hierarchy.Layers
	if len(layers) == 0 {
		return wrong("%s: there are no layers to write; leave --out-layers out, or take a smaller min_cluster_size", r.Method)
	}
	row := make([]int64, len(layers))
	return to.WriteIntegers(r.Samples, len(layers), func(i int) []int64 {
		for q, l := range layers {
			row[q] = int64(l.Labels[i])
		}
		return row
	})
}

// layerSummary is what --json says of one layer.
type layerSummary struct {
	MinSize     int   `json:"min_cluster_size"` // the smallest with these clusters
	MaxSize     int   `json:"max_min_cluster_size"`
	Clusters    int   `json:"clusters"`
	Noise       int   `json:"noise"`
	Persistence int64 `json:"persistence"`
}

func layersOf(r *engine.Clustering) (list []layerSummary) {
	if r.Hierarchy == nil {
		return nil
	}
	for _, l := range r.Hierarchy.Layers {
		about := layerSummary{MinSize: l.MinSize, MaxSize: l.MaxSize, Clusters: len(l.Chosen), Persistence: l.Persistence}
		for _, c := range l.Labels {
			if c < 0 {
				about.Noise++
			}
		}
		list = append(list, about)
	}
	return list
}

// folder is where the embeddings of clusters go.
type folder struct {
	path  string
	made  bool // by this run
	index *files.Output
}

// openFolder makes the folder of the embeddings and begins its index; nil where
// none is requested.
func (c *clustering) openFolder() (*folder, error) {
	if c.outEmbeddings == "" {
		return nil, nil
	}
	f := &folder{path: c.outEmbeddings}
	switch about, err := disk.Files().Stat(f.path); {
	case err == nil && !about.IsDir():
		return nil, wrong("--out-embeddings %s is not a folder; give one, or a path that does not exist yet", f.path)
	case errors.Is(err, os.ErrNotExist):
		if err := disk.MakeFolders(f.path); err != nil {
			return nil, wrong("--out-embeddings: %w", err)
		}
		f.made = true
	case err != nil:
		return nil, wrong("--out-embeddings: %w", err)
	}
	var err error
	if f.index, err = c.createRaw(filepath.Join(f.path, "index.json")); err != nil {
		f.abandon()
		return nil, err
	}
	return f, nil
}

// abandon removes what a failed run has made, if nothing is in it.
func (f *folder) abandon() {
	if f == nil || !f.made {
		return
	}
	if f.index != nil {
		f.index.Discard()
	}
	_ = disk.Files().Remove(f.path)
}

// part is what the index and the report say of one cluster.
type part struct {
	Cluster   int    `json:"cluster"`
	Size      int    `json:"size"`
	Dimension int    `json:"dimension"`     // estimated by the support rule; 0: not estimated
	Gap       int    `json:"gap_dimension"` // and by the gap rule
	Dim       int    `json:"dim"`           // columns of the embedding; 0: there is none
	File      string `json:"file"`          // of the embedding, in the folder
	Rows      []int  `json:"rows,omitempty"`
}

// writeOutputs writes everything before it commits anything.
func (c *clustering) writeOutputs(ctx context.Context, x mat.Matrix, r *engine.Clustering, profile *engine.GroupProfile, outs clusterOutputs, f *folder) ([]part, error) {
	defer c.clock.Phase("write")()
	c.table.title(c.invocation, outs.labels, []string{"cluster"}, c.table.ids)
	if r.Centers != nil && len(c.table.names) == r.Centers.RawMatrix().Cols {
		c.table.title(c.invocation, outs.centers, c.table.names, nil)
	}
	var sizes []string
	for _, l := range layersOf(r) {
		sizes = append(sizes, fmt.Sprintf("min_cluster_size_%d", l.MinSize))
	}
	c.table.title(c.invocation, outs.layers, sizes, c.table.ids)
	var clusters []string
	for q := range r.Clusters {
		clusters = append(clusters, fmt.Sprintf("cluster_%d", q))
	}
	c.table.title(c.invocation, outs.memberships, clusters, c.table.ids)
	if outs.tree != nil {
		outs.tree.Name([]string{"parent", "child", "lambda_val", "child_size"}, nil, "")
	}
	c.table.title(c.invocation, outs.scores, []string{"probability", "outlier"}, c.table.ids)
	if err := c.writeResult(outs, r); err != nil {
		return nil, err
	}
	if outs.profile != nil {
		if err := writeProfile(outs.profile, profile, nil); err != nil {
			return nil, err
		}
	}
	if outs.plot != nil {
		if err := c.draw(ctx, x, r, profile, outs.plot); err != nil {
			return nil, err
		}
	}
	var parts []part
	for n, p := range r.Parts {
		about := part{Cluster: n, Size: len(p.Rows), Dimension: p.Dimension, Gap: p.Gap, Rows: list(c.table.rows(p.Rows))}
		if p.Y != nil {
			_, about.Dim = p.Y.Dims()
			about.File = fmt.Sprintf("cluster-%03d.npy", n)
			o, err := c.create(filepath.Join(f.path, about.File))
			if err != nil {
				return nil, err
			}
			if err := o.WriteMatrix(p.Y, c.writing()); err != nil {
				return nil, err
			}
		}
		parts = append(parts, about)
	}
	if f != nil {
		text, err := json.MarshalIndent(map[string]any{"method": r.Method, "samples": r.Samples, "clusters": parts}, "", " ")
		if err != nil {
			return nil, err
		}
		if _, err := f.index.Write(append(text, '\n')); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return parts, c.commit()
}

// clusterReport is what --json prints of a clustering.
type clusterReport struct {
	Method      string            `json:"method"`
	Params      map[string]any    `json:"params"`
	Samples     int               `json:"samples"`
	Features    int               `json:"features"`
	Sparse      bool              `json:"sparse"` // the data were and stayed sparse
	Clusters    int               `json:"clusters"`
	Sizes       []int             `json:"cluster_sizes"`
	Noise       int               `json:"noise,omitempty"` // samples in no cluster, label −1
	Parts       []part            `json:"parts"`
	Objective   map[string]number `json:"objective"`
	Inertia     number            `json:"inertia"` // of k-means among the samples; null: not asked of them
	Iterations  int               `json:"iterations"`
	Converged   bool              `json:"converged"`
	Eigenvalues []number          `json:"eigenvalues"`
	Residuals   []number          `json:"residuals"`
	Next        number            `json:"next_eigenvalue"`
	Quality     *engine.Verdict   `json:"quality"`
	Components  int               `json:"components"`
	CompSizes   []int             `json:"component_sizes"`
	Duplicates  int               `json:"duplicates"`
	Seed        uint64            `json:"seed"`
	Out         string            `json:"out"`
	Embeddings  string            `json:"out_embeddings"`
	Centers     string            `json:"out_centers"`
	Affinities  string            `json:"out_affinities"`
	OutProfile  string            `json:"out_profile,omitempty"`
	Profile     []groupSummary    `json:"profile,omitempty"`
	Stability   *stabilityReport  `json:"stability,omitempty"`
	Scores      string            `json:"out_scores,omitempty"`
	OutLayers   string            `json:"out_layers,omitempty"`
	Memberships string            `json:"out_memberships,omitempty"`
	Tree        string            `json:"out_tree,omitempty"`
	Layers      []layerSummary    `json:"layers,omitempty"` // the finest first
	Exemplars   []int             `json:"exemplars"`        // rows of the samples, from 0; empty: the method has none
	Model       string            `json:"model"`
	Plot        string            `json:"plot"`
	Details     map[string]any    `json:"details"`
	Explained   []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (c *clustering) report(r *engine.Clustering, profile *engine.GroupProfile, found *engine.ClusterStability, parts []part) error {
	spent := c.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if c.json {
		for i := range parts {
			parts[i].Rows = nil // they are in the labels
		}
		return c.printJSON(clusterReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Sparse: r.Sparse, Clusters: r.Clusters, Sizes: list(r.Sizes), Noise: r.Noise, Parts: parts,
			Objective: map[string]number{"first": number(r.FirstCost), "last": number(r.Cost)}, Inertia: number(inertia(r)), Iterations: r.Iterations, Converged: r.Converged, Quality: r.Quality,
			Eigenvalues: numbers(r.Values), Residuals: numbers(r.Residuals), Next: number(r.Next), Components: r.Components, CompSizes: list(r.ComponentSizes),
			Duplicates: r.Duplicates, Seed: c.seed, Out: c.out, Embeddings: c.outEmbeddings, Centers: c.outCenters, Affinities: c.outAffinities, Scores: c.outScores, OutLayers: c.outLayers, Memberships: c.outMembers, Tree: c.outTree, Layers: layersOf(r), OutProfile: c.outProfile, Profile: summaries(profile, nil), Stability: stabilityOf(found), Exemplars: list(r.Exemplars), Model: c.model, Plot: c.plot, Details: finite(r.Details),
			Explained: c.explanation(), cost: spent, machine: c.machine(),
		})
	}
	w := c.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s%s", shapeOf(r.Samples, r.Features), kind)
	const shown = 12
	text := fmt.Sprintf("%s of %v samples", counted(r.Clusters, "cluster"), r.Sizes[:min(len(r.Sizes), shown)])
	if r.Noise > 0 {
		text += fmt.Sprintf(", %d in none", r.Noise)
	}
	if dims := dimensions(r.Parts[:min(len(r.Parts), shown)]); dims != "" {
		text += ", dimensions " + dims
	}
	line(w, "clusters", "%s", text)
	for _, l := range layersOf(r) {
		line(w, "layer", "%s with at least %d samples, %d in none, persistence %d", counted(l.Clusters, "cluster"), l.MinSize, l.Noise, l.Persistence)
	}
	if r.Components > 0 {
		line(w, "graph", "%s", counted(r.Components, "component"))
	}
	if len(r.Values) > 0 {
		line(w, "eigen", "%.4g  then %.4g", []float64(r.Values[:min(len(r.Values), 8)]), r.Next)
	}
	if left, ok := r.Details["relative_error"].(float64); ok {
		line(w, "factors", "error %.6g of ‖X‖ after %s", left, counted(r.Details["factor_iterations"].(int), "iteration"))
	}
	if !math.IsNaN(r.Cost) {
		heading := "cost"
		if _, by := r.Seconds["kmeans"]; by {
			heading = "k-means"
		}
		line(w, heading, "%.6g after %s", r.Cost, counted(r.Iterations, "iteration"))
	}
	sayProfile(w, profile, nil)
	sayStability(w, found)
	writeCost(w, spent)
	writeWritten(w, c.out, c.outEmbeddings, c.outCenters, c.outAffinities, c.outScores, c.outLayers, c.outMembers, c.outTree, c.outProfile, c.model, c.plot)
	return nil
}

// inertia is the cost of k-means among the samples themselves; NaN: there is none.
func inertia(r *engine.Clustering) float64 {
	if r.Centers == nil {
		return math.NaN()
	}
	return r.Cost
}

// dimensions lists the estimated dimensions of clusters; empty: there are none.
func dimensions(parts []engine.Part) string {
	var text []string
	known := false
	for _, p := range parts {
		known = known || p.Dimension > 0
		text = append(text, fmt.Sprint(p.Dimension))
	}
	if !known {
		return ""
	}
	return strings.Join(text, ", ")
}

// draw shows the clusters as colours of the samples, with exemplars ringed.
func (c *clustering) draw(ctx context.Context, x mat.Matrix, r *engine.Clustering, profile *engine.GroupProfile, to *files.Output) error {
	c.takeShapeForPages(c.images)
	points, err := c.samplesOnPlane(ctx, x, c.embedding, c.options.Standardize)
	if err != nil {
		return err
	}
	if n, _ := points.Y.Dims(); n != len(r.Labels) {
		return wrong("%s has %d rows for %d samples; give the embedding of these samples", c.embedding, n, len(r.Labels))
	}
	points.Colors, points.Marked, points.IDs = picture.ByClasses(r.Labels, nil), r.Exemplars, c.table.ids
	nameClasses(points.Colors.Names, summaries(profile, nil))
	if err := c.showImages(&c.drawing, points, x); err != nil {
		return err
	}
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s  ·  %s", r.Method, counted(r.Samples, "sample"), counted(r.Clusters, "cluster")), Panels: []picture.Panel{points}}
	return c.drawPage(&c.drawing, page, to)
}

// namedBy is the number of columns that name a group.
const namedBy = 3

// profile lists what distinguishes the clusters; nil: it is not asked for.
func (c *clustering) profile(ctx context.Context, x mat.Matrix, r *engine.Clustering) (*engine.GroupProfile, error) {
	if c.outProfile == "" {
		return nil, nil
	}
	defer c.clock.Phase("profile")()
	if slices.Min(r.Labels) == slices.Max(r.Labels) {
		c.warn("%s found one group only, which nothing can be compared with: its profile is empty", r.Method)
		return &engine.GroupProfile{}, nil
	}
	return c.profileOf(ctx, &c.table, x, r.Labels)
}

// profileOf lists what distinguishes groups of samples, by the names of the table.
func (inv *invocation) profileOf(ctx context.Context, t *tableFlags, x mat.Matrix, labels []int64) (*engine.GroupProfile, error) {
	o := engine.ProfileOptions{Threads: inv.threads, Memory: int64(inv.memory)}
	if _, m := x.Dims(); len(t.names) == m {
		o.Names = t.names
	}
	p, err := engine.Profile(ctx, x, labels, o)
	if err != nil {
		return nil, err
	}
	for _, text := range p.Warnings {
		inv.warn("%s", text)
	}
	return p, nil
}

// stability finds the clusters again in random halves of the samples; nil: it is not asked for.
func (c *clustering) stability(ctx context.Context, x mat.Matrix, r *engine.Clustering, method engine.Method) (*engine.ClusterStability, error) {
	if c.subsamples == 0 {
		return nil, nil
	}
	defer c.clock.Phase("stability")()
	o := c.options
	o.Options = c.running(o.Options, &c.working, nil)
	return engine.StabilityOf(ctx, x, r.Labels, method, o, c.subsamples)
}

// stabilityReport is what --json says of how the clusters are found again in random halves of the samples.
type stabilityReport struct {
	Jaccard    []number `json:"jaccard"`   // of each cluster, the mean of the best similarity to a cluster of a half
	Dissolved  []int    `json:"dissolved"` // halves in which that is at most ½
	Agreement  number   `json:"agreement"` // mean adjusted Rand index
	Subsamples int      `json:"subsamples"`
	Size       int      `json:"size"`
}

func stabilityOf(s *engine.ClusterStability) *stabilityReport {
	if s == nil {
		return nil
	}
	return &stabilityReport{numbers(s.Jaccard), list(s.Dissolved), number(s.Agreement), s.Repeats, s.Size}
}

// sayStability shows how far the first clusters are found again.
func sayStability(w io.Writer, s *engine.ClusterStability) {
	if s == nil {
		return
	}
	const shown = 12
	var each []string
	for _, v := range s.Jaccard[:min(len(s.Jaccard), shown)] {
		each = append(each, fmt.Sprintf("%.2f", v))
	}
	if len(s.Jaccard) > shown {
		each = append(each, "…")
	}
	line(w, "stability", "Jaccard %s in %s of %d; adjusted Rand index %.3f", strings.Join(each, " "), counted(s.Repeats, "subsample"), s.Size, s.Agreement)
}

// groupSummary is what --json says of one group.
type groupSummary struct {
	Group int64  `json:"group"`
	Class string `json:"class,omitempty"` // if the groups are classes with names
	Size  int    `json:"size"`
	Name  string `json:"name"`
}

// summaries names the groups by what distinguishes them; classes are their own names, nil for numbers.
func summaries(p *engine.GroupProfile, classes []string) (list []groupSummary) {
	if p == nil {
		return nil
	}
	for _, g := range p.Groups {
		s := groupSummary{Group: g.Label, Size: g.Size, Name: g.Name(namedBy)}
		if classes != nil {
			s.Class = classes[g.Label]
		}
		list = append(list, s)
	}
	return list
}

// called is the class of a group, or its number.
func (g groupSummary) called() string { return cmp.Or(g.Class, strconv.FormatInt(g.Group, 10)) }

// sayProfile shows the names of the first groups.
func sayProfile(w io.Writer, p *engine.GroupProfile, classes []string) {
	const shown = 12
	list := summaries(p, classes)
	for _, g := range list[:min(len(list), shown)] {
		line(w, "group "+g.called(), "%s: %s", counted(g.Size, "sample"), g.Name)
	}
}

// nameClasses adds to the labels of classes what distinguishes them.
func nameClasses(names []string, groups []groupSummary) {
	by := map[string]string{}
	for _, g := range groups {
		by[strconv.FormatInt(g.Group, 10)] = g.Name
	}
	for k, label := range names {
		if name := by[label]; name != "" {
			names[k] = label + ": " + name
		}
	}
}

// writeProfile writes a profile as a table of text, a column of a group a line; classes are the names of the groups, nil for numbers.
func writeProfile(to io.Writer, p *engine.GroupProfile, classes []string) error {
	w := csv.NewWriter(to)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	lines := [][]string{{"group", "size", "rank", "column", "score", "difference", "auc", "mean_in", "mean_out", "share_in", "share_out", "p", "adjusted_p"}}
	called := summaries(p, classes)
	for at, g := range p.Groups {
		for k, c := range g.Columns {
			lines = append(lines, []string{called[at].called(), strconv.Itoa(g.Size), strconv.Itoa(k + 1), c.Name, number(c.Score), number(c.Difference), number(c.AUC),
				number(c.MeanIn), number(c.MeanOut), number(c.ShareIn), number(c.ShareOut), number(c.P), number(c.AdjustedP)})
		}
	}
	return w.WriteAll(lines)
}
