package nmf

import (
	"context"
	"fmt"
	"strings"
)

// losses is the table of the losses. A new loss is one file, with its [Loss], and one
// row here, at the end: models number the losses in this order.
var losses = []*Loss{Frobenius, KL, L21, Correntropy, Beta, NegativeBinomial, Huber}

// Loss is one loss of the family and everything that depends on it. A nil Loss is
// [Frobenius].
type Loss struct {
	name string
	// algorithms lower the loss. Their keys are the solvers of [Options] it allows.
	algorithms map[string]algorithm
	// sparse is set where an entry of zero needs no work, so that sparse data stay
	// sparse.
	sparse bool
	// scaled is set where the weights have a scale σ² (Options.Sigma).
	scaled bool
	// denseWeights is set where sparse weights become dense ones.
	denseWeights bool
	// encodedBy is the loss whose algorithms encode new samples, where the own weight of
	// a sample cancels; nil: this one.
	encodedBy *Loss
	// encodeTogether encodes samples that depend on each other, from the start that W
	// holds; nil: they never do.
	encodeTogether func(ctx context.Context, e *Encoder, f *factorization) error
	memory         memory
	// degree is p of D(cx|cy) = c^p D(x|y); nil: there is none.
	degree func(o Options) float64
	// checkData refuses data for which the loss is infinite; nil: there are none.
	checkData func(d Data, o Options) error
	// warning describes oddities of the factors at the end of a fit, "" for none; nil: there are never
	// any.
	warning func(last Point) string
}

// algorithm is how one solver lowers one loss.
type algorithm struct {
	// updates makes the iteration of a fit: its step, its objective, its plan.
	updates func(f *factorization, g *graphTerm, o Options) updates
	// encode iterates over a block of rows of W for fixed components, each row by
	// itself, from the start that W holds. Of a loss with encodedBy it is nil.
	encode func(e *Encoder, f *factorization, s *scratch, lo, hi int)
	// solve is encode to the end: until the residual of each row is at most the tolerance
	// of the encoder.
	solve func(e *Encoder, f *factorization, s *scratch, lo, hi int)
	// weighted makes the iteration of a fit where the entries have weights; nil: it knows
	// none.
	weighted func(f *factorization, o Options) updates
	// learner is how batches are learnt from, of solver [MiniBatch] alone, which has no
	// updates.
	learner func(l *Online) learner
	// codesFirst is set where the algorithm knows the order [CodesFirst].
	codesFirst bool
	// wFirst is set where the algorithm knows the order [WFirst].
	wFirst bool
	// fixes is set where the algorithms of the loss leave a fixed factor alone.
	fixes bool
}

// updates is the iteration by which one solver lowers one loss.
type updates interface {
	// prepare computes the sums that the first step needs.
	prepare(ctx context.Context) error
	// step updates H, then W. traced announces that point
	// will be asked next; it may be without.
	step(ctx context.Context, iteration int, traced bool) error
	// point measures the present factors.
	point(ctx context.Context) (Point, error)
	// normalize scales the components to unit length.
	normalize()
	// finish leaves the result in the factors.
	finish()
	plan() string
}

// memory is the memory of a loss in addition to the factors.
type memory struct {
	tiles int  // block × m tiles of each worker, with dense data
	rows  int  // the same, with sparse data
	wide  bool // the step of H sums a denominator with each numerator
	// byRows is set where the step of H sums sparse data row by row, without their transpose.
	byRows bool
	// whole reports whether a fit keeps an n × m matrix; nil: none does.
	whole func(o Options) bool
}

// LossNamed returns the loss of that name: frobenius, kl, l21, correntropy, beta, negative-binomial or huber.
func LossNamed(name string) (*Loss, error) {
	for _, l := range losses {
		if l.name == name {
			return l, nil
		}
	}
	return nil, oneOf("loss", name, namesOfLosses(func(*Loss) bool { return true }))
}

