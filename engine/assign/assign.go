// Package assign gives a method what a user says of it in pairs of key and text:
// its own parameters, the options that all methods of a task share, or, for a key
// that means nothing to the method, a warning. The command and the C library
// assign by it, so that one key means the same to both.
package assign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/wording"
)

// Target is what the settings are for.
type Target struct {
	Task    string             // of the method: embed, factorize, cluster or select
	Method  engine.Method      // a pointer, as engine.New returns it
	Options *engine.Options    // what the methods of the task share
	Shared  []engine.Parameter // the parameters among Options that the task reads
	Owner   string             // what errors about Options begin with, such as "lle: "; may be empty
}

// Keys lists what can be set: the method's own keys, then the shared ones.
func (t Target) Keys() []string {
	return append(Keys(engine.Parameters(t.Method)), Keys(t.Shared)...)
}

// Assign sets what is given, in the order of the keys, and stops at the first error.
// warn is called with each key that has no effect. unknown handles a key that nothing
// takes; if it returns nil, the key is ignored.
func (t Target) Assign(given map[string]string, warn func(text string), unknown func(key string) error) error {
	known, shared := param.AcceptedKeys(t.Method), Keys(t.Shared)
	searches := slices.Contains(known, "neighbors")
	if e, err := engine.MethodNamed(t.Method.Name()); err == nil && slices.Contains(e.WithSamples, "graph") {
		searches = true
	}
	var err error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		text := given[key]
		switch {
		case slices.Contains(known, key):
			if now := param.Current(t.Method, key); now != key {
				if other, twice := given[now]; twice && other != text {
					return &Contradiction{Owner: t.Owner, Present: now, Value: other, Key: key, Text: text}
				}
			}
			if why := param.DeprecationWarning(t.Method, key, text); why != "" {
				warn(t.Method.Name() + ": " + why)
			}
			err = engine.Set(t.Method, key, text)
		case slices.Contains(shared, key):
			if err = engine.SetCommon(t.Options, key, text); err != nil {
				err = fmt.Errorf("%s%w", t.Owner, err)
			} else if why := t.idle(key, searches); why != "" {
				warn(fmt.Sprintf("%s %s: %s does nothing", t.Method.Name(), why, key))
			}
		case key == "neighbors":
			if k, wrong := strconv.Atoi(text); wrong != nil || k < 1 {
				return wording.Errorf("%s: ‹neighbors› is %q; give a whole number ≥ 1", t.Method.Name(), text)
			}
			warn(t.Method.Name() + " has no neighbourhoods: neighbors does nothing")
		case key == "iterations", key == "tolerance":
			warn(fmt.Sprintf("%s is not iterative: %s does nothing", t.Method.Name(), key))
		default:
			err = unknown(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// idle says why a shared key does nothing to a method, which searches for neighbours or does not;
// empty: it does something. Copies are merged, samples moved and some embedded once more
// without a graph, of landmarks and radius the engine warns itself, and it refuses a metric.
func (t Target) idle(key string, searches bool) string {
	const without = "has no neighbour graph"
	switch {
	case key == "duplicates", key == "landmarks", key == "denoise", key == "radius", key == "stability", key == "remedies", key == "standardize", key == "metric", key == "recall" && searches:
		return ""
	case !searches:
		return without
	case key == "components" && t.Task == "cluster" && !engine.EmbedsClustersByGraph(t.Method.Name()):
		return "embeds clusters without a neighbour graph"
	}
	return ""
}

// Contradiction says that a parameter is given twice, under its key and a former one.
type Contradiction struct {
	Owner          string
	Present, Value string // its key, and what that says
	Key, Text      string // the former one, and what that says
}

func (c *Contradiction) Error() string {
	return fmt.Sprintf("%s%s %s and %s %s contradict each other; give one of them", c.Owner, c.Present, c.Value, c.Key, c.Text)
}

// AcceptedKeys lists all keys that a method takes, with those that it accepts only until 1.0.
func AcceptedKeys(m engine.Method) []string { return param.AcceptedKeys(m) }

// DeprecatedKeys are the keys that a method accepts only until 1.0, with the present one of each; empty: it
// has none.
func DeprecatedKeys(m engine.Method) map[string]string { return param.DeprecatedKeys(m) }

// Keys lists the keys of parameters, in their order.
func Keys(parameters []engine.Parameter) []string {
	list := make([]string, len(parameters))
	for i, p := range parameters {
		list[i] = p.Key
	}
	return list
}
