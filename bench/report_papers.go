package bench

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
