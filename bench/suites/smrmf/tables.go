package smrmf

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// ours is a cell with a measured figure.
func (s dataSet) ours(r *bench.Records, name, key, format string) bench.Cell {
	return r.Cell(name, func(one *bench.Record) string {
		v, found := one.Quality[key]
		if !found {
			return ""
		}
		return fmt.Sprintf(format, v.Median)
	})
}

// spread is a cell with a median over draws and the least and greatest, or a mean with
// its deviation over starts.
func (s dataSet) spread(r *bench.Records, name, key string) bench.Cell {
	return r.Cell(name, func(one *bench.Record) string {
		v, found := one.Quality[key]
		if !found {
			return ""
		}
		text := fmt.Sprintf("%.3f", v.Median)
		if low, ranged := one.Quality[key+"-low"]; s.generated() && ranged {
			text += fmt.Sprintf(" (%.3f–%.3f)", low.Median, one.Quality[key+"-high"].Median)
		} else if sd := one.Quality[key+"-sd"].Median; !s.generated() && sd > 0 {
			text += fmt.Sprintf(" ± %.3f", sd)
		}
		return text
	})
}

// tableSections shows Tables 4 and 5: a row for each set and method would be long,
// so that a set has three rows, ours, the paper's and the grid's median.
func tableSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, t := range []struct {
		title, key string
		paper      map[string][]string
		text       string
	}{
		{"Table 4: accuracy", "acc", printedACC, "The best of the grid of λ, chosen by the labels, and the median of the grid. "},
		{"Table 5: normalised mutual information", "nmi", printedNMI, "Over the larger entropy, at the λ of the best accuracy. "},
	} {
		s := bench.Section{Title: t.title, Table: &bench.Table{Columns: []string{"set", "figure"}},
			Text: t.text + "Random starts: mean ± standard deviation. Wave: median (least–greatest) over drawn sets. DPP and IPM are RMNMF regularised at the samples that these select; DPP draws them anew for each start, DPP-greedy takes the greedy set of large determinant."}
		for _, m := range clusterings {
			s.Table.Columns = append(s.Table.Columns, m.title)
		}
		for _, set := range dataSets {
			ours, paper, middle := []bench.Cell{bench.PlainCell(set.title), bench.PlainCell("ours")}, []bench.Cell{bench.PlainCell(""), bench.PlainCell("paper")}, []bench.Cell{bench.PlainCell(""), bench.PlainCell("median of the grid")}
			for i, m := range clusterings {
				printed := "–"
				if m.as == "" {
					printed = t.paper[set.key][i]
				}
				ours = append(ours, set.spread(r, caseName(set, m), t.key))
				paper, middle = append(paper, bench.PaperCell(printed)), append(middle, gridMedian(r, set, m))
			}
			s.Table.Rows = append(s.Table.Rows, ours, paper)
			if t.key == "acc" && set.n <= gridded {
				s.Table.Rows = append(s.Table.Rows, middle)
			}
		}
		sections = append(sections, s)
	}
	return sections
}

// gridMedian is a cell with the median over the grid, where there was one.
func gridMedian(r *bench.Records, s dataSet, m method) bench.Cell {
	name := caseName(s, m)
	one := r.Get(name)
	if one == nil || len(one.Series["acc-by-lambda"]) < 2 && !s.generated() {
		return bench.PlainCell("")
	}
	v, found := one.Quality["grid-median"]
	if !found {
		return bench.PlainCell("")
	}
	return bench.Cell{Text: fmt.Sprintf("%.3f", v.Median), Case: name}
}

// namesOf lists the cases of methods on a set.
func namesOf(s dataSet, titles ...string) []string {
	var names []string
	for _, title := range titles {
		names = append(names, caseName(s, methodTitled(title)))
	}
	return names
}

// printedOf is what the paper prints of a method on a set.
func printedOf(table map[string][]string, s dataSet, title string) string {
	return table[s.key][methodTitled(title).column()]
}

// titles joins names of sets.
func titles(sets []dataSet) string {
	var list []string
	for _, s := range sets {
		list = append(list, s.title)
	}
	return strings.Join(list, ", ")
}

