package nmf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// RankSearch says how [SearchRank] looks for a rank.
type RankSearch struct {
	Least, Most int     // the ranks to look among, 1 ≤ Least ≤ Most ≤ min(n, m)
	Share       float64 // of the entries that are held out, above 0 and below 1
	// Masks are seeds, one for each choice of the entries that are held out, two at least. Starts are as many
	// seeds of the random starts under them.
	Masks, Starts []uint64
	// Fits is asked before the fits of a rank, which take this number of bytes besides the data; nil: any are
	// taken. Its error ends the search.
	Fits func(rank int, bytes int64) error
	// Tried is called with each rank when its fits have ended; nil: it is not.
	Tried func(RankTried)
}

// RankTried says how well the models of one rank predict entries that they did not see.
type RankTried struct {
	Rank     int
	Losses   []float64 // under each mask: the mean loss of a held-out entry, see [HeldOut.Error]
	Relative []float64 // the same as ‖E‖/‖X‖ over these entries
}

// Mean is the mean loss over the masks.
func (t RankTried) Mean() float64 { return total(t.Losses) / float64(len(t.Losses)) }

// Behind compares two ranks on the same entries: by how much larger the losses of t are than those
// of best, the mean over the masks and its standard error (NaN for one mask). The differences scatter
// far less than the losses, whose noise both ranks share.
func (t RankTried) Behind(best RankTried) (mean, standard float64) {
	k := float64(len(t.Losses))
	for i, v := range t.Losses {
		mean += (v - best.Losses[i]) / k
	}
	var squares float64
	for i, v := range t.Losses {
		e := v - best.Losses[i] - mean
		squares += e * e
	}
	return mean, math.Sqrt(squares / (k - 1) / k)
}

// BestRank returns the places in a list of ranks, ascending, of the one with the least mean loss, and of
// the smallest that is behind it by at most one standard error ([RankTried.Behind]): the
// one-standard-error rule of Breiman et al. 1984, by paired losses.
func BestRank(tried []RankTried) (best, sparing int) {
	for i, t := range tried {
		if t.Mean() < tried[best].Mean() {
			best = i
		}
	}
	for i, t := range tried[:best] {
		if mean, standard := t.Behind(tried[best]); mean <= standard {
			return best, i
		}
	}
	return best, best
}

const (
	// searchSteps are the iterations of a fit of the search, of the squared error by coordinate descent.
	searchSteps = 30
	// lossSteps are those that follow for any other loss.
	lossSteps = 40
	// coldSteps is by how much more of them a fit has that begins at random with more than one component.
	coldSteps = 4
	// cheapRank is the rank up to which the doubling passes over one that is worse.
	cheapRank = 16
)

// SearchRank looks for the number of components by entries that the fits do not see (Wold 1978),
// several choices of them (masks). It doubles the rank until the models predict worse, and then halves
// the gaps next to the best rank until its neighbours are tried, and the gap below the smallest rank
// that is as good within a standard error ([BestRank]). About 3 log₂ r ranks are tried for the rank r.
//
// A fit begins with the components of the next smaller rank that was tried, under the same mask, and
// further ones of what that leaves, and takes 30 iterations of coordinate descent for
// the squared error; for any other loss 40 of its own updates follow. Iterations, tolerance and start
// of the options have no effect; penalties have. The curve has to have one valley, up to noise. It returns the ranks that
// were tried, ascending. It refuses what [Factorize] and [HoldOut] refuse. A loss that knows no weights of entries, as Beta,
// has them filled in by the model again and again, which lowers the loss over the others, too.
//
// Memory besides the data: the entries held out, the data under weights, as [Factorize] has them, and the factors of at most five ranks for
// each mask.
func SearchRank(ctx context.Context, d Data, o Options, by RankSearch) ([]RankTried, error) {
	if err := by.check(d); err != nil {
		return nil, err
	}
	s := &rankSearch{RankSearch: by, data: d, options: o.searching()}
	for i, seed := range by.Masks {
		held, err := HoldOut(d, by.Share, seed)
		if err != nil {
			return nil, err
		}
		s.masks = append(s.masks, &mask{held: held, start: by.Starts[i], models: map[int]model{}})
	}
	if err := s.double(ctx); err != nil {
		return nil, err
	}
	return s.tried, s.narrow(ctx)
}

