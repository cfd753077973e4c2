package samples

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Copies tells which samples equal an earlier one.
type Copies struct {
	Count int   // samples that do
	Of    []int // the distinct sample, numbered without the copies, of each sample
	First []int // the sample at which each distinct one first appears
}

// Copies compares dense samples of equal hash. −0 equals 0. O(nm).
func (x Samples) Copies() Copies {
	c := Copies{Of: make([]int, x.n)}
	seen := make(map[uint64][]int, x.n) // distinct samples by hash
	for i := range x.n {
		hash := rowHash(x.Row(i))
		at := -1
		for _, d := range seen[hash] {
			if equalRows(x.Row(c.First[d]), x.Row(i)) {
				at = d
				break
			}
		}
		if at < 0 {
			at = len(c.First)
			c.First = append(c.First, i)
			seen[hash] = append(seen[hash], at)
		} else {
			c.Count++
		}
		c.Of[i] = at
	}
	return c
}

// CountCopies counts the samples that equal an earlier one, dense or compressed.
func (x Samples) CountCopies() int {
	if x.compressed == nil {
		return x.Copies().Count
	}
	return x.countCompressedCopies()
}

// countCompressedCopies counts rows that equal an earlier one. Stored zeros count as
// none, and −0 equals 0. O(nnz).
func (x Samples) countCompressedCopies() int {
	a := x.compressed
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

// AllEqual tells whether there is but one distinct sample.
func (x Samples) AllEqual() bool {
	for i := 1; i < x.n; i++ {
		if !equalRows(x.Row(0), x.Row(i)) {
			return false
		}
	}
	return true
}

// Restore gives every copy the row of y that belongs to the sample it equals.
func (c Copies) Restore(y *mat.Dense) *mat.Dense {
	_, dim := y.Dims()
	all := mat.NewDense(len(c.Of), dim, nil)
	for i, at := range c.Of {
		all.SetRow(i, y.RawRowView(at))
	}
	return all
}
