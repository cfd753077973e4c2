//go:build mpi

package main

import (
	"math"
	"slices"
)

// LowerMedian finds the median of the numbers of all processes by halving, bit by bit, what it
// can be, so that no process holds the numbers of the others. [engine.Others] requires it.
func (p processes) LowerMedian(own []float64) float64 {
	keys := make([]uint64, len(own))
	for i, v := range own {
		keys[i] = ordered(v)
	}
	slices.Sort(keys)
	n := p.counts(sum, int64(len(keys)))[0]
	if n == 0 {
		return math.NaN()
	}
	lo, hi := uint64(0), uint64(math.MaxUint64)
	for lo < hi {
		middle := lo + (hi-lo)/2
		below, found := slices.BinarySearch(keys, middle)
		for found && below < len(keys) && keys[below] == middle {
			below++
		}
		if p.counts(sum, int64(below))[0] >= (n+1)/2 {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return unordered(lo)
}

// Sum adds up what all give. [engine.Others] asks for it.
func (p processes) Sum(own ...float64) []float64 { return p.numbers(sum, own) }

// ordered are the bits of a number, as a whole number that is ordered as the numbers are.
func ordered(v float64) uint64 {
	bits := math.Float64bits(v)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(key uint64) float64 {
	if key>>63 == 1 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}
