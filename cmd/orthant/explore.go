package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/explore"
	"github.com/orthant-go/orthant/internal/picture"
)

// exploration is one "orthant explore": a scale, a map, groups and what distinguishes them, each by the method of the engine that
// its own command runs, and a page of all of it.
type exploration struct {
	*invocation
	in, labels, out   string
	outGroups, outMap string
	scale, reduce     string
	choice            // of the map
	clustering        string
	clusters          string
	setGroups         settings
	columns           int
	table             tableFlags
	image             string
	shape             picture.Images
	working

	x        mat.Matrix // the samples as they were read
	prepared mat.Matrix // those among which neighbours are found
	about    *explore.Table
	steps    []explore.Step
	drawer   engine.Method // of the map
	options  engine.Options
	classes  []int64 // given ones; nil: none
	names    []string
	found    explored
}

// explored is what was found.
type explored struct {
	picture *engine.Result // the map
	groups  *engine.Clustering
	profile *engine.GroupProfile
	heat    *explore.Heat
	agree   *explore.Agree
}

// defaultClustering is the method that finds the groups unless --clustering names another one: it finds their number
// among the neighbours that the map shows, in any number of columns.
const defaultClustering = "leiden"

func newExplore(inv *invocation) *cobra.Command {
	e := &exploration{invocation: inv, table: tableFlags{classes: true}}
	cmd := &cobra.Command{
		Use:   "explore --in X --out report.html [flags]",
		Short: "Go from a table to its groups, on one page",
		Long: `Explore takes a table from its numbers to an answer: it chooses a scale by what the
columns are, replaces many columns by their principal components, draws a map, finds
groups, says what distinguishes each group and how far map and groups can be
trusted, and writes one page that needs no other file. It says what it did and why, and
the page ends with the commands that repeat each step.

Every choice is a flag. The rules for the scale are in docs/choosing.md. Columns of text
are left out, and name the samples where no two are equal; missing values get the mean
of their column. With --labels, the groups are compared with given classes, which change
nothing else.`,
		Example: `  orthant generate gaussians --samples 300 --set clusters=4 --out x.npy --out-labels l.npy
  orthant explore --in x.npy --labels l.npy --out report.html
  orthant explore --in x.npy --map pacmap --clustering kmeans --clusters 4 --out report.html`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.StringVar(&e.scale, "scale", "auto", "first bring the data to a common scale: `HOW` is auto (by what the columns are), none, standard, minmax, robust, asinh, unit, log1p or counts")
		f.StringVar(&e.reduce, "reduce", "auto", "replace the columns by their `K` leading principal components; auto: by "+strconv.Itoa(explore.Components)+" if more than "+strconv.Itoa(explore.ManyColumns)+" vary; none: never")
		f.StringVar(&e.choice.method, "map", "umap", "`NAME` of the method of the map, an embedding in two or three coordinates: umap, tsne, pacmap or another one")
		f.VarP((*autoCount)(&e.neighbors), "neighbors", "k", "the number `K` of nearest neighbours of each sample, for the map and the groups (default: each method's own)")
		f.IntVarP(&e.dim, "dim", "d", 2, "coordinates `D` of the map, 2 or 3")
		f.Var(&e.set, "set", "another parameter of the map; may be repeated")
		f.StringVar(&e.clustering, "clustering", defaultClustering, "`NAME` of the method that finds the groups: "+late(namesOf, "cluster"))
		f.StringVarP(&e.clusters, "clusters", "c", "auto", "the number `C` of groups; auto: for methods that do not find it, by the largest gap of the spectrum of the neighbour graph, from 2 to "+strconv.Itoa(mostGroups))
		f.Var(&e.setGroups, "set-groups", "a parameter of the method that finds the groups; may be repeated")
		f.IntVar(&e.columns, "profile", 6, "show the `N` columns that distinguish a group most")
		e.searchFlags(f)
		e.strictFlag(f, "map or the groups")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", inputHelp)
		e.table.addFlags(inv, f)
		f.StringVar(&e.table.missing, missingKey, "mean", "what empty fields, NA and NaN mean: `WHAT` is mean: take the mean of the column; drop: leave out the rows that have one; error")
		f.StringVar(&e.labels, "labels", "", "`FILE` with the class of each sample, a whole number or a text (FILE:column of a table, :column of the input), to compare the groups with")
		e.table.namesFlag(f)
		f.StringVarP(&e.out, "out", "o", "", "`FILE` for the page, .html")
		f.StringVar(&e.outGroups, "out-groups", "", "`FILE` for the group of each sample, an integer")
		f.StringVar(&e.outMap, "out-map", "", "`FILE` for the coordinates of the map, one row a sample")
		f.StringVar(&e.image, "image", "", "each sample is an image of `HxW` pixels, such as 32x32 (32x32,columns: column by column), shown where one points at it")
		f.BoolVar(&inv.float32, "float32", false, "write the map as float32 in place of float64")
		inv.safeFlag(f)
	})
	reads(cmd, "in", "labels", "names")
	writes(cmd, "out", "out-groups", "out-map")
	usual(cmd, "scale", "reduce", "map", "clustering", "clusters", "neighbors", "metric", "in", "id", "missing", "labels", "out")
	inv.complete(cmd, "metric", distanceMetrics)
	inv.complete(cmd, "map", func() []string { return methodNames("embed") })
	inv.complete(cmd, "clustering", func() []string { return methodNames("cluster") })
	return cmd
}

