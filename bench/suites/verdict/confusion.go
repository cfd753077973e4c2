package verdict

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// wrongAbove and rightBelow are what dev makes of an embedding.
const wrongAbove, rightBelow = 0.1, 0.03

// confusion counts the embeddings of some surfaces by truth and verdict.
type confusion struct {
	wrong, missed   int
	declined        int // wrong and not judged
	right, accused  int
	passed          int // right and not judged
	beyond, blamed  int // right with more dimensions than the surface has
	between, judged int // neither wrong nor right
	cases           []string
}

// count reads the records of the surfaces that are of one half.
func count(r *bench.Records, of func(*surface) bool) confusion {
	var c confusion
	for _, t := range trials() {
		if !of(t.surface) {
			continue
		}
		dev, run := r.Quality(t.name(), "dev")
		if !run {
			continue
		}
		c.cases = append(c.cases, t.name())
		verdict, _ := r.Quality(t.name(), "judged")
		more, _ := r.Quality(t.name(), "beyond")
		is := func(v engine.Judgement) int {
			if verdict == judged(v) {
				return 1
			}
			return 0
		}
		against := is(engine.Doubtful)
		switch {
		case dev > wrongAbove:
			c.wrong++
			c.missed += is(engine.Sound)
			c.declined += is(engine.NotJudged)
		case dev >= rightBelow:
			c.between++
			c.judged += against
		case more > 0:
			c.beyond++
			c.blamed += against
		default:
			c.right++
			c.accused += against
			c.passed += is(engine.NotJudged)
		}
	}
	return c
}

func seen(s *surface) bool        { return s.seen && !s.many() }
func unseen(s *surface) bool      { return !s.seen && !s.many() }
func seenSheet(s *surface) bool   { return s.seen && s.many() }
func unseenSheet(s *surface) bool { return !s.seen && s.many() }

// least is the number of wrong and of right runs that the unseen half holds, and most the share of
// wrong verdicts on either.
const least, most = 80, 0.05

func claims() []bench.Claim {
	share := func(of func(*surface) bool, part func(c confusion) (bad, all int)) func(r *bench.Records) bench.Finding {
		return func(r *bench.Records) bench.Finding {
			c := count(r, of)
			bad, all := part(c)
			if len(c.cases) == 0 {
				return r.FindingWithout(firstOf(of))
			}
			ours := fmt.Sprintf("%d of %d", bad, all)
			if all < least { // as of the quick suite: a share of so few says nothing, for the target or against it
				return bench.Finding{Verdict: bench.CannotCheck, Ours: ours, Why: fmt.Sprintf("the target is for %d embeddings or more, and %d were run", least, all), Cases: c.cases}
			}
			return bench.TargetFinding(float64(bad) <= most*float64(all), ours, c.cases)
		}
	}
	return []bench.Claim{
		{Name: "missed", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 wrong embeddings of surfaces that no threshold was fixed by, the verdict misses at most 5 %.",
			Check: share(unseen, func(c confusion) (int, int) { return c.missed, c.wrong })},
		{Name: "accused", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 right ones in no more dimensions than the surface has, it accuses at most 5 %.",
			Check: share(unseen, func(c confusion) (int, int) { return c.accused, c.right })},
		{Name: "accused-of-all", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 right ones in any number of dimensions, it accuses at most 5 %.",
			Check: share(unseen, func(c confusion) (int, int) { return c.accused + c.blamed, c.right + c.beyond })},
		{Name: "missed-sheets", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 wrong embeddings of sheets of 1 to 20 dimensions that no threshold was fixed by, the verdict calls at most 5 % sound.",
			Check: share(unseenSheet, func(c confusion) (int, int) { return c.missed, c.wrong })},
		{Name: "accused-sheets", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 right ones in no more dimensions than the sheet has, it accuses at most 5 %.",
			Check: share(unseenSheet, func(c confusion) (int, int) { return c.accused, c.right })},
		{Name: "remedies", Source: "orthant", Paper: "none", Statement: "Of the remedies that were tried and are offered, taken in a new run, none leaves the embedding as doubtful as before: it is sound, or stretched less unevenly.",
			Check: func(r *bench.Records) bench.Finding {
				t := countRemedies(r, func(*bench.Case) bool { return true })
				if t.offered == 0 {
					return r.FindingWithout(remedyCases()[0].Name)
				}
				return bench.TargetFinding(t.worse == 0, fmt.Sprintf("%d of %d", t.worse, t.offered), t.cases)
			}},
		{Name: "ranking", Source: "orthant", Paper: "at most −0.5", Statement: "On labelled real sets in two coordinates, the ranks of nine methods by the neighbours kept and by the 1-NN error correlate by −0.5 or less (mean over the sets).",
			Check: func(r *bench.Records) bench.Finding {
				mean, sets, names := meanRanking(r)
				if sets == 0 {
					return r.FindingWithout(realName(realSets[0].name, realMethods[0]))
				}
				return bench.TargetFinding(mean <= -0.5, fmt.Sprintf("%.2f on %d sets", mean, sets), names)
			}},
	}
}

// firstOf is the name of the first trial of some surfaces.
func firstOf(of func(*surface) bool) string {
	for _, t := range trials() {
		if of(t.surface) {
			return t.name()
		}
	}
	return ""
}

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"surfaces", "wrong", "missed", "not judged", "right", "accused", "not judged", "right, dim too large", "blamed", "between", "doubted"}}
	row := func(name string, of func(*surface) bool) {
		c := count(r, of)
		if len(c.cases) == 0 {
			return
		}
		cells := []bench.Cell{{Text: name}}
		for _, v := range []int{c.wrong, c.missed, c.declined, c.right, c.accused, c.passed, c.beyond, c.blamed, c.between, c.judged} {
			cells = append(cells, bench.Cell{Text: fmt.Sprint(v), Case: c.cases[0]})
		}
		t.Rows = append(t.Rows, cells)
	}
	row("thresholds fixed on these", seen)
	row("others", unseen)
	for i := range surfaces {
		row(surfaces[i].name, func(s *surface) bool { return s.name == surfaces[i].name })
	}
	row("sheets, thresholds fixed on these", seenSheet)
	row("other sheets", unseenSheet)
	for from := 1; from < maxSheetDim; from += 5 {
		row(fmt.Sprintf("other sheets of %d to %d dimensions", from, from+4), func(s *surface) bool { return unseenSheet(s) && s.dim >= from && s.dim < from+5 })
	}
	return append([]bench.Section{{Title: "Wrong and right embeddings, and what the verdict said", Table: t}, mistakes(r)}, append(realSections(r), remedySections(r)...)...)
}

// mistakes lists the verdicts on the unseen half that were wrong.
func mistakes(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"run", "dev", "evenness", "verdict"}}
	for _, one := range trials() {
		dev, run := r.Quality(one.name(), "dev")
		verdict, _ := r.Quality(one.name(), "judged")
		if !run || one.surface.seen || !(dev > wrongAbove && verdict == judged(engine.Sound) || dev < rightBelow && verdict == judged(engine.Doubtful)) {
			continue
		}
		note := r.Get(one.name()).Note
		t.Rows = append(t.Rows, []bench.Cell{{Text: one.name(), Case: one.name()}, r.QualityCell(one.name(), "dev", "%.3f"), r.QualityCell(one.name(), "even", "%.2f"), {Text: note}})
	}
	return bench.Section{Title: "Wrong verdicts on surfaces that no threshold was fixed by", Table: t}
}
