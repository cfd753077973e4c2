package factor

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// RankSearch says among which ranks to look, and by how many choices of held-out entries.
type RankSearch struct {
	Least, Most int     // 0: 1, and as many as the entries determine
	Share       float64 // of the entries that are held out
	Masks       int
}

// FoundRanks are the ranks that a search tried, ascending.
type FoundRanks struct {
	Tried []nmf.RankTried
	Power float64 // power of the data's unit in the losses
}

// FindsRank reports whether the rank of the plan's factorisation can be found by held-out entries.
func (p Plan) FindsRank() bool {
	by, is := p.Solve.(ByNMF)
	return is && p.Align == nil && by.Loss.FindsRank()
}

// FindRank looks for the rank of the samples by held-out entries. Mask i hides the entries that run i of
// [Work.Restart] does not see, and its random start is that of this run.
func (w Work) FindRank(by RankSearch) (*FoundRanks, error) {
	r := w.Plan.Solve.(ByNMF)
	if r.Fixed != "" && r.Fixed != nmf.NoneFixed {
		return nil, wording.Errorf("%s: ‹fixed=%s› needs a factor that is given, and this has a rank; give that rank, or choose ‹fixed=none›", w.Method(), r.Fixed)
	}
	x, shift, err := w.nonnegative(r.Shift)
	if err != nil {
		return nil, err
	}
	if shift != nil {
		w.Run = w.Holding(8 * int64(x.N()) * int64(x.M()))
	}
	d := DataOf(x)
	d.Weights = w.Weights
	n, m := x.N(), x.M()
	limit := min(n, m)
	switch {
	case limit < 2:
		return nil, wording.Errorf("%s: %d × %d data have rank 1 at most, which leaves nothing to find; give ‹rank=1›", w.Method(), n, m)
	case by.Least < 0 || by.Most < 0 || by.Most > 0 && by.Least > by.Most || max(by.Least, by.Most) > limit:
		return nil, fmt.Errorf("%s: a search for the rank from %d to %d of %d × %d data; give a range within 1 to %d", w.Method(), max(1, by.Least), by.Most, n, m, limit)
	}
	by.Least = max(1, by.Least)
	if by.Most == 0 {
		by.Most = max(by.Least, nmf.DeterminedRank(d, by.Share))
	}
	o := r.Options
	o.Kernels, o.Threads = w.Kernels(), w.Threads()
	search := nmf.RankSearch{Least: by.Least, Most: by.Most, Share: by.Share, Fits: func(rank int, bytes int64) error {
		return w.Fit(bytes, fmt.Sprintf("the search for the rank, which has come to rank %d, needs", rank), "end the search at a smaller rank, give the rank, or raise the limit")
	}}
	for i := range by.Masks {
		seed := max(1, w.Seed()) + uint64(i)
		search.Masks, search.Starts = append(search.Masks, heldOutSeed(seed)), append(search.Starts, blas.NewStream(seed).Uint64())
	}
	defer w.Phase("rank")()
	progress, left := w.Fraction("rank"), 1.0
	search.Tried = func(t nmf.RankTried) {
		left *= 0.85 // how many ranks there will be is not known
		progress(1 - left)
		w.Explain("rank %d: a held-out entry has the loss %.6g on average", t.Rank, t.Mean())
	}
	tried, err := nmf.SearchRank(w.Context(), d, o, search)
	if err != nil {
		return nil, w.refused(err, shift != nil)
	}
	found := &FoundRanks{Tried: tried, Power: 2}
	switch r.Loss {
	case nmf.KL:
		found.Power = 1
	case nmf.Beta:
		found.Power = r.Beta
	}
	return found, nil
}
