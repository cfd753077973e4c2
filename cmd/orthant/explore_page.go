package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/explore"
	"github.com/orthant-go/orthant/internal/picture"
)

// agreementNames are the measures of groups against classes, of those that there are.
var agreementNames = []string{"ari", "ami", "nmi", "acc"}

func agreements() (list []*metrics.Metric) {
	for _, name := range agreementNames {
		if m, err := metrics.Named(name, nil); err == nil {
			list = append(list, m)
		}
	}
	return list
}

func inputsOfClasses(truth, predicted []int64) *metrics.Inputs {
	return &metrics.Inputs{Matrices: map[string]*mat.Dense{}, Classes: map[string][]int64{"labels": truth, "predicted": predicted}, Called: func(input string) string { return "--" + input }}
}

// writeOutputs writes everything before it commits anything.
func (e *exploration) writeOutputs(ctx context.Context, page, groups, coordinates *files.Output) error {
	defer e.clock.Phase("write")()
	report, err := e.page()
	if err != nil {
		return err
	}
	if err := report.Write(page); err != nil {
		return err
	}
	e.table.title(e.invocation, groups, []string{"cluster"}, e.table.ids)
	if groups != nil {
		if err := groups.WriteLabels(e.found.groups.Labels); err != nil {
			return err
		}
	}
	e.table.title(e.invocation, coordinates, coordinateNames(e.choice.method, e.dim), e.table.ids)
	if err := e.writeMatrix(coordinates, e.found.picture.Y); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.commit()
}

// page is what the page shows.
func (e *exploration) page() (*explore.Report, error) {
	r := e.found.picture
	colors := picture.ByClasses(e.ordered(e.found.groups.Labels), e.groupNames())
	colors.Styles = make([]int, len(colors.Names)) // in the order of the groups
	for k, name := range colors.Names {
		if colors.Styles[k] = k; name == noiseName {
			colors.Styles[k] = draw.NoClass
		}
	}
	points := &picture.Scatter{Y: r.Y, Colors: colors, Equal: true, IDs: e.table.ids}
	nameComponents(points, r)
	showTrust(points, r.Trust)
	e.showColumns(points)
	if err := e.showSamples(points); err != nil {
		return nil, err
	}
	report := &explore.Report{Title: filepath.Base(files.FileOf(e.in)) + "  ·  " + shapeOf(r.Samples, e.about.Columns), Map: points, Cards: e.cards(), Heat: e.found.heat, Agree: e.found.agree, Steps: e.steps, Redo: e.commands()}
	sizes := e.sizes()
	for at, label := range e.groupLabels() {
		g := explore.Group{Name: e.nameOf(label), Class: slices.Index(colors.Names, e.nameOf(label)), Size: sizes[at], Share: float64(sizes[at]) / float64(r.Samples), Mostly: e.mostly(at)}
		if about := e.profiled(label); about != nil {
			for _, c := range about.Columns {
				g.Columns = append(g.Columns, explore.Shown{Name: c.Name, Lower: c.Score < 0, In: c.MeanIn, Out: c.MeanOut})
			}
		}
		report.Groups = append(report.Groups, g)
	}
	for _, text := range e.warnings {
		report.Notes = append(report.Notes, "Warning: "+text)
	}
	return report, nil
}

// groupNames are those of all groups.
func (e *exploration) groupNames() (names []string) {
	for _, label := range e.groupLabels() {
		names = append(names, e.nameOf(label))
	}
	return names
}

// sizes counts the samples of each group.
func (e *exploration) sizes() []int {
	sizes := make([]int, len(e.groupLabels()))
	for _, at := range e.ordered(e.found.groups.Labels) {
		sizes[at]++
	}
	return sizes
}

// coloredColumns is the number of columns that the map can be coloured by.
const coloredColumns = 12

// showColumns offers the first columns of the groups as colours.
func (e *exploration) showColumns(points *picture.Scatter) {
	if e.found.profile == nil {
		return
	}
	var shown []int
	for _, g := range e.found.profile.Groups {
		if len(g.Columns) > 0 && len(shown) < coloredColumns && !slices.Contains(shown, g.Columns[0].Column) {
			shown = append(shown, g.Columns[0].Column)
		}
	}
	n, _ := e.x.Dims()
	for _, j := range shown {
		values := make([]float64, n)
		for i := range n {
			values[i] = e.x.At(i, j)
		}
		points.Colorings = append(points.Colorings, picture.Coloring{Name: e.columnNames()[j], Values: values})
	}
}

