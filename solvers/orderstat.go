package solvers

import "github.com/orthant-go/orthant/solvers/orderstat"

// Median returns the middle value, the mean of the two middle ones of an even number. It
// sorts the values, of which there must be one at least.
func Median(values []float64) float64 { return orderstat.Median(values) }

// LowerMedian returns the ⌈n/2⌉-th smallest of n values, which it leaves in their order.
func LowerMedian(values []float64) float64 { return orderstat.LowerMedian(values) }

// NthSmallest puts the entry at place nth of the ascending order there, with none larger
// before it and none smaller behind, and returns it.
func NthSmallest(v []float64, nth int) float64 { return orderstat.NthSmallest(v, nth) }
