package bench

import "fmt"

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

// noPeer is said where a program that ours stands beside is not there.
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
		return Cell{Text: "missing", Case: name, Mark: Absent}
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
