package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// RankSearch says how [FindRank] looks for a rank, and [Factorize] for the rank [Auto].
type RankSearch struct {
	Least, Most int     // the ranks to look among; 0: 1, and the largest rank whose factors have no more numbers than there are entries to see
	HeldOut     float64 // the share of the entries that the fits do not see, above 0 and below 1; 0: 0.1
	Masks       int     // how many choices of these entries there are; 0: 3
}

// FindRankOptions configure [FindRank].
type FindRankOptions struct {
	Options
	RankSearch
	EntryWeights mat.Matrix // of all entries, see [FactorizeOptions]; nil: all are equal
}

// FoundRank is the result of [FindRank].
type FoundRank struct {
	Rank int // the smallest rank that predicts held-out entries as well as the best, within one standard error of the difference
	// RankChoice has the ranks that were tried. Its Sparing is Rank.
	RankChoice
	HeldOut float64
	Masks   int

	Warnings       []string
	EstimatedBytes int64   // see [Factorization]
	Seconds        Seconds // wall time: total, rank
	CPUSeconds     Seconds
}

// FindRank finds how many components nmf, nmf-kl, nmf-beta or l21-nmf need for the rows of x, by entries that the fits do not
// see (Wold 1978): see [nmf.SearchRank]. Ranks are compared by the mean loss of these entries, over several
// choices of them. The result depends neither on the number of threads nor on the iterations and the start of the method.
//
// Errors are those of [Factorize], and too few entries to hold any out.
func FindRank(ctx context.Context, x mat.Matrix, m Method, o FindRankOptions) (*FoundRank, error) {
	f, s, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	r := &FoundRank{HeldOut: o.HeldOut, Masks: o.Masks}
	if err := r.check(s); err != nil {
		return nil, err
	}
	s, _, err = through(s, read{data: f.data}, f.standardize(), densify{remedy: staysSparse}, weigh{o.EntryWeights}, rescale{}, inUnit{f.task})
	if err != nil {
		return nil, err
	}
	work := factor.Work{Run: s.Run, X: s.x, Weights: s.weights, Plan: method.RowOf(s.method).Factorize()}
	found, err := work.FindRank(factor.RankSearch{Least: o.Least, Most: o.Most, Share: r.HeldOut, Masks: r.Masks})
	if err != nil {
		return nil, err
	}
	if err := r.take(found, s.unit); err != nil {
		return nil, err
	}
	r.Warnings, r.EstimatedBytes = s.Warnings(), s.PeakBytes()
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r, nil
}

// check fills in the defaults, and returns an error for what cannot be searched.
func (r *FoundRank) check(s state) error {
	if r.HeldOut == 0 {
		r.HeldOut = 0.1
	}
	if r.Masks == 0 {
		r.Masks = 3
	}
	finds := method.RowOf(s.method).Factorize().FindsRank()
	usual, err := method.New(s.Method())
	if err != nil {
		return err
	}
	switch {
	case !finds && method.DefaultRow(usual).Factorize().FindsRank():
		return wording.Errorf("%s: the rank is not found with this loss, whose scale follows the residuals; choose ‹loss=beta›, or give a number for ‹rank›", s.Method())
	case !finds:
		names := method.NamesWhere(func(_ Method, r method.Row) bool { return r.Factorize != nil && r.Factorize().FindsRank() })
		return wording.Errorf("%s: the rank is found for %s; take one of these, or give a number for ‹rank›", s.Method(), strings.Join(names, ", "))
	case !(r.HeldOut > 0 && r.HeldOut < 1):
		return fmt.Errorf("%s: a share of %v of the entries is held out; give a number between 0 and 1", s.Method(), r.HeldOut)
	case r.Masks < 2:
		return fmt.Errorf("%s: %d masks; give 2 at least, of which there is a standard error", s.Method(), r.Masks)
	}
	return nil
}

// take summarises the ranks that were tried, in the unit of the data.
func (r *FoundRank) take(found *factor.FoundRanks, unit magnitude.Unit) error {
	best, sparing := nmf.BestRank(found.Tried)
	for _, t := range found.Tried {
		e := summary(t)
		e.Behind, e.BehindError = t.Behind(found.Tried[best])
		for _, v := range []*float64{&e.Mean, &e.StandardError, &e.Least, &e.Most, &e.Behind, &e.BehindError} {
			if !magnitude.Length("", found.Power, v).Scale(unit) {
				return unit.Refuse("the loss of held-out entries would be beyond the range of numbers")
			}
		}
		r.Ranks = append(r.Ranks, e)
	}
	r.Best, r.Sparing = found.Tried[best].Rank, found.Tried[sparing].Rank
	r.AtEnd = len(found.Tried) > 1 && best == len(found.Tried)-1
	r.Rank = r.Sparing
	return nil
}

// summary is what a rank that was tried has in common with one of many runs.
func summary(t nmf.RankTried) RankError {
	var runs []FactorRun
	for i := range t.Losses {
		runs = append(runs, FactorRun{Rank: t.Rank, Run: i, HeldOut: true, HeldOutLoss: t.Losses[i], HeldOutError: t.Relative[i]})
	}
	choice, err := ChooseRank(runs)
	if err != nil {
		panic(err) // there are runs, and all hold out entries
	}
	return choice.Ranks[0]
}

// factorizeAuto finds the rank, and factorises with it.
func factorizeAuto(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions) (*Factorization, error) {
	if o.InitW != nil || o.InitH != nil {
		return nil, wording.Errorf("%s: a start has a rank, and there is nothing to find; give that ‹rank›, or leave the start out", m.Name())
	}
	found, err := FindRank(ctx, x, m, FindRankOptions{Options: o.Options, RankSearch: o.RankSearch, EntryWeights: o.EntryWeights})
	if err != nil {
		return nil, err
	}
	o.Rank = found.Rank
	r, err := Factorize(ctx, x, m, o)
	if err != nil {
		return nil, err
	}
	r.RankFound = found
	r.Warnings = eachOnce(found.Warnings, r.Warnings)
	r.EstimatedBytes = max(r.EstimatedBytes, found.EstimatedBytes)
	for _, of := range []struct{ all, more Seconds }{{r.Seconds, found.Seconds}, {r.CPUSeconds, found.CPUSeconds}} {
		for name, seconds := range of.more {
			of.all[name] += seconds
		}
	}
	return r, nil
}

// eachOnce lists the warnings of two runs of one task, each once.
func eachOnce(first, second []string) []string {
	for _, text := range second {
		if !slices.Contains(first, text) {
			first = append(first, text)
		}
	}
	return first
}
