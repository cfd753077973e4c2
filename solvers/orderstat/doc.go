// Package orderstat finds order statistics: medians, and the n-th smallest of some numbers.
package orderstat
