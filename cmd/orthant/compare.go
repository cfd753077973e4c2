package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/internal/picture"
)

// comparison is one "orthant compare": a batch of embeddings or of clusterings, and of what is measured of them.
type comparison struct {
	*invocation
	in, labels, truth, out string
	clusters               []string // numbers of clusters, of methods that take one
	embedding              string   // in which clusterings are drawn
	drawing
	methods, neighbors []string
	metrics            []string // none: those that suit what is given
	dim                int
	set                settings
	table              tableFlags
	scale              string
	resume             bool
	workers            int

	ranks   rankRange // of factorisations
	heldOut float64
	masks   int

	counts []int // of neighbours
	sizes  []int // numbers of clusters
	groups bool  // it compares clusterings
	nears  bool  // --neighbors was given
	runs   []*compared
	batch  *batch
}

// compared is one method with one number of neighbours, or of clusters.
type compared struct {
	method  string
	k       int // 0: it looks for no neighbours, or in its own way
	c       int // clusters; 0: an embedding, or a method that finds their number
	embed   int // its job
	measure int // the job of its metrics
	out     string
}

func newCompare(inv *invocation) *cobra.Command {
	c := &comparison{invocation: inv, table: tableFlags{classes: true}}
	cmd := &cobra.Command{
		Use:   "compare --in X --methods NAME,NAME [flags]",
		Short: "Embed, cluster or factorise by several methods and show them side by side",
		Long: `Compare embeds the same samples by several methods, each with several numbers of
neighbours, and prints one table of measures: trustworthiness, continuity, LCMC,
residual variance, the error of the nearest neighbour (with --labels), the error of the
best affine map to the true coordinates (dev, with --truth), seconds and memory, or the
measures that --metrics names. * marks the best value of a column. --plot draws all
embeddings on one page, a row for each method; a page of HTML colours each by what it
tears apart and invents, all by the same neighbours in the data, and shows these.

Methods that find clusters are compared with --clusters, or where one of them embeds
nothing: the columns are silhouette, davies-bouldin and dbcv, with --labels also ari and
ami, and each group is named by the columns of --in that distinguish it most. The page
draws the samples once for each method, in the colours of its groups; a click on a group
shows where its samples are in the others.

With --rank, factorisations are compared: methods, losses and starts (NAME:key=value), each
with several ranks. The columns are the error and the Kullback–Leibler divergence of entries
that they did not see, the same for all, then error, objective, sparseness and seconds of
the factorisation of all entries, and how well its components match those of the best.

Neighbours are searched once for each number of neighbours, and all methods that embed
share them. With --out DIR the results and a journal are kept in DIR, and the same
command with --resume does only what an earlier run left undone.`,
		Example: `  orthant generate swiss-roll --samples 1000 --out x.npy --out-params t.npy
  orthant compare --in x.npy --methods pca,isomap,lle,neml --neighbors 8,12,20 --plot grid.png --color t.npy
  orthant compare --in x.npy --methods pca,le --metrics random-triplet,distance-correlation,soft-nalac
  orthant compare --in x.npy --methods hdbscan,leiden,kmeans --clusters 4 --plot groups.html
  orthant generate programmes --samples 300 --set programmes=4 --set dims=60 --out counts.npz
  orthant compare --in counts.npz --rank 3:5 --methods nmf,nmf:init=nndsvda,nmf-kl --plot ranks.png
  orthant compare --in x.npy --methods ltsa,mlle --out compared --json
  orthant compare --in x.npy --methods ltsa,mlle,hlle --out compared --resume`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	addGroup(cmd, "What to compare", func(f *pflag.FlagSet) {
		f.StringSliceVarP(&c.methods, "methods", "m", nil, "`NAMES` of methods with commas between them, that embed: "+late(namesOf, "embed")+"; or that cluster: "+late(namesOf, "cluster")+"; or, with --rank, that factorise many times: nmf, nmf-kl, nmf-beta, l21-nmf, cim-nmf, each also as NAME:key=value")
		f.StringSliceVar(&c.methods, "method", nil, "the same as --methods, `NAMES`")
		_ = f.MarkHidden("method") // it is defined
		f.StringSliceVarP(&c.neighbors, "neighbors", "k", []string{"12"}, "numbers `K` of neighbours with commas between them")
		f.StringSliceVarP(&c.clusters, "clusters", "c", nil, "compare clusterings: numbers `C` of clusters with commas between them, of methods that do not find them")
		c.addFactorFlags(f)
		f.VarP((*autoCount)(&c.dim), "dim", "d", "coordinates `D` of each sample, or auto: the dimension that the samples show (default 2)")
		f.StringSliceVar(&c.metrics, "metrics", nil, "`NAMES` of metrics with commas between them, as evaluate has them, in place of the usual ones: "+strings.Join(metricsFor(false), ", ")+"; of clusterings "+strings.Join(metricsFor(true), ", "))
		scaleFlag(f, &c.scale)
		f.Var(&c.set, "set", "a parameter, for each of the methods that has it; may be repeated")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&c.in, "in", "i", "", inputHelp)
		c.table.addFlags(inv, f)
		c.table.addMissing(f)
		f.StringVar(&c.labels, "labels", "", "`FILE` with the class of each sample, a whole number or a text (FILE:column of a table, :column of --in), for the error of the nearest neighbour, the colours, and methods that learn from classes")
		f.StringVarP(&c.truth, "truth", "t", "", "`FILE` with the coordinates that should have been found: dev, the relative error of the best affine map to them, then comes first")
		c.table.namesFlag(f)
		c.drawing.define(f, "all embeddings, a row for each method, or the groups of all clusterings")
		f.StringVar(&c.embedding, "embedding", "", "`FILE` with coordinates of the samples, in which clusterings are drawn, in place of principal components")
		c.drawing.defineColors(f)
		f.StringVarP(&c.out, "out", "o", "", "folder `DIR` for the embeddings and the journal (default: they are not kept)")
		f.BoolVar(&c.resume, "resume", false, "do what an earlier run in DIR left undone")
		f.IntVarP(&c.workers, "workers", "w", 1, "at most `W` jobs at a time; take 1 to compare seconds")
	})
	reads(cmd, "in", "labels", "truth", "color", "embedding", "names")
	writes(cmd, "plot")
	return cmd
}

