// Package metrics is the table of what can be measured of an embedding, a clustering or a factorisation, by
// name: what each metric needs and which settings it has. The measures themselves are in
// [github.com/orthant-go/orthant/engine/measures]. The command's "evaluate" and the C library read
// the same table.
package metrics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/internal/suggest"
)

// DefaultNeighbors is K of a metric of neighbourhoods where none is given.
const DefaultNeighbors = 5

// InputNames lists all that a metric can need: matrices "in" (the samples), "embedding", "truth", "w", "h"
// with one sample a row (h: one component), and classes "labels" and "predicted", one a sample.
var InputNames = []string{"in", "embedding", "truth", "labels", "predicted", "w", "h"}

// Metric is one measure.
type Metric struct {
	Name, Title  string
	Compares     string              // what with what, for messages
	Needs        []string            // of InputNames
	Least        bool                // whether the least value is best
	Neighbors    bool                // whether K matters
	OwnNeighbors bool                // whether its default is the method's, not DefaultNeighbors
	Settings     map[string][]string // keys and their words, the default first
	Numbers      map[string]bool     // the keys whose value is a number in place of words
	Embeds       bool                // whether the setting "method" names a method, with parameters of its own

	variant func(set map[string]string) *Metric // the metric that the settings make of it, nil: itself
	measure func(ctx context.Context, in *Inputs, v *Value) (float64, error)
}

// Inputs are what is measured, and how.
type Inputs struct {
	Matrices map[string]*mat.Dense // by their names
	Classes  map[string][]int64
	K        int               // 0 where the metric has a default of its own, which Measure may write here
	Set      map[string]string // settings
	Kernels  *blas.Kernels
	Method   engine.Method  // of a metric that embeds
	Options  engine.Options // of that method; of every metric the backend, the threads and the seed

	// Called is how messages name an input; nil: as it is.
	Called func(input string) string
}

// Value is what a metric says.
type Value struct {
	Value   float64
	Rates   measures.Rates // of each split, where the value is their mean
	Details map[string]any // what else the metric says
}

// All returns the metrics in the order in which they are shown.
func All() []*Metric {
	list := make([]*Metric, len(table))
	for i := range table {
		list[i] = &table[i]
	}
	return list
}

// Names returns their names.
func Names() []string {
	var names []string
	for _, m := range table {
		names = append(names, m.Name)
	}
	return names
}

// Named returns the metric of a name, as the settings have it.
func Named(name string, set map[string]string) (*Metric, error) {
	names := Names()
	at := slices.Index(names, name)
	if at < 0 {
		return nil, fmt.Errorf("unknown metric %q%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
	}
	m := &table[at]
	if m.variant != nil {
		if other := m.variant(set); other != nil {
			return other, nil
		}
	}
	return m, nil
}

// CheckSettings refuses keys and words that the metric does not know.
func (m *Metric) CheckSettings(set map[string]string) error {
	known := slices.Sorted(maps.Keys(m.Settings))
	for _, key := range slices.Sorted(maps.Keys(set)) {
		words := m.Settings[key]
		switch {
		case len(known) == 0:
			return fmt.Errorf("%s has no setting %q; it has none", m.Name, key)
		case words == nil:
			return fmt.Errorf("%s has no setting %q%s; it has %s", m.Name, key, suggest.Hint(key, known), strings.Join(known, ", "))
		case !m.Numbers[key] && !slices.Contains(words, set[key]):
			return fmt.Errorf("%s: %s is %q; give %s", m.Name, key, set[key], strings.Join(words, ", "))
		}
	}
	return nil
}

// Divide separates the settings of a metric that embeds, except the method's name, from the parameters of the method.
func (m *Metric) Divide(set map[string]string) (own, parameters map[string]string) {
	own, parameters = map[string]string{}, map[string]string{}
	for key, text := range set {
		switch {
		case key == "method": // an unknown one is explained best where the method is made
		case m.Settings[key] != nil:
			own[key] = text
		default:
			parameters[key] = text
		}
	}
	return own, parameters
}

// CheckInputs refuses what is missing, and inputs that are not of the same samples.
func (m *Metric) CheckInputs(in *Inputs) error {
	first, samples := "", 0
	for _, name := range m.Needs {
		n, there := in.rows(name)
		switch {
		case !there:
			return fmt.Errorf("%s needs %s; it compares %s", m.Name, in.called(name), m.Compares)
		case name == "h": // one row a component
		case first == "":
			first, samples = name, n
		case n != samples:
			return fmt.Errorf("%s: %s has %s where %s has %d; they must be of the same samples", m.Name, in.called(name), rows(n), in.called(first), samples)
		}
	}
	return nil
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// rows returns the number of rows of an input.
func (in *Inputs) rows(name string) (n int, there bool) {
	if x := in.Matrices[name]; x != nil {
		n, _ = x.Dims()
		return n, true
	}
	classes := in.Classes[name]
	return len(classes), classes != nil
}

// Samples returns the number of samples of the inputs that the metric needs, of components alone the number of these.
func (m *Metric) Samples(in *Inputs) int {
	for _, name := range m.Needs {
		if n, there := in.rows(name); there && name != "h" {
			return n
		}
	}
	n, _ := in.rows("h")
	return n
}

func (in *Inputs) called(name string) string {
	if in.Called == nil {
		return name
	}
	return in.Called(name)
}

// measuring returns what long measures are computed with.
func (in *Inputs) measuring() measures.Options {
	return measures.Options{Kernels: in.Kernels, Threads: in.Options.Threads}
}

// Measure computes the metric, of inputs and settings that are checked.
func (m *Metric) Measure(ctx context.Context, in *Inputs) (*Value, error) {
	if in.Kernels == nil {
		kernels, err := blas.Select(in.Options.Backend)
		if err != nil {
			return nil, err
		}
		in.Kernels = kernels
	}
	v := &Value{}
	var err error
	v.Value, err = m.measure(ctx, in, v)
	return v, err
}

// Described returns what the metric was computed with: numbers as float64, and the parameters of the method.
func (m *Metric) Described(in *Inputs) map[string]any {
	all := map[string]any{}
	if m.Embeds {
		maps.Copy(all, engine.Values(in.Method))
	} else if m.Neighbors && in.K > 0 {
		all["neighbors"] = in.K
	}
	for key, choices := range m.Settings {
		text := choices[0]
		if given, ok := in.Set[key]; ok {
			text = given
		}
		all[key] = text
		if v, err := strconv.ParseFloat(text, 64); err == nil && m.Numbers[key] {
			all[key] = v
		}
	}
	return all
}
