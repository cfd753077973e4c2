package explore

import (
	"cmp"
	"fmt"
	"slices"
)

// Choice is one decision: what is done, and why.
type Choice struct {
	What   string // in the words of the option: standard, counts …
	Reason string // a sentence
}

// The thresholds of the rules, in the order in which they are asked. docs/choosing.md gives the reasons.
const (
	fewestCounts  = 10  // columns from which whole numbers may be counts
	halfOf        = 0.5 // share of the columns of counts that have zeros, and that are skewed
	skewedCount   = 1   // skewness of a column of counts
	sharedEnds    = 0.1 // share of the columns that reach the same end …
	fewestSharing = 3   // … and their least number
	longTail      = 2   // skewness of a column with a long tail
	longTails     = 0.25
	fewColumns    = 50  // columns up to which the narrowest counts; of more the lower quartile does
	unequalFew    = 10  // ratio of the spreads of columns in different units, of few columns
	unequalMany   = 100 // of many, as the warning of the engine has it
)

// Scale chooses the scale of the samples by what their columns are.
func (t *Table) Scale() Choice {
	switch {
	case len(t.columns) == 0:
		return Choice{"none", "every column has one value only"}
	case t.areCounts():
		return Choice{"counts", fmt.Sprintf("whole numbers ≥ 0 up to %v, %.0f %% of them zero: counts, whose totals differ between samples for reasons of their own; each is divided by the total of its sample, and log(1 + v) evens out frequent and rare columns", t.Most, 100*t.Zeros)}
	case t.areBinary() && t.Sparse:
		return Choice{"unit", "0 and 1, most of them 0: which things a sample has; each sample is divided by its length, so that distances compare what two samples have in common with all that they have"}
	case t.areBinary():
		return Choice{"none", "every entry is 0 or 1: the columns are comparable as they are"}
	case t.Sparse:
		return t.sparseScale()
	case t.shareEnds():
		return Choice{"none", fmt.Sprintf("many columns reach the same ends, %v and %v: one bounded unit, as pixels or ratings have", t.Least, t.Most)}
	}
	ratio, many := t.unequal()
	differ := ratio >= unequalFew && !many || ratio >= unequalMany
	tails, positive := t.tails()
	switch {
	case tails >= longTails && (differ || positive):
		return Choice{"asinh", fmt.Sprintf("%.0f %% of the columns have a long tail (skewness above %d), in which a few samples would decide all distances; the median and the quartiles scale each column, and asinh shortens the tails", 100*tails, longTail)}
	case differ:
		return Choice{"standard", fmt.Sprintf("the standard deviations of the columns differ by a factor of %.3g: they are in different units, and each gets the standard deviation 1", ratio)}
	}
	return Choice{"none", fmt.Sprintf("the standard deviations of the columns differ by a factor of %.2g: they are comparable as they are", ratio)}
}

// areCounts reports counts: most columns have zeros and are skewed to the right, and the largest count is rare.
func (t *Table) areCounts() bool {
	return t.Whole && t.Least >= 0 && t.Most > 2 && len(t.columns) >= fewestCounts && t.Ones > t.Tops &&
		t.share(func(c column) bool { return c.zeros > 0 }) >= halfOf && t.share(func(c column) bool { return c.skewness > skewedCount }) >= halfOf
}

func (t *Table) areBinary() bool { return t.Whole && t.Least == 0 && t.Most == 1 }

// sparseScale is the scale of sparse samples that are no counts; zeros stay.
func (t *Table) sparseScale() Choice {
	switch {
	case t.Least < 0:
		return Choice{"none", "sparse, with negative entries: no scale that keeps the zeros is better than none"}
	case t.UnitRows:
		return Choice{"none", "every sample has length 1 already"}
	case t.LogRows:
		return Choice{"none", "Σ(exp(v) − 1) is the same for every sample: logarithms of counts that were divided by their totals already"}
	}
	return Choice{"unit", "sparse weights ≥ 0: each sample is divided by its length, so that long and short ones can be compared; zeros stay"}
}

// shareEnds reports whether many columns have the least and the largest entry of the table in common.
func (t *Table) shareEnds() bool {
	need := max(float64(fewestSharing), sharedEnds*float64(len(t.columns)))
	count := float64(len(t.columns))
	return count*t.share(func(c column) bool { return c.most == t.Most }) >= need && count*t.share(func(c column) bool { return c.least == t.Least }) >= need
}

// unequal is the ratio of the largest spread to the smallest, or of many columns to the lower quartile.
func (t *Table) unequal() (ratio float64, many bool) {
	var spreads []float64
	for _, c := range t.columns {
		if c.spread > 0 {
			spreads = append(spreads, c.spread)
		}
	}
	if len(spreads) < 2 {
		return 1, false
	}
	slices.SortFunc(spreads, cmp.Compare[float64])
	low := spreads[0]
	if many = len(spreads) > fewColumns; many {
		low = spreads[len(spreads)/4]
	}
	return spreads[len(spreads)-1] / low, many
}

// tails is the share of the columns with a long tail, and whether those are all above 0.
func (t *Table) tails() (share float64, positive bool) {
	is := func(c column) bool { return c.kinds > 2 && (c.skewness > longTail || c.skewness < -longTail) }
	return t.share(is), t.share(func(c column) bool { return is(c) && c.least <= 0 }) == 0
}

// How many columns are first replaced by how many principal components.
const (
	ManyColumns = 100
	Components  = 50
)

// Reduce chooses the number of leading principal components that replace the columns; 0: they stay.
func (t *Table) Reduce() (count int, reason string) {
	m := len(t.columns)
	if m <= ManyColumns || t.Samples <= Components {
		return 0, fmt.Sprintf("%d columns that vary are few enough to search in", m)
	}
	return Components, fmt.Sprintf("%d columns that vary: their %d leading principal components hold what many columns have in common, and leave out much of the noise of single ones", m, Components)
}
