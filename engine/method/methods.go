package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Methods returns all methods with their parameters.
func Methods() []Entry {
	entries := make([]Entry, len(table))
	for i, e := range table {
		entries[i] = e.described()
	}
	return entries
}

// MethodNamed returns the entry of [Methods] with the given name.
func MethodNamed(name string) (Entry, error) {
	for _, e := range table {
		if e.Name == name {
			return e.described(), nil
		}
	}
	_, err := New(name)
	return Entry{}, err
}

// described returns the entry with the properties of its method filled in.
func (e Entry) described() Entry {
	m := e.make()
	r := AtDefaults(m)
	e.Parameters, e.Tasks = Parameters(m), TasksOf(m)
	e.Supervised, e.Extends, e.Predicts, e.KeepsSparse = r.Labels, r.extends(), r.predicts(), r.KeepsSparse()
	e.Certifies = r.Embed != nil && SolvesForSmallest(m, r.Embed())
	e.InsteadOfSamples, e.BesideSamples = r.structure()
	return e
}

// AtDefaults returns the row of a method for data of any size, with the defaults of its
// parameters filled in.
func AtDefaults(m Method) Row {
	if full, err := param.Resolve(m.Name(), m, AnySize, func(string, ...any) {}); err == nil {
		return RowOf(full)
	}
	return Row{}
}

// extends reports whether a fit has a rule for new samples. Factorisations use their
// components.
func (r Row) extends() bool {
	if r.Embed != nil {
		s := r.Embed()
		return s.Neighbors != nil || s.Joint.Extends
	}
	return r.Factorize != nil && r.Factorize().Solve.WithoutExtension() == ""
}

// KeepsSparse reports whether samples in compressed rows are kept sparse.
func (r Row) KeepsSparse() bool {
	return r.sparse || r.Factorize != nil && r.Factorize().Sparse
}

// predicts reports whether a clustering has a rule for new samples.
func (r Row) predicts() bool {
	return r.Cluster != nil && r.Cluster(2).WithoutExtension() == ""
}

// NamesWhere returns the names of the methods that satisfy a condition, at the defaults of their
// parameters.
func NamesWhere(holds func(m Method, r Row) bool) (names []string) {
	for _, e := range table {
		if m := e.make(); holds(m, AtDefaults(m)) {
			names = append(names, e.Name)
		}
	}
	return names
}

// KeepsLengths reports whether the method of that name preserves distances, straight or along
// the data, so that a plot should have the same scale on both axes.
func KeepsLengths(name string) bool {
	m, err := New(name)
	return err == nil && RowOf(m).lengths
}

// EmbedsClustersByGraph reports whether a clustering by the method of that name embeds its
// clusters by neighbour graphs, to which Options.Components applies.
func EmbedsClustersByGraph(name string) bool {
	m, err := New(name)
	if err != nil {
		return false
	}
	r := AtDefaults(m)
	return r.Cluster != nil && RowOf(r.Cluster(2).Embed(AnySize, 2)).Neighbors != nil
}

// New returns the method of that name with all parameters at their defaults,
// ready for [Set]. An unknown name is an error that suggests the closest one.
func New(name string) (Method, error) { return newOf(name, table) }

// NewFor is New among the methods for one task: "embed", "factorize", "cluster" or "select". A method
// for other tasks is an error, which names the command to use.
func NewFor(task, name string) (Method, error) {
	var fit []Entry
	for _, e := range table {
		if e.Name == name { // first, because a small embedding takes no longer than examining all methods
			m := e.make()
			if !slices.Contains(TasksOf(m), task) {
				return nil, WrongTask(m, task)
			}
			return m, nil
		}
	}
	for _, e := range table {
		if slices.Contains(TasksOf(e.make()), task) {
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

// ofOtherTask names the task of the suggested method, if it is not among the known
// ones.
func ofOtherTask(instead string, known []string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(instead, "take "), " ")
	name = strings.Trim(name, ",;")
	if m, err := New(name); err == nil && !slices.Contains(known, name) && !strings.Contains(instead, "‹call=") {
		return "; it is a method of ‹call=" + strings.Join(TasksOf(m), "› and ‹call=") + "›"
	}
	return ""
}
