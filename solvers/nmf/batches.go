package nmf

import (
	"fmt"
	"math"
)

// Batches say how [MiniBatch] learns.
type Batches struct {
	Rows int // of a batch; 0: 1024
	// Forget is φ, the part that is left after a pass of what was learnt before it, > 0 and at
	// most 1; 0: 0.01.
	Forget float64
	// Patience is the number of batches after which the passes end if the smoothed loss has
	// had no new minimum in them; 0: never.
	Patience int
}

const (
	defaultBatch  = 1024
	defaultForget = 0.01
	defaultPasses = 20
)

// setBatches fills in the defaults of solver [MiniBatch].
func (o *Options) setBatches() {
	setPositive(&o.Batches.Rows, defaultBatch)
	setPositive(&o.Batches.Forget, defaultForget)
	setPositive(&o.Iterations, defaultPasses)
}

// checkBatches refuses what solver [MiniBatch] cannot do.
func (o Options) checkBatches() error {
	b := o.Batches
	switch {
	case o.Solver != MiniBatch:
		return nil
	case b.Rows < 0 || b.Patience < 0 || b.Rows > math.MaxInt32:
		return fmt.Errorf("nmf: batches of %d rows and a patience of %d; give numbers ≥ 0, the rows below 2³¹", b.Rows, b.Patience)
	case !(b.Forget >= 0 && b.Forget <= 1):
		return fmt.Errorf("nmf: the forget factor is %v; give a number above 0, at most 1", b.Forget)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: solver %s takes no graph term, which joins samples of different batches; leave it out", MiniBatch)
	case o.Fixed != NoneFixed:
		return fmt.Errorf("nmf: solver %s learns both factors; leave the fixed one out, or take another solver", MiniBatch)
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: solver %s has no order %s; leave it out", MiniBatch, o.Order)
	case o.Penalties.Present():
		return fmt.Errorf("nmf: solver %s takes no penalties; leave them out, or take another solver", MiniBatch)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: solver %s normalises the components at the %s or never", MiniBatch, AtEnd)
	case o.Stop != Change:
		return fmt.Errorf("nmf: solver %s stops by %s of the components; leave the rule out", MiniBatch, Change)
	case o.Loss == KL && o.Init == NNDSVD:
		return fmt.Errorf("nmf: init %s has zeros, which the updates of loss %s keep; take init %s or %s", NNDSVD, KL, NNDSVDMean, NNDSVDRandom)
	}
	return nil
}