// check refuses what is no search.
func (by RankSearch) check(d Data) error {
	switch {
	case by.Least < 1 || by.Most < by.Least || by.Most > min(d.Rows, d.Cols):
		return fmt.Errorf("nmf: ranks from %d to %d for %d × %d data; give a range within 1 to %d", by.Least, by.Most, d.Rows, d.Cols, min(d.Rows, d.Cols))
	case len(by.Masks) < 2 || len(by.Starts) != len(by.Masks):
		return fmt.Errorf("nmf: %d masks and %d starts of a search for the rank; give two of each at least, and as many of one as of the other", len(by.Masks), len(by.Starts))
	}
	return nil
}

// searching are the options of the fits: what serves a single fit is left out.
func (o Options) searching() Options {
	kept := Options{Loss: o.Loss.orDefault(), Solver: Multiplicative, Penalties: o.Penalties, Beta: o.Beta, Kernels: o.Kernels, Threads: o.Threads, TraceEvery: math.MaxInt}
	if kept.Loss == Frobenius {
		kept.Solver = HALS
	}
	return kept
}

// rankSearch is one [SearchRank].
type rankSearch struct {
	RankSearch
	data    Data
	options Options
	masks   []*mask
	tried   []RankTried // ascending
}

// double doubles the rank until two in a row, or one that is not cheap any more, are worse than the best.
func (s *rankSearch) double(ctx context.Context) error {
	worse := 0
	for r := s.Least; ; r = min(2*r, s.Most) {
		if err := s.try(ctx, r); err != nil || r == s.Most {
			return err
		}
		best, _ := BestRank(s.tried)
		last := s.tried[len(s.tried)-1]
		if last.Rank == s.tried[best].Rank {
			worse = 0
			continue
		}
		worse++
		if mean, standard := last.Behind(s.tried[best]); worse >= 2 && r >= cheapRank || r > cheapRank && mean > standard {
			return nil
		}
	}
}

// narrow tries the ranks in the middle of gaps, while there are any that matter.
func (s *rankSearch) narrow(ctx context.Context) error {
	for {
		best, sparing := BestRank(s.tried)
		below, above, least := s.gap(best-1), s.gap(best), s.gap(sparing-1)
		var next int
		switch {
		case below > 1 && below >= above:
			next = s.tried[best-1].Rank + below/2
		case above > 1:
			next = s.tried[best].Rank + above/2
		case least > 1:
			next = s.tried[sparing-1].Rank + least/2
		default:
			return nil
		}
		if err := s.try(ctx, next); err != nil {
			return err
		}
	}
}

// gap is how far it is from the i-th rank that was tried to the next; 0: there are not both.
func (s *rankSearch) gap(i int) int {
	if i < 0 || i+1 >= len(s.tried) {
		return 0
	}
	return s.tried[i+1].Rank - s.tried[i].Rank
}

// try fits a rank under every mask.
func (s *rankSearch) try(ctx context.Context, rank int) error {
	t := RankTried{Rank: rank}
	for i, m := range s.masks {
		if i == 0 && s.Fits != nil {
			if err := s.Fits(rank, s.bytes(rank)); err != nil {
				return err
			}
		}
		mean, relative, err := m.fit(ctx, s.data, s.options, rank)
		if err != nil {
			return err
		}
		t.Losses, t.Relative = append(t.Losses, mean), append(t.Relative, relative)
	}
	at, _ := slices.BinarySearchFunc(s.tried, rank, func(t RankTried, rank int) int { return t.Rank - rank })
	s.tried = slices.Insert(s.tried, at, t)
	s.forget()
	if s.Tried != nil {
		s.Tried(t)
	}
	return nil
}

// forget lets the models go from which no further fit will begin.
func (s *rankSearch) forget() {
	best, sparing := BestRank(s.tried)
	keep := map[int]bool{s.tried[len(s.tried)-1].Rank: true} // the doubling goes on from there
	for _, at := range []int{best, best - 1, sparing, sparing - 1} {
		if at >= 0 {
			keep[s.tried[at].Rank] = true
		}
	}
	for _, m := range s.masks {
		maps.DeleteFunc(m.models, func(rank int, _ model) bool { return !keep[rank] })
	}
}

