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
	own := engine.Parameters(t.Method)
	known, shared, count := Keys(own), Keys(t.Shared), neighborsKey(own)
	given, err := t.rename(given, count)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		text := given[key]
		switch {
		case slices.Contains(known, key):
			err = engine.Set(t.Method, key, text)
		case slices.Contains(shared, key):
			if err = engine.SetCommon(t.Options, key, text); err != nil {
				err = fmt.Errorf("%s%w", t.Owner, err)
			} else if why := t.idle(key, count); why != "" {
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

// idle says why a shared key does nothing to a method whose neighbours have the key
// count; empty: it does something. Copies are merged, samples moved and some embedded once more
// without a graph, and of landmarks and radius the engine warns itself. Where count is not neighbors, the graph serves a
// factorisation: a search goes by it and no embedding.
func (t Target) idle(key, count string) string {
	const without = "has no neighbour graph"
	switch {
	case key == "duplicates", key == "landmarks", key == "denoise", key == "radius", key == "stability", key == "standardize", key == "recall" && count != "":
		return ""
	case key == "recall", count != "neighbors":
		return without
	case key == "components" && t.Task == "cluster" && !engine.EmbedsClustersByGraph(t.Method.Name()):
		return "embeds clusters without a neighbour graph"
	}
	return ""
}

// neighborsKey is the key of the number of a method's neighbours; empty: it has
// none. lp-rna calls it p, which is a norm in other methods.
func neighborsKey(own []engine.Parameter) string {
	key := ""
	for _, p := range own {
		if p.Key == "neighbors" {
			return p.Key
		}
		if p.Key == "p" && p.Type == "integer" {
			key = p.Key
		}
	}
	return key
}

// rename gives neighbors to the key that the method has for it.
func (t Target) rename(given map[string]string, count string) (map[string]string, error) {
	text, set := given["neighbors"]
	if !set || count == "" || count == "neighbors" {
		return given, nil
	}
	if other, twice := given[count]; twice && other != text {
		return nil, &Contradiction{Owner: t.Owner, Neighbors: text, Key: count, Text: other}
	}
	given = maps.Clone(given)
	delete(given, "neighbors")
	given[count] = text
	return given, nil
}

// Contradiction says that the number of neighbours is given twice, under both of
// its keys.
type Contradiction struct {
	Owner     string
	Neighbors string // what neighbors says
	Key, Text string // what the method's own key says
}

func (c *Contradiction) Error() string {
	return fmt.Sprintf("%sneighbors %s and %s %s contradict each other; give one of them", c.Owner, c.Neighbors, c.Key, c.Text)
}

// Keys lists the keys of parameters, in their order.
func Keys(parameters []engine.Parameter) []string {
	list := make([]string, len(parameters))
	for i, p := range parameters {
		list[i] = p.Key
	}
	return list
}