func (c *comparison) run(cmd *cobra.Command) error {
	ctx, flags, began := cmd.Context(), cmd.Flags(), time.Now()
	reads, _ := c.flagFiles(cmd)
	if flags.Changed("rank") {
		return c.runFactors(ctx, flags)
	}
	for _, name := range []string{"held-out", "masks"} {
		if flags.Changed(name) {
			return wrong("--%s is for factorisations; give --rank with it", name)
		}
	}
	if err := c.check(flags); err != nil {
		return err
	}
	out, err := c.folder()
	if err != nil {
		return err
	}
	if c.out == "" {
		defer os.RemoveAll(out)
	}
	var plot *comparedPlot
	if c.plot != "" {
		if plot, err = c.newPlot(out); err != nil {
			return err
		}
	}
	c.batch = &batch{invocation: c.invocation, out: out, resume: c.resume, workers: c.workers, began: began, reads: reads, records: map[int]*record{}}
	if err := c.batch.makeJobs(c.lines(), flags); err != nil {
		return err
	}
	if err := c.batch.open(ctx); err != nil {
		return err
	}
	defer c.batch.journal.Close()
	if err := c.batch.prepare(); err != nil {
		return err
	}
	if err := c.batch.work(ctx); err != nil {
		return err
	}
	c.batch.bar.end()
	for i, r := range c.batch.kept {
		c.batch.records[i] = r
	}
	rows := c.rows()
	if plot != nil {
		if err := plot.draw(ctx, c, rows); err != nil {
			return err
		}
	}
	return c.conclude(rows)
}

// folder is where the embeddings go.
func (c *comparison) folder() (string, error) {
	if c.out != "" {
		return c.out, nil
	}
	return os.MkdirTemp("", "orthant-compare-")
}

