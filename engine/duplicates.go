package engine

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// copies tells which samples equal an earlier one.
type copies struct {
	count int   // samples that do
	of    []int // the distinct sample, numbered without the copies, of each sample
	first []int // the sample at which each distinct one first appears
}

// findCopies compares samples of equal hash. −0 equals 0. O(nm).
func findCopies(x neighbors.Points) copies {
	c := copies{of: make([]int, x.N)}
	seen := make(map[uint64][]int, x.N) // distinct samples by hash
	for i := range x.N {
		hash := rowHash(x.Row(i))
		at := -1
		for _, d := range seen[hash] {
			if equalRows(x.Row(c.first[d]), x.Row(i)) {
				at = d
				break
			}
		}
		if at < 0 {
			at = len(c.first)
			c.first = append(c.first, i)
			seen[hash] = append(seen[hash], at)
		} else {
			c.count++
		}
		c.of[i] = at
	}
	return c
}

// mergeCopies counts the samples that equal an earlier one and, where
// Options.Duplicates says so, leaves the distinct ones alone, with their labels.
func (p *problem) mergeCopies(r *Result) (copies, error) {
	c := findCopies(p.x)
	r.Duplicates = c.count
	switch {
	case c.count == 0:
	case p.options.Duplicates == "merge":
		if err := p.mergeLabels(c); err != nil {
			return c, err
		}
		p.x = c.distinct(p.x)
		p.warn("%d samples equal an earlier one: merged, %d distinct ones embedded", c.count, p.x.N)
	default:
		p.warn("%d samples equal an earlier one (duplicates=merge would embed distinct ones only)", c.count)
	}
	return c, nil
}

// rowHash mixes the bits of a row, FNV-1a by words with a final stir.
func rowHash(row []float64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, v := range row {
		h = (h ^ math.Float64bits(v+0)) * 0x100000001b3
		h ^= h >> 29
	}
	return h
}

func equalRows(a, b []float64) bool {
	for j, v := range a {
		if v != b[j] {
			return false
		}
	}
	return true
}

// distinct returns the distinct samples.
func (c copies) distinct(x neighbors.Points) neighbors.Points {
	d := neighbors.Points{N: len(c.first), M: x.M, Data: make([]float64, 0, len(c.first)*x.M)}
	for _, i := range c.first {
		d.Data = append(d.Data, x.Row(i)...)
	}
	return d
}

// restore gives every copy the row of the sample that it equals.
func (c copies) restore(y *mat.Dense) *mat.Dense {
	_, dim := y.Dims()
	all := mat.NewDense(len(c.of), dim, nil)
	for i, at := range c.of {
		all.SetRow(i, y.RawRowView(at))
	}
	return all
}

// sparseCopies counts the rows that equal an earlier one. Stored zeros count as
// none, and −0 equals 0. O(nnz).
func sparseCopies(a *sparse.CSR) int {
	seen := make(map[string]bool, a.Rows)
	var key []byte
	for i := range a.Rows {
		key = key[:0]
		cols, vals := a.Row(i)
		for q, v := range vals {
			if v != 0 {
				key = binary.LittleEndian.AppendUint32(key, uint32(cols[q]))
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
			}
		}
		seen[string(key)] = true
	}
	return a.Rows - len(seen)
}
