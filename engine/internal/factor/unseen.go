package factor

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Unseen says how well a factorisation predicts a share of the entries that it does not see, for several choices of them. Choice
// i is that of run i of [Work.Restart] and of mask i of [Work.FindRank], whatever the rank and the loss, and so is the start.
func (w Work) Unseen(share float64, masks int) ([]nmf.Unseen, error) {
	r := w.Plan.Solve.(ByNMF)
	x, shift, err := w.nonnegative(r.Shift)
	if err != nil {
		return nil, err
	}
	if shift != nil {
		w.Run = w.Holding(8 * int64(x.N()) * int64(x.M()))
	}
	o, err := r.options(w)
	if err != nil {
		return nil, err
	}
	n, m := x.N(), x.M()
	whole := 8 * int64(n) * int64(m) // as weights, or the data once more
	room := whole + int64(float64(20*int64(n)*int64(m))*share) + nmf.WeightedBytes(n, m, storedEntries(x), nmf.Weights{Dense: []float64{}}, o)
	if err := w.Fit(room, fmt.Sprintf("a fit of rank %d without the held-out entries needs", w.Rank), "take a smaller rank or fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	d := DataOf(x)
	progress := o.Progress
	defer w.Phase("held out")()
	var all []nmf.Unseen
	for i := range masks {
		seed := max(1, w.Seed()) + uint64(i)
		held, err := nmf.HoldOut(d, share, heldOutSeed(seed))
		if err != nil {
			return nil, err
		}
		o.Seed = blas.NewStream(seed).Uint64()
		o.Progress = func(part float64) { progress((float64(i) + part) / float64(masks)) }
		one, err := nmf.FactorizeUnseen(w.Context(), d, o, held)
		if err != nil {
			return nil, w.refused(err, shift != nil)
		}
		all = append(all, *one)
	}
	return all, nil
}
