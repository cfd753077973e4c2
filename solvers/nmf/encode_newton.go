package nmf

const (
	// nearBound: coordinates below this share of the sample whose gradient holds them
	// there are left out of Newton's equations.
	nearBound = 1e-3
	// damping is the share of the Hessian's diagonal that is added to it.
	damping = 1e-10
	// armijo is the share of the promised fall that a step has to reach.
	armijo = 1e-4
	// halvings is how often a step is halved before it is given up.
	halvings = 30
)

// solvePassive solves Newton's equations for the coordinates that are free to move.
func (c *codeScratch) solvePassive() {
	q := c.squares
	q.factorize(c.gram)
	for a, k := range q.passive {
		q.target[a] = -c.right[k]
	}
	q.substitute()
	for a, k := range q.passive {
		c.move[k] = q.target[a]
	}
}

// step leaves w + length·move, without what would be negative, in next, and returns the fall that
// the gradient promises of it, with a minus.
func (c *codeScratch) step(w []float64, length float64) (promised float64) {
	for k, v := range w {
		if c.next[k] = max(0, v+length*c.move[k]); c.next[k] < vanished {
			c.next[k] = 0
		}
		promised += c.right[k] * (c.next[k] - v)
	}
	return promised
}
