//go:build mpi

package main

import (
	"errors"
	"io"
	"math"
	"sort"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine/files"
	_ "github.com/orthant-go/orthant/engine/files/parquet" // a format that a program has to ask for
)

// readOwn reads the rows of this process. .npy is read from its first row on, Parquet from the
// group of rows that has it; other files are read from the beginning, without what comes before
// being kept.
func readOwn(p processes, path string, o files.Options) (x []float64, cols int, where spread, err error) {
	b, err := files.OpenBlocks(path, o)
	if err != nil {
		return nil, 0, nil, err
	}
	defer b.Close()
	if b.Sparse() {
		return nil, 0, nil, outcome.Wrong("%s: the samples are sparse, but several processes need dense ones; use \"orthant embed\"", path)
	}
	cols = b.Cols()
	n := b.Rows()
	if n < 0 {
		if n, err = skip(b, math.MaxInt); err != nil {
			return nil, 0, nil, err
		}
	}
	where = evenly(n, p.size)
	lo, hi := where.of(p.rank)
	from := lo
	if ahead := b.Starts(); ahead != nil {
		from = 0
		for _, start := range ahead {
			if start <= lo {
				from = max(from, start)
			}
		}
	}
	if lo == hi {
		return nil, cols, where, nil
	}
	if err := b.Seek(from); err != nil {
		return nil, 0, nil, err
	}
	if _, err := skip(b, lo-from); err != nil {
		return nil, 0, nil, err
	}
	x = make([]float64, (hi-lo)*cols)
	for done := 0; done < len(x); {
		rows, err := b.Next(x[done:])
		if err != nil {
			return nil, 0, nil, err
		}
		done += rows * cols
	}
	return x, cols, where, nil
}

// skip reads over rows, to the end at most, and counts them.
func skip(b *files.Blocks, most int) (int, error) {
	const atATime = 4096
	buffer := make([]float64, min(most, atATime)*b.Cols())
	done := 0
	for done < most {
		rows, err := b.Next(buffer[:min(most-done, atATime)*b.Cols()])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return done, err
		}
		done += rows
	}
	return done, nil
}

// farthestFromZero is the entry of largest absolute value of all processes with its place.
func farthestFromZero(p processes, x []float64, cols int, where spread) (row, col int, value float64) {
	at := -1
	for i, v := range x {
		if at < 0 || math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	size := 0.0
	if at >= 0 {
		size = math.Abs(x[at])
	}
	most := p.number(largest, size)
	place, sign := int64(math.MaxInt64), 0.0
	if at >= 0 && size == most {
		place = int64(where[p.rank]*cols + at)
	}
	if place = p.counts(least, place)[0]; at >= 0 && place == int64(where[p.rank]*cols+at) && math.Signbit(x[at]) {
		sign = 1
	}
	if p.number(sum, sign) > 0 {
		most = -most
	}
	return int(place) / max(cols, 1), int(place) % max(cols, 1), most
}

// spread says which rows each process has: those from its start up to the next one's.
type spread []int

// evenly gives each process about as many of n rows.
func evenly(n, size int) spread {
	s := make(spread, size+1)
	for q := range s {
		s[q] = int(int64(n) * int64(q) / int64(size))
	}
	return s
}

// all is the number of rows.
func (s spread) all() int { return s[len(s)-1] }

// of are the rows of a process.
func (s spread) of(rank int) (lo, hi int) { return s[rank], s[rank+1] }

// owner is the process that has a row.
func (s spread) owner(row int) int { return sort.SearchInts(s[1:], row+1) }
