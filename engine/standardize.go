package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// Standardization describes how data were scaled: see Options.Standardize. If columns were scaled, entry v
// became (v − Center)/Spread; results are in the new scale.
type Standardization struct {
	How            string
	Center, Spread []float64 // one for each column; nil for unit and log1p; for counts Spread is the median of the sums alone, and for asinh the inverse hyperbolic sine follows
}

// standardize brings samples to a common scale, in a copy unless the run may write to their
// storage.
type standardize struct {
	how       string
	overwrite bool
	warn      bool // if a few columns dominate all distances
}

func (g standardize) apply(s state) (state, undo, error) {
	if g.warn {
		s.warnOfUnequalSpreads()
	}
	if g.how == "none" || s.x.Absent() {
		return s, nil, nil
	}
	own := s.own || g.overwrite
	more, copied := s.x.StandardBytes(g.how, s.Threads()), s.x.Bytes()
	if own {
		copied = 0
	}
	if err := s.Fit(copied+more, "the standardised data need", fewerEntries); err != nil {
		return s, nil, err
	}
	if err := checkStandardize(s.Method(), s.x, g.how); err != nil {
		return s, nil, err
	}
	by, err := s.x.StandardOf(s.Context(), s.Threads(), g.how)
	if err != nil {
		return s, nil, err
	}
	s.Run = s.Holding(copied)
	s.Explain("data: standardised (%s)", g.how)
	s.standard = &by
	s.x, err = s.x.Standardized(s.Context(), s.Threads(), by, own)
	return s, standardized(by), err
}

// standardized makes a rule for new samples standardise them. Results stay in the
// new scale.
type standardized samples.Standard

func (by standardized) back(f *fitted) error {
	if f.rule != nil {
		by := samples.Standard(by)
		f.rule.Standard = &by
	}
	return nil
}

// standardization returns how the samples were standardised; nil: they were not.
func (s state) standardization() *Standardization {
	if s.standard == nil {
		return nil
	}
	return &Standardization{s.standard.How, s.standard.Center, s.standard.Spread}
}

// standardize returns the stage of a fit. It warns of unequal spreads if the caller made no choice.
func (f fit) standardize() standardize {
	o := f.options
	return standardize{how: o.Standardize, overwrite: o.Overwrite, warn: f.warnsOfSpreads}
}

// settleStandardize refuses a standardisation that is incompatible with the method or the data,
// before any work. alone: there are no samples.
func (s state) settleStandardize(x mat.Matrix, o Options, alone bool) (Options, error) {
	how := o.Standardize
	if alone && how != "none" {
		s.Warn("there are no samples, only what was given of their neighbours: ‹standardize=%s› does nothing", how)
		o.Standardize = "none"
		return o, nil
	}
	if err := keepsZeros(s.Method(), how, isSparse(x)); err != nil {
		return o, err
	}
	if samples.Signed(how) && Values(s.method)["shift"] == "none" {
		return o, signed(s.Method(), how)
	}
	return o, nil
}

// isSparse reports whether a matrix stores only its nonzero entries.
func isSparse(x mat.Matrix) bool {
	_, _, is := sparse.OfBytes(x)
	return is
}

// keepsZeros returns an error for a standardisation that fills the zeros of sparse data.
func keepsZeros(method, how string, sparse bool) error {
	if !sparse || !samples.ByColumns(how) {
		return nil
	}
	return wording.Errorf("%s: ‹standardize=%s› takes something off every column, which fills the zeros of sparse data; take unit, log1p or counts, which keep them, or give the data dense", method, how)
}

// signed returns the error of a standardisation that makes negative entries, for a nonnegative method.
func signed(method, how string) error {
	return wording.Errorf("%s: ‹standardize=%s› makes negative entries, and the method takes none; take minmax (each column from 0 to 1) or unit (each row of length 1)", method, how)
}

