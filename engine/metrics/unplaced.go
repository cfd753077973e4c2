package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// LeaveOutUnplaced takes the samples without coordinates, which are rows of NaN in the
// embedding, out of all inputs, and returns how many they were: components=largest leaves
// such rows. The inputs of the caller stay as they are. An entry outside these rows that is not
// finite is an error. Inputs with other numbers of rows are left alone, for
// [Metric.CheckInputs] to refuse.
func (in *Inputs) LeaveOutUnplaced() (left int, err error) {
	y := in.Matrices["embedding"]
	if y == nil {
		return 0, nil
	}
	n, dim := y.Dims()
	kept := make([]int, 0, n)
	for i := range n {
		missing, infinite := 0, -1
		for j := range dim {
			if v := y.At(i, j); math.IsNaN(v) {
				missing++
				infinite = j
			} else if math.IsInf(v, 0) {
				infinite = j
			}
		}
		switch {
		case infinite < 0:
			kept = append(kept, i)
		case missing < dim:
			return 0, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v: remove or impute such entries first", in.called("embedding"), i+1, infinite+1, y.At(i, infinite))
		}
	}
	switch left = n - len(kept); {
	case left == 0:
		return 0, nil
	case left == n:
		return 0, fmt.Errorf("%s: no sample has coordinates, all %d rows are NaN; embed them again", in.called("embedding"), n)
	}
	for _, name := range InputNames {
		if rows, there := in.rows(name); there && name != "h" && rows != n {
			return 0, nil
		}
	}
	for name, x := range in.Matrices {
		if x == nil || name == "h" {
			continue
		}
		_, cols := x.Dims()
		some := mat.NewDense(len(kept), cols, nil)
		for to, i := range kept {
			some.SetRow(to, x.RawRowView(i))
		}
		in.Matrices[name] = some
	}
	for name, all := range in.Classes {
		some := slices.Clone(all[:len(kept)])
		for to, i := range kept {
			some[to] = all[i]
		}
		in.Classes[name] = some
	}
	return left, nil
}

// Unplaced says what was left out, for a warning.
func Unplaced(left, of int) string {
	return fmt.Sprintf("%d of %d samples have no coordinates (rows of NaN) and are left out", left, of)
}
