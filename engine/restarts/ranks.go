package restarts

import (
	"errors"
	"math"
	"slices"
)

// RankError measures how well the runs of one rank predict hidden entries: the mean loss
// of an entry, which is the squared error, or for nmf-kl the divergence from the
// model mixed with a hundredth of the mean of these entries.
type RankError struct {
	Rank, Runs    int
	Mean          float64 // over the runs
	StandardError float64 // of Mean; NaN for a single run
	Least, Most   float64 // over the runs
	Relative      float64 // ‖E‖/‖X‖ over these entries, averaged over the runs
	// Behind is by how much Mean is larger than that of the best rank, and BehindError the standard error of
	// this difference over the runs, which is far smaller than StandardError because the ranks of a run are compared on the
	// same entries. Only a search for the rank sets them; they are 0 for the best rank.
	Behind, BehindError float64
}

// RankChoice is the choice of a rank by held-out entries.
type RankChoice struct {
	Ranks []RankError // ascending
	// Best has the smallest mean. Sparing is the smallest rank whose mean is at most the best mean plus
	// its standard error (the one-standard-error rule, Breiman et al. 1984); with single runs
	// it equals Best.
	Best, Sparing int
	// AtEnd reports that Best is the largest of several ranks, so that a larger one may predict even
	// better.
	AtEnd bool
}

// HeldOut measures how well one run predicts the entries hidden from it.
type HeldOut struct {
	Rank  int
	Loss  float64 // mean over these entries
	Error float64 // ‖E‖/‖X‖ over them
}

// ChooseRank compares the ranks of runs with held-out entries, following Wold
// (1978, Technometrics 20:397–405) and Owen and Perry (2009, Annals of Applied Statistics
// 3:564–594): more components always fit the visible entries better,
// but components beyond those in the data predict the hidden entries worse.
func ChooseRank(runs []HeldOut) (*RankChoice, error) {
	byRank := map[int][]HeldOut{}
	for _, r := range runs {
		byRank[r.Rank] = append(byRank[r.Rank], r)
	}
	if len(runs) == 0 {
		return nil, errors.New("no runs are given; give some of each rank")
	}
	c := &RankChoice{}
	for rank, list := range byRank {
		c.Ranks = append(c.Ranks, errorOf(rank, list))
	}
	slices.SortFunc(c.Ranks, func(a, b RankError) int { return a.Rank - b.Rank })
	best := c.Ranks[0]
	for _, r := range c.Ranks {
		if r.Mean < best.Mean {
			best = r
		}
	}
	c.Best, c.Sparing = best.Rank, best.Rank
	c.AtEnd = len(c.Ranks) > 1 && best.Rank == c.Ranks[len(c.Ranks)-1].Rank
	for _, r := range c.Ranks {
		if r.Mean <= best.Mean+best.StandardError {
			c.Sparing = r.Rank
			break
		}
	}
	return c, nil
}

// errorOf summarises the runs of one rank.
func errorOf(rank int, list []HeldOut) RankError {
	e := RankError{Rank: rank, Runs: len(list), Least: math.Inf(1)}
	n := float64(len(list))
	for _, r := range list {
		e.Mean += r.Loss / n
		e.Relative += r.Error / n
		e.Least, e.Most = min(e.Least, r.Loss), max(e.Most, r.Loss)
	}
	var squares float64
	for _, r := range list {
		squares += (r.Loss - e.Mean) * (r.Loss - e.Mean)
	}
	e.StandardError = math.Sqrt(squares / (n - 1) / n) // 0/0 for a single run
	return e
}
