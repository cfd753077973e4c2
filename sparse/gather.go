package sparse

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
)

// visit calls a function for each stored entry, in the order of storage.
type visit func(fn func(i, j int, v float64))

// gathered copies entries in any order, twice the same, into compressed rows.
func gathered(rows, cols int, each visit) (*CSR, error) {
	a := &CSR{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	if err := a.count(each); err != nil {
		return nil, err
	}
	for i := range rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[rows]), make([]float64, a.Ptr[rows])
	// Every pointer runs through its row, and ends where the next begins.
	each(func(i, j int, v float64) {
		p := a.Ptr[i]
		a.Col[p], a.Val[p] = int32(j), v
		a.Ptr[i]++
	})
	copy(a.Ptr[1:], a.Ptr[:rows])
	a.Ptr[0] = 0
	a.merge()
	return a, nil
}

// count puts the number of entries of row i into Ptr[i+1], and refuses those outside the
// matrix.
func (a *CSR) count(each visit) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // COO takes slices of any lengths, and shows none of them
			err = errors.New("sparse matrix: the entries have fewer rows or columns than values; give as many of each")
		default:
			panic(p)
		}
	}()
	each(func(i, j int, _ float64) {
		if i >= 0 && i < a.Rows && j >= 0 && j < a.Cols {
			a.Ptr[i+1]++
		} else if err == nil {
			err = fmt.Errorf("sparse matrix: row %d, column %d (counting from 1) has an entry outside the %d × %d matrix; correct its indices", i+1, j+1, a.Rows, a.Cols)
		}
	})
	return err
}

// merge sorts each row by its columns and adds what is at one place, in the order in
// which it stands.
func (a *CSR) merge() {
	to, from := 0, 0
	row := &byColumn{}
	for i := range a.Rows {
		end := a.Ptr[i+1]
		row.cols, row.vals = a.Col[from:end], a.Val[from:end]
		if !slices.IsSorted(row.cols) {
			sort.Stable(row)
		}
		first := to
		for p, j := range row.cols {
			if to > first && a.Col[to-1] == j {
				a.Val[to-1] += row.vals[p]
				continue
			}
			a.Col[to], a.Val[to] = j, row.vals[p]
			to++
		}
		from, a.Ptr[i+1] = end, to
	}
	a.Col, a.Val = a.Col[:to], a.Val[:to]
}

// byColumn is one row, sorted where it lies.
type byColumn struct {
	cols []int32
	vals []float64
}

func (r *byColumn) Len() int           { return len(r.cols) }
func (r *byColumn) Less(p, q int) bool { return r.cols[p] < r.cols[q] }
func (r *byColumn) Swap(p, q int) {
	r.cols[p], r.cols[q] = r.cols[q], r.cols[p]
	r.vals[p], r.vals[q] = r.vals[q], r.vals[p]
}
