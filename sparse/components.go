package sparse

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Components labels the connected components of a graph, in which i and j are joined if
// entry (i, j) or (j, i) is stored, whatever its value, zero included. Labels count from
// 0 in the order of each component's first vertex; sizes has the vertices of each. The
// graph is a square sparse matrix of any type that [Of] takes. O(nnz α(n)).
func Components(graph mat.Matrix) (label, sizes []int, err error) {
	a, err := graphOf(graph, "components")
	if err != nil {
		return nil, nil, err
	}
	set := NewDisjoint(a.Rows)
	for i := range a.Rows {
		cols, _ := a.Row(i)
		for _, j := range cols {
			set.Connect(int32(i), j)
		}
	}
	label, sizes = set.Labels()
	return label, sizes, nil
}

// graphOf returns a square sparse matrix, valid but for its values, which the caller
// looks at.
func graphOf(graph mat.Matrix, what string) (*CSR, error) {
	a, isSparse, err := Of(graph)
	if err != nil {
		return nil, fmt.Errorf("sparse: %s: %w", what, err)
	}
	if !isSparse {
		return nil, fmt.Errorf("sparse: %s: the graph is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse", what)
	}
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("sparse: %s: the graph is %d × %d; give a square matrix, with a row and a column for each vertex", what, a.Rows, a.Cols)
	}
	if err := a.validateStructure(); err != nil {
		return nil, fmt.Errorf("sparse: %s: %w", what, err)
	}
	return a, nil
}