// mostGroups is the greatest number of groups that --clusters auto finds.
const mostGroups = 15

func (e *exploration) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := e.check(flags); err != nil {
		return err
	}
	page, err := e.createRaw(e.out)
	if err != nil {
		return err
	}
	groups, err := e.createFor(e.outGroups, e.in, "obs/"+e.clustering, &e.table)
	if err != nil {
		return err
	}
	coordinates, err := e.createFor(e.outMap, e.in, "obsm/X_"+e.choice.method, &e.table)
	if err != nil {
		return err
	}
	if err := e.read(flags); err != nil {
		return err
	}
	progress := e.progressOf()
	defer progress.end()
	for _, step := range []func(context.Context, *progressLine) error{e.describe, e.prepare, e.draw, e.group, e.profile, e.compare} {
		if err := step(ctx, progress); err != nil {
			return fromWork(err)
		}
	}
	progress.end()
	if err := e.writeOutputs(ctx, page, groups, coordinates); err != nil {
		return err
	}
	if err := e.report(); err != nil {
		return err
	}
	if err := e.concluded(nil, e.choice.method, "map", e.found.picture.Quality.Verdict); err != nil {
		return err
	}
	return e.concluded(nil, e.clustering, "clustering", e.found.groups.Quality.Verdict)
}

// check refuses what cannot work, before anything is read.
func (e *exploration) check(flags *pflag.FlagSet) error {
	switch {
	case e.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case e.out == "":
		return wrong("--out is missing: the file for the page, such as report.html")
	case filepath.Ext(e.out) != ".html":
		return wrong("--out is %q; give a file that ends in .html", e.out)
	case e.dim != 2 && e.dim != 3:
		return wrong("--dim is %d; a map has 2 or 3 coordinates", e.dim)
	case e.columns < 1:
		return wrong("--profile is %d; give a whole number ≥ 1", e.columns)
	}
	if known := strings.Split(scalesOf(), "|"); !slices.Contains(known, e.scale) {
		return wrong("--scale is %q; give one of %s", e.scale, strings.Join(known, ", "))
	}
	if k, err := strconv.Atoi(e.reduce); e.reduce != "auto" && e.reduce != "none" && (err != nil || k < 1) {
		return wrong("--reduce is %q; give a whole number ≥ 1, auto or none", e.reduce)
	}
	if c, err := strconv.Atoi(e.clusters); e.clusters != "auto" && (err != nil || c < 1) {
		return wrong("--clusters is %q; give a whole number ≥ 1, or auto", e.clusters)
	}
	if e.findsNumber() && flags.Changed("clusters") {
		return wrong("--clusters does nothing to %s, which finds the number of groups itself; leave it out", e.clustering)
	}
	if e.image != "" {
		var err error
		if e.shape, err = picture.ParseImages(e.image); err != nil {
			return wrong("--image is %q; %w", e.image, err)
		}
	}
	if err := e.checkSearch(); err != nil {
		return err
	}
	if err := e.table.checkMissing("explore"); err != nil {
		return err
	}
	if err := e.makeMap(flags); err != nil {
		return err
	}
	if _, _, err := e.grouping(); err != nil {
		return err
	}
	var err error
	if e.labels, err = ofInput(e.labels, e.in); err != nil {
		return err
	}
	return oneStandardInput("--in", e.in, "--labels", e.labels, "--names", e.table.namesFile)
}

