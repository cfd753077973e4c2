package assign_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/internal/must"
)

// tasks are the tasks with the parameters that their methods share.
var tasks = map[string][]engine.Parameter{
	"embed": engine.CommonParameters(), "factorize": engine.FactorizeParameters(), "cluster": engine.ClusterParameters(), "select": nil,
}

// assigned gives a method some settings and returns what was said of them.
func assigned(t *testing.T, task, method string, given map[string]string) (to assign.Target, warnings, unknown []string, err error) {
	t.Helper()
	m := must.Get(engine.NewFor(task, method))(t)
	to = assign.Target{Task: task, Method: m, Options: &engine.Options{}, Shared: tasks[task], Owner: method + ": "}
	err = to.Assign(given, func(text string) { warnings = append(warnings, text) },
		func(key string) error { unknown = append(unknown, key); return nil })
	return to, warnings, unknown, err
}

func TestAssign(t *testing.T) {
	type settings = map[string]string
	for _, c := range []struct {
		name, task, method string
		given              settings
		values             map[string]any // of the method, afterwards
		options            engine.Options
		warnings, unknown  []string
	}{
		{name: "nothing", task: "embed", method: "pca"},
		{name: "own", task: "embed", method: "neml", given: settings{"neighbors": "7", "gamma": "0.5"}, values: map[string]any{"neighbors": 7, "gamma": 0.5}},
		{name: "shared", task: "embed", method: "lle", given: settings{"components": "each", "duplicates": "merge"},
			options: engine.Options{Components: "each", Duplicates: "merge"}},
		{name: "own before shared", task: "cluster", method: "nmf", given: settings{"labels": "argmax", "recall": "0.9"}, values: map[string]any{"labels": "argmax"},
			options: engine.Options{Recall: 0.9}, warnings: []string{"nmf has no neighbour graph: recall does nothing"}},
		{name: "no neighbourhoods", task: "embed", method: "pca", given: settings{"neighbors": "5"}, warnings: []string{"pca has no neighbourhoods: neighbors does nothing"}},
		{name: "no graph", task: "embed", method: "mds", given: settings{"components": "each", "landmarks": "9"}, options: engine.Options{Components: "each", Landmarks: 9},
			warnings: []string{"mds has no neighbour graph: components does nothing"}}, // of landmarks the engine warns
		{name: "no graph to choose landmarks of", task: "embed", method: "mds", given: settings{"landmark_choice": "random"}, options: engine.Options{LandmarkChoice: "random"},
			warnings: []string{"mds has no neighbour graph: landmark_choice does nothing"}},
		{name: "clusters with a graph", task: "cluster", method: "lnp", given: settings{"components": "each"}, options: engine.Options{Components: "each"}},
		{name: "clusters without a graph", task: "cluster", method: "gnmf", given: settings{"components": "each"}, options: engine.Options{Components: "each"},
			warnings: []string{"gnmf embeds clusters without a neighbour graph: components does nothing"}},
		{name: "copies without a graph", task: "embed", method: "pca", given: settings{"duplicates": "merge"}, options: engine.Options{Duplicates: "merge"}},
		{name: "not iterative", task: "embed", method: "lle", given: settings{"iterations": "5", "tolerance": "0.1"},
			warnings: []string{"lle is not iterative: iterations does nothing", "lle is not iterative: tolerance does nothing"}},
		{name: "iterative", task: "embed", method: "nlle", given: settings{"iterations": "5", "tolerance": "0.1"}, values: map[string]any{"iterations": 5, "tolerance": 0.1}},
		{name: "neighbours in place of p", task: "factorize", method: "lp-rna", given: settings{"neighbors": "7"}, values: map[string]any{"neighbors": 7}},
		{name: "a former name", task: "factorize", method: "lp-rna", given: settings{"p": "7"}, values: map[string]any{"neighbors": 7},
			warnings: []string{"lp-rna: p is now neighbors; the former name is accepted only until 1.0"}},
		{name: "both and equal", task: "factorize", method: "lp-rna", given: settings{"p": "7", "neighbors": "7"}, values: map[string]any{"neighbors": 7},
			warnings: []string{"lp-rna: p is now neighbors; the former name is accepted only until 1.0"}},
		{name: "of a paper", task: "factorize", method: "cim-nmf", given: settings{"schedule": "refresh", "warm": "0"}, values: map[string]any{"schedule": "refresh", "warm": 0},
			warnings: []string{"cim-nmf: schedule only serves comparison with a paper, and is accepted only until 1.0"}},
		{name: "a value of a paper", task: "embed", method: "npca", given: settings{"update": "printed"}, values: map[string]any{"update": "printed"},
			warnings: []string{"npca: update printed only serves comparison with a paper, and is accepted only until 1.0"}},
		{name: "a graph that is searched for", task: "factorize", method: "lp-rna", given: settings{"recall": "0.9"}, options: engine.Options{Recall: 0.9}},
		{name: "no embedding by its neighbours", task: "cluster", method: "lp-rna", given: settings{"components": "each"}, options: engine.Options{Components: "each"},
			warnings: []string{"lp-rna embeds clusters without a neighbour graph: components does nothing"}},
		{name: "p is a norm", task: "cluster", method: "smrmf", given: settings{"neighbors": "7", "p": "2"}, values: map[string]any{"neighbors": 7, "p": "2"}},
		{name: "p is a norm of a selection", task: "select", method: "ds3", given: settings{"neighbors": "7", "p": "2"}, values: map[string]any{"neighbors": 7, "p": "2"}},
		{name: "of another task", task: "factorize", method: "gnmf", given: settings{"components": "each", "recall": "0.8"},
			options: engine.Options{Recall: 0.8}, unknown: []string{"components"}},
		{name: "unknown", task: "embed", method: "lle", given: settings{"gama": "1", "dim": "3", "zeta": "2"}, values: map[string]any{"dim": 3}, unknown: []string{"gama", "zeta"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := maps.Clone(c.given)
			to, warnings, unknown, err := assigned(t, c.task, c.method, c.given)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(warnings, c.warnings) {
				t.Errorf("warnings %q, want %q", warnings, c.warnings)
			}
			if !slices.Equal(unknown, c.unknown) {
				t.Errorf("unknown %q, want %q", unknown, c.unknown)
			}
			if !reflect.DeepEqual(*to.Options, c.options) {
				t.Errorf("options %+v, want %+v", *to.Options, c.options)
			}
			want := engine.Values(mustNew(t, c.method))
			maps.Copy(want, c.values)
			if got := engine.Values(to.Method); !reflect.DeepEqual(got, want) {
				t.Errorf("parameters %v, want %v", got, want)
			}
			if !maps.Equal(c.given, before) {
				t.Errorf("what was given has become %v", c.given)
			}
		})
	}
}