// showSamples gives the points their images, if the samples are images.
func (e *exploration) showSamples(points *picture.Scatter) (err error) {
	shape := e.shape
	if e.image == "" {
		if e.images == nil {
			return nil
		}
		shape = picture.Images{Height: e.images.Height, Width: e.images.Width}
	}
	if points.Images, err = shape.Of(e.x); err != nil {
		return wrong("--image %s: %w", e.image, err)
	}
	return nil
}

// cards are the findings in short.
func (e *exploration) cards() []explore.Card {
	m, c := e.found.picture, e.found.groups
	list := []explore.Card{
		{Of: "data", Word: shapeOf(m.Samples, e.about.Columns), Text: map[bool]string{true: "sparse", false: ""}[e.about.Sparse]},
		{Of: "groups, by " + c.Method, Word: counted(e.found.count(), "group"), Text: e.noiseText()},
		{Of: "map, by " + m.Method, Word: string(m.Quality.Verdict), Text: sentenceOf(m.Quality.Sentence, m.Quality.NotJudged)},
		{Of: "clustering", Word: string(c.Quality.Verdict), Text: sentenceOf(c.Quality.Sentence, c.Quality.NotJudged)},
	}
	if a := e.found.agree; a != nil {
		list = append(list, explore.Card{Of: "agreement with the classes", Word: fmt.Sprintf("%s %.3f", a.Measures[0].Name, a.Measures[0].Value), Text: a.Measures[0].Title})
	}
	return list
}

// sentenceOf words a verdict.
func sentenceOf(sentence string, left []engine.Unjudged) string {
	if sentence != "" || len(left) == 0 {
		return sentence
	}
	var texts []string
	for _, check := range left {
		texts = append(texts, check.What+": "+check.Why)
	}
	return "Not judged: " + strings.Join(texts, "; ")
}

// command is a command line in the making.
type typedLine []string

// add adds a flag with its value, quoted for a shell.
func (l *typedLine) add(flag, value string) { *l = append(*l, "--"+flag, shellWord(value)) }

var plainWord = regexp.MustCompile(`^[\w./:=,+@%-]+$`)

