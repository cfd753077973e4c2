package verdict

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// wrongAbove and rightBelow are what dev makes of an embedding.
const wrongAbove, rightBelow = 0.1, 0.03

// confusion counts the embeddings of some surfaces by truth and verdict.
type confusion struct {
	wrong, missed   int
	right, accused  int
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
		verdict, _ := r.Quality(t.name(), "sound")
		more, _ := r.Quality(t.name(), "beyond")
		against := int(1 - verdict)
		switch {
		case dev > wrongAbove:
			c.wrong++
			c.missed += 1 - against
		case dev >= rightBelow:
			c.between++
			c.judged += against
		case more > 0:
			c.beyond++
			c.blamed += against
		default:
			c.right++
			c.accused += against
		}
	}
	return c
}

func seen(s *surface) bool   { return s.seen }
func unseen(s *surface) bool { return !s.seen }

// least is the number of wrong and of right runs that the unseen half holds, and most the share of
// wrong verdicts on either.
const least, most = 80, 0.05

func claims() []bench.Claim {
	share := func(part func(c confusion) (bad, all int)) func(r *bench.Records) bench.Finding {
		return func(r *bench.Records) bench.Finding {
			c := count(r, unseen)
			bad, all := part(c)
			if len(c.cases) == 0 {
				return r.FindingWithout(trials()[len(trials())-1].name())
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
			Check: share(func(c confusion) (int, int) { return c.missed, c.wrong })},
		{Name: "accused", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 right ones in no more dimensions than the surface has, it accuses at most 5 %.",
			Check: share(func(c confusion) (int, int) { return c.accused, c.right })},
		{Name: "accused-of-all", Source: "orthant", Paper: "at most 5 %", Statement: "Of at least 80 right ones in any number of dimensions, it accuses at most 5 %.",
			Check: share(func(c confusion) (int, int) { return c.accused + c.blamed, c.right + c.beyond })},
	}
}

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"surfaces", "wrong", "missed", "right", "accused", "right, dim too large", "blamed", "between", "warned of"}}
	row := func(name string, of func(*surface) bool) {
		c := count(r, of)
		if len(c.cases) == 0 {
			return
		}
		cells := []bench.Cell{{Text: name}}
		for _, v := range []int{c.wrong, c.missed, c.right, c.accused, c.beyond, c.blamed, c.between, c.judged} {
			cells = append(cells, bench.Cell{Text: fmt.Sprint(v), Case: c.cases[0]})
		}
		t.Rows = append(t.Rows, cells)
	}
	row("thresholds fixed on these", seen)
	row("others", unseen)
	for i := range surfaces {
		row(surfaces[i].name, func(s *surface) bool { return s.name == surfaces[i].name })
	}
	return []bench.Section{{Title: "Wrong and right embeddings, and what the verdict said", Table: t}, mistakes(r)}
}

// mistakes lists the verdicts on the unseen half that were wrong.
func mistakes(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"run", "dev", "evenness", "verdict"}}
	for _, one := range trials() {
		dev, run := r.Quality(one.name(), "dev")
		sound, _ := r.Quality(one.name(), "sound")
		if !run || one.surface.seen || !(dev > wrongAbove && sound == 1 || dev < rightBelow && sound == 0) {
			continue
		}
		note := r.Get(one.name()).Note
		t.Rows = append(t.Rows, []bench.Cell{{Text: one.name(), Case: one.name()}, r.QualityCell(one.name(), "dev", "%.3f"), r.QualityCell(one.name(), "even", "%.2f"), {Text: note}})
	}
	return bench.Section{Title: "Wrong verdicts on surfaces that no threshold was fixed by", Table: t}
}