// bytes is the memory of the fits of a rank.
func (s *rankSearch) bytes(rank int) int64 {
	n, m, entries := s.data.Rows, s.data.Cols, 0
	if s.data.Sparse != nil {
		entries = s.data.Sparse.NNZ()
	}
	o := s.options
	o.Rank = rank
	var held int64
	for _, m := range s.masks {
		held += m.held.Bytes()
	}
	ranks := 2 * int64(rank) // with the start
	for of := range s.masks[0].models {
		ranks += int64(of)
	}
	weights := s.data.Without(s.masks[0].held.Values).Weights
	if s.options.fills() {
		weights = Weights{}
		held += 8*int64(n)*int64(m) + 12*int64(entries) // of either the whole data or their entries
	}
	squares := o
	squares.Loss, squares.Solver = Frobenius, HALS
	fit := max(WeightedBytes(n, m, entries, weights, o), WeightedBytes(n, m, entries, weights, squares))
	return held + 2*weights.Bytes() + fit + 8*ranks*int64(n+m)*int64(len(s.masks)) + 8*mostLeft
}

// mask is one choice of held-out entries, and what was fitted to the others.
type mask struct {
	held   *HeldOut
	start  uint64
	models map[int]model // by rank
}

// model is WH of some rank.
type model struct {
	rank int
	w, h []float64
}

// fit fits a model of a rank, and says how well it predicts the entries that are held out.
func (m *mask) fit(ctx context.Context, d Data, o Options, rank int) (mean, relative float64, err error) {
	o.Rank, o.Seed = rank, m.start
	seen, steps := m.seen(d, o), 1
	now := model{rank: rank}
	var from model // the next smaller one
	for _, known := range m.models {
		if known.rank < rank && known.rank > from.rank {
			from = known
		}
	}
	switch {
	case from.rank > 0:
		if now, err = m.enlarged(ctx, seen, o, from, rank); err != nil {
			return 0, 0, err
		}
	case rank > 1:
		steps = coldSteps
	}
	squares := o
	squares.Loss, squares.Solver, squares.Penalties = Frobenius, HALS, Penalties{}
	if o.Loss == Frobenius {
		squares = o
	}
	if now, err = m.improved(ctx, seen, squares, now, steps*searchSteps); err == nil && o.Loss != Frobenius {
		lift(now.w)
		lift(now.h)
		now, err = m.improved(ctx, seen, o, now, steps*lossSteps)
	}
	if err != nil {
		return 0, 0, err
	}
	m.models[rank] = now
	mean, relative = m.held.errorBy(o, rank, now.w, now.h)
	return mean, relative, nil
}

// lift takes a factor off zero, where multiplicative updates would hold it.
func lift(a []float64) {
	least := total(a) / float64(len(a)) / 1000
	for i, v := range a {
		a[i] = max(v, least)
	}
}

// seen are the data without the entries that are held out: those have no weight, or of a loss that
// knows no weights are filled in.
func (m *mask) seen(d Data, o Options) Data {
	if o.fills() {
		return m.held.hidden(d)
	}
	return d.Without(m.held.Values)
}

// improved goes on from a model; of one without factors at random.
func (m *mask) improved(ctx context.Context, seen Data, o Options, from model, steps int) (model, error) {
	if m.filled(seen) {
		return m.improvedFilled(ctx, seen, o, from, steps)
	}
	return from.improved(ctx, seen, o, steps)
}

// improved takes some iterations from a model; of one without factors at random.
func (a model) improved(ctx context.Context, d Data, o Options, steps int) (model, error) {
	o.Iterations = steps
	if a.w != nil {
		o.Init, o.W, o.H = Given, a.w, a.h
	}
	found, err := Factorize(ctx, d, o)
	if err != nil {
		return model{}, err
	}
	return model{o.Rank, found.W, found.H}, nil
}

// mostLeft bounds the entries of the residuals from which further components are taken.
const mostLeft = 1 << 22

