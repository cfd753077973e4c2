package library

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// structure holds neighbours or distances that replace a search: at most one of a graph of
// distances, a graph as lists, affinities, and all distances; smacof takes affinities, as weights, with one of the others.
type structure struct {
	graph              *csrView // distances; nil: none
	indices, distances *view    // lists of n × k; nil: none
	affinities         *csrView // nil: none
	all                *view    // n × n distances; nil: none
}

func (s structure) absent() bool { return s == structure{} }

// len is the number of samples.
func (s structure) len() int64 {
	switch {
	case s.graph != nil:
		return s.graph.rows
	case s.indices != nil:
		return s.indices.rows
	case s.affinities != nil:
		return s.affinities.rows
	case s.all != nil:
		return s.all.rows
	}
	return 0
}

// bytes is the caller's memory that the engine counts.
func (s structure) bytes() int64 {
	var held int64
	for _, a := range []*csrView{s.graph, s.affinities} {
		if a != nil {
			held += a.held()
		}
	}
	if s.all != nil {
		held += 8 * s.all.rows * s.all.cols
	}
	return held
}

// enter writes the structure into the options.
func (s structure) enter(o *engine.Options) error {
	count := 0
	for _, there := range []bool{s.graph != nil, s.indices != nil || s.distances != nil, s.all != nil} {
		if there {
			count++
		}
	}
	if s.affinities != nil {
		w, err := s.affinities.within("affinities", o.Memory)
		if err != nil {
			return err
		}
		o.Affinities = w
	}
	switch {
	case count > 1:
		return fmt.Errorf("the options have more than one of a graph, lists of neighbours and distances; give one of them")
	case s.all != nil:
		if err := s.all.check("options.distances", typeFloat64, typeFloat32); err != nil {
			return err
		}
		if s.all.kind != typeFloat64 { // the engine counts only the copy
			if err := copied("distances", 4*s.all.rows*s.all.cols, 8*s.all.rows*s.all.cols, o.Memory); err != nil {
				return err
			}
		}
		o.Distances, _ = s.all.dense()
		return nil
	case s.graph != nil:
		g, err := s.ofMatrix(o.Memory)
		o.Graph = g
		return err
	case count > 0:
		g, err := s.ofLists(o.Memory)
		o.Graph = g
		return err
	}
	return nil
}

// ofMatrix returns the graph of a matrix of distances: the caller's memory itself if its rows list
// the nearest first without the sample itself, otherwise a copy.
func (s structure) ofMatrix(limit int64) (*neighbors.Graph, error) {
	const what = "graph"
	held, converted := s.graph.held(), s.graph.bytes()
	if err := copied(what, held, converted, limit); err != nil {
		return nil, err
	}
	a, err := s.graph.asStored(what)
	if err != nil {
		return nil, err
	}
	if a.Rows == a.Cols && ascends(a) {
		return &neighbors.Graph{Ptr: a.Ptr, Index: a.Col, Dist: a.Val}, nil
	}
	if err := copied(what, held, converted+a.Bytes(), limit); err != nil {
		return nil, err
	}
	return neighbors.FromMatrix(a)
}

// ascends reports whether every row lists the nearest first and leaves out the sample itself, as
// the engine requires. Other errors are reported elsewhere.
func ascends(a *sparse.CSR) bool {
	for i := range a.Rows {
		cols, distances := a.Row(i)
		before := 0.0
		for p, d := range distances {
			if !(d >= before) || int(cols[p]) == i || cols[p] < 0 || int(cols[p]) >= a.Cols {
				return false
			}
			before = d
		}
	}
	return true
}

// ofLists returns the graph of n × k indices and distances.
func (s structure) ofLists(limit int64) (*neighbors.Graph, error) {
	switch {
	case s.indices == nil || s.distances == nil:
		return nil, fmt.Errorf("graph: its indices or its distances are NULL; give both")
	case s.indices.rows != s.distances.rows || s.indices.cols != s.distances.cols:
		return nil, fmt.Errorf("graph: %d × %d indices and %d × %d distances; give as many of each", s.indices.rows, s.indices.cols, s.distances.rows, s.distances.cols)
	}
	if err := s.indices.check("graph: its indices", typeInt64); err != nil {
		return nil, err
	}
	if err := s.distances.check("graph: its distances", typeFloat64, typeFloat32); err != nil {
		return nil, err
	}
	entries := s.indices.rows * s.indices.cols
	if err := copied("graph", 0, 28*entries, limit); err != nil { // 16 of them only if there are gaps
		return nil, err
	}
	return neighbors.FromLists(int(s.indices.cols), compact(*s.indices), gapless(*s.distances))
}

// compact returns integers without gaps between the rows.
func compact(v view) []int64 {
	all := entries[int64](v)
	if v.stride == v.cols {
		return all
	}
	list := make([]int64, 0, v.rows*v.cols)
	for i := range v.rows {
		list = append(list, all[i*v.stride:][:v.cols]...)
	}
	return list
}

// gapless returns numbers without gaps between the rows.
func gapless(v view) []float64 {
	x, _ := v.dense()
	raw := x.RawMatrix()
	if raw.Stride == raw.Cols {
		return raw.Data
	}
	list := make([]float64, 0, raw.Rows*raw.Cols)
	for i := range raw.Rows {
		list = append(list, x.RawRowView(i)...)
	}
	return list
}

// within is matrix, if the limit leaves room for the parts that have to be converted or sorted.
func (v csrView) within(what string, limit int64) (*sparse.CSR, error) {
	if err := v.check(what); err != nil {
		return nil, err
	}
	if err := copied(what, v.held(), v.bytes(), limit); err != nil {
		return nil, err
	}
	a, err := v.asStored(what)
	if err != nil {
		return nil, err
	}
	for i := range a.Rows {
		if cols, _ := a.Row(i); !slices.IsSorted(cols) {
			if err := copied(what, v.held(), v.bytes()+12*v.entries, limit); err != nil {
				return nil, err
			}
			break
		}
	}
	return ascending(what, a)
}

// copied refuses a copy of the given bytes if the limit leaves no room for it in addition to the
// bytes that are held; 0 means no limit.
func copied(what string, held, bytes, limit int64) error {
	if need := memory.Process(held + bytes); limit > 0 && need > limit {
		return &failure{statusNoMemory, fmt.Sprintf("%s: its entries need about %s where the limit is %s; give fewer, or raise the limit", what, limits.FormatBytes(need), limits.FormatBytes(limit))}
	}
	return nil
}
