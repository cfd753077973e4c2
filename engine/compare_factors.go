package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FactorCandidate is one factorisation to compare: a method with its parameters, and a rank.
type FactorCandidate struct {
	Method Method
	Rank   int // at least 1, at most the smaller dimension of the data
}

// CompareFactorsOptions configure [CompareFactorizations].
type CompareFactorsOptions struct {
	Options
	HeldOut float64 // the share of the entries that the fits to be measured do not see, above 0 and below 1; 0: 0.1
	Masks   int     // how many choices of these entries there are; 0: 3
	// Each is called with every candidate's factorisation of all entries, as [Factorize] returns it; W is not kept. An error ends the
	// work and is returned. It may be nil.
	Each func(candidate int, r *Factorization) error
}

// ComparedFactors is what is measured of one [FactorCandidate].
type ComparedFactors struct {
	Candidate FactorCandidate
	Err       error // why there is no factorisation, of a candidate that does not suit the data; nil: there is one
	// Found is the factorisation of all entries from the seed of the options, without W. Its trace has the own objective.
	Found *Factorization
	// HeldOutError is ‖X − WH‖/‖X‖ over the entries that were held out, the mean over the masks, and HeldOutDivergence their
	// mean Kullback–Leibler divergence; both measure any loss alike.
	HeldOutError, HeldOutDivergence float64
	// The standard errors of their differences from those of the best row, over the masks: differences on the same entries scatter far
	// less than what is compared. NaN for one mask.
	HeldOutErrorSE, HeldOutDivergenceSE float64
	Sparseness                          float64 // the mean over the components: see [FactorPart]
	// Match is the mean cosine of the components with those of the best candidate that they are matched with
	// ([measures.MatchComponents]); with fewer components than that one, of all of these.
	Match float64

	relative, divergence []float64 // by mask
}

// FactorComparison is the result of [CompareFactorizations].
type FactorComparison struct {
	Rows    []ComparedFactors // in the order of the candidates
	Best    int               // the row of the least HeldOutError; −1: none could be factorised
	HeldOut float64
	Masks   int

	Warnings       []string
	EstimatedBytes int64   // see [Factorization]
	Seconds        Seconds // wall time of all: total
	CPUSeconds     Seconds
}

// CompareFactorizations factorises the rows of x by several methods, ranks, losses and starts, and measures how well each predicts
// the same entries that it did not see (Wold 1978): by the squared error and by the Kullback–Leibler divergence, whatever loss
// it minimised. Each candidate is fitted once to all entries and once for every choice of hidden ones. The methods are those of
// [FactorizeRuns]. The result does not depend on the number of threads.
//
// Errors are no candidates, methods with a graph, masks and shares out of range, and what [Factorize] refuses of all candidates; what
// it refuses of one is in its row.
func CompareFactorizations(ctx context.Context, x mat.Matrix, candidates []FactorCandidate, o CompareFactorsOptions) (*FactorComparison, error) {
	if err := refuseAbsentData(ctx, x); err != nil {
		return nil, err
	}
	o.Overwrite = false // each candidate reads the data
	c := &FactorComparison{HeldOut: o.HeldOut, Masks: o.Masks, Best: -1}
	if c.HeldOut == 0 {
		c.HeldOut = 0.1
	}
	if c.Masks == 0 {
		c.Masks = 3
	}
	if err := c.check(candidates); err != nil {
		return nil, err
	}
	clock := NewClock()
	var refused error
	for i, candidate := range candidates {
		row := ComparedFactors{Candidate: candidate}
		err := c.measure(ctx, x, &row, o)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			row = ComparedFactors{Candidate: candidate, Err: err}
			if refused == nil {
				refused = err
			}
		}
		if err == nil && o.Each != nil {
			if err := o.Each(i, row.Found); err != nil {
				return nil, err
			}
		}
		if row.Found != nil {
			row.Found.W = nil
			c.EstimatedBytes = max(c.EstimatedBytes, row.Found.EstimatedBytes)
			c.Warnings = eachOnce(c.Warnings, row.Found.Warnings)
		}
		c.Rows = append(c.Rows, row)
		if row.Found != nil && (c.Best < 0 || row.HeldOutError < c.Rows[c.Best].HeldOutError) {
			c.Best = i
		}
	}
	if c.Best < 0 {
		return nil, refused
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Found == nil {
			continue
		}
		match, err := measures.MatchComponents(row.Found.H, c.Rows[c.Best].Found.H)
		if err != nil {
			return nil, err
		}
		row.Match = match.Mean
		row.HeldOutErrorSE = pairedError(row.relative, c.Rows[c.Best].relative)
		row.HeldOutDivergenceSE = pairedError(row.divergence, c.Rows[c.Best].divergence)
	}
	c.Seconds, c.CPUSeconds = clock.Seconds()
	return c, nil
}

