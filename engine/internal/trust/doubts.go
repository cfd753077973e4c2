package trust

import (
	"fmt"
	"math"
	"strings"
)

// The thresholds of the verdict (docs/quality.md), chosen on the half of the suite trust that is seen. Inside of groups of more dimensions than the
// map holds, neighbours cannot be kept, and few of the neighbours there cross from group to group.
const (
	maxNoise  = 0.28
	maxMerged = 0.05
	// Of data with few dimensions.
	maxMixed, maxInvented, maxSevered = 0.07, 0.115, 0.012
	// Of data that show moreBy dimensions more than the map has, in one group and in several.
	moreBy                                             = 1.25
	maxMixedInMany, maxMixedOfGroups, maxSeveredInMany = 0.15, 0.25, 0.05
	// Lists with fewer neighbours than fewest, or fewer iterations than fewIterations, are named as the cause.
	fewIterations = 100
)

// Settings are the settings of a method, ‹KEY=VALUE›, that are enough for the map of most data. Empty: the method has no such parameter.
type Settings struct {
	Lists string // by which it looks at more neighbours
	Steps string // by which it settles
}

// key returns the marked parameter of a marked setting.
func key(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	return name + "›"
}

// Made says how a map was made.
type Made struct {
	Dim        int     // coordinates
	Dimension  float64 // that the data show
	Lists      int     // neighbours that the method looked at
	Settings   Settings
	Iterations int // 0: unknown
	Samples    int
	Number     func(i int) int // the caller's number of a sample, from 1
}

// Doubt returns the doubt about a map with the cause and a remedy; empty: there is none.
func (s *Scores) Doubt(of Made) string {
	percent := func(v float64) string { return fmt.Sprintf("%.2g %%", 100*v) }
	mixed, invented, severed := maxMixed, maxInvented, maxSevered
	if !(of.Dimension < float64(of.Dim)+moreBy) {
		mixed, invented, severed = maxMixedInMany, 1, maxSeveredInMany
		if s.Groups > 1 {
			mixed = maxMixedOfGroups
		}
	}
	text := ""
	switch {
	case s.Noise > maxNoise:
		return fmt.Sprintf("the data show no structure that a map can show: %s of the nearest neighbours are in another community of the neighbour graph, as in noise, and the data show about %.0f dimensions. Groups, gaps and distances of this map mean nothing. Choose or scale the columns first (‹reduce=K›, ‹standardize=standard›)",
			percent(s.Noise), math.Max(1, of.Dimension))
	case s.Merged > maxMerged && s.Groups > 1:
		text = fmt.Sprintf("the map mixes groups: %s of the nearest in the map are in another of the %d groups that the neighbour graph keeps apart", percent(s.Merged), s.Groups)
	case s.Mixed <= mixed && s.InventedShare > invented:
		text = fmt.Sprintf("the map invents neighbourhoods: %s of the nearest in the map are not near each other in the data", percent(s.InventedShare))
	case s.Mixed > mixed:
		text = fmt.Sprintf("the map invents neighbourhoods: %s of the nearest in the map are in another community of the neighbour graph, and %s of the nearest in the data", percent(s.Mixed+s.Noise), percent(s.Noise))
	case s.Severed > severed && !(of.Dimension < maxCurve):
		text = fmt.Sprintf("the map shows gaps that the data do not have: they divide %s of the nearest neighbours (%s in the map, %d in the neighbour graph)", percent(s.Severed), counted(s.Shown, "group"), s.Groups)
	case s.Tears > 0:
		text = fmt.Sprintf("the map tears the data, which are a curve: %s of near samples are far apart in the map, most at sample %d (counting from 1)", counted(s.Tears, "pair"), of.Number(s.TornAt))
	default:
		return ""
	}
	return text + "; " + of.remedy()
}

// remedy names the cause that the parameters show, and what to change.
func (of Made) remedy() string {
	switch {
	case of.Lists < fewest && of.Settings.Lists != "":
		return fmt.Sprintf("each sample looks at %s alone: take %s", counted(of.Lists, "neighbour"), of.Settings.Lists)
	case 0 < of.Iterations && of.Iterations < fewIterations && of.Settings.Steps != "":
		return fmt.Sprintf("the map has not settled after %s: take %s", counted(of.Iterations, "iteration"), of.Settings.Steps)
	case of.Settings.Lists == "":
		return "take another start (‹init›), and trust only what maps with other seeds have in common"
	}
	return "take larger " + key(of.Settings.Lists) + ", or another start (‹init›), and trust only what maps with other seeds have in common"
}

// counted formats a number of things.
func counted(count int, of string) string {
	if count == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", count, of)
}
