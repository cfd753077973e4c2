package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Run is one of many factorisations of the same data.
type Run struct {
	Rank int
	Seed uint64 // of its random start
}

const (
	// stackColumns are the most columns of the factors W that are updated together: what
	// is beyond makes no product faster.
	stackColumns = 256
	// stackRows are about the rows of W that a pass over sparse data takes at a time: with
	// 32 columns, a quarter of a MiB.
	stackRows = 1024
	// minStack is the memory that a stack may always take for its factors W.
	minStack = 128 << 20
)

// FactorizeRuns makes many factorisations of d, of several ranks and seeds, and gives each
// to a function as it ends, which may keep W and H. The options hold for all of
// them: Rank, Seed and Watch are not read, and a given start is refused.
//
// The runs of the squared error, and of KL with sparse data, pass over the data together:
// X·[H₁ᵀ H₂ᵀ …] and Xᵀ·[W₁ W₂ …] are one product each, of up to 256 columns, or fewer
// where the factors W would take more memory than the data (and more than 128 MiB). A
// run that ends leaves its place to the next. Penalties, the rules to stop and the orders apply
// to each run alone. Runs with weights of the entries, with a graph term, with rows of W that sum to one, with smooth components, with extrapolation, or normalised in each
// iteration, runs of KL with the order [WFirst], and runs of other losses, come one after the
// other. Under the squared error with native products a run has the same factors, to the bit,
// as [Factorize] gives with its rank and seed; under KL the same but for rounding. Nothing depends on the number of threads, nor on the other runs.
//
// Errors come from [Factorize] and from each. Runs that were given to each before an
// error stay valid. Memory besides the data and one stack of factors: half of sparse data
// whose entries are numbers of single precision, as counts are, and five sixths of others.
func FactorizeRuns(ctx context.Context, d Data, runs []Run, o Options, each func(run int, r *Result) error) error {
	d, err := d.underWeights(true, o.Loss.orDefault())
	if err != nil {
		return err
	}
	totals, err := d.inspect()
	if err != nil {
		return err
	}
	if o.Init == Given {
		return fmt.Errorf("nmf: many runs from one given start are one run; take init %s", RandomStart)
	}
	o.Watch = nil
	for i, run := range runs {
		o.Rank = run.Rank
		if _, err := o.withDefaults(d); err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	if o, err = o.withDefaults(d); err != nil {
		return err
	}
	if err := o.checkLoss(d); err != nil {
		return err
	}
	if !o.stacks(d) {
		return oneByOne(ctx, d, runs, o, each)
	}
	return newStack(d, o, totals, len(runs), each).run(ctx, runs)
}

// stacks reports whether runs with these options pass over the data together.
func (o Options) stacks(d Data) bool {
	graph := o.Lambda > 0 && o.Graph.present()
	if o.Solver == MiniBatch || d.Single != nil || d.known != nil || graph || o.Collection != nil || o.Extrapolate || o.SumToOne || o.Smooth > 0 || o.Normalize == EachIteration {
		return false
	}
	return o.Loss == Frobenius || o.Loss == KL && d.Sparse != nil && o.Order != WFirst
}

// oneByOne makes the runs one after the other.
func oneByOne(ctx context.Context, d Data, runs []Run, o Options, each func(run int, r *Result) error) error {
	progress := o.Progress
	for i, run := range runs {
		o.Rank, o.Seed = run.Rank, run.Seed
		o.Progress = func(done float64) { progress((float64(i) + done) / float64(len(runs))) }
		r, err := Factorize(ctx, d, o)
		if err == nil {
			err = each(i, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newStack(d Data, o Options, totals dataSums, of int, each func(run int, r *Result) error) *stack {
	s := &stack{data: d, options: o, totals: totals, each: each, of: of, rule: stackRules[o.Loss][o.Solver]}
	cut := sized(d, Options{Rank: 1, Loss: o.Loss, Kernels: o.Kernels, Threads: 1})
	cut.cutRows()
	s.block, s.piece = cut.block, cut.chunk
	if d.Sparse != nil {
		s.piece = max(1, stackRows/s.block) * s.block
	}
	held := int64(8) * int64(d.Rows) * int64(d.Cols)
	if x := d.Sparse; x != nil {
		held = 12 * int64(x.NNZ())
		s.wide, s.turned = blas.WideEntries(x.Ptr, x.Col, x.Val, d.Cols), turnedPieces(x, s.piece)
		if o.startsBySVD() {
			s.data.transpose = transposeSparse(x)
		}
	}
	s.columns = int(stackedColumns(d.Rows, d.Cols, held))
	s.scratch = make([]stackScratch, blas.Threads(o.Threads))
	return s
}

// stackedColumns are the most columns of a stack over n × m data of this many bytes.
func stackedColumns(n, m int, held int64) int64 {
	return min(stackColumns, max(held, minStack)/(8*int64(n+m)))
}

// run works through the runs, the wide ones first.
func (s *stack) run(ctx context.Context, runs []Run) error {
	waiting := make([]int, len(runs))
	for i := range waiting {
		waiting[i] = i
	}
	slices.SortStableFunc(waiting, func(a, b int) int { return runs[b].Rank - runs[a].Rank })
	for {
		var err error
		if waiting, err = s.admit(ctx, runs, waiting); err != nil {
			return err
		}
		if len(s.panels) == 0 {
			s.options.Progress(1)
			return nil
		}
		if err := s.step(ctx); err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		s.options.Progress(s.share())
	}
}

// share is how much of all iterations is done, at most.
func (s *stack) share() float64 {
	done := float64(s.done)
	for m := range s.members() {
		done += float64(m.result.Iterations) / float64(s.options.Iterations)
	}
	return done / float64(s.of)
}

// step takes one iteration of all runs.
func (s *stack) step(ctx context.Context) error {
	if s.options.Order != BasisFirst {
		if err := s.pass(ctx, s.panels, true); err != nil {
			return err
		}
		return s.stepComponents(ctx)
	}
	if err := s.stepComponents(ctx); err != nil {
		return err
	}
	return s.pass(ctx, s.panels, true)
}

// stepComponents updates H of every run, side by side, from the sums of the last pass.
func (s *stack) stepComponents(ctx context.Context) error {
	all := slices.Collect(s.members())
	return blas.For(ctx, s.options.Threads, len(all), 1, func(_, i, _ int) {
		m := all[i]
		if s.compares() {
			copy(m.lastHt, m.ht)
		}
		s.rule.stepH(m)
		m.give()
	})
}

// settle measures the runs where it is requested, and releases those that have ended.
func (s *stack) settle(ctx context.Context) error {
	o := s.options
	var ended []*member
	for m := range s.members() {
		r := m.result
		r.Iterations++
		t := r.Iterations
		traced := t%o.TraceEvery == 0 || t == o.Iterations
		looks := m.stop.looks(t)
		r.Converged = m.ended(t)
		if traced || looks || r.Converged || o.Settle > 0 {
			before := m.last.Objective
			p, err := s.measure(ctx, m)
			if err != nil {
				return err
			}
			r.Converged = r.Converged || looks && m.stop.settled(p)
			r.Converged = r.Converged || o.Settle > 0 && math.Abs(before-p.Objective) <= o.Settle*math.Abs(before)
			if traced || r.Converged {
				r.Trace = append(r.Trace, p)
			}
		}
		if r.Converged || t == o.Iterations {
			ended = append(ended, m)
		}
	}
	for i, m := range ended {
		if err := s.end(m); err != nil {
			return err
		}
		ended[i] = nil // its factors are the caller's alone
	}
	if len(ended) > 0 {
		s.close()
	}
	return nil
}

// measure is the present point of a run.
func (s *stack) measure(ctx context.Context, m *member) (Point, error) {
	p, err := s.rule.point(ctx, s, m)
	if err == nil && s.options.Penalties.Present() {
		s.pay(m, &p)
	}
	if err == nil && p.Objective-p.Objective != 0 {
		err = fmt.Errorf("nmf: the objective is no longer finite after %d iterations; scale the data to moderate size", m.result.Iterations)
	}
	p.Iteration = m.result.Iterations
	m.last = p
	return p, err
}

// end takes a run out of its panel and gives it away.
func (s *stack) end(m *member) error {
	m.w = make([]float64, m.n*m.r)
	m.take()
	m.updates.finish()
	if s.options.Normalize != Never {
		m.updates.normalize()
	}
	r := m.result
	r.W, r.H = m.w, m.h
	if m.loss.warning != nil {
		if text := m.loss.warning(r.Trace[len(r.Trace)-1]); text != "" {
			r.Warnings = append(r.Warnings, text)
		}
	}
	m.panel.leave(m)
	s.done++
	return s.each(m.run, r)
}

// pay adds the penalties of a run to its point. W has the layout of a single run, so that the sums
// have the same bits.
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
	clear(f.w) // some starts leave zeros as they are
	f.allocateComponents(make([]float64, f.r*f.m))
	f.sums = newPartialSums(f.m, f.r, false)
	f.width = f.m
	m := &member{factorization: f, run: run, panel: p, place: p.places[at], result: &Result{}}
	m.updates = s.rule.updates(f, o)
	if text := o.Penalties.warning(); text != "" {
		m.result.Warnings = append(m.result.Warnings, text)
	}
	m.result.Plan = m.updates.plan() + "; the products are made for many runs at once"
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