// check returns an error for what cannot be compared.
func (c *FactorComparison) check(candidates []FactorCandidate) error {
	switch {
	case len(candidates) == 0:
		return errors.New("no factorisations are given to compare; give one at least")
	case !(c.HeldOut > 0 && c.HeldOut < 1):
		return fmt.Errorf("a share of %v of the entries is held out; give a number between 0 and 1", c.HeldOut)
	case c.Masks < 1:
		return fmt.Errorf("%d masks; give 1 at least, and 2 for a standard error", c.Masks)
	}
	for _, one := range candidates {
		if param.Absent(one.Method) {
			return errors.New("a candidate has no method; give it one")
		}
		switch {
		case !slices.Contains(restarting(), one.Method.Name()):
			return fmt.Errorf("%s: factorisations are compared by entries that they do not see, by %s; leave it out", one.Method.Name(), strings.Join(restarting(), ", "))
		case InBatches(one.Method):
			return wording.Errorf("%s: ‹solver=minibatch› sees all entries; choose another solver to compare", one.Method.Name())
		case one.Rank < 1:
			return fmt.Errorf("%s: rank %d; give a whole number ≥ 1", one.Method.Name(), one.Rank)
		}
	}
	return nil
}

// measure factorises by one candidate, and predicts.
func (c *FactorComparison) measure(ctx context.Context, x mat.Matrix, row *ComparedFactors, o CompareFactorsOptions) error {
	f, s, err := begin(ctx, "factorize", x, row.Candidate.Method, o.Options)
	if err != nil {
		return err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return err
	}
	if s, _, err = through(s, read{data: f.data}, f.standardize(), densify{remedy: staysSparse}, rescale{}, inUnit{f.task}); err != nil {
		return err
	}
	work := factor.Work{Run: s.Run, X: s.x, Plan: method.RowOf(s.method).Factorize(), Rank: row.Candidate.Rank}
	if least := min(work.X.N(), work.X.M()); work.Rank > least {
		return fmt.Errorf("%s: rank %d for %d × %d data; give ranks from 1 to %d", work.Method(), work.Rank, work.X.N(), work.X.M(), least)
	}
	unseen, err := work.Unseen(c.HeldOut, c.Masks)
	if err != nil {
		return err
	}
	for _, u := range unseen {
		if !magnitude.Length("", 1, &u.Divergence).Scale(s.unit) {
			return s.unit.Refuse("the divergence of held-out entries would be beyond the range of numbers")
		}
		row.relative, row.divergence = append(row.relative, u.Relative), append(row.divergence, u.Divergence)
		row.HeldOutError += u.Relative / float64(c.Masks)
		row.HeldOutDivergence += u.Divergence / float64(c.Masks)
	}
	if row.Found, err = Factorize(ctx, x, row.Candidate.Method, FactorizeOptions{Options: o.Options, Rank: row.Candidate.Rank}); err != nil {
		return err
	}
	row.Found.EstimatedBytes = max(row.Found.EstimatedBytes, s.PeakBytes())
	for _, p := range row.Found.Parts {
		if !math.IsNaN(p.Sparseness) {
			row.Sparseness += p.Sparseness / float64(len(row.Found.Parts))
		}
	}
	return nil
}

// pairedError is the standard error of the mean difference of two lists; NaN of one number each.
func pairedError(of, from []float64) float64 {
	_, standard := nmf.RankTried{Losses: of}.Behind(nmf.RankTried{Losses: from})
	return standard
}
