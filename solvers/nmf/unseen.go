package nmf

import (
	"context"
	"fmt"
	"math"
)

// Unseen says how well a factorisation predicts entries that it did not see, by measures that do not depend on
// the loss that was minimised.
type Unseen struct {
	Relative   float64 // ‖X − WH‖/‖X‖ over these entries
	Divergence float64 // the mean Kullback–Leibler divergence of an entry from the model, mixed as [HeldOut.Error] says
}

// FactorizeUnseen factorises data without the entries that are held out, by any loss, and measures how well these are
// predicted. A loss that knows weights of entries gives them none. For any other they are filled in by the model
// every five iterations, which lowers the loss over the others, too: the tolerance then has no effect. A start by singular
// vectors is that of the data with the mean of the others in their place.
//
// It refuses what [Factorize] refuses.
func FactorizeUnseen(ctx context.Context, d Data, o Options, held *HeldOut) (*Unseen, error) {
	found, err := o.fitUnseen(ctx, d, held)
	if err != nil {
		return nil, err
	}
	u := new(Unseen)
	u.Divergence, u.Relative = held.Error(KL, o.Rank, found.w, found.h)
	return u, nil
}

// fitUnseen is the model of [FactorizeUnseen].
func (o Options) fitUnseen(ctx context.Context, d Data, held *HeldOut) (model, error) {
	o.Loss = o.Loss.orDefault()
	setDefault(&o.Solver, Multiplicative)
	setPositive(&o.Iterations, 200)
	o.TraceEvery = math.MaxInt
	switch {
	case d.Single != nil:
		return model{}, fmt.Errorf("nmf: entries are held out of data in float64; convert them")
	case o.Solver == MiniBatch:
		return model{}, fmt.Errorf("nmf: solver %s sees all entries of a batch; take another solver to hold some out", MiniBatch)
	}
	fills := o.Loss.algorithms[o.Solver].weighted == nil || o.takesNoWeights()
	if bySVD := o.Init == NNDSVD || o.Init == NNDSVDMean || o.Init == NNDSVDRandom; bySVD {
		filled := held.hidden(d)
		held.fill(filled, model{})
		from, err := filled.startOf(ctx, o)
		if err != nil {
			return model{}, err
		}
		o.Init, o.W, o.H = Given, from.w, from.h
	}
	if fills {
		return o.filledIn(ctx, d, held)
	}
	return model{}.improved(ctx, d.Without(held.Values), o, o.Iterations)
}

// takesNoWeights reports whether an option other than the loss rules weights of entries out.
func (o Options) takesNoWeights() bool {
	return o.SumToOne || o.Smooth > 0 || o.Extrapolate || o.Order == CodesFirst || o.Order == WFirst || o.Stop == Violation && o.Tolerance > 0
}

// filledIn is a fit whose held-out entries are filled in.
func (o Options) filledIn(ctx context.Context, d Data, held *HeldOut) (model, error) {
	m := mask{held: held}
	filled := held.hidden(d)
	from := model{rank: o.Rank}
	o.Tolerance, o.Settle = 0, 0
	if o.Warm > 0 { // by the squared error, which are the first iterations
		first := o
		first.Iterations, first.Normalize = min(o.Warm+1, o.Iterations), Never
		held.fill(filled, from)
		var err error
		if from, err = from.improved(ctx, filled, first, first.Iterations); err != nil {
			return from, err
		}
		o.Iterations, o.Warm, o.Init = max(1, o.Iterations-first.Iterations), 0, Given
	}
	return m.improvedFilled(ctx, filled, o, from, o.Iterations)
}

// startOf are the factors with which a fit begins.
func (d Data) startOf(ctx context.Context, o Options) (model, error) {
	o, err := o.withDefaults(d)
	if err != nil {
		return model{}, err
	}
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	totals, err := d.inspect()
	if err != nil {
		return model{}, err
	}
	f := newFactorization(d, o, totals)
	err = f.start(ctx, o, new(Result))
	return model{o.Rank, f.w, f.h}, err
}
