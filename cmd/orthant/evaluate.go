package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/internal/suggest"
)

// evaluation is one "orthant evaluate".
type evaluation struct {
	*invocation
	name                 string
	in, truth, embedding string
	labels, predicted    string
	w, h                 string
	k, dim               int
	table                tableFlags
	scale                string
	set                  settings
	method               engine.Method // of a metric that embeds
	options              engine.Options
	left                 int // samples without coordinates
	outProfile           string
	profile              *engine.GroupProfile // of the groups given; nil: not asked for
	classNames           []string             // of its groups; nil: they are numbers
}

func newEvaluate(inv *invocation) *cobra.Command {
	e := &evaluation{invocation: inv, table: tableFlags{classes: true}}
	names := metrics.Names()
	cmd := &cobra.Command{
		Use:   "evaluate [--metric NAME,NAME] [flags]",
		Short: "Measure an embedding or a clustering",
		Long: `Evaluate measures how good a result is. For one metric it prints one number on
standard output, with all its digits; for several, a line for each with its name and
value. Without --metric it takes all metrics that suit the files given. The metrics,
the files they need, and their settings:

` + metricLines() + `

nn-error and nfl-error classify the samples of --embedding, which were embedded
together. With projection=separate they classify the samples of --in: the method named by
--set method is fitted to the training part of every split, and maps the test part.
--neighbors, --dim and the other settings then belong to the method.

--out-profile writes what distinguishes given groups, those of --predicted or else of
--labels, whoever found them: the table that "orthant cluster --out-profile" writes.`,
		Example: `  orthant generate swiss-roll --samples 800 --out x.npy --out-params t.npy
  orthant embed --method ltsa --in x.npy --out y.npy
  orthant evaluate --in x.npy --embedding y.npy
  orthant evaluate --metric dev --truth t.npy --embedding y.npy
  orthant evaluate --metric trustworthiness --in x.npy --embedding y.npy --neighbors 10
  orthant evaluate --metric random-triplet,distance-correlation --in x.npy --embedding y.npy
  orthant evaluate --metric procrustes --truth t.npy --embedding y.npy
  orthant generate gaussians --samples 400 --set sd=4 --out g.npy --out-labels l.npy
  orthant evaluate --metric nn-error --embedding g.npy --labels l.npy --set splits=25
  orthant evaluate --metric bad-neighbors --in g.npy --labels l.npy --neighbors 20
  orthant evaluate --in g.npy --predicted l.npy --out-profile groups.csv
  orthant evaluate --metric nn-error --in g.npy --labels l.npy --set projection=separate --set method=neml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to measure", func(f *pflag.FlagSet) {
		f.StringVarP(&e.name, "metric", "m", "", "`NAME` of the metric, or several with commas between them (default: what suits the files given): "+strings.Join(names, ", "))
		f.IntVarP(&e.k, "neighbors", "k", metrics.DefaultNeighbors, "neighbours `K` that a metric of neighbourhoods looks at, or the method that is being measured")
		f.IntVarP(&e.dim, "dim", "d", 0, "coordinates `D` of a metric that embeds (projection=separate; default 2)")
		scaleFlag(f, &e.scale)
		f.Var(&e.set, "set", "a setting of the metric; may be repeated")
	})
	addGroup(cmd, "Input", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", "`FILE` with the samples before the embedding, or images")
		e.table.addFlags(inv, f)
		e.table.addMissing(f)
		f.StringVarP(&e.embedding, "embedding", "e", "", "`FILE` with the embedding")
		f.StringVarP(&e.truth, "truth", "t", "", "`FILE` with the coordinates that should have been found, or the embedding to compare with")
		f.StringVar(&e.labels, "labels", "", "`FILE` with the true class of each sample, a whole number or a text (FILE:column of a table, :column of --in)")
		f.StringVar(&e.predicted, "predicted", "", "`FILE` with the class or cluster given to each sample")
		f.StringVar(&e.w, "w", "", "`FILE` with the coordinates W of a factorisation X ≈ WH")
		f.StringVar(&e.h, "h", "", "`FILE` with its components H")
		e.table.namesFlag(f)
		f.StringVar(&e.outProfile, "out-profile", "", "`FILE` for the columns of --in that distinguish each group of --predicted, or else of --labels, most from the others, a table of text")
	})
	reads(cmd, "in", "embedding", "truth", "labels", "predicted", "w", "h", "names")
	writes(cmd, "out-profile")
	usual(cmd, "metric", "neighbors", "set", "in", "missing", "embedding", "truth", "labels", "predicted", "w", "h")
	inv.complete(cmd, "metric", metrics.Names)
	return cmd
}

func (e *evaluation) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := e.profileGroups(ctx); err != nil {
		return err
	}
	if names := e.names(); len(names) != 1 || e.name == "" {
		return e.runMany(ctx, flags, names)
	}
	m, err := e.check(flags)
	if err != nil {
		return err
	}
	in, err := e.read(ctx, m)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	endMeasure := e.clock.Phase("measure")
	v, err := m.Measure(ctx, in)
	if err != nil {
		return fromWork(err)
	}
	endMeasure()
	if err := e.commit(); err != nil {
		return err
	}
	e.sayGroups()
	if !e.json {
		return e.print("%.17g\n", v.Value)
	}
	return e.printJSON(evaluationReport{measurementOf(m, in, v), e.left, e.outProfile, e.summaries(), e.spent()})
}

// profileGroups compares the groups that were given, and begins the file of their profile.
func (e *evaluation) profileGroups(ctx context.Context) error {
	if e.outProfile == "" {
		return nil
	}
	if err := e.resolveColumns(); err != nil {
		return err
	}
	path := cmp.Or(e.predicted, e.labels)
	switch {
	case e.in == "":
		return wrong("--out-profile compares the columns of --in, which is not given; give it, or leave --out-profile out")
	case e.in == "-" || path == "-":
		return wrong("--out-profile reads --in and the groups before the metrics do, which standard input cannot be; give files")
	case path == "":
		return wrong("--out-profile compares groups, which are not given; give --predicted, or --labels")
	}
	out, err := e.createRaw(e.outProfile)
	if err != nil {
		return err
	}
	table, quiet := e.table, *e.invocation // the metrics report what is left out
	quiet.quiet = true
	if !table.hasID(e.invocation, e.in) {
		table.id = ""
	}
	x, err := table.read(&quiet, e.in, path, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(e.in, o) })
	if err != nil {
		return err
	}
	labels, names, err := quiet.readLabels(&table, path, e.in, table.total)
	if err != nil {
		return err
	}
	defer e.clock.Phase("profile")()
	if e.profile, err = e.profileOf(ctx, &table, x, labels); err != nil {
		return fromWork(err)
	}
	e.classNames = names
	return writeProfile(out, e.profile, names)
}

// sayGroups shows what distinguishes the first groups.
func (e *evaluation) sayGroups() {
	if e.profile != nil {
		w := e.say()
		sayProfile(w, e.profile, e.classNames)
		writeWritten(w, e.outProfile)
	}
}

func (e *evaluation) summaries() []groupSummary { return summaries(e.profile, e.classNames) }

// evaluationReport is what --json prints of one metric that was asked for.
type evaluationReport struct {
	measurement
	Left       int            `json:"left_out,omitempty"` // samples without coordinates
	OutProfile string         `json:"out_profile,omitempty"`
	Profile    []groupSummary `json:"profile,omitempty"`
	cost
}

// measurement is what --json prints of one metric.
type measurement struct {
	Metric   string         `json:"metric"`
	Value    number         `json:"value"`
	Samples  int            `json:"samples"`
	Settings map[string]any `json:"settings"`
	Details  map[string]any `json:"details,omitempty"`
	*splitRates
}

func measurementOf(m *metrics.Metric, in *metrics.Inputs, v *metrics.Value) measurement {
	return measurement{m.Name, number(v.Value), m.Samples(in), finite(m.Described(in)), finite(v.Details), ratesOf(v)}
}

// splitRates are error rates over random splits, for --json.
type splitRates struct {
	Mean   number   `json:"mean"`
	SD     number   `json:"sd"` // divisor n − 1
	Values []number `json:"values"`
}

// ratesOf returns the rates of a value that is their mean.
func ratesOf(v *metrics.Value) *splitRates {
	if v.Rates == nil {
		return nil
	}
	r := &splitRates{Mean: number(v.Rates.Mean()), SD: number(v.Rates.Deviation())}
	for _, rate := range v.Rates {
		r.Values = append(r.Values, number(rate))
	}
	return r
}

// check finds the metric and refuses what it cannot work with.
func (e *evaluation) check(flags *pflag.FlagSet) (*metrics.Metric, error) {
	m, err := metrics.Named(e.name, e.set)
	if err != nil {
		return nil, &inputError{Err: err}
	}
	if err := e.resolveColumns(); err != nil {
		return nil, err
	}
	var paths []string
	for _, input := range metrics.InputNames {
		path := flags.Lookup(input).Value.String()
		needed := slices.Contains(m.Needs, input)
		if needed && path == "" {
			return nil, wrong("%s needs --%s; it compares %s", m.Name, input, m.Compares)
		}
		if !needed && path != "" && !(input == "in" && e.table.missing == "drop") && !e.profiles(input) {
			e.warn("%s does not use --%s", m.Name, input)
			continue
		}
		paths = append(paths, "--"+input, path)
	}
	if err := e.table.checkMissing(m.Name); err != nil {
		return nil, err
	}
	if m.Neighbors && e.k < 1 {
		return nil, wrong("--neighbors is %d; give a whole number ≥ 1", e.k)
	}
	if m.OwnNeighbors && !flags.Changed("neighbors") {
		e.k = 0
	}
	if !m.Neighbors && flags.Changed("neighbors") {
		e.warn("%s does not use --neighbors", m.Name)
	}
	if !slices.Contains(m.Needs, "in") && flags.Changed("scale") {
		e.warn("%s does not use --in: --scale does nothing", m.Name)
	}
	if !m.Embeds && flags.Changed("dim") {
		e.warn("%s does not use --dim", m.Name)
	}
	if m.Embeds {
		if err := e.chooseMethod(flags, m); err != nil {
			return nil, err
		}
	} else if err := m.CheckSettings(e.set); err != nil {
		return nil, &inputError{Err: err}
	}
	return m, oneStandardInput(paths...)
}

// profiles reports whether the profile is of an input.
func (e *evaluation) profiles(input string) bool {
	return e.outProfile != "" && (input == "in" || input == "predicted" || input == "labels" && e.predicted == "")
}

// resolveColumns has the labels be columns of --in where they say so.
func (e *evaluation) resolveColumns() (err error) {
	if e.labels, err = ofInput(e.labels, e.in); err == nil {
		e.predicted, err = ofInput(e.predicted, e.in)
	}
	return err
}

// read reads the inputs that the metric needs; they must speak of the same samples.
func (e *evaluation) read(ctx context.Context, m *metrics.Metric) (*metrics.Inputs, error) {
	in, err := e.readInputs(ctx, m.Needs)
	if err != nil {
		return nil, err
	}
	if err := m.CheckInputs(in); err != nil {
		return nil, &inputError{Err: err}
	}
	return in, nil
}

// readInputs reads some of the inputs.
func (e *evaluation) readInputs(ctx context.Context, needs []string) (*metrics.Inputs, error) {
	defer e.clock.Phase("read")()
	o := e.options
	o.Backend, o.Threads, o.Seed, o.Memory = e.backend, e.threads, e.seed, int64(e.memory)
	in := &metrics.Inputs{Matrices: map[string]*mat.Dense{}, Classes: map[string][]int64{}, K: e.k, Set: e.set,
		Kernels: e.kernels, Method: e.method, Options: o, Called: func(input string) string { return "--" + input }}
	path := map[string]string{"in": e.in, "embedding": e.embedding, "truth": e.truth, "labels": e.labels, "predicted": e.predicted, "w": e.w, "h": e.h}
	if err := e.checkID(needs, path); err != nil {
		return nil, err
	}
	if slices.Contains(needs, "in") || e.table.missing == "drop" && e.in != "" { // first: which rows are kept shows there
		x, err := e.readSamples(ctx)
		if err != nil {
			return nil, err
		}
		in.Matrices["in"] = x
	}
	for _, input := range needs {
		var err error
		switch input {
		case "labels", "predicted":
			in.Classes[input], _, err = files.ReadClasses(path[input], e.table.companionOptions(e.invocation, path[input]))
			in.Classes[input] = keptOf(&e.table, in.Classes[input])
		case "in":
		case "embedding": // may have rows of NaN, see [metrics.Inputs.LeaveOutUnplaced]
			in.Matrices[input], err = e.table.readCompanionWith(e.invocation, path[input], func(o *files.Options) { o.AllowNonFinite = true })
		default:
			in.Matrices[input], err = e.table.readCompanion(e.invocation, path[input])
		}
		if err != nil {
			return nil, err
		}
	}
	return in, e.leaveOut(in)
}

// leaveOut passes over samples without coordinates, and says how many they are.
func (e *evaluation) leaveOut(in *metrics.Inputs) (err error) {
	var n int
	if y := in.Matrices["embedding"]; y != nil {
		n, _ = y.Dims()
	}
	if e.left, err = in.LeaveOutUnplaced(); err != nil {
		return &inputError{Err: err}
	}
	if e.left > 0 {
		e.warn("%s", metrics.Unplaced(e.left, n))
	}
	return nil
}

// checkID refuses a column of ids that no input has.
func (e *evaluation) checkID(needs []string, path map[string]string) error {
	if e.table.id == "" || slices.ContainsFunc(needs, func(input string) bool { return e.table.hasID(e.invocation, path[input]) }) {
		return nil
	}
	return wrong("--id is %s, and no input has such a column; leave it out, or take a name of the header", quotedColumn(e.table.id))
}

// readSamples reads the samples before the embedding.
func (e *evaluation) readSamples(ctx context.Context) (*mat.Dense, error) {
	if id := e.table.id; !e.table.hasID(e.invocation, e.in) { // another input has it
		e.table.id = ""
		defer func() { e.table.id = id }()
	}
	x, err := e.table.read(e.invocation, e.in, e.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadMatrix(e.in, o) })
	if err != nil {
		return nil, err
	}
	dense := x.(*mat.Dense)
	if e.method != nil { // brings the training samples of every split to its scale
		return dense, nil
	}
	if dense, err = engine.Standardize(ctx, dense, e.scale, engine.Options{Threads: e.threads}); err != nil {
		return nil, wrong("%s", strings.NewReplacer("standardize is", "--scale is", "standardize: ", e.in+": ", "standardize=", "--scale ").Replace(err.Error()))
	}
	return dense, nil
}

// chooseMethod makes the method of a metric that embeds: --set method, with the
// other settings that the metric has no use for as its parameters.
func (e *evaluation) chooseMethod(flags *pflag.FlagSet, m *metrics.Metric) error {
	name := e.set["method"]
	if name == "" {
		return wrong("%s: --set method is missing with projection=separate; the methods are %s", m.Name, strings.Join(metrics.Embeddings(), ", "))
	}
	own, theirs := m.Divide(e.set)
	if err := m.CheckSettings(own); err != nil {
		return &inputError{Err: err}
	}
	by := &embedding{invocation: e.invocation, choice: choice{method: name, set: theirs, neighbors: e.k, dim: e.dim, scale: e.scale}}
	method, err := by.chooseMethod(flags)
	if err != nil {
		return err
	}
	e.method, e.options = method, by.options
	return nil
}

// metricLines lists the metrics for the help.
func metricLines() string {
	var b strings.Builder
	width := metricWidth(metrics.Names())
	for _, m := range metrics.All() {
		needs := "--" + strings.Join(m.Needs, " --")
		if m.Neighbors {
			needs += " --neighbors"
		}
		fmt.Fprintf(&b, "  %-*s %s\n", width, m.Name, m.Title)
		fmt.Fprintf(&b, "  %-*s   %s\n", width, "", needs)
		for _, key := range slices.Sorted(maps.Keys(m.Settings)) {
			fmt.Fprintf(&b, "  %-*s   --set %s=%s\n", width, "", key, strings.Join(m.Settings[key], "|"))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// metricWidth is the width of a column of names of metrics, wide enough for most.
func metricWidth(names []string) int {
	width := 18
	for _, name := range names {
		width = max(width, len(name))
	}
	return width
}

// names are the requested metrics; none: the default set.
func (e *evaluation) names() []string {
	var names []string
	for _, name := range strings.Split(e.name, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// runMany measures by several metrics, or by those that suit what is given.
func (e *evaluation) runMany(ctx context.Context, flags *pflag.FlagSet, names []string) error {
	list, needs, err := e.checkMany(flags, names)
	if err != nil {
		return err
	}
	in, err := e.readInputs(ctx, needs)
	if err != nil {
		return err
	}
	found, err := e.measureAll(ctx, flags, list, in, len(names) == 0)
	if err != nil {
		return err
	}
	if err := e.commit(); err != nil {
		return err
	}
	e.sayGroups()
	if e.json {
		values := map[string]number{}
		for _, m := range found {
			values[m.Metric] = m.Value
		}
		return e.printJSON(evaluationsReport{values, found, e.left, e.outProfile, e.summaries(), e.spent()})
	}
	var b strings.Builder
	var shown []string
	for _, m := range found {
		shown = append(shown, m.Metric)
	}
	for _, m := range found {
		fmt.Fprintf(&b, "%-*s %.17g\n", metricWidth(shown), m.Metric, float64(m.Value))
	}
	return e.write([]byte(b.String()))
}

// evaluationsReport is what --json prints of several metrics.
type evaluationsReport struct {
	Values  map[string]number `json:"values"`
	Metrics []measurement     `json:"metrics"`
	Left    int               `json:"left_out,omitempty"` // samples without coordinates

	OutProfile string         `json:"out_profile,omitempty"`
	Profile    []groupSummary `json:"profile,omitempty"`
	cost
}

// checkMany finds the metrics and all that they need, and refuses what they cannot work with.
func (e *evaluation) checkMany(flags *pflag.FlagSet, names []string) (list []*metrics.Metric, needs []string, err error) {
	if err := e.resolveColumns(); err != nil {
		return nil, nil, err
	}
	var given, paths []string
	for _, input := range metrics.InputNames {
		if path := flags.Lookup(input).Value.String(); path != "" {
			given, paths = append(given, input), append(paths, "--"+input, path)
		}
	}
	if len(names) == 0 {
		if names = metrics.Defaults(given); names == nil {
			return nil, nil, wrong("there is too little to measure: give --in and --embedding, --truth and --embedding, --labels and --predicted, or --in, --w and --h; or --metric, of %s", strings.Join(metrics.Names(), ", "))
		}
	}
	for i, name := range names {
		if slices.Contains(names[i+1:], name) {
			return nil, nil, wrong("--metric names %s twice; give it once", name)
		}
		m, err := metrics.Named(name, e.set)
		if err != nil {
			return nil, nil, &inputError{Err: err}
		}
		if m.Embeds {
			return nil, nil, wrong("%s with projection=separate embeds, with settings of its method; give it a call of its own", name)
		}
		for _, need := range m.Needs {
			if !slices.Contains(given, need) {
				return nil, nil, wrong("%s needs --%s; it compares %s", name, need, m.Compares)
			}
			if !slices.Contains(needs, need) {
				needs = append(needs, need)
			}
		}
		if err := m.CheckSettings(m.Own(e.set)); err != nil {
			return nil, nil, &inputError{Err: err}
		}
		list = append(list, m)
	}
	if e.k < 1 {
		return nil, nil, wrong("--neighbors is %d; give a whole number ≥ 1", e.k)
	}
	for _, input := range given {
		if !slices.Contains(needs, input) && !(input == "in" && e.table.missing == "drop") && !e.profiles(input) {
			e.warn("no metric of %s uses --%s", strings.Join(names, ", "), input)
		}
	}
	if !slices.Contains(needs, "in") && flags.Changed("scale") {
		e.warn("no metric of %s uses --in: --scale does nothing", strings.Join(names, ", "))
	}
	if err := e.table.checkMissing("evaluate"); err != nil {
		return nil, nil, err
	}
	if err := e.checkUsed(list); err != nil {
		return nil, nil, err
	}
	return list, needs, oneStandardInput(paths...)
}

// checkUsed refuses a setting that no metric has.
func (e *evaluation) checkUsed(list []*metrics.Metric) error {
	var known []string
	for _, m := range list {
		known = slices.AppendSeq(known, maps.Keys(m.Settings))
	}
	slices.Sort(known)
	for _, key := range slices.Sorted(maps.Keys(e.set)) {
		if !slices.Contains(known, key) {
			return wrong("none of these metrics has a setting %q%s; they have %s", key, suggest.Hint(key, known), strings.Join(slices.Compact(known), ", "))
		}
	}
	return nil
}

// measureAll takes one metric after the other. Of the default set, one that has nothing to say
// of these data is left out with a warning, unless none is left.
func (e *evaluation) measureAll(ctx context.Context, flags *pflag.FlagSet, list []*metrics.Metric, in *metrics.Inputs, byDefault bool) (found []measurement, err error) {
	defer e.clock.Phase("measure")()
	var first error
	for _, m := range list {
		own := *in
		own.Set = m.Own(e.set)
		if m.OwnNeighbors && !flags.Changed("neighbors") {
			own.K = 0
		}
		if err := m.CheckInputs(&own); err != nil {
			return nil, &inputError{Err: err}
		}
		v, err := m.Measure(ctx, &own)
		switch {
		case err == nil:
			found = append(found, measurementOf(m, &own, v))
		case ctx.Err() != nil || !byDefault:
			return nil, fromWork(err)
		default:
			if first == nil {
				first = err
			}
			e.warn("%s is left out: %v", m.Name, err)
		}
	}
	if found == nil {
		return nil, fromWork(first)
	}
	return found, nil
}