// shellWord is a word as one types it in a shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// columnWords are columns as a flag takes them.
func columnWords(names []string) string {
	list := slices.Clone(names)
	for at, name := range list {
		if strings.ContainsAny(name, `,"`) {
			list[at] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(list, ",")
}

// commands are the command lines that repeat each step.
func (e *exploration) commands() []explore.Typed {
	base := strings.TrimSuffix(e.out, ".html")
	prepared, groups, drawn := base+"-components.npy", base+"-groups.npy", base+"-map.npy"
	var list []explore.Typed
	add := func(what string, l typedLine) {
		list = append(list, explore.Typed{What: what, Line: strings.Join(append([]string{"orthant"}, l...), " ")})
	}
	begin := func(words ...string) typedLine {
		l := typedLine(words)
		if e.reduce != "none" && words[0] != "embed-all" {
			l.add("in", prepared)
			l.add("scale", "none")
		} else {
			e.inputs(&l)
			l.add("scale", e.scale)
		}
		if e.seed != 1 {
			l.add("seed", strconv.FormatUint(e.seed, 10))
		}
		return l
	}
	if e.reduce != "none" {
		l := begin("embed-all", "--method", "pca", "--dim", e.reduce)
		l[0] = "embed"
		l.add("out", prepared)
		add("Principal components", l)
	}
	l := begin("cluster", "--method", e.clustering)
	if !e.findsNumber() {
		l.add("clusters", e.clusters)
	}
	method, _, _ := e.grouping()
	e.searchWords(&l, e.groupKeys(method), e.setGroups)
	l.add("out", groups)
	add("Groups", l)
	l = begin("embed", "--method", e.choice.method)
	l.add("dim", strconv.Itoa(e.dim))
	e.searchWords(&l, []string{"neighbors", "metric", "recall"}, e.set)
	l.add("out", drawn)
	l.add("labels", groups)
	l.add("plot", base+"-map.html")
	add("The map, in the colours of the groups", l)
	if e.labels != "" {
		var names []string
		for _, m := range agreements() {
			names = append(names, m.Name)
		}
		l = typedLine{"evaluate", "--metric", strings.Join(names, ",")}
		if e.table.missing == "drop" {
			e.inputs(&l)
		}
		l.add("labels", e.labels)
		l.add("predicted", groups)
		add("Groups and given classes", l)
	}
	return list
}

// inputs adds how the samples are read.
func (e *exploration) inputs(l *typedLine) {
	l.add("in", e.in)
	drop := slices.Clone([]string(e.table.drop))
	if own := labelColumn(e.labels, e.in); own != "" && !slices.Contains(drop, own) && len(e.table.columns) == 0 {
		drop = append(drop, own)
	}
	for _, flag := range []struct{ name, value string }{{"columns", columnWords(e.table.columns)}, {"drop", columnWords(drop)}, {"id", e.table.id}, {"resize", e.table.resize.String()}} {
		if flag.value != "" {
			l.add(flag.name, flag.value)
		}
	}
	words := e.text.words()
	for _, key := range slices.Sorted(maps.Keys(words)) {
		if words[key] == true {
			*l = append(*l, "--"+key)
			continue
		}
		l.add(key, fmt.Sprint(words[key]))
	}
	if e.table.missing != "error" {
		l.add(missingKey, e.table.missing)
	}
	if e.table.grey {
		*l = append(*l, "--grey")
	}
	if e.table.transpose {
		*l = append(*l, "--transpose")
	}
}

// labelColumn is the column of the samples' own table that holds the classes; empty: none does.
func labelColumn(labels, in string) string {
	if selected := files.Selection(labels); labels != "" && len(selected) == 1 && files.FileOf(labels) == files.FileOf(in) {
		return selected[0]
	}
	return ""
}

// searchWords adds the settings of the search and of the method.
func (e *exploration) searchWords(l *typedLine, keys []string, set settings) {
	for _, s := range e.searched() {
		if slices.Contains(keys, s.key) {
			l.add(s.key, s.value)
		}
	}
	if e.search != "auto" {
		l.add("neighbors-method", e.search)
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		l.add("set", key+"="+set[key])
	}
}

// exploreReport is what --json prints of an exploration.
type exploreReport struct {
	In        string            `json:"in"`
	Labels    string            `json:"labels,omitempty"`
	Samples   int               `json:"samples"`
	Features  int               `json:"features"`
	Sparse    bool              `json:"sparse"`
	Decisions []exploreDecision `json:"decisions"`
	Map       exploreMap        `json:"map"`
	Groups    exploreGroups     `json:"groups"`
	Agreement *exploreAgreement `json:"agreement,omitempty"`
	Commands  []string          `json:"commands"`
	Seed      uint64            `json:"seed"`
	Out       string            `json:"out"`
	OutGroups string            `json:"out_groups,omitempty"`
	OutMap    string            `json:"out_map,omitempty"`
	cost
	machine
}

// exploreDecision is what was done at one step, and why.
type exploreDecision struct {
	What   string `json:"what"`
	Flag   string `json:"flag,omitempty"` // that makes the same choice
	Reason string `json:"reason"`
}

// exploreMap is what was found of the map.
type exploreMap struct {
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Quality *engine.Quality `json:"quality"`
}

// exploreGroups are the groups and what distinguishes each.
type exploreGroups struct {
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Count   int             `json:"count"`
	Noise   int             `json:"noise,omitempty"` // samples in no group
	Quality *engine.Verdict `json:"quality"`
	Score   string          `json:"score,omitempty"` // by which columns are ordered
	List    []exploreGroup  `json:"list"`
}

// exploreGroup is one of them.
type exploreGroup struct {
	Group   int64           `json:"group"` // −1: noise
	Name    string          `json:"name"`
	Size    int             `json:"size"`
	Columns []exploreColumn `json:"columns,omitempty"`
}

// exploreColumn is a column that distinguishes a group.
type exploreColumn struct {
	Name       string `json:"name"`
	Score      number `json:"score"`
	Difference number `json:"difference"`
	MeanIn     number `json:"mean_in"`
	MeanOut    number `json:"mean_out"`
}

// exploreAgreement compares the groups with the classes.
type exploreAgreement struct {
	Values  map[string]number `json:"values"`
	Classes []string          `json:"classes"`
	Counts  [][]int           `json:"counts,omitempty"` // groups × classes
}

func (e *exploration) report() error {
	c := e.spent()
	m, g := e.found.picture, e.found.groups
	c.Add(m.Seconds, m.CPUSeconds)
	c.Add(g.Seconds, g.CPUSeconds)
	c.Estimate = max(m.EstimatedBytes, g.EstimatedBytes)
	if e.json {
		return e.printJSON(e.reportJSON(c))
	}
	w := e.say()
	line(w, "data", "%s", shapeOf(m.Samples, e.about.Columns))
	for _, s := range e.steps {
		line(w, s.What, "%s", strings.TrimSpace(s.Flag+"  "+s.Reason))
	}
	sizes := e.sizes()
	for at, label := range e.groupLabels() {
		text := fmt.Sprintf("%d samples", sizes[at])
		if about := e.mostly(at); about != "" {
			text += "; " + about
		}
		line(w, "group", "%s: %s", e.nameOf(label), text)
	}
	if a := e.found.agree; a != nil {
		var values []string
		for _, v := range a.Measures {
			values = append(values, fmt.Sprintf("%s %.4f", v.Name, v.Value))
		}
		line(w, "classes", "%s", strings.Join(values, ", "))
	}
	writeVerdict(w, m.Quality, m.Warnings)
	line(w, "clusters", "%s", strings.TrimSuffix(string(g.Quality.Verdict)+": "+sentenceOf(g.Quality.Sentence, g.Quality.NotJudged), ": "))
	for _, t := range e.commands() {
		line(w, "by hand", "%s", t.Line)
	}
	writeCost(w, c)
	writeWritten(w, e.outGroups, e.outMap, e.out)
	return nil
}

func (e *exploration) reportJSON(c cost) exploreReport {
	m, g := e.found.picture, e.found.groups
	r := exploreReport{In: e.in, Labels: e.labels, Samples: m.Samples, Features: e.about.Columns, Sparse: e.about.Sparse, Seed: e.seed, Out: e.out, OutGroups: e.outGroups, OutMap: e.outMap,
		Map:    exploreMap{m.Method, finite(m.Params), m.Quality},
		Groups: exploreGroups{Method: g.Method, Params: finite(g.Params), Count: e.found.count(), Noise: e.found.noise(), Quality: g.Quality},
		cost:   c, machine: e.machine()}
	for _, s := range e.steps {
		r.Decisions = append(r.Decisions, exploreDecision(s))
	}
	for _, t := range e.commands() {
		r.Commands = append(r.Commands, t.Line)
	}
	sizes := e.sizes()
	if e.found.profile != nil {
		r.Groups.Score = e.found.profile.Score
	}
	for at, label := range e.groupLabels() {
		group := exploreGroup{Group: label, Name: e.nameOf(label), Size: sizes[at]}
		if about := e.profiled(label); about != nil {
			for _, c := range about.Columns {
				group.Columns = append(group.Columns, exploreColumn{c.Name, number(c.Score), number(c.Difference), number(c.MeanIn), number(c.MeanOut)})
			}
		}
		r.Groups.List = append(r.Groups.List, group)
	}
	if a := e.found.agree; a != nil {
		r.Agreement = &exploreAgreement{Values: map[string]number{}, Classes: a.Classes, Counts: a.Counts}
		for _, v := range a.Measures {
			r.Agreement.Values[v.Name] = number(v.Value)
		}
	}
	return r
}

// count is the number of groups, noise left out.
func (f *explored) count() int {
	distinct := slices.Clone(f.groups.Labels)
	slices.Sort(distinct)
	distinct = slices.DeleteFunc(slices.Compact(distinct), func(l int64) bool { return l < 0 })
	return cmp.Or(len(distinct), 1)
}

// noise counts the samples in no group.
func (f *explored) noise() (count int) {
	for _, l := range f.groups.Labels {
		if l < 0 {
			count++
		}
	}
	return count
}

// noiseText says how many samples are in no group.
func (e *exploration) noiseText() string {
	if n := e.found.noise(); n > 0 {
		return counted(n, "sample") + " in no group"
	}
	return ""
}