// What the paper on SMRMF prints, as in its text: fractions, also where a head says
// per cent. A dash: not printed, or could not be run.

// printedACC and printedNMI are its Tables 4 and 5, the means where methods have a
// random start, in the order of methods.
var printedACC, printedNMI = map[string][]string{
	"wave":       strings.Fields(".55 .7 .56 .71 .78 .63 .71 .74 .53 .49 .82 .81 .85 .84"),
	"ionosphere": strings.Fields(".61 .61 .61 .64 .65 .69 .64 .66 .56 .69 .66 .65 .66 .65"),
	"sonar":      strings.Fields(".54 .56 .55 .56 .6 .6 .56 .58 .53 .69 .61 .55 .58 .59"),
	"movement":   strings.Fields(".32 .34 .32 .47 .5 .36 .48 .5 .48 .35 .52 .48 .51 .52"),
	"musk1":      strings.Fields(".53 .54 .53 .55 .58 .56 .54 .58 .53 .54 .57 .57 .59 .58"),
	"mfeat-fac":  strings.Fields(".51 .27 .51 .68 .66 .35 .62 .65 .86 .76 .63 .6 .68 .71"),
	"mfeat-pix":  strings.Fields(".43 .32 .44 .6 .57 .35 .6 .6 .88 .71 .6 .54 .63 .66"),
	"semeion":    strings.Fields(".38 .34 .39 .5 .48 .23 .53 .49 .56 .48 .47 .42 .5 .53"),
	"isolet":     strings.Fields(".56 .33 .57 .44 .61 .27 .55 .56 .51 .51 .64 .49 .61 .65"),
	"coil-5":     strings.Fields(".77 .33 .77 .86 .86 .4 .82 .86 .87 .58 .86 .84 .9 .86"),
	"20-news":    strings.Fields(".26 .17 .26 .27 .17 .06 – .29 .34 .09 .24 .29 .24 .27"),
	"orl":        strings.Fields(".4 .31 .4 .63 .67 .18 .6 .64 .48 .17 .64 .6 .67 .68"),
	"ova-colon":  strings.Fields(".55 .79 .81 .87 .88 – – .92 .77 .54 .87 .83 .95 .95"),
}, map[string][]string{
	"wave":       strings.Fields(".38 .38 .38 .38 .5 .28 .37 .45 .35 .21 .5 .49 .52 .52"),
	"ionosphere": strings.Fields(".02 .01 .02 .06 .01 .14 .16 .14 .02 .07 .17 .16 .09 .17"),
	"sonar":      strings.Fields(".004 .01 .01 .01 .04 .06 .01 .02 .004 .11 .03 .005 .02 .02"),
	"movement":   strings.Fields(".37 .41 .37 .59 .58 .39 .6 .61 .6 .41 .58 .6 .59 .58"),
	"musk1":      strings.Fields(".01 .02 .01 .01 .01 .002 .01 .01 .002 .013 .003 .003 .01 .01"),
	"mfeat-fac":  strings.Fields(".5 .25 .5 .58 .61 .31 .56 .57 .8 .72 .58 .55 .6 .6"),
	"mfeat-pix":  strings.Fields(".42 .3 .42 .59 .51 .28 .59 .59 .82 .65 .56 .55 .57 .61"),
	"semeion":    strings.Fields(".34 .29 .34 .41 .42 .11 .45 .43 .54 .42 .4 .29 .42 .44"),
	"isolet":     strings.Fields(".45 .1 .45 .34 .46 .11 .47 .42 .55 .57 .49 .39 .46 .5"),
	"coil-5":     strings.Fields(".73 .32 .73 .84 .84 .25 .77 .84 .85 .66 .84 .81 .88 .84"),
	"20-news":    strings.Fields(".25 .15 .25 .26 .12 .01 – .27 .32 .04 .24 .29 .23 .27"),
	"orl":        strings.Fields(".61 .42 .61 .77 .8 .32 .76 .77 .69 .3 .78 .76 .81 .8"),
	"ova-colon":  strings.Fields(".06 .01 0 .3 .27 – – .47 .01 .03 .3 .2 .6 .6"),
}

