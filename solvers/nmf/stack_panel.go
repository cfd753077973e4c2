package nmf

import (
	"context"
	"iter"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// panel is factors of several runs side by side, in rows of ld numbers.
type panel struct {
	ld      int
	w       []float64 // n × ld
	b       []float64 // m × ld: Hᵀ
	num     []float64 // m × ld: the sums of the last pass
	places  []place
	members []*member // by place; nil: free

	partials [][]float64 // of dense data: num of every chunk of rows
}

// place is where a run's numbers are in a row: component k at first + k·step.
type place struct{ first, step, rank int }

// member is a run under way. Its factorization has all but W, which is in the panel.
type member struct {
	*factorization
	run     int
	updates updates
	panel   *panel
	place
	result *Result
	stop   *stopping
	last   Point
	// rowGram is HHᵀ with the penalty of W on its diagonal, of coordinate descent.
	rowGram []float64
	grams   []float64 // of dense data: WᵀW of every chunk of rows

	// Where the change of WH is requested, of the iteration before:
	lastHt      []float64
	lastProduct float64   // ‖WH‖²
	cross       []float64 // WᵀW′ of every piece of rows, W′ that before
}

// members are the runs under way.
func (s *stack) members() iter.Seq[*member] {
	return func(yield func(*member) bool) {
		for _, p := range s.panels {
			for _, m := range p.members {
				if m != nil && !yield(m) {
					return
				}
			}
		}
	}
}

// taken is the number of columns of all panels.
func (s *stack) taken() (columns int) {
	for _, p := range s.panels {
		columns += p.ld
	}
	return columns
}

// put writes the rows of a matrix to the run's place in the rows of a panel.
func (m *member) put(from, to []float64) {
	r, ld := m.r, m.panel.ld
	for i, at := 0, m.first; i < len(from); i, at = i+r, at+ld {
		for k, v := range from[i : i+r] {
			to[at+k*m.step] = v
		}
	}
}

// give writes Hᵀ to the panel.
func (m *member) give() { m.put(m.ht, m.panel.b) }

// take copies W out of the panel.
func (m *member) take() {
	r, ld := m.r, m.panel.ld
	for i, at := 0, m.first; i < len(m.w); i, at = i+r, at+ld {
		for k := range r {
			m.w[i+k] = m.panel.w[at+k*m.step]
		}
	}
}

// collect copies the sums of a pass, transposed, to the place where the step of H reads them.
func (m *member) collect() {
	ld := m.panel.ld
	for k := range m.r {
		row := m.sums.num[k*m.m : (k+1)*m.m]
		for j, at := 0, m.first+k*m.step; j < len(row); j, at = j+1, at+ld {
			row[j] = m.panel.num[at]
		}
	}
}

// leave frees the place of a run and its columns, which stay zero until another comes.
func (p *panel) leave(m *member) {
	p.members[slices.Index(p.members, m)] = nil
	for _, x := range [][]float64{p.w, p.b, p.num} {
		for at := m.first; at < len(x); at += p.ld {
			for k := range m.r {
				x[at+k*m.step] = 0
			}
		}
	}
}

// stackScratch is the memory of one worker.
type stackScratch struct{ num, den, before, wt, t []float64 }

// grown is a slice of n numbers, the given one where it is large enough.
func grown(x *[]float64, n int) []float64 {
	if len(*x) < n {
		*x = make([]float64, n)
	}
	return (*x)[:n]
}

// pieces is the number of pieces of rows of a pass.
func (s *stack) pieces() int { return (s.data.Rows + s.piece - 1) / s.piece }

// relativeChange is [factorization.relativeChange] from the sums of the pass.
func (m *member) relativeChange() float64 {
	cross, crossHt := make([]float64, m.r*m.r), make([]float64, m.r*m.r)
	for at := 0; at < len(m.cross); at += len(cross) {
		blas.Axpy(1, m.cross[at:at+len(cross)], cross)
	}
	m.crossGram(m.m, m.ht, m.lastHt, crossHt)
	now, before := blas.Dot(m.sums.gram, m.gramH), m.lastProduct
	m.lastProduct = now
	return changeOf(now, blas.Dot(cross, crossHt), before)
}

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
		s.start = nil // no run will join
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
	s.spare = nil // too small to be of use
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

// close gives up empty panels, and moves the runs together where half of the
// columns are free.
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
