package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Publication is a paper that claims are from.
type Publication struct {
	Name   string // short, such as its method's
	Source string // how the Source of each of its claims begins
}

// ownSource is how the Source of a claim of this project begins.
const ownSource = "orthant"

// own reports whether a claim is this project's, whatever it is taken after.
func (c Claim) own() bool { return strings.HasPrefix(c.Source, ownSource) }

// from reports whether a claim is of this paper.
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

// spentNote says what the times next to the claims are.
const spentNote = "Times of ours are processor seconds on the machine named above: the medians of the cases that a finding was read from, added up. " +
	"A paper's times are as it prints them, with its machine; where it says none, nothing stands there."

// byPaper groups claims: the claims of each paper in turn, by their place in it, then
// the claims of other sources, and this project's own. Papers without a claim are left out.
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

// judgedText counts the claims, and how many of them were judged.
func (r *Report) judgedText() string {
	counts := r.Counts()
	return fmt.Sprintf("%s, %d of them judged", claimsText(len(r.Judged)), len(r.Judged)-counts[CannotCheck]-counts[NotRun])
}

// placeKinds are what a paper's claims are found at, in the order of the tables.
var placeKinds = []string{"fig", "table", "theorem", "section", "eq"}

// comparePlaces orders places in a paper: figures, tables, theorems, sections and
// equations by their numbers, then what has no number. Unlike words are not compared, so
// that a stable sort leaves them as they are.
func comparePlaces(a, b string) int {
	kindA, numberA := placeOf(a)
	kindB, numberB := placeOf(b)
	return cmp.Or(cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB))
}

// placeOf splits a place such as "Figs 5–7, Tables I–II" into the rank of its first
// word and its first number.
func placeOf(place string) (kind int, number float64) {
	words := strings.Fields(strings.ToLower(place))
	kind = len(placeKinds)
	if len(words) < 2 {
		return kind, 0
	}
	for i, name := range placeKinds {
		if strings.HasPrefix(words[0], name) {
			kind = i
		}
	}
	if kind == len(placeKinds) {
		return kind, 0
	}
	digits := strings.FieldsFunc(words[1], func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && !strings.ContainsRune("ivx", r) })
	if len(digits) == 0 {
		return kind, 0
	}
	if n, err := strconv.ParseFloat(strings.Trim(digits[0], "."), 64); err == nil {
		return kind, n
	}
	return kind, float64(roman(digits[0]))
}

// roman reads a small Roman number, as of tables and sections.
func roman(text string) int {
	values := map[rune]int{'i': 1, 'v': 5, 'x': 10}
	sum, last := 0, 0
	for _, r := range text {
		v := values[r]
		if v > last {
			v -= 2 * last // what was added before it counts against it
		}
		sum, last = sum+v, values[r]
	}
	return sum
}

// pagePaper is a paper with its claims, in the order of their places.
type pagePaper struct {
	paperClaims
	Rows      []pagePlaced
	Unchecked []pagePlaced // what could not be checked, or was not run: folded away
}

type pagePlaced struct {
	placedClaim
	Anchor string // of the claim in its suite
}

// pagePapers groups the claims that a page shows; anchors leads to each in its suite, by
// suite and name.
func (r *Report) pagePapers(shown []Judged, anchors map[[2]string]string) []pagePaper {
	var papers []pagePaper
	for _, g := range r.byPaper(shown) {
		p := pagePaper{paperClaims: g}
		for _, c := range g.Claims {
			row := pagePlaced{c, anchors[[2]string{c.Suite, c.Claim.Name}]}
			if v := c.Finding.Verdict; v == CannotCheck || v == NotRun {
				p.Unchecked = append(p.Unchecked, row)
			} else {
				p.Rows = append(p.Rows, row)
			}
		}
		papers = append(papers, p)
	}
	return papers
}

// placedRows are some of the claims of a paper, for a table of their own.
type placedRows struct {
	pagePaper
	Rows []pagePlaced
}

func placed(p pagePaper, rows []pagePlaced) placedRows { return placedRows{p, rows} }
