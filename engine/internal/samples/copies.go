package samples

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Copies lists the samples that equal an earlier one.
type Copies struct {
	Count int     // number of such samples
	Of    []int32 // for each sample, the index of its distinct sample
	First []int32 // for each distinct sample, its first occurrence
}

// Copies compares samples of equal hash. −0 equals 0, and stored zeros of compressed samples are
// ignored. O(nm), or O(nnz) for compressed samples; 20 to 28 bytes for each sample.
func (x Samples) Copies() Copies {
	if x.Absent() {
		return Copies{}
	}
	c := Copies{Of: make([]int32, x.n), First: make([]int32, 0, x.n)}
	seen := newTable(x.n) // distinct samples by hash
	for i := range x.n {
		at := seen.find(x.hash(i), func(d int32) bool { return x.equal(int(c.First[d]), i) })
		if *at == vacant {
			*at = int32(len(c.First))
			c.First = append(c.First, int32(i))
		} else {
			c.Count++
		}
		c.Of[i] = *at
	}
	return c
}

// table is an open hash table of numbers from 0, at most half full.
type table []int32

const vacant = -1

func newTable(n int) table {
	t := make(table, 1<<bits.Len(uint(2*n)))
	for at := range t {
		t[at] = vacant
	}
	return t
}

// find returns the place of the number with the given hash that satisfies is, or the
// vacant place for it.
func (t table) find(hash uint64, is func(d int32) bool) *int32 {
	at := hash * 0x9e3779b97f4a7c15 >> 32 & uint64(len(t)-1)
	for t[at] != vacant && !is(t[at]) {
		at = (at + 1) & uint64(len(t)-1)
	}
	return &t[at]
}

// Pairs returns the number of ordered pairs of equal samples, including the pairs of a sample that has
// copies with itself.
func (c Copies) Pairs() int {
	size := make([]int32, len(c.First))
	for _, d := range c.Of {
		size[d]++
	}
	pairs := 0
	for _, s := range size {
		if s > 1 {
			pairs += int(s) * int(s)
		}
	}
	return pairs
}

// CountCopies counts the samples that equal an earlier one.
func (x Samples) CountCopies() int { return x.Copies().Count }

// hash returns a hash, equal for equal samples.
func (x Samples) hash(i int) uint64 {
	if x.single != nil {
		return singleHash(x.singleRow(i))
	}
	if x.compressed == nil {
		return rowHash(x.Row(i))
	}
	return compressedHash(x.compressed.Row(i))
}

// equal reports whether two samples are equal.
func (x Samples) equal(i, j int) bool {
	if x.single != nil {
		return slices.Equal(x.singleRow(i), x.singleRow(j))
	}
	if x.compressed == nil {
		return equalRows(x.Row(i), x.Row(j))
	}
	return sameEntries(x.compressed, i, j)
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

// AllEqual reports whether there is only one distinct sample. It is false for unknown
// samples.
func (x Samples) AllEqual() bool {
	if x.Absent() {
		return false
	}
	for i := 1; i < x.n; i++ {
		if !x.equal(0, i) {
			return false
		}
	}
	return true
}

// Restore gives every copy the row of y of the sample that it equals.
func (c Copies) Restore(y *mat.Dense) *mat.Dense {
	_, dim := y.Dims()
	all := mat.NewDense(len(c.Of), dim, nil)
	for i, at := range c.Of {
		all.SetRow(i, y.RawRowView(int(at)))
	}
	return all
}

// compressedHash is [rowHash] of the nonzero entries.
func compressedHash(cols []int32, vals []float64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for q, v := range vals {
		if v != 0 {
			h = (h ^ uint64(cols[q])) * 0x100000001b3
			h = (h ^ math.Float64bits(v)) * 0x100000001b3
			h ^= h >> 29
		}
	}
	return h
}

// sameEntries reports whether two compressed rows are equal.
func sameEntries(a *sparse.CSR, i, j int) bool {
	same := true
	merged(a, i, a, j, func(v, w float64) { same = same && v == w })
	return same
}

// singleHash is [rowHash] of entries in float32.
func singleHash(row []float32) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, v := range row {
		h = (h ^ uint64(math.Float32bits(v+0))) * 0x100000001b3
		h ^= h >> 29
	}
	return h
}

// CheckClusters returns an error if there are more clusters than distinct samples: copies of the n
// samples equal an earlier one.
func CheckClusters(method string, n, copies, clusters int) error {
	different := n - copies
	switch {
	case different >= clusters:
		return nil
	case different == 1:
		return fmt.Errorf("%s: all %d samples are equal; %d clusters need as many different ones", method, n, clusters)
	}
	return fmt.Errorf("%s: %d clusters of samples of which %d are different; give at most %d", method, clusters, different, different)
}