// scalesOf are the words of --scale.
func scalesOf() string {
	for _, p := range engine.CommonParameters() {
		if p.Key == "standardize" {
			return "auto|" + p.Allowed
		}
	}
	return "auto"
}

// findsNumber reports whether the clustering finds the number of groups itself.
func (e *exploration) findsNumber() bool {
	method, err := engine.NewFor("cluster", e.clustering)
	return err == nil && engine.FindsClusters(method)
}

// makeMap makes the method of the map with its parameters.
func (e *exploration) makeMap(flags *pflag.FlagSet) error {
	method, err := engine.NewFor("embed", e.choice.method)
	if err != nil {
		return wrong("--map: %w", err)
	}
	if supervised(e.choice.method) {
		return wrong("--map %s learns from classes; give a method that does not, such as umap", e.choice.method)
	}
	given := settings{"dim": strconv.Itoa(e.dim)}
	for key, value := range e.set {
		given[key] = value
	}
	for key, flag := range map[string]string{"standardize": "--scale", "reduce": "--reduce"} {
		if _, set := given[key]; set {
			return wrong("--set %s is %s here, for the map and the groups; give that", key, flag)
		}
	}
	e.searchSettings(given, assign.Keys(append(engine.Parameters(method), engine.CommonParameters()...)))
	e.options.Neighbors = e.search
	e.drawer = method
	return setParameters(e.invocation, "embed", method, given, &e.options, engine.CommonParameters())
}

// searchSettings adds the settings of the search that the keys of a method have.
func (e *exploration) searchSettings(given settings, keys []string) {
	for _, s := range e.searched() {
		if slices.Contains(keys, s.key) {
			given[s.key] = s.value
		}
	}
}

// searched are the settings of the search that differ from the defaults.
func (e *exploration) searched() (list []searchSetting) {
	if e.neighbors != 0 {
		list = append(list, searchSetting{"neighbors", (*autoCount)(&e.neighbors).String()})
	}
	if e.metric != "euclidean" {
		list = append(list, searchSetting{"metric", e.metric})
	}
	if e.recall != 1 {
		list = append(list, searchSetting{"recall", strconv.FormatFloat(e.recall, 'g', -1, 64)})
	}
	return list
}

// searchSetting is a key of the search, which is also a flag, with its value.
type searchSetting struct{ key, value string }

// grouping makes the method of the groups with its parameters.
func (e *exploration) grouping() (engine.Method, engine.ClusterOptions, error) {
	var o engine.ClusterOptions
	method, err := engine.NewFor("cluster", e.clustering)
	if err != nil {
		return nil, o, wrong("--clustering: %w", err)
	}
	given := settings{}
	for key, value := range e.setGroups {
		given[key] = value
	}
	e.searchSettings(given, e.groupKeys(method))
	o.Options.Neighbors = e.search
	return method, o, setParameters(e.invocation, "cluster", method, given, &o.Options, engine.ClusterParameters())
}

func (e *exploration) groupKeys(method engine.Method) []string {
	return assign.Keys(append(engine.Parameters(method), engine.ClusterParameters()...))
}

