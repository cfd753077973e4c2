package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Publication is a paper that claims are from.
type Publication struct {
	Name   string // short, such as its method's
	Source string // how the Source of each of its claims begins
}

// ownSource is how the Source of a claim of this project begins.
const ownSource = "orthant"

// own tells whether a claim is this project's, whatever it is taken after.
func (c Claim) own() bool { return strings.HasPrefix(c.Source, ownSource) }

// from tells whether a claim is of this paper.
func (p Publication) from(c Claim) bool {
	rest, found := strings.CutPrefix(c.Source, p.Source)
	return found && (rest == "" || strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";"))
}

// paperClaims are the claims of one paper, or of this project.
type paperClaims struct {
	Anchor     string
	Short      string // for a link
	Title      string
	Counts     string
	PlaceName  string // heading of the places
	FigureName string // heading of the figures that ours are held to
	Claims     []placedClaim
}

// placedClaim is a claim with its place in the paper.
type placedClaim struct {
	Judged
	Place string // such as "Fig. 3"; of this project's claims the suite
}

// spentNote says what the times beside the claims are.
const spentNote = "Times of ours are processor seconds on the machine named above: the medians of the cases that a finding was read from, added up. " +
	"A paper's times are as it prints them, with its machine; where it says none, nothing stands there."

// byPaper groups claims: those of each paper in its turn, by their place in it, then
// those of other sources, and this project's own. Papers without a claim are left out.
func (r *Report) byPaper(judged []Judged) []paperClaims {
	var groups []paperClaims
	taken := make([]bool, len(judged))
	take := func(g paperClaims, belongs func(c Claim) bool, place func(j Judged) string) {
		counts := map[Verdict]int{}
		for i, j := range judged {
			if taken[i] || !belongs(j.Claim) {
				continue
			}
			taken[i] = true
			counts[j.Finding.Verdict]++
			g.Claims = append(g.Claims, placedClaim{j, place(j)})
		}
		if len(g.Claims) == 0 {
			return
		}
		slices.SortStableFunc(g.Claims, func(a, b placedClaim) int { return comparePlaces(a.Place, b.Place) })
		g.Counts = fmt.Sprintf("%s: %s", claimsText(len(g.Claims)), countsText(counts))
		groups = append(groups, g)
	}
	for i, p := range r.papers {
		g := paperClaims{Anchor: fmt.Sprintf("p-%d", i+1), Short: p.Name, Title: p.Name + ": " + p.Source, PlaceName: "in the paper", FigureName: "paper"}
		take(g, p.from, func(j Judged) string {
			return strings.TrimLeft(strings.TrimPrefix(j.Claim.Source, p.Source), ",; ")
		})
	}
	take(paperClaims{Anchor: "p-others", Short: "Other sources", Title: "Other sources", PlaceName: "source", FigureName: "paper"},
		func(c Claim) bool { return !c.own() }, func(j Judged) string { return j.Claim.Source })
	take(paperClaims{Anchor: "p-own", Short: "Our own", Title: "This project's own", PlaceName: "suite", FigureName: "target"},
		Claim.own, func(j Judged) string { return j.Suite })
	return groups
}

func claimsText(n int) string {
	if n == 1 {
		return "1 claim"
	}
	return fmt.Sprintf("%d claims", n)
}

// judgedText counts the claims and those of them that were judged.
func (r *Report) judgedText() string {
	counts := r.Counts()
	return fmt.Sprintf("%s, %d of them judged", claimsText(len(r.Judged)), len(r.Judged)-counts[CannotCheck]-counts[NotRun])
}
