package solvers

import "math"

// patience ends an iteration whose measure of the error falls no further: rounding holds
// it, or its steps are too short for any number of them to matter.
type patience struct {
	rounds int // that may pass without a fall, > 0

	begun  bool
	lowest float64
	since  int
}

// clearFall is the share of the lowest error so far below which an error counts as a
// fall.
const clearFall = 0.99

// lost reports that the last rounds brought no clear fall. An error that is no number ends
// the patience at once.
func (p *patience) lost(err float64) bool {
	if math.IsNaN(err) {
		return true
	}
	if !p.begun || err < clearFall*p.lowest {
		p.begun, p.lowest, p.since = true, err, 0
		return false
	}
	p.since++
	return p.since >= p.rounds
}