// check refuses what cannot work, before anything is read, and lists the runs.
func (c *comparison) check(flags *pflag.FlagSet) error {
	switch {
	case c.in == "" || c.in == "-":
		return wrong("--in is missing: the file with the samples, which is read several times and so cannot be standard input")
	case c.labels == "-":
		return wrong("--labels cannot be standard input, as they are read several times; give a file")
	case c.truth == "-":
		return wrong("--truth cannot be standard input, as it is read several times; give a file")
	case len(c.methods) == 0:
		return wrong("--methods is missing: the names of methods with commas between them, such as pca,isomap,lle,neml")
	case c.resume && c.out == "":
		return wrong("--resume needs --out: the folder of the run to go on with")
	case c.workers < 1:
		return wrong("--workers is %d; give a whole number ≥ 1", c.workers)
	}
	if err := c.checkDrawing(&c.drawing, flags); err != nil {
		return err
	}
	if err := c.checkGroups(flags); err != nil {
		return err
	}
	if err := c.table.checkMissing("compare"); err != nil {
		return err
	}
	var err error
	if c.labels, err = ofInput(c.labels, c.in); err != nil {
		return err
	}
	if c.color, err = ofInput(c.color, c.in); err != nil {
		return err
	}
	for _, text := range c.neighbors {
		k, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || k < 1 {
			return wrong("--neighbors has %q; give whole numbers ≥ 1 with commas between them", text)
		}
		if !slices.Contains(c.counts, k) {
			c.counts = append(c.counts, k)
		}
	}
	if err := c.checkMetrics(); err != nil {
		return err
	}
	unused := map[string]bool{}
	for key := range c.set {
		unused[key] = true
	}
	for at, name := range c.methods {
		name = strings.TrimSpace(name)
		if slices.Contains(c.methods[:at], name) {
			return wrong("--methods names %s twice; give it once", name)
		}
		c.methods[at] = name
		if _, err := engine.NewFor(c.task(), name); err != nil {
			return &inputError{Err: err}
		}
		e, err := engine.MethodNamed(name)
		if err != nil {
			return &inputError{Err: err}
		}
		if e.Supervised && c.labels == "" {
			return wrong("--labels is missing: %s learns from the classes of the samples, one whole number each", name)
		}
		for key := range c.set {
			if c.hasParameter(e, key) {
				delete(unused, key)
			}
		}
		if err := c.list(e); err != nil {
			return err
		}
	}
	for key := range unused {
		return wrong("none of %s has a parameter %q; \"orthant methods NAME\" lists them", strings.Join(c.methods, ", "), key)
	}
	return nil
}

// task is what the methods do.
func (c *comparison) task() string {
	if c.groups {
		return "cluster"
	}
	return "embed"
}

// checkGroups decides whether clusterings are compared, and refuses what these have no use for.
func (c *comparison) checkGroups(flags *pflag.FlagSet) error {
	c.nears = flags.Changed("neighbors")
	c.groups = len(c.clusters) > 0
	for _, name := range c.methods {
		_, embeds := engine.NewFor("embed", strings.TrimSpace(name))
		_, clusters := engine.NewFor("cluster", strings.TrimSpace(name))
		c.groups = c.groups || embeds != nil && clusters == nil && !slices.ContainsFunc(c.methods, onlyEmbeds)
	}
	if !c.groups {
		if c.embedding != "" {
			return wrong("--embedding is for clusterings, and %s embed the samples; leave it out", strings.Join(c.methods, ", "))
		}
		return nil
	}
	for _, text := range c.clusters {
		count, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || count < 1 {
			return wrong("--clusters has %q; give whole numbers ≥ 1 with commas between them", text)
		}
		if !slices.Contains(c.sizes, count) {
			c.sizes = append(c.sizes, count)
		}
	}
	switch {
	case c.truth != "":
		return wrong("--truth are coordinates, which clusterings have none of; leave it out")
	case c.nears && len(c.neighbors) > 1:
		return wrong("--neighbors has %d numbers, and clusterings are compared by numbers of clusters; give one", len(c.neighbors))
	case flags.Changed("dim"):
		c.warn("--dim does nothing to clusterings")
	}
	if c.embedding != "" && c.plot == "" {
		c.warn("--embedding does nothing without --plot")
	}
	return nil
}

// onlyEmbeds reports whether a method embeds and does not cluster.
func onlyEmbeds(name string) bool {
	_, embeds := engine.NewFor("embed", strings.TrimSpace(name))
	_, clusters := engine.NewFor("cluster", strings.TrimSpace(name))
	return embeds == nil && clusters != nil
}

// metricsFor lists the metrics of clusterings, or of embeddings.
func metricsFor(groups bool) []string {
	var names []string
	for _, m := range metrics.All() {
		if measuresOf(m, groups) {
			names = append(names, m.Name)
		}
	}
	return names
}

// measuresOf reports whether a metric measures a clustering, or an embedding, with nothing but what compare also has.
func measuresOf(m *metrics.Metric, groups bool) bool {
	result, known := "embedding", []string{"in", "embedding", "labels", "truth"}
	if groups {
		result, known = "predicted", []string{"in", "predicted", "labels"}
	}
	return slices.Contains(m.Needs, result) && !slices.ContainsFunc(m.Needs, func(need string) bool { return !slices.Contains(known, need) })
}

