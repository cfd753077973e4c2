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
		e.arrays, e.numbers = make(map[string]*mat.Dense, len(m.extension.arrays)), maps.Clone(m.extension.numbers)
		for name, a := range m.extension.arrays {
			e.arrays[name] = mat.DenseCopyOf(a)
		}
		c.extension = &e
	}
	return &c
}
