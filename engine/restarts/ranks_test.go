package restarts_test

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/engine/restarts"
	"github.com/orthant-go/orthant/internal/must"
)

// What is reported of the runs of a rank, from numbers that can be checked by hand.
func TestChooseRank(t *testing.T) {
	run := func(rank int, loss float64) restarts.HeldOut {
		return restarts.HeldOut{Rank: rank, Loss: loss, Error: loss / 10}
	}
	runs := []restarts.HeldOut{run(3, 2), run(1, 9), run(2, 2.2), run(3, 1), run(2, 2), run(1, 7), run(4, 1.8), run(4, 1.6)}
	c := must.Get(restarts.ChooseRank(runs))(t)
	// Rank 3: mean 1.5, deviation 1/√2, standard error 1/2. Rank 2 has 2.1.
	if c.Best != 3 || c.Sparing != 3 || len(c.Ranks) != 4 || c.AtEnd {
		t.Errorf("%+v", c)
	}
	if r := c.Ranks[2]; r.Rank != 3 || r.Runs != 2 || r.Mean != 1.5 || math.Abs(r.StandardError-0.5) > 1e-12 || r.Least != 1 || r.Most != 2 || math.Abs(r.Relative-0.15) > 1e-12 {
		t.Errorf("%+v", r)
	}
	runs[2].Loss = 1.9 // rank 2: 1.95, within a standard error of 1.5
	if c, _ := restarts.ChooseRank(runs); c.Best != 3 || c.Sparing != 2 {
		t.Errorf("%+v", c)
	}
	// Rank 4 would be the largest of the range; without it rank 3 is.
	if c, _ := restarts.ChooseRank(runs[:6]); c.Best != 3 || !c.AtEnd {
		t.Errorf("the best rank is not said to be the largest: %+v", c)
	}
	if c, _ := restarts.ChooseRank(runs[:1]); c.AtEnd {
		t.Errorf("one rank is not a range: %+v", c)
	}
	if c, _ := restarts.ChooseRank(runs[:3]); c.Best != 2 || c.Sparing != 2 || !math.IsNaN(c.Ranks[0].StandardError) {
		t.Errorf("of single runs: %+v", c)
	}
	if _, err := restarts.ChooseRank(nil); err == nil {
		t.Error("no runs are compared")
	}
}