// EncodingLosses are the losses that encode new samples by algorithms of their own.
// The order never changes: models refer to a loss by its place.
func EncodingLosses() []*Loss {
	var own []*Loss
	for _, l := range losses {
		if l.encodedBy == nil {
			own = append(own, l)
		}
	}
	return own
}

// String returns the name of the loss.
func (l *Loss) String() string { return l.orDefault().name }

// Degree returns p of D(cx|cy) = c^p D(x|y), by which a weight w of columns is their scale w^(1/p); 0: there is none. Of L21 it
// is that of the squares under its root.
func (o Options) Degree() float64 {
	if of := o.Loss.orDefault().degree; of != nil {
		return max(0, of(o))
	}
	return 0
}

// Encoding returns the loss by which new samples are encoded: one of [EncodingLosses].
func (l *Loss) Encoding() *Loss {
	l = l.orDefault()
	if l.encodedBy != nil {
		return l.encodedBy
	}
	return l
}

// SolvedBy reports whether a solver of [Options] lowers the loss.
func (l *Loss) SolvedBy(solver string) bool {
	_, ok := l.orDefault().algorithms[solver]
	return ok
}

// TakesSparse reports whether the loss takes sparse data.
func (l *Loss) TakesSparse() bool { return l.orDefault().sparse }

// Scaled reports whether the loss has a scale σ², hence reads Options.Sigma.
func (l *Loss) Scaled() bool { return l.orDefault().scaled }

// FindsRank reports whether [SearchRank] takes the loss: not one whose scale follows the residuals (σ², a dispersion or a threshold), as
// losses of different ranks are then no longer comparable.
func (l *Loss) FindsRank() bool {
	l = l.orDefault()
	return !l.scaled && l != NegativeBinomial && l != Huber
}

func (l *Loss) orDefault() *Loss {
	if l == nil {
		return Frobenius
	}
	return l
}

// checkSolver refuses solvers and orders that the loss does not have.
func (l *Loss) checkSolver(solver, order string) error {
	a, ok := l.algorithms[solver]
	switch {
	case !ok:
		known := namesOfLosses(func(l *Loss) bool { return l.SolvedBy(solver) })
		return fmt.Errorf("nmf: solver %s is for loss %s; take solver %s for %s", solver, strings.Join(known, " or "), Multiplicative, l.name)
	case order == CodesFirst && !a.codesFirst:
		known := namesOfLosses(func(l *Loss) bool { return l.algorithms[Multiplicative].codesFirst })
		return fmt.Errorf("nmf: order %s is for solver %s and loss %s; leave it out", CodesFirst, Multiplicative, strings.Join(known, " or "))
	case order == WFirst && !a.wFirst:
		return fmt.Errorf("nmf: order %s is for loss %s; leave it out", WFirst, namesInText(func(l *Loss) bool { return l.algorithms[solver].wFirst }))
	}
	return nil
}

// checkSparse refuses sparse data where the loss wants every entry.
func (l *Loss) checkSparse(d Data, remedy string) error {
	if d.Sparse == nil || l.sparse {
		return nil
	}
	return fmt.Errorf("nmf: loss %s weights every entry, which sparse data do not store; make the data dense%s", l.name, remedy)
}

// checkLoss refuses data for which the loss is infinite.
func (o Options) checkLoss(d Data) error {
	if o.Loss.checkData == nil {
		return nil
	}
	return o.Loss.checkData(d, o)
}

// namesInText are the names of those losses that have a property, as a message has them.
func namesInText(has func(l *Loss) bool) string {
	names := namesOfLosses(has)
	last := max(0, len(names)-1)
	if last == 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// namesOfLosses are the names of those losses that have a property.
func namesOfLosses(has func(l *Loss) bool) []string {
	var names []string
	for _, l := range losses {
		if has(l) {
			names = append(names, l.name)
		}
	}
	return names
}