// scalesColumns reports whether a method is invariant to the scale of columns, or
// changes it.
func scalesColumns(m Method) bool {
	if how, own := Values(m)["scale"]; own {
		return how != "none"
	}
	return method.RowOf(m).ScalesColumns
}

// checkStandardize returns an error for entries that cannot be standardised, with the
// original entry.
func checkStandardize(method string, x samples.Samples, how string) error {
	row, col, v := x.FirstInfinite()
	if row >= 0 {
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", method, row+1, col+1, v)
	}
	const most = math.MaxFloat64 / 4
	if row, col, v = x.Largest(); samples.ByColumns(how) && math.Abs(v) > most {
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %.4g, and differences of such entries are beyond the range of numbers; divide the data by 1e10", method, row+1, col+1, v)
	}
	if row, col, v = x.Largest(); how == "counts" && v > mostCount {
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %.4g, whose sum with others may be beyond the range of numbers; divide the data by 1e30", method, row+1, col+1, v)
	}
	if row, col, v = x.Outside(how); row >= 0 {
		return outside(method, how, row, col, v)
	}
	return nil
}

// mostCount bounds entries whose sums are finite.
const mostCount = 1e290

func outside(method, how string, row, col int, v float64) error {
	if how == "counts" {
		return wording.Errorf("%s: row %d, column %d (counting from 1) is %v, and ‹standardize=counts› takes counts, which are ≥ 0; use another standardisation (standard, asinh), or correct the entry", method, row+1, col+1, v)
	}
	return wording.Errorf("%s: row %d, column %d (counting from 1) is %v, and ‹standardize=log1p› takes log(1 + v) of entries above -1; use another standardisation (minmax, standard, robust or unit), or correct the entry", method, row+1, col+1, v)
}

// unequalSpreads is the ratio of the spreads of two columns from which a warning is given.
const unequalSpreads = 100

// warnOfUnequalSpreads warns if a few columns dominate all distances.
func (s state) warnOfUnequalSpreads() {
	if s.x.M() < 2 {
		return
	}
	largest, other, at, low := s.x.Unequal()
	if at < 0 || !(largest > unequalSpreads*other) {
		return
	}
	s.Warn("column %d has the standard deviation %.3g and column %d has %.3g: the columns with large values decide; ‹standardize=standard› (or minmax, robust) gives all columns equal weight, ‹standardize=none› keeps them as they are and says nothing", at+1, largest, low+1, other)
}

// Standardize scales samples (n × m, one for each row) like Options.Standardize, so that they can be
// compared with an embedding of the scaled samples. "none" and the empty string return x itself, other
// values a copy. Entries that are not finite are an error, for log1p entries of -1 or less, and for counts negative ones. Of the
// options it reads Threads. O(nm), or O(nm log n) for robust and asinh.
func Standardize(ctx context.Context, x *mat.Dense, how string, o Options) (*mat.Dense, error) {
	switch {
	case how == "" || how == "none":
		return x, nil
	case !slices.Contains(samples.Standards, how):
		return nil, fmt.Errorf("standardize is %q; give one of %s", how, strings.Join(samples.Standards, ", "))
	}
	s := state{Run: run.New(ctx, "standardize", run.Settings{Threads: run.ThreadsFor(o.Threads)}), x: samples.Of(x)}
	s, _, err := standardize{how: how}.apply(s)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(s.x.N(), s.x.M(), s.x.Data()), nil
}

// standardizedSource standardises the rows of a source as they are read, without further
// memory.
type standardizedSource struct {
	nmf.Source
	samples.Standard
	method string
	row    int // index of the next row
}

