package engine

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Clone returns a model with its own arrays, for callers who change or free the samples or coordinates
// while they keep the model. O([Model.Bytes]).
func (m *Model) Clone() *Model {
	c := *m
	c.Params = maps.Clone(m.Params)
	if m.extension != nil {
		e := *m.extension
		e.Arrays, e.Numbers = make(map[string]*mat.Dense, len(m.extension.Arrays)), maps.Clone(m.extension.Numbers)
		for name, a := range m.extension.Arrays {
			e.Arrays[name] = mat.DenseCopyOf(a)
		}
		if m.extension.Compressed != nil {
			e.Compressed = make(map[string]*sparse.CSR, len(m.extension.Compressed))
			for name, a := range m.extension.Compressed {
				e.Compressed[name] = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
			}
		}
		c.extension = &e
	}
	return &c
}
