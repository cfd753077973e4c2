package trust

import (
	"fmt"
	"math"
)

// The thresholds of the verdict (docs/quality.md), chosen on the half of the suite trust that is seen.
const (
	maxNoise   = 0.28
	maxMixed   = 0.07 // of data with few dimensions
	maxMixedIn = 0.15 // of data with more dimensions than the map holds, inside of whose groups neighbours cannot be kept
	moreBy     = 1.25 // dimensions that make them more
	// Of data with few dimensions, the share of invented neighbours.
	maxInvented = 0.115
	maxSevered  = 0.012
	maxMerged   = 0.05
	// Lists with fewer neighbours than fewest, or fewer iterations than fewIterations, are named as the cause.
	fewIterations = 100
)

// Made says how a map was made.
type Made struct {
	Dim        int     // coordinates
	Dimension  float64 // that the data show
	Lists      int     // neighbours that the method looked at
	Perplexity bool    // they follow from a perplexity
	Iterations int     // 0: unknown
	Samples    int
	Number     func(i int) int // the caller's number of a sample, from 1
}

// Doubt returns the doubt about a map with the cause and a remedy; empty: there is none.
func (s *Scores) Doubt(of Made) string {
	percent := func(v float64) string { return fmt.Sprintf("%.2g %%", 100*v) }
	mixed, invented := maxMixed, maxInvented
	if !(of.Dimension < float64(of.Dim)+moreBy) {
		mixed, invented = maxMixedIn, 1
	}
	text := ""
	switch {
	case s.Noise > maxNoise:
		return fmt.Sprintf("the data show no structure that a map can show: %s of the nearest neighbours are in another community of the neighbour graph, as in noise, and the data show about %.0f dimensions; groups, gaps and distances of this map mean nothing; choose or scale the columns first (‹reduce=K›, ‹standardize=standard›)",
			percent(s.Noise), math.Max(1, of.Dimension))
	case s.Merged > maxMerged && s.Groups > 1:
		text = fmt.Sprintf("the map mixes groups: %s of the nearest in the map are in another of the %d groups that the neighbour graph keeps apart", percent(s.Merged), s.Groups)
	case s.Mixed <= mixed && s.InventedShare > invented:
		text = fmt.Sprintf("the map invents neighbourhoods: %s of the nearest in the map are not near each other in the data", percent(s.InventedShare))
	case s.Mixed > mixed:
		text = fmt.Sprintf("the map invents neighbourhoods: %s of the nearest in the map are in another community of the neighbour graph, and %s of the nearest in the data", percent(s.Mixed+s.Noise), percent(s.Noise))
	case s.Severed > maxSevered && !(of.Dimension < maxCurve):
		text = fmt.Sprintf("the map shows gaps that the data do not have: they divide %s of the nearest neighbours (%s in the map, %d in the neighbour graph)", percent(s.Severed), groupsOf(s.Shown), s.Groups)
	case s.Tears > 0:
		text = fmt.Sprintf("the map tears the data, which are a curve: %d pairs of nearest samples are more than a tenth of the map apart, most at sample %d (counting from 1)", s.Tears, of.Number(s.TornAt))
	default:
		return ""
	}
	return text + "; " + of.remedy()
}

// remedy names the cause that the parameters show, and what to change.
func (of Made) remedy() string {
	switch {
	case of.Lists < fewest && of.Perplexity:
		return fmt.Sprintf("the perplexity is so small that each sample looks at %d neighbours alone: take ‹perplexity=30›", of.Lists)
	case of.Lists < fewest:
		return fmt.Sprintf("each sample looks at %d neighbours alone: take ‹neighbors=15›", of.Lists)
	case 0 < of.Iterations && of.Iterations < fewIterations:
		return fmt.Sprintf("the map has not settled after %d iterations: take more", of.Iterations)
	}
	more := "‹neighbors›"
	if of.Perplexity {
		more = "‹perplexity›"
	}
	return "take larger " + more + ", or another start (‹init›), and trust only what maps with other seeds have in common"
}

// groupsOf formats a number of groups.
func groupsOf(count int) string {
	if count == 1 {
		return "1 group"
	}
	return fmt.Sprintf("%d groups", count)
}