func mustNew(t *testing.T, name string) engine.Method {
	t.Helper()
	m := must.Get(engine.New(name))(t)
	return m
}

func TestAssignRefuses(t *testing.T) {
	for _, c := range []struct {
		name, task, method string
		given              map[string]string
		want               string
	}{
		{"own", "embed", "lle", map[string]string{"gamma": "x"}, `lle: Gamma is "x"; give a number > 0, or auto`},
		{"shared", "embed", "lle", map[string]string{"duplicates": "x"}, `lle: Duplicates is x; give one of keep, merge`},
		{"neighbours of no use", "embed", "pca", map[string]string{"neighbors": "x"}, `pca: Neighbors is "x"; give a whole number ≥ 1`},
		{"no neighbours of no use", "embed", "pca", map[string]string{"neighbors": "0"}, `pca: Neighbors is "0"; give a whole number ≥ 1`},
		{"neighbours called p", "factorize", "lp-rna", map[string]string{"neighbors": "x"}, `lp-rna: Neighbors is "x"; give a whole number ≥ 1`},
		{"twice", "cluster", "lp-rna", map[string]string{"neighbors": "7", "p": "8"}, `lp-rna: neighbors 7 and p 8 contradict each other; give one of them`},
		{"the first of two", "embed", "lle", map[string]string{"neighbors": "0", "dim": "0"}, `lle: Dim is 0; give a whole number ≥ 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, err := assigned(t, c.task, c.method, c.given)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, contradicts := errors.AsType[*assign.Contradiction](err); contradicts != (c.name == "twice") {
				t.Errorf("%T", err)
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		m := mustNew(t, "lle")
		to := assign.Target{Method: m, Options: &engine.Options{}}
		refused := errors.New("refused")
		if err := to.Assign(map[string]string{"a": "1", "dim": "5"}, nil, func(string) error { return refused }); err != refused || engine.Values(m)["dim"] != 2 {
			t.Error(err, engine.Values(m))
		}
	})
}

// Every method of every task takes the keys that all of them accept, be it with a
// warning, and the default of each of its own and shared keys.
func TestEveryMethod(t *testing.T) {
	for _, e := range engine.Methods() {
		for _, task := range e.Tasks {
			t.Run(task+"/"+e.Name, func(t *testing.T) {
				_, warnings, unknown, err := assigned(t, task, e.Name, map[string]string{"neighbors": "5", "iterations": "5", "tolerance": "0.5"})
				if err != nil || unknown != nil {
					t.Error(err, unknown)
				}
				for _, text := range warnings {
					if !strings.HasPrefix(text, e.Name+" ") || !strings.HasSuffix(text, " does nothing") {
						t.Errorf("warning %q", text)
					}
				}
				defaults := map[string]string{}
				for _, p := range append(slices.Clone(e.Parameters), tasks[task]...) {
					defaults[p.Key] = fmt.Sprint(p.Default)
				}
				to, _, unknown, err := assigned(t, task, e.Name, defaults)
				if err != nil || unknown != nil {
					t.Error(err, unknown)
				}
				if got, want := to.Keys(), len(e.Parameters)+len(tasks[task]); len(got) != want {
					t.Errorf("%d keys, want %d: %v", len(got), want, got)
				}
			})
		}
	}
}
