package nmf

import (
	"context"
	"slices"
)

// admit gives free places, and panels where there is room for more, to runs that wait,
// and returns those that go on waiting.
func (s *stack) admit(ctx context.Context, runs []Run, waiting []int) ([]int, error) {
	touched := map[*panel]bool{}
	var fresh []*member
	seat := func(p *panel, at, run int) error {
		m, err := s.join(ctx, p, at, run, runs[run])
		touched[p], fresh = true, append(fresh, m)
		return err
	}
	var rest []int
	for _, run := range waiting {
		p, at := s.free(runs[run].Rank)
		if p == nil {
			rest = append(rest, run)
			continue
		}
		if err := seat(p, at, run); err != nil {
			return nil, err
		}
	}
	for len(rest) > 0 {
		ranks := make([]int, len(rest))
		for i, run := range rest {
			ranks[i] = runs[run].Rank
		}
		places, ld, seated := s.rule.places(ranks, s.columns)
		if len(s.panels) > 0 && s.taken()+ld > s.columns {
			break
		}
		p := s.newPanel(places, ld)
		s.panels = append(s.panels, p)
		for at, i := range seated {
			if err := seat(p, at, rest[i]); err != nil {
				return nil, err
			}
		}
		seatedRuns := make(map[int]bool)
		for _, i := range seated {
			seatedRuns[rest[i]] = true
		}
		rest = slices.DeleteFunc(rest, func(run int) bool { return seatedRuns[run] })
	}
	if len(rest) == 0 {
		s.start = nil // nobody will join
	}
	if len(fresh) == 0 {
		return rest, nil
	}
	panels := slices.DeleteFunc(slices.Clone(s.panels), func(p *panel) bool { return !touched[p] })
	if err := s.pass(ctx, panels, false); err != nil {
		return nil, err
	}
	for _, m := range fresh {
		p, err := s.measure(ctx, m)
		if err != nil {
			return nil, err
		}
		m.result.Trace = append(m.result.Trace, p)
		m.stop = newStopping(s.options, p)
	}
	return rest, nil
}

// newPanel makes a panel, of the memory of one that was given up where there is any.
func (s *stack) newPanel(places []place, ld int) *panel {
	n, m := s.data.Rows, s.data.Cols
	p := &panel{ld: ld, places: places, members: make([]*member, len(places)), b: make([]float64, m*ld), num: make([]float64, m*ld)}
	for i, w := range s.spare {
		if len(w) >= n*ld {
			s.spare = slices.Delete(s.spare, i, i+1)
			p.w = w[:n*ld]
			clear(p.w)
			return p
		}
	}
	s.spare = nil // what is too small serves nobody
	p.w = make([]float64, n*ld)
	return p
}

// free is a place for a run of that rank in a panel that is there.
func (s *stack) free(rank int) (*panel, int) {
	for _, p := range s.panels {
		for at, place := range p.places {
			if p.members[at] == nil && place.rank == rank {
				return p, at
			}
		}
	}
	return nil, 0
}

// join starts a run at a place.
func (s *stack) join(ctx context.Context, p *panel, at, run int, of Run) (*member, error) {
	o := s.options
	o.Rank, o.Seed, o.Threads = of.Rank, of.Seed, 1
	f := sized(s.data, o)
	f.totals = s.totals
	f.cutRows()
	f.w = grown(&s.start, f.n*f.r)
	clear(f.w) // a start by singular vectors leaves zeros as they are
	f.allocateComponents(make([]float64, f.r*f.m))
	f.sums = newPartialSums(f.m, f.r, false)
	f.width = f.m
	m := &member{factorization: f, run: run, panel: p, place: p.places[at], result: &Result{}}
	m.updates = s.rule.updates(f, o)
	if text := o.Penalties.warning(); text != "" {
		m.result.Warnings = append(m.result.Warnings, text)
	}
	m.result.Plan = m.updates.plan() + "; the products are those of many runs at once"
	if err := f.start(ctx, o, m.result); err != nil {
		return nil, err
	}
	f.updateGram()
	s.rule.begin(m)
	if s.compares() {
		m.lastHt = make([]float64, len(f.ht))
		m.cross = make([]float64, s.pieces()*f.r*f.r)
	}
	if s.data.Sparse == nil {
		m.grams = make([]float64, s.pieces()*f.r*f.r)
	}
	p.members[at] = m
	m.put(f.w, p.w)
	m.give()
	f.w = nil
	return m, nil
}

// close gives up the panels that nobody is in, and moves the runs together where half of the
// columns are nobody's.
func (s *stack) close() {
	s.panels = slices.DeleteFunc(s.panels, func(p *panel) bool {
		empty := !slices.ContainsFunc(p.members, func(m *member) bool { return m != nil })
		if empty {
			s.spare = append(s.spare, p.w)
		}
		return empty
	})
	var used int
	all := slices.Collect(s.members())
	for _, m := range all {
		used += m.r
	}
	if 2*used > s.taken() {
		return
	}
	slices.SortStableFunc(all, func(a, b *member) int { return b.r - a.r })
	var panels []*panel
	for len(all) > 0 {
		ranks := make([]int, len(all))
		for i, m := range all {
			ranks[i] = m.r
		}
		places, ld, seated := s.rule.places(ranks, s.columns)
		p := s.newPanel(places, ld)
		moved := map[*member]bool{}
		for at, i := range seated {
			m := all[i]
			m.move(p, at)
			moved[m] = true
		}
		all = slices.DeleteFunc(all, func(m *member) bool { return moved[m] })
		panels = append(panels, p)
	}
	s.panels, s.spare = panels, nil
}

// move takes a run to another panel.
func (m *member) move(p *panel, at int) {
	from, old := m.panel, m.place
	m.panel, m.place = p, p.places[at]
	p.members[at] = m
	for _, x := range [][2][]float64{{from.w, p.w}, {from.b, p.b}, {from.num, p.num}} {
		for i, j, k := old.first, m.first, 0; i < len(x[0]); i, j, k = i+from.ld, j+p.ld, 0 {
			for ; k < m.r; k++ {
				x[1][j+k*m.step] = x[0][i+k*old.step]
			}
		}
	}
}