// enlarged is a model with more components, each the leading nonnegative one of what the components
// before it leave of some samples, found by five power steps with the negative parts cut off (as in
// the rank-one downdating of Biggs, Ghodsi and Vavasis 2008, from the sample of which most is left). Its
// coordinates are the least-squares ones, one component after the other. O(nmr) for the new rank r.
func (m *mask) enlarged(ctx context.Context, seen Data, o Options, from model, rank int) (model, error) {
	n, cols := seen.Rows, seen.Cols
	to := model{rank, make([]float64, n*rank), make([]float64, rank*cols)}
	copy(to.h, from.h)
	rows := max(1, min(n, mostLeft/cols))
	left := make([]float64, rows*cols)
	err := blas.For(ctx, o.Threads, rows, 1, func(_, i, _ int) {
		from.residual(&seen, i*n/rows, left[i*cols:(i+1)*cols])
	})
	if err != nil {
		return to, err
	}
	for k := from.rank; k < rank; k++ {
		if err := leadingPart(ctx, o.Threads, left, cols, to.h[k*cols:(k+1)*cols]); err != nil {
			return to, err
		}
	}
	const block = 16
	err = blas.For(ctx, o.Threads, n, block, func(_, lo, hi int) {
		row := make([]float64, cols)
		for i := lo; i < hi; i++ {
			copy(to.w[i*rank:], from.w[i*from.rank:(i+1)*from.rank])
			from.residual(&seen, i, row)
			for k := from.rank; k < rank; k++ {
				h := to.h[k*cols : (k+1)*cols]
				to.w[i*rank+k] = takeOff(row, h, blas.Dot(h, h))
			}
		}
	})
	return to, err
}

// takeOff subtracts the least-squares multiple of h, if it is positive, and returns it.
func takeOff(row, h []float64, squares float64) float64 {
	if squares == 0 {
		return 0
	}
	c := max(0, blas.Dot(row, h)/squares)
	if c > 0 {
		blas.Axpy(-c, h, row)
	}
	return c
}

// leadingPart finds a nonnegative direction of length 1 in rows of residuals, and takes it off them. It is zero
// if nothing positive is left.
func leadingPart(ctx context.Context, threads int, left []float64, cols int, h []float64) error {
	const steps, block = 5, 32
	rows := len(left) / cols
	row := func(i int) []float64 { return left[i*cols : (i+1)*cols] }
	sizes, coordinates := make([]float64, rows), make([]float64, rows)
	chunks := (rows + block - 1) / block
	sums := make([]float64, chunks*cols)
	err := blas.For(ctx, threads, rows, block, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, v := range row(i) {
				p := max(0, v)
				sizes[i] += float64(p * p)
			}
		}
	})
	if err != nil {
		return err
	}
	largest := 0
	for i, v := range sizes {
		if v > sizes[largest] {
			largest = i
		}
	}
	for j, v := range row(largest) {
		h[j] = max(0, v)
	}
	for range steps {
		size := math.Sqrt(blas.Dot(h, h))
		if size == 0 {
			return nil
		}
		blas.Scale(1/size, h)
		err := blas.For(ctx, threads, rows, block, func(_, lo, hi int) {
			sum := sums[lo/block*cols:][:cols]
			clear(sum)
			for i := lo; i < hi; i++ {
				if c := blas.Dot(row(i), h); c > 0 {
					blas.Axpy(c, row(i), sum)
				}
			}
		})
		if err != nil {
			return err
		}
		clear(h)
		for c := range chunks {
			blas.Axpy(1, sums[c*cols:(c+1)*cols], h)
		}
		for j, v := range h {
			h[j] = max(0, v)
		}
	}
	size := math.Sqrt(blas.Dot(h, h))
	if size == 0 {
		return nil
	}
	blas.Scale(1/size, h)
	return blas.For(ctx, threads, rows, block, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			coordinates[i] = takeOff(row(i), h, 1)
		}
	})
}

// residual writes X − WH of a row, 0 where the weight is 0.
func (a model) residual(d *Data, i int, into []float64) {
	clear(into)
	for k, v := range a.w[i*a.rank : (i+1)*a.rank] {
		blas.Axpy(-v, a.h[k*d.Cols:(k+1)*d.Cols], into)
	}
	x, weight := d.reader(i), d.Weights.Row(i, d.Cols)
	for j, v := range into {
		if weight(j) > 0 {
			into[j] = x(j) + v
		} else {
			into[j] = 0
		}
	}
}

// DeterminedRank is the largest rank whose factors have no more numbers than there are entries besides
// the share that is held out; 1 at least, and min(n, m) at most. Entries without weight do not count.
func DeterminedRank(d Data, share float64) int {
	known := float64(d.Rows) * float64(d.Cols)
	if d.Weights.Present() {
		known *= 1 - d.Weights.MissingShare(d.Rows, d.Cols)
	}
	rank := int((1 - share) * known / float64(d.Rows+d.Cols))
	return max(1, min(rank, d.Rows, d.Cols))
}