// checkMetrics refuses metrics that are not there, or not of embeddings, and what they lack.
func (c *comparison) checkMetrics() error {
	for at, name := range c.metrics {
		name = strings.TrimSpace(name)
		if slices.Contains(c.metrics[:at], name) {
			return wrong("--metrics names %s twice; give it once", name)
		}
		c.metrics[at] = name
		m, err := metrics.Named(name, nil)
		switch {
		case err != nil:
			return &inputError{Err: err}
		case !measuresOf(m, c.groups):
			return wrong("%s compares %s; give metrics of %s: %s", name, m.Compares, map[bool]string{false: "embeddings", true: "clusterings"}[c.groups], strings.Join(metricsFor(c.groups), ", "))
		case needs("labels", m) && c.labels == "":
			return wrong("%s needs --labels; it compares %s", name, m.Compares)
		case needs("truth", m) && c.truth == "":
			return wrong("%s needs --truth; it compares %s", name, m.Compares)
		}
	}
	return nil
}

// needs reports whether one of the metrics needs an input.
func needs(input string, list ...*metrics.Metric) bool {
	return slices.ContainsFunc(list, func(m *metrics.Metric) bool { return slices.Contains(m.Needs, input) })
}

// hasParameter reports whether a method takes a key of --set.
func (c *comparison) hasParameter(e engine.Entry, key string) bool {
	is := func(p engine.Parameter) bool { return p.Key == key }
	shared := engine.CommonParameters()
	if c.groups {
		shared = engine.ClusterParameters()
	}
	return slices.ContainsFunc(e.Parameters, is) || slices.ContainsFunc(shared, is)
}

// list adds the runs of a method.
func (c *comparison) list(e engine.Entry) error {
	if c.groups {
		return c.listClusterings(e)
	}
	if !c.hasParameter(e, "neighbors") {
		c.runs = append(c.runs, &compared{method: e.Name, out: e.Name + ".npy"})
		return nil
	}
	for _, k := range c.counts {
		c.runs = append(c.runs, &compared{method: e.Name, k: k, out: e.Name + "-k" + strconv.Itoa(k) + ".npy"})
	}
	return nil
}

// listClusterings adds the runs of a method that clusters: one for each number of clusters that it takes.
func (c *comparison) listClusterings(e engine.Entry) error {
	method, err := engine.NewFor("cluster", e.Name)
	if err != nil {
		return err
	}
	if engine.FindsClusters(method) {
		c.runs = append(c.runs, &compared{method: e.Name, out: e.Name + ".npy"})
		return nil
	}
	if len(c.sizes) == 0 {
		return wrong("--clusters is missing: %s does not find the number of clusters", e.Name)
	}
	for _, count := range c.sizes {
		c.runs = append(c.runs, &compared{method: e.Name, c: count, out: e.Name + "-c" + strconv.Itoa(count) + ".npy"})
	}
	return nil
}

// name is what messages and pictures call a run.
func (r *compared) name() string {
	switch {
	case r.c > 0:
		return r.method + ", " + strconv.Itoa(r.c) + " clusters"
	case r.k > 0:
		return r.method + ", k = " + strconv.Itoa(r.k)
	}
	return r.method
}

// path is where its embedding is.
func (r *compared) path(folder string) string { return filepath.Join(folder, r.out) }

// trust is where the numbers of the samples of a map go.
func (r *compared) trust() string { return strings.TrimSuffix(r.out, ".npy") + "-trust.npy" }

// reruns reports whether the page shows how a method's map agrees with others.
func (c *comparison) reruns(method string) bool {
	return c.set["stability"] == "reruns" && engine.IsMap(method) && c.onPage()
}

// onPage reports whether the plot is a page of HTML.
func (c *comparison) onPage() bool {
	format, _ := picture.FormatOf(c.plot)
	return format == ".html"
}