// source is [standardize.apply] for samples that are read row by row. For minmax it first reads all rows
// once, to find the ranges.
func (g standardize) source(s state, src nmf.Source) (state, nmf.Source, undo, error) {
	how := g.how
	if err := keepsZeros(s.Method(), how, src.Sparse()); err != nil {
		return s, nil, nil, err
	}
	switch {
	case how == "none":
		return s, src, nil, nil
	case samples.Signed(how):
		return s, nil, nil, signed(s.Method(), how)
	}
	by := samples.Standard{How: how}
	var err error
	switch how {
	case "minmax":
		by.Center, by.Spread, err = rangesOf(s.Run, src)
	case "counts":
		by.Spread, err = medianSumOf(s.Run, src)
	}
	if err != nil {
		return s, nil, nil, err
	}
	s.standard = &by
	s.Explain("data: standardised (%s), batch by batch", how)
	return s, &standardizedSource{Source: src, Standard: by, method: s.Method()}, standardized(by), nil
}

// medianSumOf reads all rows of a source and returns the median of their sums.
func medianSumOf(job *run.Run, src nmf.Source) ([]float64, error) {
	if err := src.Seek(0); err != nil {
		return nil, err
	}
	m := src.Cols()
	var sums []float64
	block := make([]float64, m*max(1, blockBytes/(8*m)))
	for {
		var err error
		if src.Sparse() {
			part := &sparse.CSR{Cols: m, Ptr: []int{0}}
			_, err = src.Append(part, len(block)/m)
			for i := range part.Rows {
				_, vals := part.Row(i)
				sums = append(sums, samples.PositiveSum(vals))
			}
		} else {
			var n int
			n, err = src.Next(block)
			for i := range n {
				sums = append(sums, samples.PositiveSum(block[i*m:(i+1)*m]))
			}
		}
		if errors.Is(err, io.EOF) {
			return []float64{samples.MedianSum(sums)}, src.Seek(0)
		}
		if err == nil {
			err = job.Err()
		}
		if err != nil {
			return nil, err
		}
	}
}

// blockBytes is the approximate memory of the rows that are read at a time.
const blockBytes = 4 << 20

// rangesOf reads all rows of a source and returns the minimum and the range of every column.
func rangesOf(job *run.Run, src nmf.Source) (least, width []float64, err error) {
	m := src.Cols()
	low, high := make([]float64, m), make([]float64, m)
	for j := range m {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	if err := src.Seek(0); err != nil {
		return nil, nil, err
	}
	block := make([]float64, m*max(1, blockBytes/(8*m)))
	for {
		n, err := src.Next(block)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = job.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		for at, v := range block[:n*m] {
			low[at%m], high[at%m] = min(low[at%m], v), max(high[at%m], v)
		}
	}
	both := samples.OfRows(2, m, append(low, high...))
	s, err := both.StandardOf(job.Context(), 1, "minmax")
	if err != nil {
		return nil, nil, err
	}
	return s.Center, s.Spread, src.Seek(0)
}

// Seek goes to a row.
func (s *standardizedSource) Seek(row int) error {
	s.row = row
	return s.Source.Seek(row)
}

// Next reads rows and standardises them.
func (s *standardizedSource) Next(dst []float64) (int, error) {
	n, err := s.Source.Next(dst)
	m := s.Cols()
	for i := range n {
		row := dst[i*m : (i+1)*m]
		if err := s.check(row, func(q int) int { return q }); err != nil {
			return 0, err
		}
		s.Scale(row)
		s.row++
	}
	return n, err
}

// Append is Next for compressed rows.
func (s *standardizedSource) Append(to *sparse.CSR, most int) (int, error) {
	n, err := s.Source.Append(to, most)
	for i := to.Rows - n; i < to.Rows; i++ {
		cols, vals := to.Row(i)
		if err := s.check(vals, func(q int) int { return int(cols[q]) }); err != nil {
			return 0, err
		}
		s.Scale(vals)
		s.row++
	}
	return n, err
}

// check returns an error for entries without a logarithm.
func (s *standardizedSource) check(vals []float64, column func(q int) int) error {
	for q, v := range vals {
		if samples.Undefined(s.How, v) {
			return outside(s.method, s.How, s.row, column(q), v)
		}
	}
	return nil
}
