package nmf

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Every row of the table is found by its name, has what its solvers need, and encodes
// by a loss that has an encoding.
func TestLosses(t *testing.T) {
	for _, l := range losses {
		t.Run(l.String(), func(t *testing.T) {
			if got, err := LossNamed(l.name); err != nil || got != l {
				t.Errorf("its name gives %v (%v)", got, err)
			}
			if !l.SolvedBy(Multiplicative) {
				t.Errorf("multiplicative updates do not lower it")
			}
			for solver, a := range l.algorithms {
				if (a.updates == nil) == (a.learner == nil) || l.Encoding() == l && a.encode == nil {
					t.Errorf("solver %s lacks updates or an encoding", solver)
				}
			}
			if l.Encoding().Encoding() != l.Encoding() || !slices.Contains(EncodingLosses(), l.Encoding()) {
				t.Errorf("it is encoded by %s, which is encoded by %s", l.Encoding(), l.Encoding().Encoding())
			}
		})
	}
	must.Refuse(t, `loss "x"`)(LossNamed("x"))
}

// Models refer to the losses of encoding by these places.
func TestPlacesOfLosses(t *testing.T) {
	if got := EncodingLosses(); !slices.Equal(got, []*Loss{Frobenius, KL, Correntropy, Beta, NegativeBinomial, Huber}) {
		t.Errorf("the losses of encoding are %v", got)
	}
}

// A nil Loss is the squared error.
func TestNoLoss(t *testing.T) {
	var none *Loss
	if none.String() != "frobenius" || none.Encoding() != Frobenius || !none.SolvedBy(HALS) || !none.TakesSparse() || none.Scaled() {
		t.Errorf("nil is %s", none)
	}
}
