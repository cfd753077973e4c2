package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Methods lists all methods with their parameters.
func Methods() []Entry {
	entries := make([]Entry, len(table))
	for i, e := range table {
		entries[i] = e.described()
	}
	return entries
}

// MethodNamed returns what [Methods] lists of the method of that name.
func MethodNamed(name string) (Entry, error) {
	for _, e := range table {
		if e.Name == name {
			return e.described(), nil
		}
	}
	_, err := New(name)
	return Entry{}, err
}

// described fills in what the method itself tells.
func (e Entry) described() Entry {
	m := e.make()
	r := atDefaults(m)
	e.Parameters, e.Tasks = Parameters(m), tasksOf(m)
	e.Supervised, e.Extends, e.Predicts, e.KeepsSparse = r.labels, r.extends(), r.predicts(), r.keepsSparse()
	e.Certifies = r.embed != nil && solvesForSmallest(m, r.embed())
	e.InsteadOfSamples, e.BesideSamples = r.structure()
	return e
}

// atDefaults is the row of a method for data of any size, with the defaults of its
// parameters filled in.
func atDefaults(m Method) row {
	if full, err := param.Resolve(m.Name(), m, anySize, func(string, ...any) {}); err == nil {
		return rowOf(full)
	}
	return row{}
}

// extends reports whether a fit leaves a rule for new samples. Factorisations have that of
// their components.
func (r row) extends() bool {
	if r.embed != nil {
		s := r.embed()
		return s.Neighbors != nil || s.Joint.Extends
	}
	return r.factorize != nil && r.factorize().Solve.WithoutExtension() == ""
}

// keepsSparse reports whether samples in compressed rows stay so.
func (r row) keepsSparse() bool {
	return r.sparse || r.factorize != nil && r.factorize().Sparse
}

// predicts reports whether a clustering leaves a rule for new samples.
func (r row) predicts() bool {
	return r.cluster != nil && r.cluster(2).WithoutExtension() == ""
}

// namesWhere are the names of the methods of which something holds, at the defaults of their
// parameters.
func namesWhere(holds func(m Method, r row) bool) (names []string) {
	for _, e := range table {
		if m := e.make(); holds(m, atDefaults(m)) {
			names = append(names, e.Name)
		}
	}
	return names
}

// KeepsLengths reports whether the method of that name keeps distances of the data, straight or along
// the data, so that a picture should have the same scale on both axes.
func KeepsLengths(name string) bool {
	m, err := New(name)
	return err == nil && rowOf(m).lengths
}

// EmbedsClustersByGraph reports whether a clustering by the method of that name embeds its
// clusters by neighbour graphs, for whose components Options.Components counts.
func EmbedsClustersByGraph(name string) bool {
	m, err := New(name)
	if err != nil {
		return false
	}
	r := atDefaults(m)
	return r.cluster != nil && rowOf(r.cluster(2).embed(anySize, 2)).neighbors != nil
}

// New returns the method of that name with all parameters at their defaults,
// ready for [Set]. An unknown name is an error that suggests the nearest one.
func New(name string) (Method, error) { return newOf(name, table) }

// NewFor is New among the methods for one task, "embed", "factorize", "cluster" or "select". A method
// for other tasks is an error, which names the command to use.
func NewFor(task, name string) (Method, error) {
	var fit []Entry
	for _, e := range table {
		if e.Name == name { // at once, as a small embedding takes no longer than looking at all methods
			m := e.make()
			if !slices.Contains(tasksOf(m), task) {
				return nil, wrongTask(m, task)
			}
			return m, nil
		}
	}
	for _, e := range table {
		if slices.Contains(tasksOf(e.make()), task) {
			fit = append(fit, e)
		}
	}
	return newOf(name, fit)
}

func newOf(name string, entries []Entry) (Method, error) {
	known := make([]string, len(entries))
	for i, e := range entries {
		if e.Name == name {
			return e.make(), nil
		}
		known[i] = e.Name
	}
	if instead := suggest.Instead(name); instead != "" {
		return nil, wording.Errorf("unknown method %q; %s%s", name, instead, ofOtherTask(instead, known))
	}
	if near := suggest.Nearest(name, known); near != "" {
		return nil, fmt.Errorf("unknown method %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("unknown method %q; the methods are %s", name, strings.Join(known, ", "))
}

// ofOtherTask says what the method that is to be taken instead is for, where it is none of
// those that were looked for.
func ofOtherTask(instead string, known []string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(instead, "take "), " ")
	name = strings.Trim(name, ",;")
	if m, err := New(name); err == nil && !slices.Contains(known, name) && !strings.Contains(instead, "‹call=") {
		return "; it is a method of ‹call=" + strings.Join(tasksOf(m), "› and ‹call=") + "›"
	}
	return ""
}