// lines are the jobs of the comparison: a search for each number of neighbours, the
// embeddings, which wait for it, and their metrics, which wait for them.
func (c *comparison) lines() []*jobLine {
	var list []*jobLine
	add := func(label string, values map[string]any) int {
		list = append(list, &jobLine{number: len(list) + 1, keys: slices.Sorted(maps.Keys(values)), values: values, label: label})
		return len(list) - 1
	}
	graphs := map[int]string{}
	for _, r := range c.runs {
		e, _ := engine.MethodNamed(r.method) // it was found before
		if c.groups {
			r.embed = add(r.name(), c.clusteringOf(e, r))
			r.measure = add("the metrics of "+r.name(), c.metricsOf(r))
			continue
		}
		if r.k > 0 && c.shares(e) && graphs[r.k] == "" {
			graphs[r.k] = fmt.Sprintf("neighbors-k%d.npz", r.k)
			add(fmt.Sprintf("the search for %d neighbours", r.k), c.reads(map[string]any{"command": "neighbors", "neighbors": whole64(r.k), "out": graphs[r.k]}))
		}
		values := c.scaled(map[string]any{"command": "embed", "method": r.method, "out": r.out})
		switch {
		case r.k > 0 && c.shares(e):
			values["graph"] = "{out}/" + graphs[r.k]
		case r.k > 0:
			values["neighbors"] = whole64(r.k)
		}
		if c.dim != 0 {
			values["dim"] = (*autoCount)(&c.dim).String()
		}
		if e.Supervised {
			values["labels"] = c.labels
		}
		c.settings(e, values)
		if c.reruns(r.method) {
			values["out-trust"] = r.trust()
		}
		r.embed = add(r.name(), values)
		r.measure = add("the metrics of "+r.name(), c.metricsOf(r))
	}
	return list
}

// settings gives a job what it has of --set.
func (c *comparison) settings(e engine.Entry, values map[string]any) {
	set := map[string]any{}
	for key, text := range c.set {
		if c.hasParameter(e, key) {
			set[key] = text
		}
	}
	if len(set) > 0 {
		values["set"] = set
	}
}

// clusteringOf is the job of a clustering, with the names of its groups.
func (c *comparison) clusteringOf(e engine.Entry, r *compared) map[string]any {
	values := c.scaled(map[string]any{"command": "cluster", "method": r.method, "out": r.out, "out-profile": strings.TrimSuffix(r.out, ".npy") + "-profile.csv"})
	if r.c > 0 {
		values["clusters"] = whole64(r.c)
	}
	if c.nears && c.hasParameter(e, "neighbors") {
		values["neighbors"] = whole64(c.counts[0])
	}
	if c.table.namesFile != "" {
		values["names"] = c.table.namesFile
	}
	c.settings(e, values)
	return values
}

// shares reports whether a method takes the graph of a search that others take, too. What
// changes the search is in the method's own hands.
func (c *comparison) shares(e engine.Entry) bool {
	if c.scale != "none" || c.table.missing == "drop" { // the search is one of the samples as they are
		return false
	}
	for _, key := range []string{"radius", "metric", "denoise", "duplicates", "landmarks"} {
		if _, set := c.set[key]; set {
			return false
		}
	}
	return slices.Contains(append(e.WithSamples, e.InsteadOfSamples...), "graph")
}

// metricsOf is the job that measures an embedding.
func (c *comparison) metricsOf(r *compared) map[string]any {
	result := "embedding"
	if c.groups {
		result = "predicted"
	}
	values := c.scaled(map[string]any{"command": "evaluate", result: "{out}/" + r.out})
	var names []string
	var list []*metrics.Metric
	for _, k := range c.measured() {
		m, _ := metrics.Named(k.metric, nil) // it was found before
		names, list = append(names, k.metric), append(list, m)
	}
	values["metric"] = strings.Join(names, ",")
	if needs("labels", list...) {
		values["labels"] = c.labels
	}
	if needs("truth", list...) {
		values["truth"] = c.truth
	}
	return values
}

// reads has a job read the samples as the flags say. What is a column of labels or of ids is
// no feature of any.
func (c *comparison) reads(values map[string]any) map[string]any {
	values["in"] = c.in
	o := c.table.options(c.invocation, c.in, c.labels)
	for key, text := range map[string]string{"columns": (*columnList)(&o.Columns).String(), "drop": (*columnList)(&o.Drop).String(), "resize": c.table.resize.String()} {
		if text != "" {
			values[key] = text
		}
	}
	maps.Copy(values, c.text.words())
	if c.table.missing != "error" {
		values[missingKey] = c.table.missing
	}
	if c.table.grey {
		values["grey"] = true
	}
	if c.table.transpose {
		values["transpose"] = true
	}
	return values
}

// scaled is reads of a job that brings the samples to a common scale first.
func (c *comparison) scaled(values map[string]any) map[string]any {
	if c.scale != "none" {
		values["scale"] = c.scale
	}
	return c.reads(values)
}

func whole64(k int) json.Number { return json.Number(strconv.Itoa(k)) }
