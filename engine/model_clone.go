package engine

import (
	"maps"

	"gonum.org/v1/gonum/mat"
)

// Clone returns a model with arrays of its own, for callers whose samples or
// coordinates change or go away while the model stays. O([Model.Bytes]).
func (m *Model) Clone() *Model {
	c := *m
	c.Params = maps.Clone(m.Params)
	if m.extension != nil {
		e := *m.extension
		e.Arrays, e.Numbers = make(map[string]*mat.Dense, len(m.extension.Arrays)), maps.Clone(m.extension.Numbers)
		for name, a := range m.extension.Arrays {
			e.Arrays[name] = mat.DenseCopyOf(a)
		}
		c.extension = &e
	}
	return &c
}
