package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// unequalSpreads is how many times the spread of one column may be that of another before
// a warning says so.
const unequalSpreads = 100

// standardizing is what a run does about the scales of the columns.
type standardizing struct {
	tell     bool              // nothing was asked for: say where spreads differ much
	standard *samples.Standard // of the samples; nil: they are as they were given
}

// Standardization tells how data were scaled: see Options.Standardize. If columns were scaled, entry v
// became (v − Center)/Spread; results are in the new scale.
type Standardization struct {
	How            string
	Center, Spread []float64 // one for each column; nil of unit and log1p
}

// standardization tells how the data were brought to a common scale; nil: they were not.
func (b *begun) standardization() *Standardization {
	if b.standard == nil {
		return nil
	}
	return &Standardization{b.standard.How, b.standard.Center, b.standard.Spread}
}

// standardExtension makes a rule for new samples, where there is one, one of standardised
// samples.
func (b *begun) standardExtension(e *extend.Extension) {
	if b.standard != nil && e != nil {
		e.Standardize(*b.standard)
	}
}

// asksStandard refuses a way to standardise that does not go with the method, before
// anything is done. asked says that one was given, alone that there are no samples.
func (b *begun) asksStandard(m Method, asked, alone bool, x mat.Matrix) error {
	how := b.options.Standardize
	if alone && how != "none" {
		b.Warn("there are no samples, only what was given of their neighbours: ‹standardize=%s› does nothing", how)
		b.options.Standardize, how = "none", "none"
	}
	b.tell = !asked && len(b.options.structures()) == 0 && !scalesColumns(m)
	if how == "none" {
		return nil
	}
	if _, _, isSparse := sparse.OfBytes(x); isSparse && samples.ByColumns(how) {
		return wording.Errorf("%s: ‹standardize=%s› takes something off every column, which fills the zeros of sparse data; take unit or log1p, which keep them, or give the data dense", b.Method(), how)
	}
	if samples.Signed(how) && unshifted(m) {
		return wording.Errorf("%s: ‹standardize=%s› makes negative entries, and the method takes none; take minmax (each column from 0 to 1) or unit (each row of length 1)", b.Method(), how)
	}
	return nil
}

// unshifted tells whether a method takes samples without negative entries alone.
func unshifted(m Method) bool {
	shift, has := Values(m)["shift"]
	return has && shift == "none"
}

// scalesColumns tells whether the scale of a column means nothing to a method, or is
// changed by it.
func scalesColumns(m Method) bool {
	if how, own := Values(m)["scale"]; own {
		return how != "none"
	}
	return m.Name() == LDA{}.Name()
}

// standardized standardises samples as the options say, in a copy unless their storage is
// the run's to write to.
func (b *begun) standardized(x samples.Samples, own bool) (samples.Samples, error) {
	if b.tell {
		b.tellSpreads(x)
	}
	how := b.options.Standardize
	if how == "" || how == "none" || x.Absent() {
		return x, nil
	}
	own = own || b.options.Overwrite
	beside, copied := x.StandardBytes(how, b.Threads()), x.Bytes()
	if own {
		copied = 0
	}
	if err := b.Fit(copied+beside, "the standardised data need", fewerEntries); err != nil {
		return x, err
	}
	if err := b.checkStandard(x, how); err != nil {
		return x, err
	}
	s, err := x.StandardOf(b.Context(), b.Threads(), how)
	if err != nil {
		return x, err
	}
	b.standard = &s
	b.Run = b.Holding(copied)
	b.Explain("data: standardised (%s)", how)
	return x.Standardized(b.Context(), b.Threads(), s, own)
}

// checkStandard refuses entries that cannot be brought to a common scale, in the words of
// the entry that was given.
func (b *begun) checkStandard(x samples.Samples, how string) error {
	row, col, v := x.FirstInfinite()
	if row >= 0 {
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", b.Method(), row+1, col+1, v)
	}
	const most = math.MaxFloat64 / 4
	if row, col, v = x.Largest(); samples.ByColumns(how) && math.Abs(v) > most {
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %.4g, and differences of such entries are beyond the range of numbers; divide the data by 1e10", b.Method(), row+1, col+1, v)
	}
	if how != "log1p" {
		return nil
	}
	if row, col, v = x.BelowLog(); row >= 0 {
		return belowLog(b.Method(), row, col, v)
	}
	return nil
}

func belowLog(method string, row, col int, v float64) error {
	return wording.Errorf("%s: row %d, column %d (counting from 1) is %v, and ‹standardize=log1p› takes log(1 + v) of entries above -1; take another way (minmax, standard, robust or unit), or mend the entry", method, row+1, col+1, v)
}

// tellSpreads warns where a few columns decide all distances.
func (b *begun) tellSpreads(x samples.Samples) {
	if x.M() < 2 {
		return
	}
	largest, other, at, low := x.Unequal()
	if at < 0 || !(largest > unequalSpreads*other) {
		return
	}
	b.Warn("column %d has the standard deviation %.3g and column %d has %.3g: the columns with large values decide; ‹standardize=standard› (or minmax, robust) makes all columns count alike, ‹standardize=none› keeps them as they are and says nothing", at+1, largest, low+1, other)
}

// copiedFrom tells whether samples of a matrix are a copy of it, which is the run's own.
func copiedFrom(x mat.Matrix) bool {
	raw, is := x.(mat.RawMatrixer)
	return !is || raw.RawMatrix().Stride != raw.RawMatrix().Cols
}

// SelectParameters describes the common parameters that [Select] reads.
func SelectParameters() []Parameter {
	return slices.DeleteFunc(CommonParameters(), func(p Parameter) bool { return !selectKeys[p.Key] })
}

// selectKeys are the keys of the common parameters that [Select] reads.
var selectKeys = map[string]bool{"standardize": true}
