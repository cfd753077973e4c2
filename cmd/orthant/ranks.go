package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rankRange is a rank, or several: "10", "5:15", or "5,10,15".
type rankRange struct{ ranks []int } // ascending and distinct

func (r *rankRange) String() string {
	var parts []string
	for i := 0; i < len(r.ranks); {
		j := i
		for j+1 < len(r.ranks) && r.ranks[j+1] == r.ranks[j]+1 {
			j++
		}
		if text := strconv.Itoa(r.ranks[i]); j > i {
			parts = append(parts, fmt.Sprintf("%s:%d", text, r.ranks[j]))
		} else {
			parts = append(parts, text)
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Type names what is asked for.
func (r *rankRange) Type() string { return "ranks" }

// mostRanks bounds a list of ranks: more are a slip of the hand.
const mostRanks = 10_000

// Set reads the value of the flag.
func (r *rankRange) Set(text string) error {
	var ranks []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(part, ":")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && several {
			to, err = strconv.Atoi(last)
		}
		switch {
		case err != nil:
			return errors.New("give a whole number, or several such as 5:15 or 5,10,15")
		case to < from:
			return fmt.Errorf("the first rank is above the last; give %d:%d", to, from)
		case to-from >= mostRanks:
			return fmt.Errorf("these are more than %d ranks; give fewer", mostRanks)
		}
		for rank := from; rank <= to; rank++ {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	r.ranks = slices.Compact(ranks)
	return nil
}

// least and most are the ends of the ranks; 0: none were given.
func (r *rankRange) least() int {
	if len(r.ranks) == 0 {
		return 0
	}
	return r.ranks[0]
}

func (r *rankRange) most() int { return r.ranks[len(r.ranks)-1] }
