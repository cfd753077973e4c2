//go:build mpi

package main

import "sort"

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