// read reads the samples and their classes. Columns of text and missing values are no obstacle.
func (e *exploration) read(flags *pflag.FlagSet) error {
	defer e.clock.Phase("read")()
	if e.table.missing == "mean" && !flags.Changed(missingKey) {
		e.table.missing = "error" // until a value is missing: sparse samples take no other word
	}
	var found error // by the reader, to which a remedy was added
	by := func(o files.Options) (x mat.Matrix, err error) {
		x, found = files.ReadAny(e.in, o)
		return x, found
	}
	x, err := e.table.read(e.invocation, e.in, e.labels, by)
	if e.leaveTextOut(found) {
		x, err = e.table.read(e.invocation, e.in, e.labels, by)
	}
	if _, lacks := errors.AsType[*files.MissingError](found); lacks && e.in != "-" && !flags.Changed(missingKey) {
		e.table.missing = "mean"
		e.step("missing values", "--missing mean", "empty fields get the mean of their column")
		x, err = e.table.read(e.invocation, e.in, e.labels, by)
	}
	if err != nil {
		return err
	}
	e.x = x
	if e.labels != "" {
		e.classes, e.names, err = e.readLabels(&e.table, e.labels, e.in, e.table.total)
	}
	return err
}

// step notes what was done.
func (e *exploration) step(what, flag, format string, args ...any) {
	e.steps = append(e.steps, explore.Step{What: what, Flag: flag, Reason: fmt.Sprintf(format, args...)})
}

// leaveTextOut has columns of text be left out, or name the samples, and reports whether that may help against the error.
func (e *exploration) leaveTextOut(err error) bool {
	if _, text := errors.AsType[*files.TextError](err); !text || e.in == "-" || len(e.table.columns) > 0 || e.table.transpose {
		return false
	}
	columns, other := files.TextColumns(e.in, e.table.options(e.invocation, e.in, e.labels))
	if other != nil || len(columns) == 0 {
		return false
	}
	for _, c := range columns {
		name := c.Name
		if name == "" {
			name = strconv.Itoa(c.Number)
		}
		if c.Unique && e.table.id == "" {
			e.table.id = name
			e.step("names", "--id "+quotedColumn(name), "a column of text in which no two are equal names the samples")
			continue
		}
		e.table.drop = append(e.table.drop, name)
		reason := "a column of text is no feature"
		if !c.Unique && e.labels == "" {
			reason += "; --labels :" + quotedColumn(name) + " compares the groups with it"
		}
		e.step("left out", "--drop "+quotedColumn(name), "%s", reason)
	}
	return true
}

// describe looks at the columns and chooses the scale.
func (e *exploration) describe(ctx context.Context, _ *progressLine) (err error) {
	defer e.clock.Phase("describe")()
	if e.about, err = explore.Describe(ctx, e.x); err != nil {
		return err
	}
	if n := len(e.about.Constant); n > 0 {
		e.step("constant", "", "%s one value only, and no influence: %s", counted(n, "column")+map[bool]string{true: " has", false: " have"}[n == 1], e.someNames(e.about.Constant))
	}
	if e.scale != "auto" {
		e.step("scale", "--scale "+e.scale, "as asked for")
		return nil
	}
	found := e.about.Scale()
	e.scale = found.What
	e.step("scale", "--scale "+found.What, "%s", found.Reason)
	return nil
}

