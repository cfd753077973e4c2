package bench

// pagePaper is a paper with its claims, in the order of their places.
type pagePaper struct {
	paperClaims
	Rows []pagePlaced
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
			p.Rows = append(p.Rows, pagePlaced{c, anchors[[2]string{c.Suite, c.Claim.Name}]})
		}
		papers = append(papers, p)
	}
	return papers
}
