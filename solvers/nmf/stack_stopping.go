package nmf

// compares tells whether WH is compared with that of the iteration before.
func (s *stack) compares() bool { return s.options.Tolerance > 0 && s.options.Stop == Change }

// ended tells whether iteration t of a run is its last, by the rules that need no point.
func (m *member) ended(t int) bool {
	switch {
	case m.stop.tolerance == 0:
		return false
	case m.stop.rule == Change:
		return m.relativeChange() < m.stop.tolerance
	case m.stop.rule == Violation:
		return m.stop.violated(m.violation(), t)
	}
	return false
}

// pay adds the penalties of a run to its point. W is laid out as it is in a single run, whose
// sums have the same bits then.
func (s *stack) pay(m *member, p *Point) {
	w := m.w
	m.w = grown(&s.whole, m.n*m.r)
	m.take()
	p.Penalty = m.penalties()
	m.w = w
	if s.options.Loss == Frobenius {
		p.Penalty *= 2
	}
	p.Objective += p.Penalty
	p.Surrogate = p.Objective
}