// someNames are the first few of some columns.
func (e *exploration) someNames(columns []int) string {
	const most = 5
	var names []string
	for _, j := range columns[:min(len(columns), most)] {
		names = append(names, e.columnNames()[j])
	}
	if len(columns) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// columnNames are those of all columns, or their numbers.
func (e *exploration) columnNames() []string {
	if len(e.table.names) == e.about.Columns {
		return e.table.names
	}
	names := make([]string, e.about.Columns)
	for j := range names {
		names[j] = "column " + strconv.Itoa(j+1)
	}
	e.table.names = names
	return names
}

// prepare replaces many columns by their principal components.
func (e *exploration) prepare(ctx context.Context, p *progressLine) error {
	e.prepared = e.x
	count, reason := 0, "as asked for"
	switch e.reduce {
	case "auto":
		count, reason = e.about.Reduce()
	case "none":
	default:
		count, _ = strconv.Atoi(e.reduce)
	}
	if e.reduce = "none"; count > 0 {
		e.reduce = strconv.Itoa(count)
	}
	e.step("components", "--reduce "+e.reduce, "%s", reason)
	if count == 0 {
		return nil
	}
	r, err := engine.Embed(ctx, e.x, engine.PCA{Dim: count}, e.running(engine.Options{Standardize: e.scale}, &e.working, p))
	if err != nil {
		return err
	}
	e.worked(p, r.Warnings)
	e.prepared = r.Y
	return nil
}

// preparedScale is the scale of the samples as they are given to the map and to the clustering.
func (e *exploration) preparedScale() string {
	if e.reduce != "none" {
		return "none"
	}
	return e.scale
}

// draw makes the map.
func (e *exploration) draw(ctx context.Context, p *progressLine) error {
	o := e.running(e.options, &e.working, p)
	o.Standardize = e.preparedScale()
	r, err := engine.Embed(ctx, e.prepared, e.drawer, o)
	if err != nil {
		return err
	}
	e.worked(p, r.Warnings)
	e.found.picture = r
	e.step("map", "--map "+e.choice.method, "%s", e.titleOf(e.choice.method))
	return nil
}

func (e *exploration) titleOf(method string) string {
	about, err := engine.MethodNamed(method)
	if err != nil {
		return ""
	}
	return about.Title + ": " + about.Summary
}

// group finds the groups.
func (e *exploration) group(ctx context.Context, p *progressLine) error {
	method, o, err := e.grouping()
	if err != nil {
		return err
	}
	o.Options = e.running(o.Options, &e.working, p)
	o.Standardize = e.preparedScale()
	reason := ""
	if !e.findsNumber() {
		if e.clusters == "auto" {
			count, gap, err := e.countGroups(ctx, p)
			if err != nil {
				return err
			}
			e.clusters = strconv.Itoa(count)
			reason = fmt.Sprintf("; %d by the largest gap (%.2g) among the first %d eigenvalues of the neighbour graph", count, gap, mostGroups)
		}
		o.Clusters, _ = strconv.Atoi(e.clusters)
	}
	r, err := engine.Cluster(ctx, e.prepared, method, o)
	if err != nil {
		return err
	}
	e.worked(p, r.Warnings)
	e.found.groups = r
	flag := "--clustering " + e.clustering
	if o.Clusters > 0 {
		flag += " --clusters " + e.clusters
	}
	e.step("groups", flag, "%s%s", e.titleOf(e.clustering), reason)
	return nil
}

// countGroups is the number of groups by the largest gap between leading eigenvalues of the neighbour graph (von Luxburg 2007, section 8.3).
func (e *exploration) countGroups(ctx context.Context, p *progressLine) (count int, gap float64, err error) {
	method, err := engine.NewFor("cluster", "spectral")
	if err != nil {
		return 0, 0, err
	}
	o := engine.ClusterOptions{Options: e.running(engine.Options{Standardize: e.preparedScale()}, &e.working, p)}
	given := settings{}
	e.searchSettings(given, e.groupKeys(method))
	if err := setParameters(e.invocation, "cluster", method, given, &o.Options, engine.ClusterParameters()); err != nil {
		return 0, 0, err
	}
	n, _ := e.prepared.Dims()
	o.Clusters = max(1, min(mostGroups, n-2))
	r, err := engine.Cluster(ctx, e.prepared, method, o)
	if err != nil {
		return 0, 0, err
	}
	values := append(slices.Clone(r.Values), r.Next)
	for c := 2; c < len(values); c++ {
		if d := values[c-1] - values[c]; d > gap {
			count, gap = c, d
		}
	}
	return max(count, 2), gap, nil
}

// profile finds what distinguishes the groups.
func (e *exploration) profile(ctx context.Context, _ *progressLine) error {
	defer e.clock.Phase("profile")()
	labels := e.found.groups.Labels
	if slices.Min(labels) == slices.Max(labels) {
		e.warn("%s found one group only, which nothing can be compared with; give --clusters, or another --clustering", e.clustering)
		return nil
	}
	o := engine.ProfileOptions{Top: e.columns, Names: e.columnNames(), Threads: e.threads, Memory: int64(e.memory)}
	if e.scale == "counts" {
		o.Depth = "total"
	}
	r, err := engine.Profile(ctx, e.x, labels, o)
	if err != nil {
		return err
	}
	for _, text := range r.Warnings {
		e.warn("%s", text)
	}
	e.found.profile = r
	columns := e.heatColumns(r)
	values, err := explore.Means(ctx, e.x, e.scale, e.ordered(labels), len(e.groupLabels()), columns)
	if err != nil {
		return err
	}
	e.found.heat = &explore.Heat{Values: values}
	for _, j := range columns {
		e.found.heat.Columns = append(e.found.heat.Columns, e.columnNames()[j])
	}
	return nil
}

// mostHeat bounds the columns of the profile that are shown for all groups.
const mostHeat = 40

// heatColumns are the first columns of each group, those of rank 1 first, ordered by the group that they come from.
func (e *exploration) heatColumns(r *engine.GroupProfile) []int {
	var chosen []int
	for rank := range e.columns {
		for _, g := range r.Groups {
			if rank < len(g.Columns) && len(chosen) < mostHeat && !slices.Contains(chosen, g.Columns[rank].Column) {
				chosen = append(chosen, g.Columns[rank].Column)
			}
		}
	}
	var list []int
	for _, g := range r.Groups {
		for _, c := range g.Columns {
			if slices.Contains(chosen, c.Column) && !slices.Contains(list, c.Column) {
				list = append(list, c.Column)
			}
		}
	}
	return list
}

// groupLabels are the labels of the groups, ascending; −1, noise, comes last.
func (e *exploration) groupLabels() []int64 {
	list := slices.Clone(e.found.groups.Labels)
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 1 && list[0] < 0 {
		list = append(list[1:], list[0])
	}
	return list
}

// ordered numbers labels by their place among the groups.
func (e *exploration) ordered(labels []int64) []int64 {
	place := map[int64]int64{}
	for at, l := range e.groupLabels() {
		place[l] = int64(at)
	}
	list := make([]int64, len(labels))
	for i, l := range labels {
		list[i] = place[l]
	}
	return list
}

// nameOf is what a group is called: its number and the column that distinguishes it most.
func (e *exploration) nameOf(label int64) string {
	if label < 0 {
		return noiseName
	}
	name := strconv.FormatInt(label, 10)
	if about := e.profiled(label); about != nil {
		if of := about.Name(1); of != "" {
			name += " · " + of
		}
	}
	return name
}

// noiseName is what samples in no group are called.
const noiseName = "noise"

// profiled is the profile of a group; nil: none.
func (e *exploration) profiled(label int64) *engine.ProfiledGroup {
	if e.found.profile == nil {
		return nil
	}
	for at := range e.found.profile.Groups {
		if g := &e.found.profile.Groups[at]; g.Label == label {
			return g
		}
	}
	return nil
}

// maxClasses are shown in a table.
const maxClasses = 40

// compare compares the groups with the given classes.
func (e *exploration) compare(ctx context.Context, _ *progressLine) error {
	if e.classes == nil {
		return nil
	}
	defer e.clock.Phase("measure")()
	agree := &explore.Agree{}
	labels := e.ordered(e.found.groups.Labels)
	for _, m := range agreements() {
		v, err := m.Measure(ctx, inputsOfClasses(e.classes, labels))
		if err != nil {
			return err
		}
		agree.Measures = append(agree.Measures, explore.Measured{Name: m.Name, Title: m.Title, Value: v.Value})
	}
	colors := picture.ByClasses(e.classes, e.names)
	if agree.Classes = colors.Names; colors.Classes == nil || len(colors.Names) > maxClasses {
		e.found.agree = agree
		return nil
	}
	agree.Counts = make([][]int, len(e.groupLabels()))
	for g := range agree.Counts {
		agree.Counts[g] = make([]int, len(colors.Names))
	}
	for i, g := range labels {
		agree.Counts[g][colors.Classes[i]]++
	}
	e.found.agree = agree
	return nil
}

// mostly is the class that most of a group have, with its share.
func (e *exploration) mostly(at int) string {
	if e.found.agree == nil || e.found.agree.Counts == nil {
		return ""
	}
	counts := e.found.agree.Counts[at]
	best := 0
	total := 0
	for k, n := range counts {
		if total += n; n > counts[best] {
			best = k
		}
	}
	return fmt.Sprintf("%s, %.0f %%", e.found.agree.Classes[best], 100*float64(counts[best])/math.Max(float64(total), 1))
}
