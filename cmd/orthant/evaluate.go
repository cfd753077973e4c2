package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/suggest"
)

// evaluation is one "orthant evaluate".
type evaluation struct {
	*invocation
	name                 string
	in, truth, embedding string
	labels, predicted    string
	w, h                 string
	k, dim               int
	set                  settings
	method               engine.Method // of a metric that embeds
	options              engine.Options

	matrices map[string]*mat.Dense // the inputs, by flag
	classes  map[string][]int64
	rates    *splitRates    // where the value is a mean over splits
	more     map[string]any // what the metric says besides its value
}

func newEvaluate(inv *invocation) *cobra.Command {
	e := &evaluation{invocation: inv}
	names := metricNames()
	cmd := &cobra.Command{
		Use:   "evaluate --metric NAME [flags]",
		Short: "Measure an embedding or a clustering",
		Long: `Evaluate computes one number and prints it on standard output with all its
digits. The metrics, what they need and their settings:

` + metricLines() + `

nn-error and nfl-error classify --embedding, in which all samples were embedded
together, or, with projection=separate, --in: the method named by --set method is
fitted to the training part of every split and maps the test part. --neighbors,
--dim and the other settings are then the method's.`,
		Example: `  orthant generate swiss-roll --samples 800 --out x.npy --out-params t.npy
  orthant embed --method ltsa --in x.npy --out y.npy
  orthant evaluate --metric dev --truth t.npy --embedding y.npy
  orthant evaluate --metric trustworthiness --in x.npy --embedding y.npy --neighbors 10
  orthant generate gaussians --samples 400 --set sd=4 --out g.npy --out-labels l.npy
  orthant evaluate --metric nn-error --embedding g.npy --labels l.npy --set splits=25
  orthant evaluate --metric bad-neighbors --in g.npy --labels l.npy --neighbors 20
  orthant evaluate --metric nn-error --in g.npy --labels l.npy --set projection=separate --set method=neml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to measure", func(f *pflag.FlagSet) {
		f.StringVarP(&e.name, "metric", "m", "", "`NAME` of the metric: "+strings.Join(names, ", "))
		f.IntVarP(&e.k, "neighbors", "k", 5, "neighbours `K` that a metric of neighbourhoods looks at, or the method that is being measured")
		f.IntVarP(&e.dim, "dim", "d", 0, "coordinates `D` of a metric that embeds (projection=separate; default 2)")
		f.Var(&e.set, "set", "a setting of the metric; may be repeated")
	})
	addGroup(cmd, "Input", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", "`FILE` with the samples before the embedding")
		f.StringVarP(&e.embedding, "embedding", "e", "", "`FILE` with the embedding")
		f.StringVarP(&e.truth, "truth", "t", "", "`FILE` with the coordinates that should have been found")
		f.StringVar(&e.labels, "labels", "", "`FILE` with the true class of each sample")
		f.StringVar(&e.predicted, "predicted", "", "`FILE` with the class or cluster given to each sample")
		f.StringVar(&e.w, "w", "", "`FILE` with the coordinates W of a factorisation X ≈ WH")
		f.StringVar(&e.h, "h", "", "`FILE` with its components H")
	})
	reads(cmd, "in", "embedding", "truth", "labels", "predicted", "w", "h")
	inv.complete(cmd, "metric", metricNames)
	return cmd
}

func (e *evaluation) run(ctx context.Context, flags *pflag.FlagSet) error {
	m, err := e.check(flags)
	if err != nil {
		return err
	}
	if err := e.read(m); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	endMeasure := e.clock.Phase("measure")
	value, err := m.measure(ctx, e)
	if err != nil {
		return fromWork(err)
	}
	endMeasure()
	if !e.json {
		return e.print("%.17g\n", value)
	}
	return e.printJSON(struct {
		Metric   string         `json:"metric"`
		Value    number         `json:"value"`
		Samples  int            `json:"samples"`
		Settings map[string]any `json:"settings"`
		Details  map[string]any `json:"details,omitempty"`
		*splitRates
		cost
	}{m.name, number(value), e.samples(), e.settings(m), finite(e.more), e.rates, e.spent()})
}

// check finds the metric and refuses what it cannot work with.
func (e *evaluation) check(flags *pflag.FlagSet) (*metric, error) {
	names := metricNames()
	at := slices.Index(names, e.name)
	switch {
	case e.name == "":
		return nil, wrong("--metric is missing; the metrics are %s", strings.Join(names, ", "))
	case at < 0:
		return nil, wrong("unknown metric %q%s; there are %s", e.name, suggest.Hint(e.name, names), strings.Join(names, ", "))
	}
	m := &metrics[at]
	if m.variant != nil {
		if m = m.variant(e); m == nil {
			m = &metrics[at]
		}
	}
	var paths []string
	for _, input := range []string{"in", "embedding", "truth", "labels", "predicted", "w", "h"} {
		path := flags.Lookup(input).Value.String()
		needed := slices.Contains(m.needs, input)
		if needed && path == "" {
			return nil, wrong("%s needs --%s; it compares %s", m.name, input, m.compares)
		}
		if !needed && path != "" {
			e.warn("%s does not use --%s", m.name, input)
			continue
		}
		paths = append(paths, "--"+input, path)
	}
	if m.neighbors && e.k < 1 {
		return nil, wrong("--neighbors is %d; give a whole number ≥ 1", e.k)
	}
	if m.ownNeighbors && !flags.Changed("neighbors") {
		e.k = 0
	}
	if !m.neighbors && flags.Changed("neighbors") {
		e.warn("%s does not use --neighbors", m.name)
	}
	if !m.embeds && flags.Changed("dim") {
		e.warn("%s does not use --dim", m.name)
	}
	if m.embeds {
		if err := e.chooseMethod(flags, m); err != nil {
			return nil, err
		}
	} else if err := m.checkSettings(e.set); err != nil {
		return nil, err
	}
	return m, oneStandardInput(paths...)
}

// read reads the inputs that the metric needs; they must speak of the same
// samples.
func (e *evaluation) read(m *metric) error {
	defer e.clock.Phase("read")()
	e.matrices, e.classes = map[string]*mat.Dense{}, map[string][]int64{}
	path := map[string]string{"in": e.in, "embedding": e.embedding, "truth": e.truth, "labels": e.labels, "predicted": e.predicted, "w": e.w, "h": e.h}
	first, samples := "", 0
	for _, input := range m.needs {
		var n int
		switch input {
		case "labels", "predicted":
			v, err := files.ReadLabels(path[input], e.reading())
			if err != nil {
				return err
			}
			e.classes[input], n = v, len(v)
		default:
			x, err := files.ReadMatrix(path[input], e.reading())
			if err != nil {
				return err
			}
			e.matrices[input] = x
			n, _ = x.Dims()
			if input == "h" {
				continue // one row a component
			}
		}
		if first == "" {
			first, samples = input, n
		} else if n != samples {
			return wrong("%s: --%s has %s where --%s has %d; they must be of the same samples", m.name, input, counted(n, "row"), first, samples)
		}
	}
	return nil
}

// samples returns the number of samples of the inputs.
func (e *evaluation) samples() int {
	for input, x := range e.matrices {
		if input == "h" {
			continue
		}
		n, _ := x.Dims()
		return n
	}
	for _, v := range e.classes {
		return len(v)
	}
	return 0
}

// settings returns what the metric was computed with.
func (e *evaluation) settings(m *metric) map[string]any {
	all := map[string]any{}
	if m.embeds {
		maps.Copy(all, engine.Values(e.method))
	} else if m.neighbors && e.k > 0 {
		all["neighbors"] = e.k
	}
	for key, choices := range m.settings {
		text := choices[0]
		if given, ok := e.set[key]; ok {
			text = given
		}
		all[key] = text
		if v, err := strconv.ParseFloat(text, 64); err == nil && m.numbers[key] {
			all[key] = number(v)
		}
	}
	return all
}

// metricLines lists the metrics for the help.
func metricLines() string {
	var b strings.Builder
	for _, m := range metrics {
		needs := "--" + strings.Join(m.needs, " --")
		if m.neighbors {
			needs += " --neighbors"
		}
		fmt.Fprintf(&b, "  %-16s %s\n", m.name, m.title)
		fmt.Fprintf(&b, "  %-16s   %s\n", "", needs)
		for _, key := range slices.Sorted(maps.Keys(m.settings)) {
			fmt.Fprintf(&b, "  %-16s   --set %s=%s\n", "", key, strings.Join(m.settings[key], "|"))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
