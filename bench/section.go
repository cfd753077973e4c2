package bench

import "fmt"

// Section is a part of a suite's report: a heading with any of text, a table, a
// plot and pictures below it.
type Section struct {
	Title    string
	Text     string // plain text, paragraphs apart by an empty line
	Table    *Table
	Plot     *Plot
	Pictures []Figure
}

// Table is a table of the report. Cells come from records, so that every number
// can be traced.
type Table struct {
	Columns []string
	Rows    [][]Cell
}

// Cell is an entry of a table.
type Cell struct {
	Text  string
	Error string // shown next to the figure, such as the error of the seconds
	Case  string // the case it was read from; empty: a heading or a paper's figure
	Mark  Mark
}

// String is the whole of a cell.
func (c Cell) String() string {
	if c.Error == "" {
		return c.Text
	}
	return c.Text + ", " + c.Error
}

// Mark sets cells apart.
type Mark int

// The marks.
const (
	Plain  Mark = iota
	Paper       // a figure that a paper prints
	Better      // ours, better than the figure next to it
	Worse
	Absent // not run or not available, which is no fault of ours; the text says why
)

// Plot is a diagram of curves.
type Plot struct {
	XLabel, YLabel string
	LogX, LogY     bool
	Curves         []Curve
}

// Curve is one line of a plot, named in its key.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool // such as a paper's curve or a fitted line
	Cases  []string
}

// Figure is a picture of an embedding, or of images, by the case that drew it.
type Figure struct {
	Case, Picture string // of Record.Pictures
	Edges         string // another of them: pairs of points to join, by number from 0; empty: none
	Height        int    // of the images, in pixels; 0: the picture is of points
	Caption       string
	Cyclic        bool // the first and the last colour are one: positions on a closed curve
}

// QualityCell is a cell with a measured quality.
func (r *Records) QualityCell(name, key, format string) Cell {
	v, found := r.Quality(name, key)
	if !found {
		return Cell{Text: "–", Case: name, Mark: Absent}
	}
	return Cell{Text: fmt.Sprintf(format, v), Case: name}
}

// PaperCell is a cell with what a paper prints.
func PaperCell(text string) Cell { return Cell{Text: text, Mark: Paper} }

// PlainCell is a cell of text, such as a heading: no record and no paper is behind it.
func PlainCell(text string) Cell { return Cell{Text: text} }

// ErrorCell is a cell with the error of a classifier and its deviation over splits.
func (r *Records) ErrorCell(name, classifier string) Cell {
	mean, found := r.Quality(name, classifier+"-error")
	if !found {
		return Cell{Text: "–", Case: name, Mark: Absent}
	}
	sd, _ := r.Quality(name, classifier+"-sd")
	return Cell{Text: fmt.Sprintf("%.1f ± %.1f", mean, sd), Case: name}
}

// ReferenceCell is a cell with what our reference programs measured.
func ReferenceCell(text string) Cell { return PaperCell(text) }

// noPeer is said where a program that ours is compared with is not there.
const noPeer = "no peer here"

// Cell is a cell with a figure of a case, or what was in its way.
func (r *Records) Cell(name string, text func(*Record) string) Cell {
	one := r.Lookup(name)
	switch {
	case one == nil:
		return Cell{Text: "not run", Case: name, Mark: Absent}
	case one.lacksPeer():
		return Cell{Text: noPeer, Case: name, Mark: Absent}
	case one.Missing != "":
		return Cell{Text: "not run", Case: name, Mark: Absent}
	case one.Error != "":
		return Cell{Text: "failed", Case: name, Mark: Absent}
	}
	shown := text(one)
	if shown == "" {
		return Cell{Text: "–", Case: name, Mark: Absent}
	}
	return Cell{Text: shown, Case: name}
}

// CPUText gives the processor time of a phase of a record; "" where there is none.
func CPUText(phase string) func(*Record) string {
	return func(r *Record) string { return MedianText(r.CPUSeconds[phase]) }
}

// WallText gives the wall time of a phase of a record; "" where there is none.
func WallText(phase string) func(*Record) string {
	return func(r *Record) string { return MedianText(r.Seconds[phase]) }
}

// QualityText gives a measured quality of a record; "" where there is none.
func QualityText(key string) func(*Record) string {
	return func(r *Record) string {
		s, found := r.Quality[key]
		if !found {
			return ""
		}
		return fmt.Sprintf("%.4f", s.Median)
	}
}

// PeakText gives the peak of memory of a record; "" where there is none.
func PeakText(r *Record) string {
	if r.PeakBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f MiB", float64(r.PeakBytes)/(1<<20))
}

// MedianText writes the median of seconds, with three digits; "" where there is none.
func MedianText(s Statistics) string {
	switch v := s.Median; {
	case len(s.Values) == 0:
		return ""
	case v < 1e-3:
		return fmt.Sprintf("%.3g µs", v*1e6)
	case v < 1:
		return fmt.Sprintf("%.3g ms", v*1e3)
	case v < 1000:
		return fmt.Sprintf("%.3g s", v)
	default:
		return fmt.Sprintf("%.0f s", v)
	}
}