// printedNMIDeviation are the standard deviations of Table 5 over thirty random starts,
// in the order of its sets.
var printedNMIDeviation = map[string][]string{
	"NMF":     strings.Fields(".007 .006 .001 .03 1e-15 .03 .04 .01 .03 .008 .009 .02 .0001"),
	"GNMF":    strings.Fields(".01 .01 .0001 .03 1e-15 .04 .04 .01 .03 .01 .01 .02 0"),
	"ESC-FFS": strings.Fields(".01 .02 .01 .01 .001 .02 .02 .02 .01 .06 .01 .01 .005"),
}

// printedNeighbors are the figures of Table 1: bad neighbours and neighbourhoods and
// the similarities of good and bad ones before the selection, and bad neighbours and
// neighbourhoods after it.
var printedNeighbors = map[string][]string{
	"2dmoons":    strings.Fields(".01 0 .78 – 0 0"),
	"10dmoons":   strings.Fields(".21 .09 .67 .68 .05 .03"),
	"wave":       strings.Fields(".27 .14 .01 .01 .51 .65"),
	"ionosphere": strings.Fields(".59 .6 .2 .18 .17 .14"),
	"sonar":      strings.Fields(".37 .2 .17 .15 .27 .05"),
	"movement":   strings.Fields(".68 .72 .15 .08 .27 .09"),
	"musk1":      strings.Fields(".37 .38 .17 .13 .16 .04"),
	"mfeat-fac":  strings.Fields(".53 .52 .04 .02 .26 .14"),
	"mfeat-pix":  strings.Fields(".23 .11 .26 .29 .09 .03"),
	"semeion":    strings.Fields(".35 .26 .57 .57 .36 .21"),
	"isolet":     strings.Fields(".37 .25 .03 .03 .25 .06"),
	"coil-5":     strings.Fields(".48 .54 .23 .08 .57 .61"),
	"20-news":    strings.Fields(".68 .82 .76 .75 .72 .83"),
	"orl":        strings.Fields(".8 1 – .05 .66 1"),
	"ova-colon":  strings.Fields(".18 .18 .2 .18 .07 0"),
}

// printedSelection are the figures of Table 7: the mismatch of selected and of other
// samples' neighbourhoods.
var printedSelection = map[string][]string{
	"wave":       strings.Fields(".52 .61"),
	"ionosphere": strings.Fields(".22 .45"),
	"sonar":      strings.Fields(".28 .36"),
	"movement":   strings.Fields(".22 .31"),
	"musk1":      strings.Fields(".08 .17"),
	"mfeat-fac":  strings.Fields(".24 .24"),
	"mfeat-pix":  strings.Fields(".07 .08"),
	"semeion":    strings.Fields(".36 .47"),
	"isolet":     strings.Fields(".11 .26"),
	"coil-5":     strings.Fields(".46 .2"),
	"20-news":    strings.Fields(".72 .74"),
	"orl":        strings.Fields(".7 .73"),
	"ova-colon":  strings.Fields(".05 .05"),
}

// printedMoons is Table 2: accuracy and mutual information of RMNMF and of SMRMF.
var printedMoons = map[string][2][]string{
	"2dmoons":  {strings.Fields(".864 .4282"), strings.Fields(".88 .5391")},
	"10dmoons": {strings.Fields(".688 .1998"), strings.Fields(".924 .6521")},
}

// printedShapes are the samples and features of Table 3.
var printedShapes = map[string][2]int{
	"wave": {600, 21}, "ionosphere": {351, 34}, "sonar": {208, 60}, "movement": {360, 90}, "musk1": {476, 168}, "mfeat-fac": {2000, 216}, "mfeat-pix": {2000, 240},
	"semeion": {1593, 256}, "isolet": {1200, 617}, "coil-5": {360, 1024}, "20-news": {5020, 1796}, "orl": {400, 4096}, "ova-colon": {1545, 10935},
}
