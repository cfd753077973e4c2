package restarts

import (
	"errors"
	"math"
	"slices"
)

// RankError is how well the runs of one rank predict the entries that they did not see: by
// the mean loss of such an entry, the squared error, or of nmf-kl the divergence from the
// model with a hundredth of the mean of these entries mixed in.
type RankError struct {
	Rank, Runs    int
	Mean          float64 // over the runs
	StandardError float64 // of Mean; NaN of a single run
	Least, Most   float64 // of a run
	Relative      float64 // ‖E‖/‖X‖ over these entries, the mean over the runs
}

// RankChoice is the choice of a rank by held-out entries.
type RankChoice struct {
	Ranks []RankError // ascending
	// Best has the least mean. Sparing is the smallest rank whose mean is at most that one and
	// its standard error (the rule of one standard error, Breiman et al. 1984); of single runs
	// it is Best.
	Best, Sparing int
	// AtEnd says that Best is the largest of several ranks, so that a larger one may predict still
	// better.
	AtEnd bool
}

// HeldOut is how well one run predicts the entries that it did not see.
type HeldOut struct {
	Rank  int
	Loss  float64 // the mean over these entries
	Error float64 // ‖E‖/‖X‖ over them
}

// ChooseRank compares the ranks of runs that each held out some entries, as Wold
// (1978, Technometrics 20:397–405) and Owen and Perry (2009, Annals of Applied Statistics
// 3:564–594) choose the number of components: more of them always fit what they see better,
// and beyond those that the data have they predict the rest worse.
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

// errorOf sums up the runs of one rank.
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
	e.StandardError = math.Sqrt(squares / (n - 1) / n) // 0/0 of a single run
	return e
}
